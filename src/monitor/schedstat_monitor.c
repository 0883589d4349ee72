// SPDX-License-Identifier: GPL-2.0-only
/* schedstat_monitor.c - load balancing on each level of domains during the measured time */
#include "monitor/monitor.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "monitor/schedstat.h"
#include "monitor/schedstat_domains.h"

struct schedstat_state {
	uint64_t now_ns;
	struct balance_counts before;
};

static struct error *read_counts(const struct monitor_context *context,
				 struct balance_counts *counts)
{
	autofree char *path = NULL, *text = NULL;
	struct error *error = schedstat_text(context->root, &path, &text);

	return error ? error
		     : balance_counts_parse(text, path, context->machine, context->cpus, NULL, 0,
					    counts);
}

static struct error *schedstat_start(const struct monitor_context *context, void **out)
{
	autofree char *path = memory_format("%s/proc/sys/kernel/sched_schedstats", context->root);
	autofree char *enabled = file_read_line(path);
	struct schedstat_state state;
	struct error *error;

	if (!context->machine)
		return error_new(ERR_UNAVAILABLE, "the levels of this machine are not known");
	error = read_counts(context, &state.before);
	if (error)
		return error;
	if (enabled && !strcmp(enabled, "0"))
		return error_new(ERR_UNAVAILABLE,
				 "balancing is not counted while kernel.sched_schedstats is 0 "
				 "(sysctl.kernel.sched_schedstats = 1 in [variant] sets it)");
	state.now_ns = monitor_now(context);
	*out = memory_copy(&state, sizeof(state));
	return NULL;
}

static struct error *schedstat_stop(const struct monitor_context *context, void *data,
				    struct trial *trial)
{
	struct schedstat_state *state = data;
	double seconds = (double)(monitor_now(context) - state->now_ns) / 1e9;
	struct balance_counts after;
	struct error *error = read_counts(context, &after);

	if (!error)
		balance_report(&state->before, &after, seconds, trial);
	free(state);
	return error;
}

const struct monitor monitor_schedstat = {
	.name = "schedstat",
	.summary = "load balancing on each level of sched domains (/proc/schedstat)",
	.metrics = schedstat_metrics,
	.start = schedstat_start,
	.stop = schedstat_stop,
	.drop = free,
};
