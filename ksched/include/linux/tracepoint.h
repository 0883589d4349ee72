/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The only header of the kernel that is shadowed: each tracepoint becomes a call of a weak function
 * named after it, ks_tp_NAME, with the tracepoint's own arguments. glue/events.c defines those that the
 * host can see; the others are null and cost one test.
 */
#include_next <linux/tracepoint.h>

#ifndef KSCHED_LINUX_TRACEPOINT_H
#define KSCHED_LINUX_TRACEPOINT_H

#undef __DECLARE_TRACE
#undef __DECLARE_TRACE_SYSCALL
#undef __DECLARE_TRACE_COMMON
#undef DEFINE_TRACE_FN
#undef DEFINE_TRACE
#undef DEFINE_TRACE_SYSCALL
#undef EXPORT_TRACEPOINT_SYMBOL
#undef EXPORT_TRACEPOINT_SYMBOL_GPL

#define __DECLARE_TRACE(name, proto, args, cond, data_proto)                                       \
	void ks_tp_##name(proto) __attribute__((weak, visibility("hidden")));                      \
	static inline void trace_##name(proto)                                                     \
	{                                                                                          \
		if (&ks_tp_##name && (cond))                                                       \
			ks_tp_##name(args);                                                        \
	}                                                                                          \
	static inline void trace_##name##_rcuidle(proto)                                           \
	{                                                                                          \
		trace_##name(args);                                                                \
	}                                                                                          \
	static inline void trace_call__##name(proto)                                               \
	{                                                                                          \
		trace_##name(args);                                                                \
	}                                                                                          \
	static inline bool trace_##name##_enabled(void)                                            \
	{                                                                                          \
		return &ks_tp_##name != NULL;                                                      \
	}                                                                                          \
	static inline int register_trace_##name(void (*probe)(data_proto), void *data)             \
	{                                                                                          \
		(void)probe;                                                                       \
		(void)data;                                                                        \
		return -ENOSYS;                                                                    \
	}                                                                                          \
	static inline int unregister_trace_##name(void (*probe)(data_proto), void *data)           \
	{                                                                                          \
		(void)probe;                                                                       \
		(void)data;                                                                        \
		return -ENOSYS;                                                                    \
	}

#define __DECLARE_TRACE_SYSCALL(name, proto, args, data_proto)                                     \
	__DECLARE_TRACE(name, PARAMS(proto), PARAMS(args), 1, PARAMS(data_proto))

#define DEFINE_TRACE_FN(name, reg, unreg, proto, args)
#define DEFINE_TRACE(name, proto, args)
#define DEFINE_TRACE_SYSCALL(name, reg, unreg, proto, args)
#define EXPORT_TRACEPOINT_SYMBOL(name)
#define EXPORT_TRACEPOINT_SYMBOL_GPL(name)

#endif
