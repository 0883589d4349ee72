/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KSCHED_ASM_LINKAGE_H
#define KSCHED_ASM_LINKAGE_H

#define __ALIGN	    .balign 16
#define __ALIGN_STR ".balign 16"

#endif
