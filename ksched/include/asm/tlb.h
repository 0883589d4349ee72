/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KSCHED_ASM_TLB_H
#define KSCHED_ASM_TLB_H

#include <linux/mm_types.h>
#define tlb_flush(tlb)                                                                             \
	do {                                                                                       \
	} while (0)

#endif
