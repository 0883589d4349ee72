/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KSCHED_ASM_SPARSEMEM_H
#define KSCHED_ASM_SPARSEMEM_H

#define SECTION_SIZE_BITS 27
#define MAX_PHYSMEM_BITS  46

#endif
