// SPDX-License-Identifier: GPL-2.0-only
/*
 * hints.c - fetching the state of a CPU into the caches before it is entered
 *
 * A tick touches about eighty cache lines of its CPU: the run queue, the timers, the current task and its
 * entities. With many CPUs none of them is in L2 when the next tick comes. The
 * host knows which CPU is entered next while another one executes, and the misses of that CPU happen
 * together then instead of one after another. A CPU of the host waits if it misses more than some 20
 * lines at a time, so they are asked for in parts, spread over the execution before.
 *
 * Which lines: found by tracing the addresses of one tick of a busy CPU (6.12). A line that another
 * kernel does not use costs one instruction, and one that is missing here a cache miss.
 */
#include "ks.h"

#include <linux/hrtimer.h>
#include <linux/kernel_stat.h>
#include "hints.h"

/* Per-CPU variables that no header declares; a tree need not have them. */
extern struct hrtimer_cpu_base ks_hrtimer_bases __asm__("hrtimer_bases") __attribute__((weak));
struct tick_sched *tick_get_tick_sched(int cpu) __attribute__((weak));
static const char *tick_sched_base; /* its per-CPU address */
/* The array `timer_bases`, from kernel.lds; a base begins with what a tick looks at. */
extern char ks_timer_bases[], ks_timer_bases_end[];
extern char ks_timer_migration[] __asm__("tmigr_requires_handle_remote") __attribute__((weak));
static unsigned long nr_timer_bases, timer_base_size;

#define LINE 64

/* Always inline: GCC leaves out calls of functions that only prefetch. */
static __always_inline void fetch(const void *p, unsigned long size)
{
	unsigned long i;

#pragma GCC unroll 16
	for (i = 0; i < size; i += LINE)
		__builtin_prefetch((const char *)p + i);
}

#define FETCH(p, type, from, to)                                                                   \
	fetch((const char *)(p) + offsetof(type, from),                                            \
	      offsetofend(type, to) - offsetof(type, from))

/* The CPU that is entered next, and the parts of it that are still to be fetched. */
static int next_cpu;
int ks_fetch_pending;

/* ---- the parts, in the order in which a tick touches them -------------------------------------------- */

static __always_inline void fetch_timers(unsigned long offset)
{
	unsigned long i;

	if (&ks_hrtimer_bases)
		fetch((const char *)&ks_hrtimer_bases + offset, sizeof(struct hrtimer_cpu_base));
	if (tick_sched_base)
		fetch(tick_sched_base + offset, 7 * LINE); /* and what lies behind it */
	for (i = 0; i < nr_timer_bases; i++)
		fetch(ks_timer_bases + offset + i * timer_base_size, LINE);
	fetch((const char *)&kernel_cpustat + offset, LINE);
	fetch((const char *)&irq_stat + offset, 1);
}

static __always_inline void fetch_rq(int cpu, unsigned long offset)
{
	const char *rq = (const char *)&runqueues + offset;

	fetch(rq, 2 * LINE);
	FETCH(rq, struct rq, dl, nr_iowait);
	FETCH(rq, struct rq, sd, avg_dl);
	fetch(rq + offsetof(struct rq, calc_load_update), 1);
	fetch(rq + offsetof(struct rq, hrtick_timer) + 32, 1);
	fetch(rq + offsetof(struct rq, cfs), sizeof(struct cfs_rq));
	fetch(&ks_topology[cpu].capacity, 1);
}

/* What its line of ks_priv points to. */
static __always_inline void fetch_task(const struct ks_cpu *p)
{
	const struct task_struct *tsk = p->curr;

	fetch(&tsk->thread_info, 2 * LINE);
	if (!p->cfs_rq)
		return; /* idle */
	fetch(&tsk->utime, 1);
	fetch(&tsk->cgroups, 1);
	fetch(&tsk->se, sizeof(tsk->se));
	fetch(&tsk->sched_class, 1);
}

static __always_inline void fetch_group(const struct ks_cpu *p)
{
	if (p->parent && p->cfs_rq) {
		fetch(p->cfs_rq, sizeof(struct cfs_rq));
		fetch(p->parent, sizeof(struct sched_entity));
	}
}

void ks_fetch_part(void)
{
	const struct ks_cpu *p = &ks_priv[next_cpu];
	unsigned long offset = __per_cpu_offset[next_cpu];

	switch (ks_fetch_pending--) {
	case FETCH_PARTS:
		fetch_timers(offset);
		break;
	case FETCH_PARTS - 1:
		fetch_rq(next_cpu, offset);
		break;
	case FETCH_PARTS - 2:
		fetch_task(p);
		break;
	default:
		fetch_group(p);
		break;
	}
}

void ks_prefetch(int cpu, int ahead)
{
	const struct ks_cpu *p = &ks_priv[cpu];

	fetch(&ks_cpus[cpu], sizeof(struct ksched_cpu));
	if (ahead > 1) {
		fetch(p, LINE);
		return;
	}
	fetch(p->sp, 4 * LINE);
	/* What was not fetched of the last one is what it executes by now. */
	next_cpu = cpu;
	ks_fetch_pending = FETCH_PARTS;
}

void ks_hints_init(void)
{
	if (tick_get_tick_sched)
		tick_sched_base = (const char *)tick_get_tick_sched(0) - __per_cpu_offset[0];
	/* NR_BASES of kernel/time/timer.c: timers that may migrate have got one of their own in 6.9 */
	nr_timer_bases = ks_timer_migration ? 3 : 2;
	timer_base_size = (ks_timer_bases_end - ks_timer_bases) / nr_timer_bases;
}
