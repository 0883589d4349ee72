/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KSCHED_ASM_CURRENT_H
#define KSCHED_ASM_CURRENT_H

/* One host thread: the running task is a plain variable, set on entering a CPU and by switch_to(). */
struct task_struct;
extern struct task_struct *ks_current;

static __always_inline struct task_struct *get_current(void)
{
	return ks_current;
}

#define current get_current()

#endif
