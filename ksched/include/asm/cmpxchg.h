/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KSCHED_ASM_CMPXCHG_H
#define KSCHED_ASM_CMPXCHG_H

/* One host thread, and no pause inside: plain C is atomic. */
#define arch_xchg(ptr, val)                                                                        \
	({                                                                                         \
		__auto_type __p = (ptr);                                                           \
		__typeof__(*__p) __old = *__p;                                                     \
		*__p = (__typeof__(*__p))(val);                                                    \
		__old;                                                                             \
	})

#define arch_cmpxchg(ptr, old, new)                                                                \
	({                                                                                         \
		__auto_type __p = (ptr);                                                           \
		__typeof__(*__p) __exp = (__typeof__(*__p))(old);                                  \
		__typeof__(*__p) __cur = *__p;                                                     \
		if (__cur == __exp)                                                                \
			*__p = (__typeof__(*__p))(new);                                            \
		__cur;                                                                             \
	})

#define arch_try_cmpxchg(ptr, oldp, new)                                                           \
	({                                                                                         \
		__auto_type __p = (ptr);                                                           \
		__auto_type __o = (oldp);                                                          \
		__typeof__(*__p) __cur = *__p;                                                     \
		int __ok = __cur == *__o;                                                          \
		if (__ok)                                                                          \
			*__p = (__typeof__(*__p))(new);                                            \
		else                                                                               \
			*__o = __cur;                                                              \
		__ok;                                                                              \
	})

#define arch_cmpxchg64	       arch_cmpxchg
#define arch_cmpxchg_local     arch_cmpxchg
#define arch_cmpxchg64_local   arch_cmpxchg
#define arch_try_cmpxchg64     arch_try_cmpxchg
#define arch_try_cmpxchg_local arch_try_cmpxchg
#define arch_sync_cmpxchg      arch_cmpxchg

#endif
