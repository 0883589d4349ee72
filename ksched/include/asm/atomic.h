/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KSCHED_ASM_ATOMIC_H
#define KSCHED_ASM_ATOMIC_H

#include <asm/cmpxchg.h>
#include <linux/types.h>

/* See cmpxchg.h: plain C. All other forms are derived by linux/atomic.h. */
#define KS_ATOMIC_OP(prefix, type, T, op, c_op)                                                    \
	static __always_inline void prefix##_##op(T i, type *v)                                    \
	{                                                                                          \
		v->counter = v->counter c_op i;                                                    \
	}                                                                                          \
	static __always_inline T prefix##_fetch_##op(T i, type *v)                                 \
	{                                                                                          \
		T old = v->counter;                                                                \
		v->counter = old c_op i;                                                           \
		return old;                                                                        \
	}

#define KS_ATOMIC_RETURN(prefix, type, T, op, c_op)                                                \
	static __always_inline T prefix##_##op##_return(T i, type *v)                              \
	{                                                                                          \
		return v->counter = v->counter c_op i;                                             \
	}

#define KS_ATOMIC_ALL(prefix, type, T)                                                             \
	KS_ATOMIC_OP(prefix, type, T, add, +)                                                      \
	KS_ATOMIC_OP(prefix, type, T, sub, -)                                                      \
	KS_ATOMIC_OP(prefix, type, T, and, &)                                                      \
	KS_ATOMIC_OP(prefix, type, T, or, |)                                                       \
	KS_ATOMIC_OP(prefix, type, T, xor, ^)                                                      \
	KS_ATOMIC_RETURN(prefix, type, T, add, +)                                                  \
	KS_ATOMIC_RETURN(prefix, type, T, sub, -)

KS_ATOMIC_ALL(arch_atomic, atomic_t, int)

#define ATOMIC64_INIT(i)                                                                           \
	{                                                                                          \
		(i)                                                                                \
	}
#define arch_atomic64_read(v)	READ_ONCE((v)->counter)
#define arch_atomic64_set(v, i) WRITE_ONCE((v)->counter, (i))
#define arch_atomic_read(v)	READ_ONCE((v)->counter)
#define arch_atomic_set(v, i)	WRITE_ONCE((v)->counter, (i))

KS_ATOMIC_ALL(arch_atomic64, atomic64_t, s64)

#undef KS_ATOMIC_ALL
#undef KS_ATOMIC_RETURN
#undef KS_ATOMIC_OP

/* Before 6.5 these two are not derived. */
#define arch_atomic_cmpxchg(v, o, n)   arch_cmpxchg(&(v)->counter, o, n)
#define arch_atomic_xchg(v, n)	       arch_xchg(&(v)->counter, n)
#define arch_atomic64_cmpxchg(v, o, n) arch_cmpxchg(&(v)->counter, o, n)
#define arch_atomic64_xchg(v, n)       arch_xchg(&(v)->counter, n)

#define arch_atomic_fetch_add	 arch_atomic_fetch_add
#define arch_atomic_fetch_sub	 arch_atomic_fetch_sub
#define arch_atomic_fetch_and	 arch_atomic_fetch_and
#define arch_atomic_fetch_or	 arch_atomic_fetch_or
#define arch_atomic_fetch_xor	 arch_atomic_fetch_xor
#define arch_atomic_add_return	 arch_atomic_add_return
#define arch_atomic_sub_return	 arch_atomic_sub_return
#define arch_atomic64_fetch_add	 arch_atomic64_fetch_add
#define arch_atomic64_fetch_sub	 arch_atomic64_fetch_sub
#define arch_atomic64_fetch_and	 arch_atomic64_fetch_and
#define arch_atomic64_fetch_or	 arch_atomic64_fetch_or
#define arch_atomic64_fetch_xor	 arch_atomic64_fetch_xor
#define arch_atomic64_add_return arch_atomic64_add_return
#define arch_atomic64_sub_return arch_atomic64_sub_return

#endif
