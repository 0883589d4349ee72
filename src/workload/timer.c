// SPDX-License-Identifier: GPL-2.0-only
/* timer.c - threads that sleep until fixed times, and how late they run: the shape of cyclictest */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "workload/quantiles.h"
#include "workload/workload.h"

#define DEFAULT_PRIORITY 80
#define MOST_NS		 3600000000000
#define DEFAULT_SLACK	 50000 /* Linux' own */

enum timer_policy {
	TIMER_OTHER,
	TIMER_FIFO,
	TIMER_RR,
};

/* one a thread */
struct timer_thread {
	uint64_t interval_ns, slack_ns;
	enum timer_policy policy;
	unsigned priority;
	bool ready;
};

/* Policies before the gate: what they cost is not measured, and a refusal fails the trial early. */
static void prepare(struct task *task, void *data)
{
	/* Linux' numbers */
	static const int policies[] = { [TIMER_FIFO] = 1, [TIMER_RR] = 2 };
	struct timer_thread *thread = data;
	struct task_policy policy = { .priority = thread->priority };
	int result;

	thread->ready = true;
	task_set_slack(task, thread->slack_ns);
	if (thread->policy == TIMER_OTHER)
		return;
	policy.policy = policies[thread->policy];
	result = task_set_policy(task, &policy);
	if (!result)
		return;
	thread->ready = false;
	task_fail(task, "policy %s, priority %u: %s%s",
		  thread->policy == TIMER_FIFO ? "fifo" : "rr", thread->priority, strerror(-result),
		  result == -EPERM ? " (it needs root, CAP_SYS_NICE or a limit by ulimit -r; in a "
				     "cgroup of version 1 also cpu.rt_runtime_us)"
				   : "");
}

/*
 * The times are fixed. A thread that is so late that the next one has passed too leaves those out,
 * as cyclictest does; the late one it has counted in full.
 */
static void body(struct task *task, void *data)
{
	struct timer_thread *thread = data;
	uint64_t next = task_clock(task) + thread->interval_ns;

	while (thread->ready && task_sleep_until(task, next)) {
		uint64_t now = task_clock(task);

		task_record(task, 0, now > next ? now - next : 0);
		task_count(task, 0, 1);
		next += thread->interval_ns;
		if (next <= now) {
			uint64_t missed = (now - next) / thread->interval_ns + 1;

			task_count(task, 1, missed);
			next += missed * thread->interval_ns;
		}
	}
}

/* the CPU of thread @number: they go round over the CPUs of the case */
static int cpu_of(hwloc_const_bitmap_t cpus, int64_t number)
{
	int64_t skip = number % hwloc_bitmap_weight(cpus);
	int cpu = hwloc_bitmap_first(cpus);

	while (skip--)
		cpu = hwloc_bitmap_next(cpus, cpu);
	return cpu;
}

static struct error *check(const struct params *params, hwloc_const_bitmap_t cpus)
{
	bool realtime = params_number(params, "policy") != TIMER_OTHER;

	(void)cpus;
	if (!realtime && params_number(params, "priority"))
		return error_new(ERR_INPUT, "'priority' is of policy fifo or rr alone");
	if (realtime && params_number(params, "slack") != DEFAULT_SLACK)
		return error_new(ERR_INPUT, "'slack' is of policy other alone: real-time tasks "
					    "have none");
	return NULL;
}

static struct error *setup(struct team *team, const struct params *params)
{
	int64_t n = params_number(params, "threads"), bind = params_number(params, "bind");
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();

	team_histograms(team, 1);
	for (int64_t i = 0; i < n; i++) {
		struct timer_thread *thread = team_shared(team, sizeof(*thread));
		struct worker_spec spec = {
			.prepare = prepare,
			.body = body,
			.data = thread,
			.cpus = bind ? cpus : NULL,
		};

		thread->interval_ns =
			params_number(params, "interval") + i * params_number(params, "distance");
		thread->slack_ns = params_number(params, "slack");
		/* the words of the choice are in the order of the enum */
		thread->policy = params_number(params, "policy");
		thread->priority = params_number(params, "priority");
		if (!thread->priority)
			thread->priority = DEFAULT_PRIORITY;
		hwloc_bitmap_only(cpus, cpu_of(team_cpus(team), i));
		team_add(team, &spec);
	}
	hwloc_bitmap_free(cpus);
	return NULL;
}

enum own_metric {
	METRIC_LATENCY,
	METRIC_MIN,
	METRIC_MEAN,
	METRIC_WAKEUPS,
	METRIC_MISSED,
};

static const struct workload_metric timer_metrics[] = {
	[METRIC_LATENCY] = { { "latency", "us", BETTER_LOWER, 1,
			       "from the time of a timer to the thread running" },
			     METRIC_HISTOGRAM,
			     0 },
	[METRIC_MIN] = { { "latency_min", "us", BETTER_LOWER, 1, "the smallest of them" },
			 METRIC_COMPUTED,
			 0 },
	[METRIC_MEAN] = { { "latency_mean", "us", BETTER_LOWER, 1, "their mean" },
			  METRIC_COMPUTED,
			  0 },
	[METRIC_WAKEUPS] = { { "timers", "1/s", BETTER_NEITHER, 1, "timers that were waited for" },
			     METRIC_RATE,
			     0 },
	[METRIC_MISSED] = { { "missed", "1", BETTER_LOWER, 1,
			      "times that had passed when the thread was done with the one before" },
			    METRIC_TOTAL,
			    1 },
	{ { NULL } },
};

static void add_value(struct trial *trial, enum own_metric which, const struct team_report *report,
		      double (*value)(const struct histogram *))
{
	const struct metric_desc *desc = &timer_metrics[which].desc;
	autofree double *values = memory_zeroed(report->n_workers, sizeof(*values));
	autofree struct histogram *merged = quantiles_merged(report, 0);

	if (!merged->count) {
		trial_add_unavailable(trial, desc, "no value was recorded");
		return;
	}
	for (int i = 0; i < report->n_workers; i++)
		values[i] = value(report->workers[i].histograms) / 1e3;
	trial_add_metric(trial, desc, value(merged) / 1e3, values, report->n_workers);
}

static struct error *finish(struct team *team, const struct params *params,
			    const struct team_report *report, struct trial *trial)
{
	(void)team;
	(void)params;
	add_value(trial, METRIC_MIN, report, histogram_min);
	add_value(trial, METRIC_MEAN, report, histogram_mean);
	return NULL;
}

static const struct param timer_params[] = {
	{ "threads", PARAM_COUNT, .def = "nr_cpus", .max = PARAM_TASKS_MOST,
	  .help = "threads, each with timers of its own" },
	{ "bind", PARAM_BOOL, .def = "yes", .help = "thread i stays on CPU i of the case" },
	{ "interval", PARAM_DURATION, .def = "1ms", .min = 1000, .max = MOST_NS,
	  .help = "between two timers of the first thread" },
	{ "distance", PARAM_DURATION, .def = "500us", .max = MOST_NS,
	  .help = "how much longer the interval of each next thread is" },
	{ "policy", PARAM_CHOICE, .def = "other", .choices = "other fifo rr",
	  .help = "of the threads; fifo and rr need root" },
	{ "priority", PARAM_COUNT, .def = "0", .zero = true, .max = 99,
	  .help = "of fifo and rr, 1 to 99; 0: 80 for these" },
	{ "slack", PARAM_DURATION, .def = "50us", .min = 1, .max = MOST_NS,
	  .help = "how much later a timer of policy other may come, as prctl(2) sets it" },
	{ NULL },
};

const struct workload workload_timer = {
	.name = "timer",
	.summary = "threads sleeping until fixed times",
	.exercises = "latency of timer wakeups, preemption by wakeup, idle exit, real-time classes",
	.version = 1,
	.params = timer_params,
	.metrics = timer_metrics,
	.load = "threads",
	.needs = TASK_THREAD,
	.unsupported = "it needs threads",
	.check = check,
	.setup = setup,
	.finish = finish,
};
