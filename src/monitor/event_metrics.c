// SPDX-License-Identifier: GPL-2.0-only
/* event_metrics.c - the metrics of monitor `events`, whose values an analysis of the stream gives */
#include "monitor/event_metrics.h"

#include "monitor/monitor.h"

#define QUANTILES(name, better, what)                                                              \
	{ name "_p50", "us", better, 1, what ", median" },                                         \
		{ name "_p99", "us", better, 1, what ", 99th percentile" },                        \
		{ name "_p99.9", "us", better, 1, what ", 99.9th percentile" },                    \
	{                                                                                          \
		name "_max", "us", better, 1, what ", longest"                                     \
	}

#define LEVELS(name, unit, better, what)                                                           \
	{ name "_smt", unit, better, 1, what " an SMT sibling" },                                  \
		{ name "_cluster", unit, better, 1, what " the same cluster" },                    \
		{ name "_llc", unit, better, 1, what " the same LLC" },                            \
		{ name "_node", unit, better, 1, what " another LLC of the NUMA node" },           \
	{                                                                                          \
		name "_remote", unit, better, 1, what " another NUMA node"                         \
	}

const struct metric_desc event_metrics[] = {
	QUANTILES("wakeup_wait", BETTER_LOWER, "from being woken to running"),
	QUANTILES("queue_wait", BETTER_LOWER, "any wait on a run queue"),
	QUANTILES("preempt_wait", BETTER_LOWER, "from being preempted to running again"),
	QUANTILES("slice", BETTER_NEITHER, "from being put on a CPU to leaving it"),
	{ "queue_share", "%", BETTER_LOWER, 1, "waiting / (waiting + running)" },
	{ "event_wakeups", "1/s", BETTER_NEITHER, 1, "wakeups" },
	{ "preemptions", "1/s", BETTER_NEITHER, 1,
	  "switches away from a task that stays runnable" },
	{ "forks", "1/s", BETTER_NEITHER, 1, "new tasks that were woken for the first time" },
	{ "fork_moved", "%", BETTER_NEITHER, 1, "of these, on another CPU than the parent's" },
	{ "fork_same", "1/s", BETTER_NEITHER, 1, "new tasks on the parent's CPU" },
	LEVELS("fork", "1/s", BETTER_NEITHER, "new tasks on a CPU of"),
	{ "wakeup_moved", "%", BETTER_NEITHER, 1, "wakeups on another CPU than where it ran last" },
	{ "wakeup_same", "1/s", BETTER_NEITHER, 1, "wakeups on the CPU where the task ran last" },
	LEVELS("wakeup", "1/s", BETTER_NEITHER, "wakeups on a CPU of"),
	LEVELS("migrate", "1/s", BETTER_NEITHER, "moves to a CPU of"),
	{ "migrate_fork", "1/s", BETTER_NEITHER, 1, "moves at fork" },
	{ "migrate_exec", "1/s", BETTER_NEITHER, 1, "moves at exec" },
	{ "migrate_wakeup", "1/s", BETTER_NEITHER, 1, "moves at wakeup" },
	{ "migrate_balance", "1/s", BETTER_NEITHER, 1, "moves of runnable tasks" },
	{ "event_idle", "%", BETTER_NEITHER, 1, "time that the case's CPUs were idle" },
	{ "idle_waiting", "CPUs", BETTER_LOWER, 1,
	  "CPUs that were idle beside a task that waited and may run there, mean" },
	LEVELS("idle_waiting", "CPUs", BETTER_LOWER, "of these, the nearest waiting task in"),
	{ "sharing_core", "tasks", BETTER_LOWER, 1,
	  "tasks that shared a core while another core was idle, mean" },
	{ "sharing_llc", "tasks", BETTER_LOWER, 1,
	  "tasks that shared an LLC while another LLC was idle, mean" },
	{ "sharing_node", "tasks", BETTER_LOWER, 1,
	  "tasks that shared a node while another node was idle, mean" },
	{ "imbalance_llc", "1", BETTER_LOWER, 1, "runnable tasks a CPU: most of an LLC - least" },
	{ "imbalance_node", "1", BETTER_LOWER, 1, "the same between NUMA nodes" },
	{ "imbalance_package", "1", BETTER_LOWER, 1, "the same between packages" },
	{ "runtime_cov", "%", BETTER_LOWER, 1,
	  "CoV of the workers' CPU time within 100 ms, mean over the time" },
	{ "event_rate", "1/s", BETTER_NEITHER, 1, "scheduling events that were analysed" },
	{ "events_lost", "1", BETTER_NEITHER, 1, "events that the recording lost" },
	{ "events_missing", "1", BETTER_NEITHER, 1,
	  "switches away from another task than the one that the switch before came to" },
	{ NULL },
};

_Static_assert(sizeof(event_metrics) / sizeof(*event_metrics) == N_EVENT_METRICS + 1,
	       "a description for each of enum event_metric");

const struct monitor monitor_events = {
	.name = "events",
	.summary = "waits, placements, migrations and work conservation from scheduling events",
	.metrics = event_metrics,
	.recorded = true,
};
