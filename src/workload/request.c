// SPDX-License-Identifier: GPL-2.0-only
/*
 * request.c - messengers wake workers, which do short pieces of work: the shape of schbench
 *
 * What is measured is how soon a woken worker runs, and how long a request takes from there.
 */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "workload/parts.h"
#include "workload/request_parts.h"

#define MOST_NS		3600000000000 /* of a sleep */
#define MOST_OPERATIONS 1000000	      /* of a request */
#define MOST_RATE	10000000      /* arrivals are looked at one by one */

/* about the multiplications of a unit of COMPUTE_MATRIX (task/compute.h) */
#define UNIT_MULTIPLICATIONS 16384

/* ---- a worker ---- */

/* its own one where the system does not tell the CPU, or one that is not of the case */
static struct mutex *lock_of_cpu(const struct request_worker *worker, int cpu)
{
	const struct request_team *team = worker->messenger->team;

	if (cpu >= 0 && cpu < team->n_cpus && team->cpu_locks[cpu])
		return team->cpu_locks[cpu];
	return worker->own;
}

/* the lock of the CPU that it is on when it has it: who was moved while it span goes to another one */
static struct mutex *spin_for_cpu(struct task *task, const struct request_worker *worker)
{
	for (;;) {
		int cpu = task_cpu(task);
		struct mutex *lock = lock_of_cpu(worker, cpu);

		if (!mutex_spin(task, lock))
			return NULL;
		if (task_cpu(task) == cpu)
			return lock;
		mutex_unlock(task, lock);
	}
}

/* false: the trial is over; *out is NULL without a lock */
static bool take_lock(struct task *task, const struct request_worker *worker, struct mutex **out)
{
	*out = NULL;
	switch (worker->messenger->team->lock) {
	case REQUEST_LOCK_CPU:
		*out = spin_for_cpu(task, worker);
		return *out != NULL;
	case REQUEST_LOCK_CPU_SLEEP:
		*out = lock_of_cpu(worker, task_cpu(task));
		return mutex_lock(task, *out);
	case REQUEST_LOCK_PRIVATE:
		*out = worker->own;
		return mutex_lock(task, *out);
	case REQUEST_LOCK_NONE:
		break;
	}
	return true;
}

/* sleeps that stand for waiting for disks and other machines, then the work */
static bool serve(struct task *task, struct request_worker *worker)
{
	const struct request_team *team = worker->messenger->team;
	struct mutex *lock;

	for (int64_t i = 0; i < team->sleeps; i++)
		if (!task_sleep(task, team->sleep_ns))
			return false;
	if (!take_lock(task, worker, &lock))
		return false;
	task_compute(task, worker->compute, team->units, -1);
	if (lock)
		mutex_unlock(task, lock);
	return task_running(task);
}

static void completed(struct task *task, struct request_worker *worker, uint64_t begin)
{
	uint64_t elapsed, second;

	task_record(task, REQUEST_LATENCY, task_clock(task) - begin);
	task_count(task, 0, 1);
	__atomic_add_fetch(&worker->messenger->team->completed, 1, __ATOMIC_RELAXED);
	if (!task_elapsed(task, &elapsed))
		return;
	second = elapsed / 1000000000;
	if (second < REQUEST_MOST_SECONDS)
		__atomic_add_fetch(&worker->messenger->team->seconds[second], 1, __ATOMIC_RELAXED);
}

static void worker_prepare(struct task *task, void *data)
{
	struct request_worker *worker = data;

	worker->compute =
		task_compute_new(task, COMPUTE_MATRIX, worker->messenger->team->footprint);
}

static void worker_body(struct task *task, void *data)
{
	struct request_worker *worker = data;
	uint64_t think = worker->messenger->team->think_ns, begin;

	if (!worker->compute)
		return;
	while (request_next(task, worker, &begin) && serve(task, worker)) {
		completed(task, worker, begin);
		if (think && !task_sleep(task, think))
			break;
	}
	task_compute_free(task, worker->compute);
}

/* ---- the team ---- */

/* as many units as a product of two of the matrices has, for each operation */
static uint64_t units_of(size_t footprint, int64_t operations)
{
	double side = floor(sqrt(footprint / 3.0 / sizeof(double)));
	double units = round(side * side * side / UNIT_MULTIPLICATIONS);

	return operations * (uint64_t)fmax(units, 1);
}

static struct request_team *team_new(struct team *team, const struct params *params)
{
	struct request_team *shared = team_shared(team, sizeof(*shared));
	int cpu;

	shared->footprint = params_number(params, "footprint");
	shared->units = units_of(shared->footprint, params_number(params, "operations"));
	shared->sleeps = params_number(params, "sleeps");
	shared->sleep_ns = params_number(params, "sleep");
	shared->think_ns = params_number(params, "think");
	/* the words of the choice are in the order of the enum */
	shared->lock = params_number(params, "lock");
	shared->rate = params_number(params, "rate");
	shared->n_messengers = params_number(params, "messengers");
	shared->messengers = team_shared(team, shared->n_messengers * sizeof(*shared->messengers));
	shared->seconds = team_shared(team, REQUEST_MOST_SECONDS * sizeof(*shared->seconds));
	shared->n_cpus = hwloc_bitmap_last(team_cpus(team)) + 1;
	shared->cpu_locks = team_shared(team, shared->n_cpus * sizeof(struct mutex *));
	hwloc_bitmap_foreach_begin(cpu, team_cpus(team)) shared->cpu_locks[cpu] = team_mutex(team);
	hwloc_bitmap_foreach_end();
	team_keep(team, shared);
	return shared;
}

static void add_worker(struct team *team, struct request_messenger *messenger,
		       hwloc_const_bitmap_t cpus)
{
	struct request_worker *worker = team_shared(team, sizeof(*worker));
	struct worker_spec spec = {
		.prepare = worker_prepare,
		.body = worker_body,
		.data = worker,
		.cpus = cpus,
	};

	worker->messenger = messenger;
	worker->wake = team_channel(team, CHANNEL_FUTEX, 0);
	worker->own = team_mutex(team);
	team_add(team, &spec);
}

static void add_messenger(struct team *team, struct request_team *shared, int64_t number,
			  int64_t n_workers, hwloc_const_bitmap_t cpus)
{
	struct request_messenger *messenger = team_shared(team, sizeof(*messenger));
	struct worker_spec spec = {
		.body = request_messenger_body,
		.data = messenger,
		.helper = true,
		.cpus = cpus,
	};

	messenger->team = shared;
	messenger->number = number;
	shared->messengers[number] = messenger;
	messenger->bell = team_channel(team, CHANNEL_FUTEX, 0);
	team_add(team, &spec);
	for (int64_t i = 0; i < n_workers; i++)
		add_worker(team, messenger, cpus);
}

static hwloc_bitmap_t set_of(const struct part *part)
{
	hwloc_bitmap_t set = hwloc_bitmap_alloc();

	for (int i = 0; i < part->n_cpus; i++)
		hwloc_bitmap_set(set, part->cpus[i]);
	return set;
}

/* messengers go round over the parts, with their workers */
static void add_all(struct team *team, const struct params *params, int64_t n_messengers,
		    int64_t n_workers)
{
	/* by the words of the choice */
	static const enum part_kind kinds[] = { PART_MACHINE, PART_NODE, PART_LLC };
	int64_t bind = params_number(params, "bind");
	struct request_team *shared = team_new(team, params);
	struct part *parts = NULL;
	int n_parts = bind ? parts_of(team_machine(team), team_cpus(team), kinds[bind], &parts) : 0;

	for (int64_t i = 0; i < n_messengers; i++) {
		hwloc_bitmap_t cpus = n_parts ? set_of(&parts[i % n_parts]) : NULL;

		add_messenger(team, shared, i, n_workers, cpus);
		hwloc_bitmap_free(cpus);
	}
	if (bind)
		parts_free(parts, n_parts);
}

/* of each messenger */
static int64_t workers_of(const struct params *params, hwloc_const_bitmap_t cpus)
{
	int64_t n_messengers = params_number(params, "messengers");
	int64_t n_workers = params_number(params, "workers");

	if (n_workers)
		return n_workers;
	return n_messengers < hwloc_bitmap_weight(cpus)
		       ? (hwloc_bitmap_weight(cpus) + n_messengers - 1) / n_messengers
		       : 1;
}

static struct error *memory(const struct machine *machine, hwloc_const_bitmap_t cpus,
			    const struct params *params, uint64_t *bytes)
{
	(void)machine;
	*bytes = (uint64_t)params_number(params, "messengers") *
		 (uint64_t)workers_of(params, cpus) * (uint64_t)params_number(params, "footprint");
	return NULL;
}

static struct error *check(const struct params *params, hwloc_const_bitmap_t cpus)
{
	(void)cpus;
	if (params_number(params, "sleeps") && !params_number(params, "sleep"))
		return error_new(ERR_INPUT, "'sleep' is 0: with 'sleeps = 0' a request has none");
	return NULL;
}

static struct error *setup(struct team *team, const struct params *params)
{
	team_histograms(team, N_REQUEST_HISTOGRAMS);
	add_all(team, params, params_number(params, "messengers"),
		workers_of(params, team_cpus(team)));
	return NULL;
}

/* ---- the result ---- */

enum own_metric {
	METRIC_REQUESTS,
	METRIC_RPS_P20,
	METRIC_RPS_P50,
	METRIC_RPS_P90,
	METRIC_BACKLOG,
};

static const struct workload_metric request_metrics[] = {
	[METRIC_REQUESTS] = { { "requests", "1/s", BETTER_HIGHER, 1,
				"requests completed, mean over the measured time" },
			      METRIC_RATE,
			      0 },
	[METRIC_RPS_P20] = { { "rps_p20", "1/s", BETTER_HIGHER, 1,
			       "requests of a second: a fifth of the seconds had at most that" },
			     METRIC_COMPUTED,
			     0 },
	[METRIC_RPS_P50] = { { "rps_p50", "1/s", BETTER_HIGHER, 1, "the median second" },
			     METRIC_COMPUTED,
			     0 },
	[METRIC_RPS_P90] = { { "rps_p90", "1/s", BETTER_HIGHER, 1,
			       "nine tenths of the seconds had at most that" },
			     METRIC_COMPUTED,
			     0 },
	[METRIC_BACKLOG] = { { "backlog", "1", BETTER_LOWER, 1,
			       "requests that had arrived and were not completed at the end" },
			     METRIC_COMPUTED,
			     0 },
	{ { "wakeup", "us", BETTER_LOWER, 1, "from the messenger's wake to the worker running" },
	  METRIC_HISTOGRAM,
	  REQUEST_WAKEUP },
	{ { "request", "us", BETTER_LOWER, 1,
	    "a request; with a rate from the time at which it should have arrived" },
	  METRIC_HISTOGRAM,
	  REQUEST_LATENCY },
	{ { NULL } },
};

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* the second at place ceil(q * n), @tenths is 10 * q */
static double sample_at(const uint64_t *sorted, int n, int tenths)
{
	return (double)sorted[(n * tenths + 9) / 10 - 1];
}

static void add_samples(struct trial *trial, uint64_t *samples, int n)
{
	static const int tenths[] = {
		[METRIC_RPS_P20] = 2, [METRIC_RPS_P50] = 5, [METRIC_RPS_P90] = 9
	};

	qsort(samples, n, sizeof(*samples), by_size);
	for (int i = METRIC_RPS_P20; i <= METRIC_RPS_P90; i++)
		trial_add_metric(trial, &request_metrics[i].desc, sample_at(samples, n, tenths[i]),
				 NULL, 0);
}

/* of the whole trial, the warm-up too: what arrived and was not completed when it was stopped */
static double backlog(const struct request_team *team)
{
	uint64_t arrived = 0;

	for (int64_t i = 0; i < team->n_messengers; i++)
		arrived += team->messengers[i]->arrived;
	return (double)arrived - (double)team->completed;
}

static struct error *finish(struct team *team, const struct params *params,
			    const struct team_report *report, struct trial *trial)
{
	struct request_team *shared = team_kept(team);
	const char *problem = NULL;

	(void)params;
	if (report->seconds < 1)
		problem = "the measured time is shorter than a second";
	else if (report->seconds > REQUEST_MOST_SECONDS)
		problem = "the measured time is longer than a day";
	if (!problem)
		add_samples(trial, shared->seconds, (int)report->seconds);
	if (shared->rate)
		trial_add_metric(trial, &request_metrics[METRIC_BACKLOG].desc, backlog(shared),
				 NULL, 0);
	for (int i = METRIC_RPS_P20; problem && i <= METRIC_RPS_P90; i++)
		trial_add_unavailable(trial, &request_metrics[i].desc, problem);
	return NULL;
}

static struct workload_demand demand(const struct params *params, hwloc_const_bitmap_t cpus)
{
	double messengers = (double)params_number(params, "messengers");

	return (struct workload_demand){ .tasks = messengers *
						  (1 + (double)workers_of(params, cpus)) };
}

static const struct param request_params[] = {
	{ "messengers", PARAM_COUNT, .def = "1",
	  .help = "tasks that wake workers: 1, nr_nodes, nr_llcs ..." },
	{ "workers", PARAM_COUNT, .def = "0", .zero = true,
	  .help = "of each messenger; 0: CPUs / messengers, rounded up" },
	{ "bind", PARAM_CHOICE, .def = "no", .choices = "no node llc",
	  .help = "messengers in turn, with their workers, on the CPUs of a node or LLC" },
	{ "operations", PARAM_COUNT, .def = "5", .max = MOST_OPERATIONS,
	  .help = "matrix multiplications of a request" },
	{ "footprint", PARAM_SIZE, .def = "256K", .min = 4096, .max = PARAM_BYTES_MOST,
	  .unit = "bytes", .help = "three matrices of each worker" },
	{ "sleep", PARAM_DURATION, .def = "100us", .max = MOST_NS, .help = "a sleep of a request" },
	{ "sleeps", PARAM_COUNT, .def = "1", .zero = true, .max = MOST_OPERATIONS,
	  .help = "sleeps of a request before its work" },
	{ "lock", PARAM_CHOICE, .def = "cpu", .choices = "cpu cpu-sleep private none",
	  .help = "what the work is done under: the CPU's lock, spinning or asleep; the worker's" },
	{ "think", PARAM_DURATION, .def = "0", .max = MOST_NS,
	  .help = "pause of a worker after a request" },
	{ "rate", PARAM_COUNT, .def = "0", .zero = true, .max = MOST_RATE, .unit = "1/s",
	  .help = "requests that arrive in a second, of all messengers; 0: when a worker is free" },
	{ NULL },
};

const struct workload workload_request = {
	.name = "request",
	.summary = "messengers waking workers that serve requests",
	.exercises = "wakeup latency and placement, preemption by wakeup, packing of short work",
	.version = 1,
	.params = request_params,
	.metrics = request_metrics,
	.load = "workers rate messengers",
	.needs = TASK_THREAD | TASK_CHANNEL | TASK_COMPUTE | TASK_MEMORY,
	.unsupported = "its threads wake each other and compute on memory of their own",
	.check = check,
	.setup = setup,
	.finish = finish,
	.memory = memory,
	.demand = demand,
};
