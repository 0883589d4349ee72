// SPDX-License-Identifier: GPL-2.0-only
/* cpu.c - independent workers that compute, each on its own: who gets how much CPU */
#include "workload/workload.h"

/* one a worker */
struct cpu_worker {
	enum compute_method method;
	size_t bytes;
	struct compute *compute;
};

static void prepare(struct task *task, void *data)
{
	struct cpu_worker *worker = data;

	worker->compute = task_compute_new(task, worker->method, worker->bytes);
}

static void body(struct task *task, void *data)
{
	struct cpu_worker *worker = data;

	if (!worker->compute)
		return;
	task_compute(task, worker->compute, UINT64_MAX, 0);
	task_compute_free(task, worker->compute);
}

static struct error *setup(struct team *team, const struct params *params)
{
	int64_t n = params_number(params, "workers");

	for (int64_t i = 0; i < n; i++) {
		struct cpu_worker *worker = team_shared(team, sizeof(*worker));
		struct worker_spec spec = {
			.prepare = prepare,
			.body = body,
			.data = worker,
			.process = -1,
			.spins = params_number(params, "gate") == 1,
		};

		/* the words of the choice are in the order of the enum */
		worker->method = params_number(params, "method");
		worker->bytes = params_number(params, "working-set");
		team_add(team, &spec);
	}
	return NULL;
}

static unsigned needs_of(const struct params *params)
{
	enum compute_method method = params_number(params, "method");

	return TASK_PROCESS | TASK_COMPUTE | (compute_has_set(method) ? TASK_MEMORY : 0);
}

static struct error *memory(const struct machine *machine, hwloc_const_bitmap_t cpus,
			    const struct params *params, uint64_t *bytes)
{
	(void)machine;
	(void)cpus;
	*bytes = 0;
	if (compute_has_set(params_number(params, "method")))
		*bytes = params_number(params, "workers") * params_number(params, "working-set");
	return NULL;
}

static const struct param cpu_params[] = {
	{ "workers", PARAM_COUNT, .def = "nr_cpus", .max = PARAM_TASKS_MOST,
	  .help = "processes that compute" },
	{ "method", PARAM_CHOICE, .def = "int128", .choices = "int128 double matrix chase",
	  .help = "what they compute" },
	{ "gate", PARAM_CHOICE, .def = "sleep", .choices = "sleep spin",
	  .help = "how they wait for each other; spin: they run when the next is forked" },
	{ "working-set", PARAM_SIZE, .def = "256K", .min = 4096, .max = PARAM_BYTES_MOST,
	  .unit = "bytes", .help = "memory of each worker (matrix and chase)" },
	{ NULL },
};

static const struct workload_metric cpu_metrics[] = {
	{ { "ops", "1/s", BETTER_HIGHER, 1, "units of computing (docs/workloads.md)" },
	  METRIC_RATE,
	  0 },
	{ { NULL } },
};

const struct workload workload_cpu = {
	.name = "cpu",
	.summary = "independent workers computing",
	.exercises = "fork placement, load balancing, fairness between CPU-bound tasks",
	.version = 1,
	.params = cpu_params,
	.metrics = cpu_metrics,
	.load = "workers",
	.needs = TASK_PROCESS | TASK_COMPUTE,
	.unsupported = "it forks workers that compute",
	.setup = setup,
	.needs_of = needs_of,
	.memory = memory,
};
