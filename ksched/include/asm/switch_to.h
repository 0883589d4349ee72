/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KSCHED_ASM_SWITCH_TO_H
#define KSCHED_ASM_SWITCH_TO_H

struct task_struct;
struct task_struct *ks_switch_to(struct task_struct *prev, struct task_struct *next);

#define switch_to(prev, next, last)                                                                \
	do {                                                                                       \
		(last) = ks_switch_to(prev, next);                                                 \
	} while (0)

#endif
