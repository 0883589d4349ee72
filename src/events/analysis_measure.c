// SPDX-License-Identifier: GPL-2.0-only
/* analysis_measure.c - from when to when is measured, and whose metrics: the workers and all that they fork */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "events/analysis_private.h"

static void adopt(void *data, struct event_task *task)
{
	struct analysis *analysis = data;
	struct tracked *t = tracked(task);
	struct event_task *parent;

	t->run_ns = t->wait_ns = t->longest_ns = t->longest_at = t->switches = 0;
	t->migrations = 0;
	if (t->worker)
		return;
	parent = task->parent > 0 ? event_tasks_find(analysis->tasks, task->parent) : NULL;
	if (!parent || !tracked(parent)->counts)
		return;
	phase_crowd(analysis, t, analysis->now, false);
	phase_inherit(t, tracked(parent));
	phase_crowd(analysis, t, analysis->now, true);
}

static void forget(void *data, struct event_task *task)
{
	struct analysis *analysis = data;
	struct tracked *t = tracked(task);

	phase_crowd(analysis, t, analysis->now, false);
	t->counts = false;
	t->class = 0;
}

static void take_worker(struct analysis *analysis, int i, int32_t pid)
{
	struct event_task *task = phase_task(analysis, pid);
	const struct analysis_options *options = &analysis->options;
	hwloc_const_bitmap_t cpus = i < options->n_worker_cpus ? options->worker_cpus[i] : NULL;
	struct tracked *t;

	analysis->workers[i].pid = pid;
	if (!task)
		return;
	t = tracked(task);
	phase_crowd(analysis, t, analysis->now, false);
	t->counts = true;
	t->worker = i + 1;
	t->class = crowd_class(analysis->crowd, cpus) + 1;
	phase_crowd(analysis, t, analysis->now, true);
}

void measure_begin(struct analysis *analysis, const struct event_mark *mark)
{
	event_tasks_each(analysis->tasks, forget, analysis);
	free(analysis->workers);
	analysis->n_workers = mark->n_workers;
	analysis->workers = memory_zeroed((size_t)mark->n_workers, sizeof(*analysis->workers));
	for (int i = 0; i < mark->n_workers; i++)
		take_worker(analysis, i, mark->workers[i]);
	/* children of children are found from generation to generation */
	for (int generation = 0; generation < 3; generation++)
		event_tasks_each(analysis->tasks, adopt, analysis);
	analysis->begin = mark->time;
	analysis->measuring = true;
	memset(&analysis->tally, 0, sizeof(analysis->tally));
	memset(analysis->histograms, 0, sizeof(analysis->histograms));
	free(analysis->past);
	analysis->past = NULL;
	analysis->n_past = 0;
	crowd_restart(analysis->crowd, mark->time);
	progress_begin(analysis, mark->time);
}

static void finish_task(void *data, struct event_task *task)
{
	struct analysis *analysis = data;

	analysis_account(analysis, tracked(task), analysis->now);
}

void measure_end(struct analysis *analysis, uint64_t now)
{
	if (!analysis->measuring || analysis->ended)
		return;
	progress_until(analysis, now);
	analysis->now = now;
	event_tasks_each(analysis->tasks, finish_task, analysis);
	crowd_advance(analysis->crowd, now);
	crowd_sums(analysis->crowd, &analysis->sums);
	analysis->ended = true;
}
