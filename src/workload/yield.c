// SPDX-License-Identifier: GPL-2.0-only
/* yield.c - workers that give the CPU back again and again */
#include "workload/workload.h"

static void body(struct task *task, void *data)
{
	(void)data;
	while (task_running(task)) {
		task_yield(task);
		task_count(task, 0, 1);
	}
}

static bool threads(const struct params *params)
{
	return params_number(params, "threads");
}

static struct error *setup(struct team *team, const struct params *params)
{
	int64_t n = params_number(params, "workers");
	struct worker_spec spec = { .body = body, .process = threads(params) ? 0 : -1 };

	for (int64_t i = 0; i < n; i++)
		team_add(team, &spec);
	return NULL;
}

static unsigned needs_of(const struct params *params)
{
	return threads(params) ? TASK_THREAD : TASK_PROCESS;
}

static const struct param yield_params[] = {
	{ "workers", PARAM_COUNT, .def = "2 * nr_cpus", .max = PARAM_TASKS_MOST,
	  .help = "tasks that yield" },
	{ "threads", PARAM_BOOL, .def = "no", .help = "threads of one process, not processes" },
	{ NULL },
};

static const struct workload_metric yield_metrics[] = {
	{ { "yields", "1/s", BETTER_HIGHER, 1, "calls of sched_yield()" }, METRIC_RATE, 0 },
	{ { NULL } },
};

const struct workload workload_yield = {
	.name = "yield",
	.summary = "workers in sched_yield loops",
	.exercises = "sched_yield, the choice of the next task, context switch",
	.version = 1,
	.params = yield_params,
	.metrics = yield_metrics,
	.load = "workers",
	.unsupported = "it needs processes or threads",
	.setup = setup,
	.needs_of = needs_of,
};
