// SPDX-License-Identifier: GPL-2.0-only
/*
 * analysis.c - follows each task from state to state, and counts what it sees on the way
 *
 * Lost events leave a task in a state that the next event contradicts (a task that sleeps is
 * switched to). Then the new state is believed and no time is counted for the contradiction.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "events/analysis_private.h"

static struct analysis *of_sink(struct event_sink *sink)
{
	return (struct analysis *)sink;
}

/* ---- what is known of CPUs ---- */

/* text imports learn of CPUs while they read; levels of a machine are never enlarged by them */
static struct error *check_cpu(const struct analysis *analysis, int cpu)
{
	if (cpu >= 0 && cpu < analysis->levels.n_cpus)
		return NULL;
	return error_new(ERR_INPUT,
			 "an event on CPU %d, but the machine has CPUs 0 to %d; --machine names "
			 "the one it was recorded on",
			 cpu, analysis->levels.n_cpus - 1);
}

static bool has_cpu(const struct analysis *analysis, int cpu)
{
	return cpu >= 0 && cpu < analysis->levels.n_cpus;
}

/* ---- events ---- */

static void goes(struct analysis *analysis, const struct event *event)
{
	struct event_task *task = phase_task(analysis, event->pid);
	struct tracked *t = task ? tracked(task) : NULL;

	if (!t)
		return;
	phase_crowd(analysis, t, event->time, false);
	if (t->phase != PHASE_RUNS)
		t->phase = PHASE_UNKNOWN;
	else if (analysis->measuring && t->since >= analysis->begin)
		phase_record(analysis, t, ANALYSIS_SLICE, event->time - t->since);
	t->cpu = event->cpu + 1;
	if (event->state & EVENT_STATE_BLOCKED) {
		t->moved = 0;
		phase_enter(analysis, t, PHASE_SLEEPS, event->time);
		return;
	}
	/* R+ is a preemption within the kernel, R one on the way to user mode, or a yield */
	t->cause = WAIT_PREEMPTED;
	if (analysis->measuring && t->counts)
		analysis->tally.preemptions++;
	phase_enter(analysis, t, PHASE_WAITS, event->time);
}

static void count_wakeup(struct analysis *analysis, const struct tracked *t, int from, int to)
{
	analysis->tally.wakeups++;
	if (t->cpu)
		analysis->tally.wakeup[levels_between(&analysis->levels, from, to)]++;
}

static void comes(struct analysis *analysis, const struct event *event)
{
	struct event_task *task = phase_task(analysis, event->other);
	struct tracked *t = task ? tracked(task) : NULL;

	if (!t)
		return;
	phase_crowd(analysis, t, event->time, false);
	if (t->phase == PHASE_WAKING) {
		/* a recording without wakeup events, as perf sched makes: it waited since waking */
		t->cause = WAIT_WOKEN;
		if (analysis->measuring && t->counts)
			count_wakeup(analysis, t, t->cpu - 1, event->cpu);
		phase_waited(analysis, t, event->time);
	} else if (t->phase == PHASE_WAITS) {
		phase_waited(analysis, t, event->time);
	} else {
		t->phase = PHASE_UNKNOWN;
	}
	t->cpu = event->cpu + 1;
	phase_enter(analysis, t, PHASE_RUNS, event->time);
}

static void on_switch(struct analysis *analysis, const struct event *event)
{
	int32_t *running = &analysis->running[event->cpu];

	/* a kernel may leave out events without a word; that is all there is to see of it */
	if (*running != EVENT_NONE && *running != event->pid && !analysis->lossy[event->cpu])
		analysis->tally.missing += analysis->measuring;
	analysis->lossy[event->cpu] = false;
	/* events were lost: who ran there has gone, nobody knows when */
	if (*running > 0 && *running != event->pid) {
		struct event_task *task = event_tasks_find(analysis->tasks, *running);

		if (task && tracked(task)->phase == PHASE_RUNS &&
		    tracked(task)->cpu == event->cpu + 1) {
			phase_crowd(analysis, tracked(task), event->time, false);
			tracked(task)->phase = PHASE_UNKNOWN;
		}
	}
	goes(analysis, event);
	crowd_idle(analysis->crowd, event->time, event->cpu, event->other == 0);
	comes(analysis, event);
	*running = event->other;
}

static void on_waking(struct analysis *analysis, const struct event *event)
{
	struct event_task *task = phase_task(analysis, event->pid);
	struct tracked *t = task ? tracked(task) : NULL;

	if (!t || t->phase == PHASE_RUNS || t->phase == PHASE_WAITS)
		return; /* woken before it slept */
	if (has_cpu(analysis, event->target))
		t->cpu = event->target + 1;
	phase_enter(analysis, t, PHASE_WAKING, event->time);
}

static void on_wakeup(struct analysis *analysis, const struct event *event)
{
	struct event_task *task = phase_task(analysis, event->pid);
	struct tracked *t = task ? tracked(task) : NULL;
	int to = has_cpu(analysis, event->target) ? event->target : event->cpu;

	if (!t || t->phase == PHASE_RUNS || t->phase == PHASE_WAITS)
		return;
	if (analysis->measuring && t->counts)
		count_wakeup(analysis, t, t->cpu - 1, to);
	t->cpu = to + 1;
	t->cause = WAIT_WOKEN;
	t->moved = 0;
	phase_enter(analysis, t, PHASE_WAITS, event->time);
}

static void on_wakeup_new(struct analysis *analysis, const struct event *event)
{
	struct event_task *task = phase_task(analysis, event->pid);
	struct tracked *t = task ? tracked(task) : NULL;
	int to = has_cpu(analysis, event->target) ? event->target : event->cpu;

	if (!t || t->phase == PHASE_RUNS)
		return;
	if (analysis->measuring && t->counts) {
		/* without a fork event the one who wakes is the parent */
		int from = t->forked_on ? t->forked_on - 1 : event->cpu;

		analysis->tally.fork[levels_between(&analysis->levels, from, to)]++;
	}
	phase_crowd(analysis, t, event->time, false);
	t->forked_on = 0;
	t->cpu = to + 1;
	t->cause = WAIT_NEW;
	t->moved = 0;
	phase_enter(analysis, t, PHASE_WAITS, event->time);
}

static void count_move(struct analysis *analysis, struct tracked *t, int from, int to)
{
	enum event_level level = levels_between(&analysis->levels, from, to);

	t->migrations++;
	if (!t->counts || t->forked_on)
		return; /* moves at fork are counted by their first wakeup */
	analysis->tally.migrate[level]++;
	if (t->phase == PHASE_WAKING || t->phase == PHASE_SLEEPS) {
		analysis->tally.by_wakeup++;
	} else {
		analysis->tally.by_balance++;
		t->moved = (int32_t)level + 1;
	}
}

static void on_migrate(struct analysis *analysis, const struct event *event)
{
	struct event_task *task = phase_task(analysis, event->pid);
	struct tracked *t = task ? tracked(task) : NULL;

	if (!t || !has_cpu(analysis, event->from) || !has_cpu(analysis, event->target) ||
	    event->from == event->target)
		return;
	if (analysis->measuring)
		count_move(analysis, t, event->from, event->target);
	if (t->phase != PHASE_WAITS)
		return; /* where it ran last is what its wakeup is compared with */
	phase_crowd(analysis, t, event->time, false);
	t->cpu = event->target + 1;
	phase_crowd(analysis, t, event->time, true);
}

static void on_fork(struct analysis *analysis, const struct event *event)
{
	struct event_task *parent = phase_task(analysis, event->pid);
	struct event_task *child = phase_task(analysis, event->other);

	if (!child)
		return;
	tracked(child)->forked_on = event->cpu + 1;
	if (parent && analysis->marked)
		phase_inherit(tracked(child), tracked(parent));
}

/* sched_exec() has moved it just before: that was not the balancer */
static void on_exec(struct analysis *analysis, const struct event *event)
{
	struct event_task *task = phase_task(analysis, event->pid);
	struct tracked *t = task ? tracked(task) : NULL;

	if (!t || !t->moved)
		return;
	t->moved = 0;
	if (analysis->measuring && t->counts && analysis->tally.by_balance) {
		analysis->tally.by_balance--;
		analysis->tally.by_exec++;
	}
}

static void on_offline(struct analysis *analysis, const struct event *event, bool online)
{
	if (!has_cpu(analysis, event->target))
		return;
	/* a CPU that is off cannot take a waiting task; one that comes on starts in its idle task */
	crowd_idle(analysis->crowd, event->time, event->target, online);
	analysis->running[event->target] = online ? 0 : EVENT_NONE;
}

static struct error *analysis_event(struct event_sink *sink, const struct event *event)
{
	struct analysis *analysis = of_sink(sink);
	struct error *error = check_cpu(analysis, event->cpu);

	if (error)
		return error;
	if (analysis->ended)
		return NULL;
	if (!analysis->marked && !analysis->measuring) {
		analysis->measuring = true;
		analysis->begin = event->time;
		crowd_restart(analysis->crowd, event->time);
	}
	analysis->now = event->time;
	progress_until(analysis, event->time);
	analysis->tally.events += analysis->measuring;
	switch ((enum event_kind)event->kind) {
	case EVENT_SWITCH:
		on_switch(analysis, event);
		break;
	case EVENT_WAKING:
		on_waking(analysis, event);
		break;
	case EVENT_WAKEUP:
		on_wakeup(analysis, event);
		break;
	case EVENT_WAKEUP_NEW:
		on_wakeup_new(analysis, event);
		break;
	case EVENT_MIGRATE:
		on_migrate(analysis, event);
		break;
	case EVENT_FORK:
		on_fork(analysis, event);
		break;
	case EVENT_EXEC:
		on_exec(analysis, event);
		break;
	case EVENT_CPU_OFFLINE:
	case EVENT_CPU_ONLINE:
		on_offline(analysis, event, event->kind == EVENT_CPU_ONLINE);
		break;
	case EVENT_EXIT:
	case EVENT_WAIT:
	case EVENT_IDLE_ENTER:
	case EVENT_IDLE_EXIT:
	case N_EVENT_KINDS:
		break;
	}
	if (event->kind == EVENT_SWITCH && event->state & EVENT_STATE_ENDED && event->pid > 0) {
		struct event_task *task = event_tasks_find(analysis->tasks, event->pid);

		if (task)
			past_add(analysis, task);
	}
	event_tasks_passed(analysis->tasks, event);
	return NULL;
}

/* ---- the rest of the stream ---- */

static struct error *analysis_begin(struct event_sink *sink, const struct event_info *info)
{
	struct analysis *analysis = of_sink(sink);
	int n = info->nr_cpus > 0 ? info->nr_cpus : 1;

	levels_init(&analysis->levels, info->machine, n);
	analysis->machine = info->machine;
	analysis->running =
		memory_zeroed((size_t)analysis->levels.n_cpus, sizeof(*analysis->running));
	for (int cpu = 0; cpu < analysis->levels.n_cpus; cpu++)
		analysis->running[cpu] = EVENT_NONE;
	analysis->lossy = memory_zeroed((size_t)analysis->levels.n_cpus, sizeof(*analysis->lossy));
	analysis->crowd =
		crowd_new(&analysis->levels,
			  analysis->options.cpus ? analysis->options.cpus : info->online, 0,
			  analysis->options.starts_idle || !strcmp(info->source, "sim"));
	return NULL;
}

static struct error *analysis_task(struct event_sink *sink, const struct event_task *told)
{
	struct analysis *analysis = of_sink(sink);
	struct event_task *before = event_tasks_find(analysis->tasks, told->pid), *task;

	/* an id that is used again while its last switch was lost */
	if (before && told->reason == EVENT_TASK_FORKED) {
		phase_crowd(analysis, tracked(before), told->time, false);
		past_add(analysis, before);
	}
	task = event_tasks_tell(analysis->tasks, told);
	if (!analysis->marked && !told->kernel) {
		tracked(task)->counts = true;
		tracked(task)->class = crowd_class(analysis->crowd, NULL) + 1;
	}
	return NULL;
}

static struct error *analysis_lost(struct event_sink *sink, const struct event_lost *lost)
{
	struct analysis *analysis = of_sink(sink);

	for (int cpu = 0; cpu < analysis->levels.n_cpus; cpu++)
		if (lost->cpu < 0 || cpu == (int)lost->cpu)
			analysis->lossy[cpu] = true;
	analysis->tally.lost += lost->count;
	analysis->tally.lost_unknown |= !lost->count;
	return NULL;
}

/* ---- marks ---- */

static struct error *analysis_mark(struct event_sink *sink, const struct event_mark *mark)
{
	struct analysis *analysis = of_sink(sink);

	if (analysis->ended)
		return NULL; /* of further trials in the same stream only the first is analysed */
	/* marks of a recording without workers: all tasks count, from the first event to the last */
	if (mark->kind == EVENT_MARK_BEGIN ? !mark->n_workers : !analysis->marked)
		return NULL;
	analysis->now = mark->time;
	if (mark->kind == EVENT_MARK_END) {
		measure_end(analysis, mark->time);
		return NULL;
	}
	analysis->marked = true;
	measure_begin(analysis, mark);
	return NULL;
}

static struct error *analysis_end(struct event_sink *sink, const struct event_totals *totals)
{
	struct analysis *analysis = of_sink(sink);

	measure_end(analysis, totals->last > analysis->now ? totals->last : analysis->now);
	analysis->tally.lost_unknown |= totals->lost_unknown;
	return NULL;
}

/* ---- the life of an analysis ---- */

struct analysis *analysis_new(const struct analysis_options *options)
{
	struct analysis *analysis = memory_zeroed(1, sizeof(*analysis));

	analysis->sink = (struct event_sink){
		.begin = analysis_begin,
		.task = analysis_task,
		.event = analysis_event,
		.lost = analysis_lost,
		.mark = analysis_mark,
		.end = analysis_end,
	};
	analysis->options = *options;
	analysis->tasks = event_tasks_new(sizeof(struct tracked));
	return analysis;
}

struct event_sink *analysis_sink(struct analysis *analysis)
{
	return &analysis->sink;
}

void analysis_free(struct analysis *analysis)
{
	if (!analysis)
		return;
	event_tasks_free(analysis->tasks);
	crowd_free(analysis->crowd);
	levels_clear(&analysis->levels);
	free(analysis->running);
	free(analysis->lossy);
	free(analysis->workers);
	free(analysis->past);
	free(analysis);
}
