/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KSCHED_ASM_MMU_H
#define KSCHED_ASM_MMU_H

typedef struct {
	unsigned long id;
} mm_context_t;

#endif
