/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * levels.h - which core, cluster, LLC, node and package each CPU is in, for a stream
 *
 * A CPU that the machine does not have is in groups of its own. Without a machine all CPUs are in one
 * node and nothing smaller, and `known` is false.
 */
#ifndef FT_EVENTS_LEVELS_H
#define FT_EVENTS_LEVELS_H

#include "events/event.h"
#include "monitor/event_metrics.h"

/* what groups of CPUs are counted for: CPUs themselves, then as enum machine_level, then all */
enum levels_group {
	GROUP_CPU,
	GROUP_CORE,
	GROUP_CLUSTER,
	GROUP_LLC,
	GROUP_NODE,
	GROUP_PACKAGE,
	GROUP_ALL,
	N_LEVELS_GROUPS
};

struct levels {
	bool known;
	int n_cpus;			   /* ids below it have a place */
	int32_t (*group)[N_LEVELS_GROUPS]; /* [n_cpus], index of the group */
	int n_groups[N_LEVELS_GROUPS];
};

void levels_init(struct levels *levels, const struct machine *machine, int nr_cpus);
void levels_clear(struct levels *levels);

/* levels_between - how far apart two CPUs are; both must have a place */
enum event_level levels_between(const struct levels *levels, int a, int b);

#endif
