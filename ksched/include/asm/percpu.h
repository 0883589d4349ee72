/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KSCHED_ASM_PERCPU_H
#define KSCHED_ASM_PERCPU_H

/* The offset of the simulated CPU is a plain variable; see current.h. */
#ifndef __ASSEMBLY__
extern unsigned long ks_my_cpu_offset;
#endif
#define __my_cpu_offset ks_my_cpu_offset

#include <asm-generic/percpu.h>

/*
 * Nothing can interrupt kernel code here except where it pauses, so this_cpu operations need not
 * disable interrupts as the generic ones do.
 */
#define KS_PCPU(pcp) (*raw_cpu_ptr(&(pcp)))

#undef this_cpu_generic_read
#define this_cpu_generic_read(pcp) KS_PCPU(pcp)
#undef this_cpu_generic_to_op
#define this_cpu_generic_to_op(pcp, val, op)                                                       \
	do {                                                                                       \
		KS_PCPU(pcp) op val;                                                               \
	} while (0)
#undef this_cpu_generic_add_return
#define this_cpu_generic_add_return(pcp, val) raw_cpu_generic_add_return(pcp, val)
#undef this_cpu_generic_xchg
#define this_cpu_generic_xchg(pcp, nval) raw_cpu_generic_xchg(pcp, nval)
#undef this_cpu_generic_cmpxchg
#define this_cpu_generic_cmpxchg(pcp, oval, nval) raw_cpu_generic_cmpxchg(pcp, oval, nval)

#endif
