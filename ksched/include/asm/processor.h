/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KSCHED_ASM_PROCESSOR_H
#define KSCHED_ASM_PROCESSOR_H

#include <asm/page.h>
#include <asm/ptrace.h>
#include <linux/cache.h>

struct task_struct;

struct thread_struct {
	void *coroutine; /* struct ks_coro */
	void *handle;	 /* struct ks_task */
};

#define INIT_THREAD                                                                                \
	{                                                                                          \
	}
#define TASK_SIZE	   (1UL << 47)
#define TASK_SIZE_MAX	   TASK_SIZE
#define TASK_UNMAPPED_BASE (TASK_SIZE / 3)
#define STACK_TOP	   TASK_SIZE
#define STACK_TOP_MAX	   TASK_SIZE

/*
 * A loop that waits for another CPU. The others only get on when this one pauses.
 */
void ks_cpu_relax(void);
#define cpu_relax() ks_cpu_relax()

#define task_pt_regs(tsk) ((struct pt_regs *)0)
#define KSTK_EIP(tsk)	  0UL
#define KSTK_ESP(tsk)	  0UL

static inline unsigned long __get_wchan(struct task_struct *p)
{
	(void)p;
	return 0;
}

#endif
