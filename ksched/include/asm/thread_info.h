/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KSCHED_ASM_THREAD_INFO_H
#define KSCHED_ASM_THREAD_INFO_H

#include <asm/page.h>

#define THREAD_SIZE_ORDER 2
#define THREAD_SIZE	  (PAGE_SIZE << THREAD_SIZE_ORDER)

#ifndef __ASSEMBLY__
struct thread_info {
	unsigned long flags;
	unsigned long syscall_work;
	int preempt_count;
	unsigned int cpu;
};

#define INIT_THREAD_INFO(tsk)                                                                      \
	{                                                                                          \
		.preempt_count = INIT_PREEMPT_COUNT                                                \
	}
#endif

/* Generic numbers; include/asm-generic/thread_info_tif.h of newer trees is not used. */
#define TIF_NOTIFY_RESUME     0
#define TIF_SIGPENDING	      1
#define TIF_NEED_RESCHED      2
#define TIF_NEED_RESCHED_LAZY 3
#define TIF_NOTIFY_SIGNAL     4
#define TIF_MEMDIE	      5
#define TIF_POLLING_NRFLAG    6
#define TIF_UPROBE	      7
#define TIF_PATCH_PENDING     8
#define TIF_SYSCALL_TRACE     9
#define TIF_RESTORE_SIGMASK   10
#define TIF_RSEQ	      11

#define _TIF_NOTIFY_RESUME     (1UL << TIF_NOTIFY_RESUME)
#define _TIF_SIGPENDING	       (1UL << TIF_SIGPENDING)
#define _TIF_NEED_RESCHED      (1UL << TIF_NEED_RESCHED)
#define _TIF_NOTIFY_SIGNAL     (1UL << TIF_NOTIFY_SIGNAL)
#define _TIF_POLLING_NRFLAG    (1UL << TIF_POLLING_NRFLAG)
#define _TIF_UPROBE	       (1UL << TIF_UPROBE)
#define _TIF_PATCH_PENDING     (1UL << TIF_PATCH_PENDING)
#define _TIF_RSEQ	       (1UL << TIF_RSEQ)
#define _TIF_NEED_RESCHED_LAZY (1UL << TIF_NEED_RESCHED_LAZY)

#endif
