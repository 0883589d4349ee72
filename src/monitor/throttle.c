// SPDX-License-Identifier: GPL-2.0-only
/*
 * throttle.c - how often and how long a cgroup quota stopped the trial
 *
 * A quota may be set by any cgroup on the way to the root, so the counters of all of them are summed;
 * a cgroup without a quota counts nothing.
 */
#include "monitor/monitor.h"

#include <stdlib.h>

#include "base/file.h"
#include "base/memory.h"
#include "monitor/cgroup.h"

static const struct metric_desc throttle_metrics[] = {
	{ "quota_periods", "1", BETTER_NEITHER, 1, "quota periods in which the cgroup ran" },
	{ "throttled_periods", "1", BETTER_NEITHER, 1, "of these, where the quota was used up" },
	{ "throttled_time", "ms", BETTER_NEITHER, 1,
	  "how long the quota held tasks back, summed over CPUs" },
	{ NULL },
};

struct counters {
	uint64_t periods, throttled, nanoseconds;
};

/* adds the counters of one cgroup; false if it has none (v2's root, controller not enabled) */
static bool add_folder(const struct cgroup *cgroup, const char *folder, struct counters *sum)
{
	autofree char *path = memory_format("%s/cpu.stat", folder);
	autofree char *text = NULL;
	uint64_t periods, throttled, time;
	struct error *error = file_read(path, &text, NULL);

	if (error) {
		error_free(error);
		return false;
	}
	if (!cgroup_field(text, "nr_periods", &periods) ||
	    !cgroup_field(text, "nr_throttled", &throttled) ||
	    !cgroup_field(text, cgroup->unified ? "throttled_usec" : "throttled_time", &time))
		return false;
	sum->periods += periods;
	sum->throttled += throttled;
	sum->nanoseconds += cgroup->unified ? time * 1000 : time;
	return true;
}

static struct error *read_counters(const char *root, struct counters *out)
{
	struct cgroup cgroup;
	struct error *error = cgroup_of(root, "self", "cpu", &cgroup);
	bool any = false;
	char *folder, *above;

	if (error)
		return error;
	*out = (struct counters){ 0 };
	for (folder = memory_string(cgroup.folder); folder; folder = above) {
		any |= add_folder(&cgroup, folder, out);
		above = cgroup_parent(&cgroup, folder);
		free(folder);
	}
	if (!any)
		error = error_new(ERR_UNAVAILABLE,
				  "no cgroup from %s upwards counts throttling in cpu.stat",
				  cgroup.path);
	cgroup_clear(&cgroup);
	return error;
}

static struct error *throttle_start(const struct monitor_context *context, void **state)
{
	struct counters *counters = memory_zeroed(1, sizeof(*counters));
	struct error *error = read_counters(context->root, counters);

	if (error) {
		free(counters);
		return error;
	}
	*state = counters;
	return NULL;
}

static struct error *throttle_stop(const struct monitor_context *context, void *state,
				   struct trial *trial)
{
	const struct counters before = *(struct counters *)state;
	struct counters after;
	struct error *error = read_counters(context->root, &after);

	free(state);
	if (error)
		return error;
	if (after.periods < before.periods || after.throttled < before.throttled ||
	    after.nanoseconds < before.nanoseconds)
		return error_new(ERR_UNAVAILABLE, "the cgroup changed during the trial");
	trial_add_metric(trial, &throttle_metrics[0], (double)(after.periods - before.periods),
			 NULL, 0);
	trial_add_metric(trial, &throttle_metrics[1], (double)(after.throttled - before.throttled),
			 NULL, 0);
	trial_add_metric(trial, &throttle_metrics[2],
			 (double)(after.nanoseconds - before.nanoseconds) / 1e6, NULL, 0);
	return NULL;
}

const struct monitor monitor_throttle = {
	.name = "throttle",
	.summary = "quota periods and throttled time of the trial's cgroup",
	.metrics = throttle_metrics,
	.start = throttle_start,
	.stop = throttle_stop,
	.drop = free,
};
