// SPDX-License-Identifier: GPL-2.0-only
/*
 * rcu.c - read-copy-update, where readers never wait
 *
 * Kernel code does not pause inside a read-side section, but for active waiting (KSCHED_SPIN). So at any
 * return to the host without a CPU in that mode, all readers are gone and callbacks may run.
 */
#include <stdint.h>
#include <stdlib.h>

#include "ksched.h"
#include "state.h"

#define WEAK __attribute__((weak))

void kfree(const void *p); /* memory.c */

struct callback { /* struct rcu_head */
	struct callback *next;
	void (*func)(struct callback *head);
};

static struct callback *first, **last = &first;
static void **to_free; /* pointers of kvfree_rcu() */
static size_t nr_to_free, max_to_free;
int ks_spinning;

static void free_all(void)
{
	size_t i;

	for (i = 0; i < nr_to_free; i++)
		kfree(to_free[i]);
	nr_to_free = 0;
}

void ks_run_rcu(void)
{
	struct callback *cb;

	if (ks_spinning)
		return;
	while ((cb = first)) {
		first = cb->next;
		if (!first)
			last = &first;
		cb->func(cb);
	}
	if (nr_to_free)
		free_all();
}

WEAK void call_rcu(struct callback *head, void (*func)(struct callback *head))
{
	head->func = func;
	head->next = NULL;
	*last = head;
	last = &head->next;
}

/*
 * 6.1: the second argument is the offset of the head in the object, disguised as a function; later it is
 * the object itself.
 */
WEAK void kvfree_call_rcu(struct callback *head, void *ptr)
{
	if ((uintptr_t)ptr < 4096)
		ptr = (char *)head - (uintptr_t)ptr;
	if (nr_to_free == max_to_free) {
		max_to_free = max_to_free ? 2 * max_to_free : 256;
		to_free = realloc(to_free, max_to_free * sizeof(*to_free));
		if (!to_free)
			abort();
	}
	to_free[nr_to_free++] = ptr;
}

/* Nobody reads now but the caller, who does not: a grace period has no length. */
WEAK void synchronize_rcu(void)
{
}

WEAK void synchronize_rcu_expedited(void)
{
}

WEAK void rcu_barrier(void)
{
}

/* Sleepable RCU: its readers may pause, but nothing in this build frees what they read. */
WEAK int init_srcu_struct(void *ssp)
{
	(void)ssp;
	return 0;
}

WEAK int __srcu_read_lock(void *ssp)
{
	(void)ssp;
	return 0;
}

WEAK void __srcu_read_unlock(void *ssp, int idx)
{
	(void)ssp;
	(void)idx;
}

/* The kernel's own machinery to find quiescent states has nothing to do. */
WEAK void rcu_all_qs(void)
{
}

WEAK void rcu_momentary_eqs(void)
{
}

WEAK void rcu_momentary_dyntick_idle(void)
{
}

WEAK void rcu_note_context_switch(int preempt)
{
	(void)preempt;
}

WEAK void rcu_sched_clock_irq(int user)
{
	(void)user;
}

WEAK void rcu_softirq_qs(void)
{
}

WEAK int rcu_needs_cpu(void)
{
	return 0;
}

WEAK void rcu_idle_enter(void)
{
}

WEAK void rcu_idle_exit(void)
{
}

WEAK int rcu_is_watching(void)
{
	return 1;
}

WEAK void rcu_nocb_flush_deferred_wakeup(void)
{
}

WEAK void rcu_irq_enter_check_tick(void)
{
}

WEAK void __rcu_irq_enter_check_tick(void)
{
}

WEAK int rcu_inkernel_boot_has_ended(void)
{
	return 1;
}
