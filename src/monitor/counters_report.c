// SPDX-License-Identifier: GPL-2.0-only
/* counters_report.c - from counts to metrics: pure, so that recorded counts can be replayed */
#include "monitor/counters.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

const struct metric_desc counter_metrics[] = {
	{ "task_clock", "CPUs", BETTER_NEITHER, 1, "CPU time of the workers over the time" },
	{ "perf_switches", "1/s", BETTER_NEITHER, 1, "context switches of the workers" },
	{ "perf_migrations", "1/s", BETTER_NEITHER, 1, "moves of the workers between CPUs" },
	{ "page_faults", "1/s", BETTER_NEITHER, 1, "page faults of the workers" },
	{ "cycles", "1/s", BETTER_NEITHER, 1, "cycles spent on the workers" },
	{ "instructions", "1/s", BETTER_NEITHER, 1, "instructions of the workers" },
	{ "ipc", "1", BETTER_NEITHER, 1, "instructions a cycle" },
	{ "worker_clock", "MHz", BETTER_NEITHER, 1, "cycles over the CPU time of the workers" },
	{ "cache_references", "1/s", BETTER_NEITHER, 1, "accesses to the last-level cache" },
	{ "cache_misses", "1/s", BETTER_NEITHER, 1, "of these, those that missed" },
	{ "branch_misses", "%", BETTER_NEITHER, 1, "mispredicted branches, of all" },
	{ "node_loads", "1/s", BETTER_NEITHER, 1, "loads served by a NUMA node's memory" },
	{ "remote_loads", "1/s", BETTER_NEITHER, 1, "of these, those that went to another node" },
	{ NULL },
};

/* a metric: events over events, or over the time */
struct formula {
	enum counter_group group;
	int event;
	enum counter_group below_group;
	int below; /* event that it is divided by; -1: the seconds */
	double factor;
};

static const struct formula formulas[] = {
	{ GROUP_SOFTWARE, 0, 0, -1, 1e-9 },
	{ GROUP_SOFTWARE, 1, 0, -1, 1 },
	{ GROUP_SOFTWARE, 2, 0, -1, 1 },
	{ GROUP_SOFTWARE, 3, 0, -1, 1 },
	{ GROUP_CYCLES, 0, 0, -1, 1 },
	{ GROUP_CYCLES, 1, 0, -1, 1 },
	{ GROUP_CYCLES, 1, GROUP_CYCLES, 0, 1 },
	{ GROUP_CYCLES, 0, GROUP_SOFTWARE, 0, 1e3 }, /* a cycle a nanosecond is 1000 MHz */
	{ GROUP_CACHE, 0, 0, -1, 1 },
	{ GROUP_CACHE, 1, 0, -1, 1 },
	{ GROUP_BRANCHES, 1, GROUP_BRANCHES, 0, 100 },
	{ GROUP_NODE, 0, 0, -1, 1 },
	{ GROUP_NODE, 1, 0, -1, 1 },
};

/* a count scaled up for the time it was not on a counter; NAN if it never was */
static double scaled(const struct counter_reading *reading, int event)
{
	if (!reading->running_ns)
		return reading->enabled_ns ? NAN : 0;
	return (double)reading->values[event] * (double)reading->enabled_ns /
	       (double)reading->running_ns;
}

static double ratio(double above, double below)
{
	return below > 0 ? above / below : NAN;
}

static void add(const struct metric_desc *desc, const struct formula *formula,
		const struct counter_readings *readings, double seconds, struct trial *trial)
{
	int n = readings->n_workers;
	autofree double *workers = memory_zeroed((size_t)n, sizeof(*workers));
	double above = 0, below = 0, value;

	for (int i = 0; i < n; i++) {
		const struct counter_reading *groups = readings->workers[i];
		double count = scaled(&groups[formula->group], formula->event);
		double divisor = formula->below < 0
					 ? seconds
					 : scaled(&groups[formula->below_group], formula->below);

		workers[i] = formula->factor * ratio(count, divisor);
		above += count;
		below += divisor;
	}
	value = formula->factor * ratio(above, formula->below < 0 ? seconds : below);
	if (isnan(value))
		trial_add_unavailable(trial, desc,
				      isnan(above) || isnan(below)
					      ? "the events never got a counter: others hold them"
					      : "nothing was counted");
	else
		trial_add_metric(trial, desc, value, workers, n);
}

void counters_report(const struct counter_readings *readings, double seconds, struct trial *trial)
{
	for (size_t i = 0; i < ARRAY_SIZE(formulas); i++) {
		const struct formula *formula = &formulas[i];
		const char *missing = readings->missing[formula->group];

		if (!missing && formula->below >= 0)
			missing = readings->missing[formula->below_group];
		if (missing)
			trial_add_unavailable(trial, &counter_metrics[i], missing);
		else
			add(&counter_metrics[i], formula, readings, seconds, trial);
	}
}
