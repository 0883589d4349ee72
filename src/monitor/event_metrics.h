/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * event_metrics.h - what an analysis of scheduling events gives (docs/events.md defines each)
 *
 * The descriptions are a monitor's, so that a plan can ask for them by the name `events`; the values
 * come from events/analysis.h, which the backends feed.
 */
#ifndef FT_MONITOR_EVENT_METRICS_H
#define FT_MONITOR_EVENT_METRICS_H

#include "result/metric.h"

/* How far apart two CPUs are: the smallest thing that they share. */
enum event_level {
	EVENT_LEVEL_SAME, /* the same CPU */
	EVENT_LEVEL_SMT,
	EVENT_LEVEL_CLUSTER,
	EVENT_LEVEL_LLC,
	EVENT_LEVEL_NODE,
	EVENT_LEVEL_REMOTE, /* another NUMA node */
	N_EVENT_LEVELS
};

enum event_metric {
	/* each of these blocks of four: p50, p99, p99.9, max */
	EVENT_WAKEUP_LATENCY,
	EVENT_QUEUE_WAIT = EVENT_WAKEUP_LATENCY + 4,
	EVENT_PREEMPT_WAIT = EVENT_QUEUE_WAIT + 4,
	EVENT_SLICE = EVENT_PREEMPT_WAIT + 4,
	EVENT_WAIT_SHARE = EVENT_SLICE + 4,
	EVENT_WAKEUPS,
	EVENT_PREEMPTIONS,
	EVENT_FORKS,
	EVENT_FORK_MOVED,
	EVENT_FORK_LEVEL, /* and one for each level */
	EVENT_WAKEUP_MOVED = EVENT_FORK_LEVEL + N_EVENT_LEVELS,
	EVENT_WAKEUP_LEVEL,
	EVENT_MIGRATE_LEVEL = EVENT_WAKEUP_LEVEL + N_EVENT_LEVELS, /* from SMT on */
	EVENT_MIGRATE_FORK = EVENT_MIGRATE_LEVEL + N_EVENT_LEVELS - 1,
	EVENT_MIGRATE_EXEC,
	EVENT_MIGRATE_WAKEUP,
	EVENT_MIGRATE_BALANCE,
	EVENT_IDLE_SHARE,
	EVENT_IDLE_WAITING,	  /* of all levels */
	EVENT_IDLE_WAITING_LEVEL, /* from SMT on */
	EVENT_SHARING_CORE = EVENT_IDLE_WAITING_LEVEL + N_EVENT_LEVELS - 1,
	EVENT_SHARING_LLC,
	EVENT_SHARING_NODE,
	EVENT_IMBALANCE_LLC,
	EVENT_IMBALANCE_NODE,
	EVENT_IMBALANCE_PACKAGE,
	EVENT_PROGRESS_COV,
	EVENT_RATE,
	EVENT_LOST_COUNT,
	EVENT_MISSING_COUNT,
	N_EVENT_METRICS
};

/* The descriptions by enum event_metric; ends with name == NULL. */
extern const struct metric_desc event_metrics[];

#endif
