// SPDX-License-Identifier: GPL-2.0-only
/*
 * counters.c - perf events of each worker and its children: cycles, instructions, caches, nodes
 *
 * Events on a task make its context switches dearer (a group is taken off and put on a CPU's
 * counters each time), so this is a monitor of its own that a plan asks for.
 */
#include "monitor/counters.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/memory.h"
#include "monitor/monitor.h"
#include "monitor/perf.h"

#define CACHE_EVENT(cache, op, result) ((cache) | (op) << 8 | (result) << 16)

struct event {
	uint32_t type;
	uint64_t config;
};

struct group {
	const char *what;
	int n;
	struct event events[GROUP_EVENTS];
};

static const struct group groups[N_COUNTER_GROUPS] = {
	[GROUP_SOFTWARE] = { "counting software events of a worker",
			     4,
			     { { PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
			       { PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
			       { PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
			       { PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS } } },
	[GROUP_CYCLES] = { "counting cycles of a worker",
			   2,
			   { { PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
			     { PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS } } },
	[GROUP_CACHE] = { "counting cache events of a worker",
			  2,
			  { { PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES },
			    { PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES } } },
	[GROUP_BRANCHES] = { "counting branches of a worker",
			     2,
			     { { PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
			       { PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES } } },
	[GROUP_NODE] = { "counting node events of a worker",
			 2,
			 { { PERF_TYPE_HW_CACHE,
			     CACHE_EVENT(PERF_COUNT_HW_CACHE_NODE, PERF_COUNT_HW_CACHE_OP_READ,
					 PERF_COUNT_HW_CACHE_RESULT_ACCESS) },
			   { PERF_TYPE_HW_CACHE,
			     CACHE_EVENT(PERF_COUNT_HW_CACHE_NODE, PERF_COUNT_HW_CACHE_OP_READ,
					 PERF_COUNT_HW_CACHE_RESULT_MISS) } } },
};

struct worker_fds {
	int fds[N_COUNTER_GROUPS][GROUP_EVENTS]; /* -1: not open */
};

struct counters_state {
	struct worker_fds *workers;
	int n_workers;
	uint64_t now_ns;
	char *missing[N_COUNTER_GROUPS];
};

static void close_group(int *fds)
{
	/* the leader last: its group is read through it */
	for (int i = GROUP_EVENTS - 1; i >= 0; i--) {
		if (fds[i] >= 0)
			close(fds[i]);
		fds[i] = -1;
	}
}

static void counters_drop(void *data)
{
	struct counters_state *state = data;

	for (int i = 0; i < state->n_workers; i++)
		for (int g = 0; g < N_COUNTER_GROUPS; g++)
			close_group(state->workers[i].fds[g]);
	for (int g = 0; g < N_COUNTER_GROUPS; g++)
		free(state->missing[g]);
	free(state->workers);
	free(state);
}

static bool open_group(const struct group *group, pid_t pid, int *fds)
{
	for (int i = 0; i < group->n; i++) {
		struct perf_event_attr attributes = {
			.type = group->events[i].type,
			.size = sizeof(attributes),
			.config = group->events[i].config,
			.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
				       PERF_FORMAT_TOTAL_TIME_RUNNING,
			.inherit = 1,
			.disabled = i == 0,
		};

		fds[i] = perf_event_fd(&attributes, pid, -1, i ? fds[0] : -1);
		if (fds[i] < 0)
			return false;
	}
	return true;
}

/* a group is there for all workers or for none */
static void open_groups(struct counters_state *state, const pid_t *pids, int g)
{
	for (int i = 0; i < state->n_workers; i++) {
		struct error *error;

		if (open_group(&groups[g], pids[i], state->workers[i].fds[g]))
			continue;
		error = perf_refused(groups[g].what);
		state->missing[g] = error_text(error);
		error_free(error);
		for (; i >= 0; i--)
			close_group(state->workers[i].fds[g]);
		return;
	}
}

static struct error *counters_start(const struct monitor_context *context, void **out)
{
	struct counters_state *state;

	if (*context->root)
		return error_new(ERR_UNAVAILABLE,
				 "perf events cannot be read from a recorded tree");
	if (!context->n_pids)
		return error_new(ERR_UNAVAILABLE, "the trial has no threads to look at");
	state = memory_zeroed(1, sizeof(*state));
	state->n_workers = context->n_pids;
	state->workers = memory_zeroed((size_t)context->n_pids, sizeof(*state->workers));
	memset(state->workers, -1, (size_t)context->n_pids * sizeof(*state->workers));
	for (int g = 0; g < N_COUNTER_GROUPS; g++)
		open_groups(state, context->pids, g);
	for (int i = 0; i < state->n_workers; i++)
		for (int g = 0; g < N_COUNTER_GROUPS; g++)
			if (state->workers[i].fds[g][0] >= 0)
				ioctl(state->workers[i].fds[g][0], PERF_EVENT_IOC_ENABLE,
				      PERF_IOC_FLAG_GROUP);
	state->now_ns = monitor_now(context);
	*out = state;
	return NULL;
}

/* how read(2) returns a group: perf_event_open(2) */
struct group_values {
	uint64_t n, enabled, running, values[GROUP_EVENTS];
};

static void read_group(struct counters_state *state, int worker, int g,
		       struct counter_reading *reading)
{
	struct group_values got = { 0 };

	if (state->missing[g])
		return;
	if (read(state->workers[worker].fds[g][0], &got, sizeof(got)) <= 0) {
		state->missing[g] =
			memory_format("%s: cannot be read: %s", groups[g].what, strerror(errno));
		return;
	}
	reading->enabled_ns = got.enabled;
	reading->running_ns = got.running;
	memcpy(reading->values, got.values, sizeof(reading->values));
}

static struct error *counters_stop(const struct monitor_context *context, void *data,
				   struct trial *trial)
{
	struct counters_state *state = data;
	struct counter_readings readings = { .n_workers = state->n_workers };
	double seconds = (double)(monitor_now(context) - state->now_ns) / 1e9;

	readings.workers = memory_zeroed((size_t)state->n_workers, sizeof(*readings.workers));
	for (int i = 0; i < state->n_workers; i++)
		for (int g = 0; g < N_COUNTER_GROUPS; g++)
			read_group(state, i, g, &readings.workers[i][g]);
	for (int g = 0; g < N_COUNTER_GROUPS; g++)
		readings.missing[g] = state->missing[g];
	counters_report(&readings, seconds, trial);
	free(readings.workers);
	counters_drop(state);
	return NULL;
}

const struct monitor monitor_counters = {
	.name = "counters",
	.summary = "cycles, instructions, cache and node events of each worker (perf)",
	.metrics = counter_metrics,
	.start = counters_start,
	.stop = counters_stop,
	.drop = counters_drop,
};
