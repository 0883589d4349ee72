// SPDX-License-Identifier: GPL-2.0-only
/*
 * ep.c - the problem EP of the NAS Parallel Benchmarks: a fixed amount of computing, split evenly over
 * workers that share nothing, and verified
 *
 * A trial is one problem: it ends when all workers have done their batches, and the plan's runtime is
 * what that may take at most. In a warm-up workers compute batches that count for nothing.
 */
#include <inttypes.h>
#include <math.h>

#include "base/memory.h"
#include "workload/workload.h"

/* A class of the problem: 2^m pairs, and the sums that NPB verifies with (its program EP). */
struct ep_class {
	const char *name;
	int m;
	double sum_x, sum_y;
};

/* in the order of the parameter's words */
static const struct ep_class classes[] = {
	{ "S", 24, -3.247834652034740e3, -6.958407078382297e3 },
	{ "W", 25, -2.863319731645753e3, -6.320053679109499e3 },
	{ "A", 28, -4.295875165629892e3, -1.580732573678431e4 },
	{ "B", 30, 4.033815542441498e4, -2.660669192809235e4 },
	{ "C", 32, 4.764367927995374e4, -8.084072988043731e4 },
	{ "D", 36, 1.982481200946593e5, -1.020596636361769e5 },
};

#define TOLERANCE 1e-8 /* relative, of NPB */

/* one a worker, shared with the trial's process */
struct ep_worker {
	uint64_t first, n; /* batches */
	uint64_t begin_ns, end_ns;
	bool done;
	bool computed; /* result holds sums */
	struct compute_result result;
};

struct ep_team {
	int64_t n;
	struct ep_worker *workers[];
};

/* keeps the CPU as busy until the measured time begins; false when the trial is over */
static bool warm_up(struct task *task)
{
	struct compute *compute;

	if (task_measured(task))
		return true;
	compute = task_compute_new(task, COMPUTE_EP, 0);
	if (!compute)
		return false;
	while (task_running(task) && !task_measured(task))
		task_compute(task, compute, 1, -1);
	task_compute_free(task, compute);
	return task_running(task);
}

static void body(struct task *task, void *data)
{
	struct ep_worker *worker = data;
	struct compute *compute;

	if (!warm_up(task))
		return;
	worker->begin_ns = task_clock(task);
	compute = task_compute_new(task, COMPUTE_EP, 0);
	if (!compute)
		return;
	task_compute_seek(task, compute, worker->first);
	task_compute(task, compute, worker->n, 0);
	worker->end_ns = task_clock(task);
	worker->done = task_running(task);
	worker->computed = task_compute_result(task, compute, &worker->result);
	task_compute_free(task, compute);
}

static const struct ep_class *class_of(const struct params *params)
{
	return &classes[params_number(params, "class")];
}

static uint64_t batches_of(const struct ep_class *class)
{
	return ((uint64_t)1 << class->m) / COMPUTE_EP_PAIRS;
}

static struct error *check(const struct params *params, hwloc_const_bitmap_t cpus)
{
	const struct ep_class *class = class_of(params);
	uint64_t batches = batches_of(class), n = (uint64_t)params_number(params, "workers");

	(void)cpus;
	if (n > batches)
		return error_new(ERR_INPUT,
				 "workers: %" PRIu64 " of them, but class %s has %" PRIu64
				 " batches: at most one worker a batch is accepted",
				 n, class->name, batches);
	return NULL;
}

static struct error *setup(struct team *team, const struct params *params)
{
	const struct ep_class *class = class_of(params);
	uint64_t batches = batches_of(class), n = (uint64_t)params_number(params, "workers");
	struct ep_team *all = team_shared(team, sizeof(*all) + n * sizeof(all->workers[0]));

	for (uint64_t i = 0; i < n; i++) {
		struct ep_worker *worker = team_shared(team, sizeof(*worker));
		struct worker_spec spec = {
			.body = body,
			.data = worker,
			.process = params_number(params, "threads") ? 0 : -1,
			.spins = params_number(params, "gate") == 0,
		};

		worker->first = batches * i / n;
		worker->n = batches * (i + 1) / n - worker->first;
		all->workers[all->n++] = worker;
		team_add(team, &spec);
	}
	team_keep(team, all);
	return NULL;
}

/* ---- the result ---- */

static struct error *check_done(const struct ep_team *all, const struct ep_class *class,
				const struct team_report *report)
{
	uint64_t batches = 0;

	for (int64_t i = 0; i < all->n; i++)
		batches += report->workers[i].counters[0];
	for (int64_t i = 0; i < all->n; i++)
		if (!all->workers[i]->done)
			return error_new(ERR_DOMAIN,
					 "class %s was not done within the runtime: %" PRIu64
					 " of %" PRIu64 " batches in %.3g s; give a longer runtime",
					 class->name, batches, batches_of(class), report->seconds);
	return NULL;
}

static double relative_error(double value, double expected)
{
	return fabs((value - expected) / expected);
}

/* *verified: false where nothing was calculated */
static struct error *verify(const struct ep_team *all, const struct ep_class *class, bool *verified)
{
	double sum_x = 0, sum_y = 0;

	*verified = true;
	for (int64_t i = 0; i < all->n; i++) {
		*verified &= all->workers[i]->computed;
		sum_x += all->workers[i]->result.sum_x;
		sum_y += all->workers[i]->result.sum_y;
	}
	if (!*verified || (relative_error(sum_x, class->sum_x) <= TOLERANCE &&
			   relative_error(sum_y, class->sum_y) <= TOLERANCE))
		return NULL;
	return error_new(ERR_DOMAIN,
			 "verification failed: class %s has the sums %.15e and %.15e, computed "
			 "were %.15e and %.15e",
			 class->name, class->sum_x, class->sum_y, sum_x, sum_y);
}

static const struct workload_metric ep_metrics[] = {
	{ { "mops", "Mop/s", BETTER_HIGHER, 1, "2^(m+1) / time / 10^6: NPB's figure" },
	  METRIC_COMPUTED },
	{ { "time", "s", BETTER_LOWER, 1,
	    "from the first worker's start to the last one's end; of a worker its own" },
	  METRIC_COMPUTED },
	{ { "verified", "1", BETTER_NEITHER, 1, "1: both sums are the published ones" },
	  METRIC_COMPUTED },
	{ { NULL } },
};

static void add_times(const struct ep_team *all, const struct ep_class *class, struct trial *trial)
{
	autofree double *times = memory_zeroed(all->n, sizeof(*times));
	autofree double *rates = memory_zeroed(all->n, sizeof(*rates));
	uint64_t begin = UINT64_MAX, end = 0;
	double time;

	for (int64_t i = 0; i < all->n; i++) {
		const struct ep_worker *worker = all->workers[i];

		begin = worker->begin_ns < begin ? worker->begin_ns : begin;
		end = worker->end_ns > end ? worker->end_ns : end;
		times[i] = (double)(worker->end_ns - worker->begin_ns) / 1e9;
		rates[i] = 2.0 * COMPUTE_EP_PAIRS * (double)worker->n / times[i] / 1e6;
	}
	time = (double)(end - begin) / 1e9;
	trial_add_metric(trial, &ep_metrics[0].desc, ldexp(1, class->m + 1) / time / 1e6, rates,
			 (int)all->n);
	trial_add_metric(trial, &ep_metrics[1].desc, time, times, (int)all->n);
}

static struct error *finish(struct team *team, const struct params *params,
			    const struct team_report *report, struct trial *trial)
{
	const struct ep_team *all = team_kept(team);
	const struct ep_class *class = class_of(params);
	struct error *error = check_done(all, class, report);
	bool verified;

	if (!error)
		error = verify(all, class, &verified);
	if (error)
		return error;
	add_times(all, class, trial);
	if (verified)
		trial_add_metric(trial, &ep_metrics[2].desc, 1, NULL, 0);
	else
		trial_add_unavailable(trial, &ep_metrics[2].desc,
				      "not verified: computing is simulated");
	return NULL;
}

static unsigned needs_of(const struct params *params)
{
	return TASK_COMPUTE | (params_number(params, "threads") ? TASK_THREAD : TASK_PROCESS);
}

static const struct param ep_params[] = {
	{ "class", PARAM_CHOICE, .def = "W", .choices = "S W A B C D",
	  .help = "size of the problem: 2^24, 2^25, 2^28, 2^30, 2^32 or 2^36 pairs" },
	{ "workers", PARAM_COUNT, .def = "nr_cpus", .max = PARAM_TASKS_MOST,
	  .help = "tasks that compute" },
	{ "threads", PARAM_BOOL, .def = "yes", .help = "threads of one process, not processes" },
	{ "gate", PARAM_CHOICE, .def = "spin", .choices = "spin sleep",
	  .help = "how they wait for the start; spin: they run when the next is forked" },
	{ NULL },
};

const struct workload workload_ep = {
	.name = "ep",
	.summary = "a fixed amount of computing split over workers (NPB EP)",
	.exercises =
		"spreading over cores and LLCs when the machine is not full, placement at fork",
	.version = 1,
	.params = ep_params,
	.metrics = ep_metrics,
	.load = "workers",
	.ends = true,
	.needs = TASK_COMPUTE,
	.unsupported = "it needs workers that compute",
	.setup = setup,
	.finish = finish,
	.needs_of = needs_of,
	.check = check,
};
