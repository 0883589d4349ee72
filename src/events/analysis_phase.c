// SPDX-License-Identifier: GPL-2.0-only
/* analysis_phase.c - a task runs, waits or sleeps: the time of its phases, and where it adds to the crowd */
#include "events/analysis_private.h"

struct event_task *phase_task(struct analysis *analysis, int32_t pid)
{
	struct event_task unknown = { .pid = pid,
				      .tgid = EVENT_NONE,
				      .parent = EVENT_NONE,
				      .reason = EVENT_TASK_FOUND,
				      .name = "?" };
	struct event_task *task;

	if (pid <= 0)
		return NULL;
	task = event_tasks_find(analysis->tasks, pid);
	return task ? task : event_tasks_tell(analysis->tasks, &unknown);
}

void phase_crowd(struct analysis *analysis, struct tracked *t, uint64_t now, bool in)
{
	int change = in ? 1 : -1;

	if (t->crowded == in || (in && (!t->counts || !t->cpu)))
		return;
	if (t->phase == PHASE_RUNS)
		crowd_running(analysis->crowd, now, t->cpu - 1, change);
	else if (t->phase == PHASE_WAITS)
		crowd_waiting(analysis->crowd, now, t->class - 1, t->cpu - 1, change);
	else
		return;
	t->crowded = in;
}

/* the part of a time that lies in the measured time */
static uint64_t measured(const struct analysis *analysis, uint64_t since, uint64_t now)
{
	uint64_t from = since > analysis->begin ? since : analysis->begin;

	return analysis->measuring && now > from ? now - from : 0;
}

void phase_record(struct analysis *analysis, const struct tracked *t, enum analysis_histogram which,
		  uint64_t ns)
{
	histogram_record(&analysis->histograms[!t->counts][which], ns);
}

void analysis_account(struct analysis *analysis, struct tracked *t, uint64_t now)
{
	uint64_t ns = measured(analysis, t->accounted, now);

	t->accounted = now;
	if (t->phase == PHASE_RUNS) {
		t->run_ns += ns;
		if (t->counts)
			analysis->tally.run_ns += ns;
		if (t->worker)
			analysis->workers[t->worker - 1].run_ns += ns;
	} else if (t->phase == PHASE_WAITS) {
		if (t->counts)
			analysis->tally.wait_ns += ns;
		if (t->worker)
			analysis->workers[t->worker - 1].wait_ns += ns;
	}
}

void phase_enter(struct analysis *analysis, struct tracked *t, enum task_phase phase, uint64_t now)
{
	phase_crowd(analysis, t, now, false);
	analysis_account(analysis, t, now);
	t->phase = phase;
	t->since = now;
	phase_crowd(analysis, t, now, true);
}

void phase_waited(struct analysis *analysis, struct tracked *t, uint64_t now)
{
	uint64_t ns = now - t->since;

	if (!analysis->measuring)
		return;
	t->switches++;
	t->wait_ns += ns;
	if (ns > t->longest_ns || !t->longest_at) {
		t->longest_ns = ns;
		t->longest_at = now;
	}
	phase_record(analysis, t, ANALYSIS_QUEUE_WAIT, ns);
	if (t->cause == WAIT_WOKEN)
		phase_record(analysis, t, ANALYSIS_WAKEUP_WAIT, ns);
	else if (t->cause == WAIT_PREEMPTED)
		phase_record(analysis, t, ANALYSIS_PREEMPT_WAIT, ns);
}

void phase_inherit(struct tracked *child, const struct tracked *parent)
{
	child->counts = parent->counts;
	child->worker = parent->worker;
	child->class = parent->class;
}
