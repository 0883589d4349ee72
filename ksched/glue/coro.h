/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * coro.h - coroutines: a stack for every simulated task
 *
 * Includes no header, so kernel code and C library code can both use it.
 */
#ifndef KSCHED_CORO_H
#define KSCHED_CORO_H

struct ks_coro {
	void *sp;	    /* saved stack pointer while it does not run */
	void *stack;	    /* lowest usable address; 0 for the host's own stack */
	unsigned long size; /* usable bytes; asked: of ks_coro_new() */
	void (*fn)(void *arg);
	void *arg;
	void *fake_stack; /* of AddressSanitizer, while it does not run */
	struct ks_coro *next_free;
	unsigned long asked;
};

/* Stacks up to this size lie close together in huge pages. */
#define KS_CORO_SMALL (32UL << 10)
#define KS_CORO_SPARE 8192UL /* of these stacks, for kernel code: see ks_coro_is_low() */

/*
 * ks_coro_new - a coroutine that will call fn(arg) when first swapped to; fn must not return
 * Returns null when memory or mappings run out. A guard page lies below the stack, unless it is small.
 */
struct ks_coro *ks_coro_new(unsigned long size, void (*fn)(void *arg), void *arg);

/* ks_coro_is_low - on the running coroutine: less than KS_CORO_SPARE is left of a stack without guard */
static inline int ks_coro_is_low(const struct ks_coro *co)
{
	return co->size <= KS_CORO_SMALL &&
	       (const char *)__builtin_frame_address(0) < (const char *)co->stack + KS_CORO_SPARE;
}

/* ks_coro_host - the coroutine of the stack this is called on, to swap back to */
struct ks_coro *ks_coro_host(void);

/* ks_coro_free - its stack is kept for the next one of that size; it must not be the one that runs */
void ks_coro_free(struct ks_coro *co);

/*
 * ks_coro_call - run fn(a, b) on a stack for interrupts, and return
 * All calls share one stack, unless fn pauses: then others take another until it returns.
 */
void ks_coro_call(void (*fn)(unsigned long a, unsigned long b), unsigned long a, unsigned long b);

/* ks_coro_swap - save the running coroutine in `from` and go on with `to` */
void ks_coro_swap(struct ks_coro *from, struct ks_coro *to);

/*
 * ks_coro_leave - go on with the host's coroutine; ks_coro_enter - from there, go on with `co`, which left
 * As ks_coro_swap(), but the stack pointer is kept in *sp, where the caller has other things that it
 * needs then: one cache line less for each entry of a CPU. Of a coroutine that has not run yet: *sp = co->sp.
 */
void ks_coro_leave(struct ks_coro *self, void **sp);
void ks_coro_enter(struct ks_coro *co, void **sp);

#endif
