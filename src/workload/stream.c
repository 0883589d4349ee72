// SPDX-License-Identifier: GPL-2.0-only
/*
 * stream.c - the kernels of STREAM by one instance a last-level cache, a node or a CPU: who gets which
 * share of cache and memory
 *
 * A variant, no STREAM benchmark: several instances at a time, arrays that the threads of an instance
 * first touch each for itself, repetitions until the time is over.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "workload/parts.h"
#include "workload/workload.h"

#define N_KERNELS      4
#define WORD	       8
#define CACHE_MULTIPLE 4 /* STREAM's rule: each array at least this many times the caches */

static const enum compute_method kernels[N_KERNELS] = { COMPUTE_COPY, COMPUTE_SCALE, COMPUTE_ADD,
							COMPUTE_TRIAD };

/* words that a kernel reads and writes of each element, by STREAM's rule */
static const int words[N_KERNELS] = { 2, 2, 3, 3 };

/* Times of a kernel over the repetitions that count. */
struct times {
	uint64_t best_ns, sum_ns;
};

/* one a thread, shared with the trial's process */
struct stream_thread {
	struct barrier *barrier; /* of the threads of the instance; NULL if it is alone */
	bool leader;
	uint64_t units; /* of its slice of the arrays */
	struct compute *compute;
	struct times own[N_KERNELS];   /* until its own slice is done */
	struct times whole[N_KERNELS]; /* of the leader: until all slices are */
	uint64_t repetitions;
};

struct stream_team {
	int n;
	struct stream_thread *threads[];
};

static void times_add(struct times *times, uint64_t ns)
{
	times->sum_ns += ns;
	if (!times->best_ns || ns < times->best_ns)
		times->best_ns = ns;
}

static void prepare(struct task *task, void *data)
{
	struct stream_thread *thread = data;

	thread->compute = task_compute_new(task, COMPUTE_COPY,
					   thread->units * COMPUTE_STREAM_ELEMENTS * WORD * 3);
}

static bool meet(struct task *task, struct stream_thread *thread)
{
	return thread->barrier ? barrier_wait(task, thread->barrier) : task_running(task);
}

/* all kernels once; false when the trial ended before */
static bool repeat(struct task *task, struct stream_thread *thread, bool counts)
{
	uint64_t start[N_KERNELS + 1], own[N_KERNELS];
	bool measured = task_measured(task);

	for (int i = 0; i < N_KERNELS; i++) {
		task_compute_select(task, thread->compute, kernels[i]);
		if (!meet(task, thread))
			return false;
		start[i] = task_clock(task);
		task_compute(task, thread->compute, thread->units, -1);
		own[i] = task_clock(task) - start[i];
	}
	if (!meet(task, thread))
		return false;
	start[N_KERNELS] = task_clock(task);
	if (!counts || !measured || !task_measured(task))
		return true;
	for (int i = 0; i < N_KERNELS; i++) {
		times_add(&thread->own[i], own[i]);
		times_add(&thread->whole[i], start[i + 1] - start[i]);
	}
	thread->repetitions++;
	return true;
}

static void body(struct task *task, void *data)
{
	struct stream_thread *thread = data;
	bool counts = false; /* not the first one */

	if (!thread->compute)
		return;
	while (repeat(task, thread, counts))
		counts = true;
	task_compute_free(task, thread->compute);
}

/* ---- what a plan asks for ---- */

static enum part_kind kind_of(const struct params *params)
{
	static const enum part_kind kinds[] = { PART_LLC, PART_NODE, PART_CPU, PART_MACHINE };

	return kinds[params_number(params, "instances")];
}

static int64_t threads_of(const struct params *params, const struct part *part)
{
	int64_t asked = params_number(params, "threads");

	return asked ? asked : part->n_cpus;
}

/* bytes of each of the three arrays of an instance; 0: it cannot be told */
static uint64_t array_of(const struct params *params, const struct part *part)
{
	int64_t asked = params_number(params, "array-size");

	return asked ? (uint64_t)asked : CACHE_MULTIPLE * part->cache;
}

/* units of each thread's slice */
static uint64_t slice_of(const struct params *params, const struct part *part)
{
	uint64_t share = (uint64_t)threads_of(params, part) * COMPUTE_STREAM_ELEMENTS * WORD;

	return (array_of(params, part) + share - 1) / share;
}

static struct error *no_cache_size(const struct machine *machine)
{
	return error_new(ERR_INPUT,
			 "machine %s does not tell the size of all last-level caches: give "
			 "array-size",
			 machine->name);
}

static struct error *memory(const struct machine *machine, hwloc_const_bitmap_t cpus,
			    const struct params *params, uint64_t *bytes)
{
	struct part *parts;
	int n = parts_of(machine, cpus, kind_of(params), &parts);
	struct error *error = NULL;
	int64_t threads = 0;

	*bytes = 0;
	for (int i = 0; i < n; i++)
		threads += threads_of(params, &parts[i]);
	if (threads > PARAM_TASKS_MOST)
		error = error_new(
			ERR_INPUT,
			"threads: %d instances would be %lld tasks: at most %d in all are "
			"accepted",
			n, (long long)threads, PARAM_TASKS_MOST);
	for (int i = 0; i < n && !error; i++) {
		if (!array_of(params, &parts[i]))
			error = no_cache_size(machine);
		*bytes += 3 * slice_of(params, &parts[i]) * COMPUTE_STREAM_ELEMENTS * WORD *
			  (uint64_t)threads_of(params, &parts[i]);
	}
	parts_free(parts, n);
	return error;
}

/* ---- the team ---- */

/* where a thread may run: 0 anywhere, 1 its part, 2 one CPU of it */
static hwloc_bitmap_t binding(const struct params *params, const struct part *part, int64_t number)
{
	int64_t bind = params_number(params, "bind");
	hwloc_bitmap_t cpus = bind ? hwloc_bitmap_alloc() : NULL;

	for (int i = 0; bind == 1 && i < part->n_cpus; i++)
		hwloc_bitmap_set(cpus, part->cpus[i]);
	if (bind == 2)
		hwloc_bitmap_set(cpus, part->cpus[number % part->n_cpus]);
	return cpus;
}

static void add_instance(struct team *team, const struct params *params, const struct part *part,
			 int instance, struct stream_team *all)
{
	int64_t n = threads_of(params, part);
	bool spins = params_number(params, "barrier") == 0;
	struct barrier *barrier = n > 1 ? team_barrier(team, (int)n, spins) : NULL;

	for (int64_t i = 0; i < n; i++) {
		struct stream_thread *thread = team_shared(team, sizeof(*thread));
		hwloc_bitmap_t cpus = binding(params, part, i);
		struct worker_spec spec = {
			.prepare = prepare,
			.body = body,
			.data = thread,
			.process = instance,
			.spins = params_number(params, "gate") == 0,
			.cpus = cpus,
		};

		thread->barrier = barrier;
		thread->leader = i == 0;
		thread->units = slice_of(params, part);
		all->threads[all->n++] = thread;
		team_add(team, &spec);
		hwloc_bitmap_free(cpus);
	}
}

static struct error *setup(struct team *team, const struct params *params)
{
	const struct machine *machine = team_machine(team);
	struct stream_team *all;
	struct part *parts;
	struct error *error = NULL;
	int64_t n_threads = 0;
	int n = parts_of(machine, team_cpus(team), kind_of(params), &parts);

	for (int i = 0; i < n; i++) {
		n_threads += threads_of(params, &parts[i]);
		if (!array_of(params, &parts[i]) && !error)
			error = no_cache_size(machine);
	}
	if (!error) {
		all = team_shared(team, sizeof(*all) + (size_t)n_threads * sizeof(all->threads[0]));
		for (int i = 0; i < n; i++)
			add_instance(team, params, &parts[i], i, all);
		team_keep(team, all);
	}
	parts_free(parts, n);
	return error;
}

/* ---- the result ---- */

/* 10^6 bytes a second at a time for `units` units, NAN without a time */
static double rate(int kernel, uint64_t units, double ns)
{
	double bytes = (double)units * COMPUTE_STREAM_ELEMENTS * WORD * words[kernel];

	return ns > 0 ? bytes * 1e3 / ns : NAN;
}

static double time_of(const struct times *times, uint64_t repetitions, bool mean)
{
	return mean ? (double)times->sum_ns / (double)repetitions : (double)times->best_ns;
}

/* the sum over the instances; per worker that of each thread's slice */
static void add_metric(const struct stream_team *all, int kernel, bool mean,
		       const struct metric_desc *desc, struct trial *trial)
{
	autofree double *values = memory_zeroed(all->n, sizeof(*values));
	double sum = 0;

	for (int i = 0, first = 0; i < all->n; i++) {
		const struct stream_thread *thread = all->threads[i];
		const struct stream_thread *leader;

		if (thread->leader)
			first = i;
		leader = all->threads[first];
		values[i] = rate(kernel, thread->units,
				 time_of(&thread->own[kernel], thread->repetitions, mean));
		sum += rate(kernel, thread->units,
			    time_of(&leader->whole[kernel], leader->repetitions, mean));
	}
	trial_add_metric(trial, desc, sum, values, all->n);
}

static struct error *check_repetitions(const struct stream_team *all)
{
	for (int i = 0; i < all->n; i++)
		if (!all->threads[i]->repetitions)
			return error_new(ERR_DOMAIN,
					 "thread %d ended no repetition of the kernels within the "
					 "measured time, the first not counted: give a longer "
					 "runtime or a smaller array-size",
					 i);
	return NULL;
}

static const struct workload_metric stream_metrics[] = {
	{ { "copy", "MB/s", BETTER_HIGHER, 1, "c = a at the best time of the repetitions" },
	  METRIC_COMPUTED },
	{ { "scale", "MB/s", BETTER_HIGHER, 1, "b = s * c at the best time" }, METRIC_COMPUTED },
	{ { "add", "MB/s", BETTER_HIGHER, 1, "c = a + b at the best time" }, METRIC_COMPUTED },
	{ { "triad", "MB/s", BETTER_HIGHER, 1, "a = b + s * c at the best time" },
	  METRIC_COMPUTED },
	{ { "copy_mean", "MB/s", BETTER_HIGHER, 1, "c = a at the mean time of the repetitions" },
	  METRIC_COMPUTED },
	{ { "scale_mean", "MB/s", BETTER_HIGHER, 1, "b = s * c at the mean time" },
	  METRIC_COMPUTED },
	{ { "add_mean", "MB/s", BETTER_HIGHER, 1, "c = a + b at the mean time" }, METRIC_COMPUTED },
	{ { "triad_mean", "MB/s", BETTER_HIGHER, 1, "a = b + s * c at the mean time" },
	  METRIC_COMPUTED },
	{ { "repetitions", "1", BETTER_NEITHER, 1, "that count, of all threads" },
	  METRIC_COMPUTED },
	{ { NULL } },
};

static struct error *finish(struct team *team, const struct params *params,
			    const struct team_report *report, struct trial *trial)
{
	const struct stream_team *all = team_kept(team);
	autofree double *repetitions = memory_zeroed(all->n, sizeof(*repetitions));
	struct error *error = check_repetitions(all);
	double sum = 0;

	(void)params;
	(void)report;
	if (error)
		return error;
	for (int i = 0; i < 2 * N_KERNELS; i++)
		add_metric(all, i % N_KERNELS, i >= N_KERNELS, &stream_metrics[i].desc, trial);
	for (int i = 0; i < all->n; i++)
		sum += repetitions[i] = (double)all->threads[i]->repetitions;
	trial_add_metric(trial, &stream_metrics[2 * N_KERNELS].desc, sum, repetitions, all->n);
	return NULL;
}

/* at least: how many parts of nodes and caches there are is of the machine (memory()) */
static struct workload_demand demand(const struct params *params, hwloc_const_bitmap_t cpus)
{
	double instances = kind_of(params) == PART_CPU ? hwloc_bitmap_weight(cpus) : 1;

	return (struct workload_demand){ .tasks = instances *
						  (double)params_number(params, "threads") };
}

static const struct param stream_params[] = {
	{ "instances", PARAM_CHOICE, .def = "llc", .choices = "llc node cpu machine",
	  .help = "one a last-level cache, a node or a CPU, each a process; or one for all" },
	{ "threads", PARAM_COUNT, .def = "0", .max = PARAM_TASKS_MOST, .zero = true,
	  .help = "threads of an instance; 0: as many as its part has CPUs" },
	{ "array-size", PARAM_SIZE, .def = "0", .max = PARAM_BYTES_MOST, .unit = "bytes",
	  .help = "each of the three arrays of an instance; 0: 4 times the caches of its part" },
	{ "bind", PARAM_CHOICE, .def = "no", .choices = "no part cpu",
	  .help = "threads may run anywhere, on the instance's part, on one CPU of it" },
	{ "barrier", PARAM_CHOICE, .def = "spin", .choices = "spin sleep",
	  .help = "how threads of an instance wait for each other after each kernel" },
	{ "gate", PARAM_CHOICE, .def = "spin", .choices = "spin sleep",
	  .help = "how all wait for the start; spin: they run when the next is forked" },
	{ NULL },
};

const struct workload workload_stream = {
	.name = "stream",
	.summary = "memory bandwidth by instance (a variant, not the STREAM benchmark)",
	.exercises = "spreading over caches and memory channels, placement at fork, NUMA balance",
	.version = 1,
	.params = stream_params,
	.metrics = stream_metrics,
	.needs = TASK_PROCESS | TASK_THREAD | TASK_COMPUTE | TASK_MEMORY,
	.unsupported = "it needs threads whose speed depends on caches and memory",
	.setup = setup,
	.finish = finish,
	.memory = memory,
	.demand = demand,
};
