/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * counters.h - what groups of perf events counted for the workers, and the metrics from it
 *
 * The events of a group are on the CPU's counters together, so their ratio is sound even where the
 * kernel has to take turns (multiplexing). A count is then scaled by the time the group was
 * wanted over the time it counted.
 */
#ifndef FT_MONITOR_COUNTERS_H
#define FT_MONITOR_COUNTERS_H

#include "result/result.h"

enum counter_group {
	GROUP_SOFTWARE, /* task clock (ns), context switches, migrations, page faults */
	GROUP_CYCLES,	/* cycles, instructions */
	GROUP_CACHE,	/* cache references, cache misses */
	GROUP_BRANCHES, /* branches, branch misses */
	GROUP_NODE,	/* loads that the node's memory or caches served, that another node's did */
	N_COUNTER_GROUPS
};

#define GROUP_EVENTS 4

/* What one group of one worker counted, its children included. */
struct counter_reading {
	uint64_t enabled_ns, running_ns; /* wanted; counted: less if events took turns */
	uint64_t values[GROUP_EVENTS];
};

/* a reading by worker and group; why a group has none */
struct counter_readings {
	int n_workers;
	struct counter_reading (*workers)[N_COUNTER_GROUPS];
	const char *missing[N_COUNTER_GROUPS]; /* NULL: it is there */
};

/* The metrics of monitor `counters`; ends with name == NULL. */
extern const struct metric_desc counter_metrics[];

/*
 * counters_report - adds all of counter_metrics to the trial, each with its per-worker values, or
 * with the reason why it has none
 * @seconds: the measured time
 */
void counters_report(const struct counter_readings *readings, double seconds, struct trial *trial);

#endif
