/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * state.h - the library's own variables, and charging of costs
 *
 * Needs ksched.h and nothing of the kernel, so the untyped stubs use it too.
 */
#ifndef KSCHED_GLUE_STATE_H
#define KSCHED_GLUE_STATE_H

#define KS_HIDDEN __attribute__((visibility("hidden")))

#ifdef __SANITIZE_ADDRESS__
#define KS_STACK_SIZE (256UL << 10)
#else
#define KS_STACK_SIZE (64UL << 10)
#endif

struct ks_coro;
struct task_struct;

/* What the library keeps of a CPU beside struct ksched_cpu. */
struct ks_cpu {
	struct ks_coro *coro; /* the coroutine that is its current task, while paused */
	struct task_struct *curr;
	unsigned int why;	/* enum ksched_enter of the last entry */
	unsigned int pending;	/* set of 1 << why that came while interrupts were off */
	unsigned int cost_frac; /* picoseconds below 1 ns */
	unsigned int irqs_off;	/* at the pause it is in */
	void *sp;		/* of `coro` */
	/* for hints.c, when `curr` first paused; null for the idle task */
	const void *cfs_rq, *parent;
	void (*irq_fn)(void *arg); /* of KSCHED_IRQ_HOST; end of a cache line */
	void *irq_arg;
} __attribute__((aligned(64)));

extern struct ksched_shared ks_shared KS_HIDDEN;
extern struct ksched_cpu *ks_cpus KS_HIDDEN; /* == ks_shared.cpu */
extern struct ks_cpu *ks_priv KS_HIDDEN;
extern struct ksched_host ks_host KS_HIDDEN;
extern int ks_this_cpu KS_HIDDEN;
extern unsigned int ks_scanned KS_HIDDEN; /* CPUs found in masks, not charged yet */
extern int ks_booted KS_HIDDEN;

void ks_charge_scan(void) KS_HIDDEN;

static inline void ks_pass_ps(struct ksched_cpu *c, struct ks_cpu *p, uint64_t ps)
{
	uint64_t sum = p->cost_frac + (ps * c->cost_scale >> 10);

	p->cost_frac = sum % 1000;
	c->now += sum / 1000;
	c->kernel_ns += sum / 1000;
}

/* Charge one unit of a cost to the CPU that runs. */
static inline void ks_charge(enum ksched_cost what)
{
	struct ksched_cpu *c = &ks_cpus[ks_this_cpu];
	uint32_t ps = ks_shared.cost_ps[what];

	c->count[what]++;
	if (ps)
		ks_pass_ps(c, &ks_priv[ks_this_cpu], ps);
}

/* The local clock of the CPU that runs. */
static inline uint64_t ks_now(void)
{
	if (ks_scanned)
		ks_charge_scan();
	return ks_cpus[ks_this_cpu].now;
}

/* ---- arena.c: memory in huge pages, zeroed, aligned to 64 bytes; null when it runs out ---- */
void *ks_arena_alloc(unsigned long size) KS_HIDDEN;
void ks_arena_free(void *p) KS_HIDDEN;
/* After a fork: copy all of it into huge pages of this process. */
void ks_arena_settle(void) KS_HIDDEN;

/* ---- memory.c, random.c ---- */
int ks_percpu_init(int nr_cpus) KS_HIDDEN; /* 0, or -1 without memory */
void ks_random_seed(uint64_t seed) KS_HIDDEN;
/* Callbacks of call_rcu() that wait, unless a CPU waits actively inside the kernel. */
void ks_run_rcu(void) KS_HIDDEN;
extern int ks_spinning KS_HIDDEN; /* CPUs in KSCHED_SPIN */

/* Does not return. */
void ks_trap(const char *name) KS_HIDDEN __attribute__((noreturn, cold));
void ks_warn(const char *text) KS_HIDDEN __attribute__((cold));

#endif
