/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KSCHED_ASM_BARRIER_H
#define KSCHED_ASM_BARRIER_H

/* One host thread: the compiler is the only one that reorders. */
#define mb()	    barrier()
#define rmb()	    barrier()
#define wmb()	    barrier()
#define __smp_mb()  barrier()
#define __smp_rmb() barrier()
#define __smp_wmb() barrier()

#include <asm-generic/barrier.h>

#endif
