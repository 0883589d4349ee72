/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KSCHED_ASM_VDSO_H
#define KSCHED_ASM_VDSO_H

/* No vdso: user mode is the host's. */

#endif
