// SPDX-License-Identifier: GPL-2.0-only
/*
 * analysis_progress.c - do the workers get on alike? The dispersion of their CPU time within windows of
 * 100 ms: a worker that is starved for seconds and favoured later shows here, not in the totals
 */
#include <math.h>

#include "base/memory.h"
#include "events/analysis_private.h"

#define WINDOW_NS 100000000

/* the CPU time of tasks that run now is added first */
static void account_running(struct analysis *analysis, uint64_t now)
{
	for (int cpu = 0; cpu < analysis->levels.n_cpus; cpu++) {
		int32_t pid = analysis->running[cpu];
		struct event_task *task = pid > 0 ? event_tasks_find(analysis->tasks, pid) : NULL;

		if (task && tracked(task)->phase == PHASE_RUNS)
			analysis_account(analysis, tracked(task), now);
	}
}

static void close_window(struct analysis *analysis, uint64_t now)
{
	double sum = 0, squares = 0, mean, n = analysis->n_workers;

	account_running(analysis, now);
	for (int i = 0; i < analysis->n_workers; i++) {
		struct worker_time *worker = &analysis->workers[i];
		double ns = (double)(worker->run_ns - worker->in_window);

		worker->in_window = worker->run_ns;
		sum += ns;
		squares += ns * ns;
	}
	mean = sum / n;
	if (!(mean > 0))
		return;
	analysis->cov_sum += 100 * sqrt(fmax(0, squares / n - mean * mean)) / mean;
	analysis->n_windows++;
}

void progress_until(struct analysis *analysis, uint64_t now)
{
	if (!analysis->measuring || analysis->n_workers < 2)
		return;
	while (analysis->window_end <= now) {
		close_window(analysis, analysis->window_end);
		analysis->window_end += WINDOW_NS;
	}
}

void progress_begin(struct analysis *analysis, uint64_t now)
{
	analysis->window_end = now + WINDOW_NS;
	analysis->cov_sum = 0;
	analysis->n_windows = 0;
}
