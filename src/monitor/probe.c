// SPDX-License-Identifier: GPL-2.0-only
/* probe.c - what monitors have to say here, before a trial depends on it */
#include "base/clock.h"
#include "monitor/monitor.h"

/* three ticks of /proc/stat at 100 Hz, the coarsest of what monitors read */
#define PROBE_NS 30000000u

/* this process works meanwhile, so that there is something to read */
static void work(void)
{
	uint64_t end = clock_ns() + PROBE_NS;

	while (clock_ns() < end)
		;
}

struct error *monitor_probe(char *const *names, int n, const struct monitor_context *context,
			    struct trial *out)
{
	struct monitor_set *set;
	struct error *error = monitor_set_new(names, n, &set);

	if (error)
		return error;
	monitor_set_start(set, context);
	work();
	monitor_set_stop(set, context, out);
	monitor_set_free(set);
	return NULL;
}

const char *monitor_reason(const struct monitor *monitor, const struct trial *trial)
{
	const char *reason = NULL;

	for (const struct metric_desc *desc = monitor->metrics; desc->name; desc++) {
		const struct metric *metric = trial_metric(trial, desc->name);

		if (metric && !metric->unavailable)
			return NULL;
		if (metric && !reason)
			reason = metric->unavailable;
	}
	return reason;
}
