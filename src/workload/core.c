// SPDX-License-Identifier: GPL-2.0-only
/*
 * core.c - integer code with lists, small matrices, a state machine and CRCs on a working set: what
 * cores, their siblings and shared caches give; its results are verified
 */
#include <inttypes.h>

#include "base/memory.h"
#include "workload/workload.h"

/* one a worker, shared with the trial's process */
struct core_worker {
	size_t bytes;
	struct compute *compute;
	bool checked;
	uint64_t verified;
};

struct core_team {
	int64_t n;
	struct core_worker *workers[];
};

static void prepare(struct task *task, void *data)
{
	struct core_worker *worker = data;

	worker->compute = task_compute_new(task, COMPUTE_CORE, worker->bytes);
}

static void body(struct task *task, void *data)
{
	struct core_worker *worker = data;
	struct compute_result result;

	if (!worker->compute)
		return;
	task_compute(task, worker->compute, UINT64_MAX, 0);
	worker->checked = task_compute_result(task, worker->compute, &result);
	worker->verified = result.units - result.wrong;
	if (result.wrong)
		task_fail(task, "%" PRIu64 " of %" PRIu64 " blocks have a wrong checksum",
			  result.wrong, result.units);
	task_compute_free(task, worker->compute);
}

static struct error *setup(struct team *team, const struct params *params)
{
	int64_t n = params_number(params, "workers");
	bool threads = params_number(params, "threads");
	struct core_team *all =
		team_shared(team, sizeof(*all) + (size_t)n * sizeof(all->workers[0]));

	for (int64_t i = 0; i < n; i++) {
		struct core_worker *worker = team_shared(team, sizeof(*worker));
		struct worker_spec spec = {
			.prepare = prepare,
			.body = body,
			.data = worker,
			.process = threads ? 0 : -1,
			.spins = params_number(params, "gate") == 0,
		};

		worker->bytes = (size_t)params_number(params, "working-set");
		all->workers[all->n++] = worker;
		team_add(team, &spec);
	}
	team_keep(team, all);
	return NULL;
}

static struct error *memory(const struct machine *machine, hwloc_const_bitmap_t cpus,
			    const struct params *params, uint64_t *bytes)
{
	(void)machine;
	(void)cpus;
	*bytes = (uint64_t)params_number(params, "workers") *
		 (uint64_t)params_number(params, "working-set");
	return NULL;
}

static const struct workload_metric core_metrics[] = {
	{ { "blocks", "1/s", BETTER_HIGHER, 1, "blocks of 2 KiB that were worked on" },
	  METRIC_RATE,
	  0 },
	{ { "verified", "1", BETTER_NEITHER, 1,
	    "blocks whose checksum was compared and right, warm-up included" },
	  METRIC_COMPUTED },
	{ { NULL } },
};

static struct error *finish(struct team *team, const struct params *params,
			    const struct team_report *report, struct trial *trial)
{
	const struct core_team *all = team_kept(team);
	autofree double *values = memory_zeroed(all->n, sizeof(*values));
	double sum = 0;

	(void)params;
	(void)report;
	for (int64_t i = 0; i < all->n; i++) {
		if (!all->workers[i]->checked) {
			trial_add_unavailable(trial, &core_metrics[1].desc,
					      "not verified: computing is simulated");
			return NULL;
		}
		sum += values[i] = (double)all->workers[i]->verified;
	}
	trial_add_metric(trial, &core_metrics[1].desc, sum, values, (int)all->n);
	return NULL;
}

static unsigned needs_of(const struct params *params)
{
	return TASK_COMPUTE | TASK_MEMORY |
	       (params_number(params, "threads") ? TASK_THREAD : TASK_PROCESS);
}

static const struct param core_params[] = {
	{ "workers", PARAM_COUNT, .def = "nr_cpus", .max = PARAM_TASKS_MOST,
	  .help = "tasks that compute" },
	{ "working-set", PARAM_SIZE, .def = "256K", .min = 4096, .max = PARAM_BYTES_MOST,
	  .unit = "bytes", .help = "memory of each worker, in blocks of 2 KiB" },
	{ "threads", PARAM_BOOL, .def = "yes", .help = "threads of one process, not processes" },
	{ "gate", PARAM_CHOICE, .def = "spin", .choices = "spin sleep",
	  .help = "how they wait for the start; spin: they run when the next is forked" },
	{ NULL },
};

const struct workload workload_core = {
	.name = "core",
	.summary = "integer code with a working set, verified",
	.exercises = "spreading over cores and caches, placement at fork, SMT",
	.version = 1,
	.params = core_params,
	.metrics = core_metrics,
	.load = "workers",
	.needs = TASK_COMPUTE | TASK_MEMORY,
	.unsupported = "it needs workers whose speed depends on caches",
	.setup = setup,
	.finish = finish,
	.needs_of = needs_of,
	.memory = memory,
};
