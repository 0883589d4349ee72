// SPDX-License-Identifier: GPL-2.0-only
/* spawn.c - fork, exit at once, wait, again: process creation under contention */
#include "workload/workload.h"

static void fork_loop(struct task *task, enum child_kind kind)
{
	while (task_running(task)) {
		int64_t child = task_spawn(task, kind, NULL, NULL);

		if (child < 0 || !task_wait(task, child))
			return;
		task_count(task, 0, 1);
	}
}

static void fork_body(struct task *task, void *data)
{
	(void)data;
	fork_loop(task, CHILD_FORK);
}

static void exec_body(struct task *task, void *data)
{
	(void)data;
	fork_loop(task, CHILD_EXEC);
}

static bool executes(const struct params *params)
{
	return params_number(params, "child") == 1;
}

static struct error *setup(struct team *team, const struct params *params)
{
	int64_t n = params_number(params, "workers");
	struct worker_spec spec = {
		.body = executes(params) ? exec_body : fork_body,
		.process = -1,
		.session = params_number(params, "session"),
	};

	for (int64_t i = 0; i < n; i++)
		team_add(team, &spec);
	return NULL;
}

static unsigned needs_of(const struct params *params)
{
	return TASK_PROCESS | (executes(params) ? TASK_EXEC : 0) |
	       (params_number(params, "session") ? TASK_SESSION : 0);
}

static const struct param spawn_params[] = {
	{ "workers", PARAM_COUNT, .def = "nr_cpus", .max = PARAM_TASKS_MOST,
	  .help = "loops that fork at the same time" },
	{ "child", PARAM_CHOICE, .def = "exit", .choices = "exit exec",
	  .help = "what the child does: exit at once; or vfork and exec of a program that does" },
	{ "session", PARAM_BOOL, .def = "no",
	  .help = "each loop in a session of its own (setsid): an autogroup each" },
	{ NULL },
};

static const struct workload_metric spawn_metrics[] = {
	{ { "loops", "1/s", BETTER_HIGHER, 1, "fork, exit and wait round trips" }, METRIC_RATE, 0 },
	{ { NULL } },
};

const struct workload workload_spawn = {
	.name = "spawn",
	.summary = "fork, exit at once, wait, again",
	.exercises = "fork and exit paths, placement of new tasks, autogroup",
	.version = 1,
	.params = spawn_params,
	.metrics = spawn_metrics,
	.load = "workers",
	.needs = TASK_PROCESS,
	.unsupported = "it forks and waits for children",
	.setup = setup,
	.needs_of = needs_of,
};
