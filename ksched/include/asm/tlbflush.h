/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KSCHED_ASM_TLBFLUSH_H
#define KSCHED_ASM_TLBFLUSH_H

#define flush_tlb_mm(mm)                                                                           \
	do {                                                                                       \
		(void)(mm);                                                                        \
	} while (0)

#endif
