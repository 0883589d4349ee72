// SPDX-License-Identifier: GPL-2.0-only
/*
 * events.c - the tracepoints of the kernel that the host sees, and those that carry a cost
 *
 * The shadowed linux/tracepoint.h calls ks_tp_NAME for tracepoint NAME; the definition here must have the
 * prototype of the tracepoint, which the compiler checks.
 */
#include "ks.h"

#include <trace/events/irq.h>

static inline bool wanted(enum ksched_event_kind kind)
{
	return ks_shared.events & 1U << kind && ks_booted;
}

static void report(enum ksched_event_kind kind, struct task_struct *task, struct task_struct *other,
		   u64 arg, int target_cpu)
{
	struct ksched_event ev = {
		.time = ks_now(),
		.kind = kind,
		.cpu = ks_this_cpu,
		.target_cpu = target_cpu,
		.arg = arg,
		.task = task ? &ks_task_of(task)->pub : NULL,
		.other = other ? &ks_task_of(other)->pub : NULL,
	};

	if (ks_host.event)
		ks_host.event(ks_host.self, &ev);
}

void ks_event_irq(enum ksched_enter why)
{
	if (wanted(KSCHED_EV_IRQ))
		report(KSCHED_EV_IRQ, NULL, NULL, why, ks_this_cpu);
}

void ks_tp_sched_switch(bool preempt, struct task_struct *prev, struct task_struct *next,
			unsigned int prev_state)
{
	u64 state = (prev_state | prev->exit_state) & TASK_REPORT;

	if (wanted(KSCHED_EV_SWITCH))
		report(KSCHED_EV_SWITCH, prev, next, preempt ? KSCHED_PREEMPTED : state,
		       ks_this_cpu);
}

void ks_tp_sched_waking(struct task_struct *p)
{
	ks_charge(KSCHED_COST_WAKEUP);
	if (wanted(KSCHED_EV_WAKING))
		report(KSCHED_EV_WAKING, p, NULL, 0, task_cpu(p));
}

void ks_tp_sched_wakeup(struct task_struct *p)
{
	if (wanted(KSCHED_EV_WAKEUP))
		report(KSCHED_EV_WAKEUP, p, NULL, 0, task_cpu(p));
}

void ks_tp_sched_wakeup_new(struct task_struct *p)
{
	if (wanted(KSCHED_EV_WAKEUP_NEW))
		report(KSCHED_EV_WAKEUP_NEW, p, NULL, 0, task_cpu(p));
}

void ks_tp_sched_migrate_task(struct task_struct *p, int dest_cpu)
{
	ks_charge(KSCHED_COST_MIGRATE);
	if (wanted(KSCHED_EV_MIGRATE))
		report(KSCHED_EV_MIGRATE, p, NULL, task_cpu(p), dest_cpu);
}

void ks_tp_softirq_entry(unsigned int nr)
{
	ks_charge(KSCHED_COST_SOFTIRQ);
	if (nr == SCHED_SOFTIRQ)
		ks_charge(KSCHED_COST_BALANCE);
	if (wanted(KSCHED_EV_SOFTIRQ))
		report(KSCHED_EV_SOFTIRQ, NULL, NULL, nr, ks_this_cpu);
}

/* These happen in the part of fork, exec, exit and wait that the glue stands for. */
void ks_event_task(enum ksched_event_kind kind, struct task_struct *task, struct task_struct *other)
{
	if (wanted(kind))
		report(kind, task, other, 0, task_cpu(other ? other : task));
}
