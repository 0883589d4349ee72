// SPDX-License-Identifier: GPL-2.0-only
/*
 * sched.c - context switches, migrations and waiting on run queues during the measured time
 *
 * Sources, each of which may be missing without the others: /proc/stat, perf software events on the
 * case's CPUs (all tasks there, also foreign ones), schedstat of the workers' threads, and
 * /proc/schedstat. Counts of the workers alone are in their own reports.
 */
#include "monitor/monitor.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "monitor/perf.h"
#include "monitor/procstat.h"
#include "monitor/schedstat.h"

enum {
	ALL_SWITCHES,
	CPU_SWITCHES,
	CPU_MIGRATIONS,
	WAIT_SHARE,
	QUEUED,
	LOCAL_WAKEUPS
};

static const struct metric_desc sched_metrics[] = {
	[ALL_SWITCHES] = { "system_switches", "1/s", BETTER_NEITHER, 1,
			   "context switches of the whole system" },
	[CPU_SWITCHES] = { "cpu_switches", "1/s", BETTER_NEITHER, 1,
			   "context switches on the case's CPUs" },
	[CPU_MIGRATIONS] = { "cpu_migrations", "1/s", BETTER_NEITHER, 1,
			     "tasks that came to the case's CPUs from another CPU" },
	[WAIT_SHARE] = { "wait_share", "%", BETTER_NEITHER, 1,
			 "waiting on a run queue, of the runnable time of the workers" },
	[QUEUED] = { "queued", "1", BETTER_NEITHER, 1,
		     "tasks waiting on the run queues of the case's CPUs, mean over time" },
	[LOCAL_WAKEUPS] = { "local_wakeups", "%", BETTER_NEITHER, 1,
			    "wakeups on the CPU that woke, of all on the case's CPUs" },
	{ NULL },
};

/* A source that is not available keeps its error until stop. */
struct sched_state {
	uint64_t now_ns;
	struct proc_stat stat;
	struct error *stat_error;
	struct perf_counters *switches, *migrations;
	struct error *switches_error, *migrations_error;
	struct thread_times *threads;
	int n_threads;
	struct error *threads_error;
	struct cpu_schedstat cpus;
	struct error *cpus_error;
};

static struct error *open_event(const struct monitor_context *context, uint64_t config,
				struct perf_counters **out)
{
	if (*context->root)
		return error_new(ERR_UNAVAILABLE,
				 "perf events cannot be read from a recorded tree");
	return perf_open(PERF_TYPE_SOFTWARE, config, context->cpus, out);
}

static struct error *read_threads(const struct monitor_context *context,
				  struct thread_times *threads)
{
	struct error *error;

	if (!context->n_pids)
		return error_new(ERR_UNAVAILABLE, "the trial has no threads to look at");
	if (context->program)
		return error_new(ERR_UNAVAILABLE, "the tasks of an external program are not known");
	for (int i = 0; i < context->n_pids; i++) {
		error = thread_times_read(context->root, context->pids[i], &threads[i]);
		if (error)
			return error;
	}
	return NULL;
}

static struct error *sched_start(const struct monitor_context *context, void **out)
{
	struct sched_state *state = memory_zeroed(1, sizeof(*state));

	state->n_threads = context->n_pids;
	state->threads = memory_zeroed((size_t)context->n_pids, sizeof(*state->threads));
	state->threads_error = read_threads(context, state->threads);
	state->switches_error =
		open_event(context, PERF_COUNT_SW_CONTEXT_SWITCHES, &state->switches);
	state->migrations_error =
		open_event(context, PERF_COUNT_SW_CPU_MIGRATIONS, &state->migrations);
	state->cpus_error = cpu_schedstat_read(context->root, context->cpus, &state->cpus);
	state->stat_error = proc_stat_read(context->root, &state->stat);
	state->now_ns = monitor_now(context);
	*out = state;
	return NULL;
}

static void sched_drop(void *data)
{
	struct sched_state *state = data;

	proc_stat_clear(&state->stat);
	perf_close(state->switches);
	perf_close(state->migrations);
	free(state->threads);
	error_free(state->stat_error);
	error_free(state->switches_error);
	error_free(state->migrations_error);
	error_free(state->threads_error);
	error_free(state->cpus_error);
	free(state);
}

/* adds a metric, or why there is none; takes @error */
static void add(struct trial *trial, int index, struct error *error, double value)
{
	char *reason;

	if (!error) {
		trial_add_metric(trial, &sched_metrics[index], value, NULL, 0);
		return;
	}
	reason = error_text(error);
	trial_add_unavailable(trial, &sched_metrics[index], reason);
	free(reason);
	error_free(error);
}

/* an error of start is handed on to add(), which frees it */
static struct error *take(struct error **error)
{
	struct error *taken = *error;

	*error = NULL;
	return taken;
}

static void add_switches(const struct monitor_context *context, struct sched_state *state,
			 double seconds, struct trial *trial)
{
	struct error *error = take(&state->stat_error);
	struct proc_stat after = { 0 };
	double count = 0;

	if (!error)
		error = proc_stat_read(context->root, &after);
	if (!error && after.switches < state->stat.switches)
		error = error_new(ERR_UNAVAILABLE, "the count of /proc/stat went back");
	if (!error)
		count = (double)(after.switches - state->stat.switches);
	proc_stat_clear(&after);
	add(trial, ALL_SWITCHES, error, count / seconds);
}

static void add_event(struct trial *trial, int index, struct perf_counters *counters,
		      struct error *error, double seconds)
{
	uint64_t sum = 0;

	if (!error)
		error = perf_sum(counters, &sum);
	add(trial, index, error, (double)sum / seconds);
}

static void add_wait_share(const struct monitor_context *context, struct sched_state *state,
			   struct trial *trial)
{
	int n = state->n_threads;
	autofree struct thread_times *after = memory_zeroed((size_t)n, sizeof(*after));
	struct error *error = take(&state->threads_error);
	double run = 0, wait = 0;

	if (!error && context->n_pids != n)
		error = error_new(ERR_UNAVAILABLE,
				  "the number of workers changed during the trial");
	if (!error)
		error = read_threads(context, after);
	for (int i = 0; i < n && !error; i++) {
		run += (double)(after[i].run_ns - state->threads[i].run_ns);
		wait += (double)(after[i].wait_ns - state->threads[i].wait_ns);
	}
	if (!error && !(run + wait > 0))
		error = error_new(ERR_UNAVAILABLE, "no worker was runnable");
	add(trial, WAIT_SHARE, error, error ? 0 : 100 * wait / (run + wait));
}

/* wakeups are counted only while schedstats are switched on; run-queue waits always */
static struct error *no_wakeups(const struct monitor_context *context)
{
	autofree char *path = memory_format("%s/proc/sys/kernel/sched_schedstats", context->root);
	autofree char *value = file_read_line(path);

	if (value && !strcmp(value, "0"))
		return error_new(ERR_UNAVAILABLE,
				 "wakeups are not counted while kernel.sched_schedstats is 0");
	return error_new(ERR_UNAVAILABLE, "no wakeup was counted");
}

static void add_schedstat(const struct monitor_context *context, struct sched_state *state,
			  double nanoseconds, struct trial *trial)
{
	struct error *error = take(&state->cpus_error), *wakeup_error = NULL;
	const struct cpu_schedstat *before = &state->cpus;
	struct cpu_schedstat after = { 0 };
	uint64_t wakeups;

	if (!error)
		error = cpu_schedstat_read(context->root, context->cpus, &after);
	if (!error && after.n_cpus != before->n_cpus)
		error = error_new(ERR_UNAVAILABLE, "a CPU went on- or off-line");
	if (error) {
		wakeup_error = error_new(error->code, "%s", error->message);
		add(trial, QUEUED, error, 0);
		add(trial, LOCAL_WAKEUPS, wakeup_error, 0);
		return;
	}
	wakeups = after.wakeups - before->wakeups;
	if (!wakeups)
		wakeup_error = no_wakeups(context);
	add(trial, QUEUED, NULL, (double)(after.wait_ns - before->wait_ns) / nanoseconds);
	add(trial, LOCAL_WAKEUPS, wakeup_error,
	    wakeups ? 100 * (double)(after.local_wakeups - before->local_wakeups) / (double)wakeups
		    : 0);
}

static struct error *sched_stop(const struct monitor_context *context, void *data,
				struct trial *trial)
{
	struct sched_state *state = data;
	double nanoseconds = (double)(monitor_now(context) - state->now_ns);
	double seconds = nanoseconds / 1e9;

	if (!(nanoseconds > 0)) {
		sched_drop(state);
		return error_new(ERR_UNAVAILABLE, "no time passed between start and stop");
	}
	add_switches(context, state, seconds, trial);
	add_event(trial, CPU_SWITCHES, state->switches, take(&state->switches_error), seconds);
	add_event(trial, CPU_MIGRATIONS, state->migrations, take(&state->migrations_error),
		  seconds);
	add_wait_share(context, state, trial);
	add_schedstat(context, state, nanoseconds, trial);
	sched_drop(state);
	return NULL;
}

const struct monitor monitor_sched = {
	.name = "sched",
	.summary = "context switches, migrations and waits on run queues",
	.metrics = sched_metrics,
	.start = sched_start,
	.stop = sched_stop,
	.drop = sched_drop,
};
