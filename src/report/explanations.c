// SPDX-License-Identifier: GPL-2.0-only
/* explanations.c - the registry of what is worth a sentence, and of experiments */
#include <string.h>

#include "base/memory.h"
#include "report/explain.h"

/* every turn of a task on a CPU begins with one of these */
#define TURNS                                                                                      \
	{                                                                                          \
		"event_wakeups", "forks", "preemptions"                                            \
	}

/* what a share of waiting consists of */
#define WAITS                                                                                      \
	{                                                                                          \
		{ "wakeup_wait_p50", "wakeup to running p50" },                                    \
			{ "wakeup_wait_p99", "wakeup to running p99" },                            \
			{ "preempt_wait_p50", "preempted to running p50" },                        \
		{                                                                                  \
			"preempt_wait_p99", "preempted to running p99"                             \
		}                                                                                  \
	}

/* clang-format off */
const struct explanation explanations[] = {
	{ .fact = "work", .metric = "idle_waiting",
	  .what = "idle CPUs beside a waiting task that may run there",
	  .least = 0.001, .a_cpu = true, .share = SHARE_CPUS,
	  .levels = "idle_waiting", .levels_words = "by the nearest waiting task",
	  .parts = { { "imbalance_node", "runnable tasks a CPU, fullest node - emptiest" } },
	  .where = "waiting",
	  .experiments = { "newidle-always" } },
	{ .fact = "idle", .metric = "event_idle", .what = "idle share of the case's CPUs",
	  .least = 0.3, .share = SHARE_POINTS,
	  .experiments = { "newidle-always" } },
	{ .fact = "idle", .metric = "idle", .what = "idle share of the case's CPUs",
	  .least = 0.3, .share = SHARE_POINTS },
	{ .fact = "fork", .decision = true, .metric = "fork_moved",
	  .what = "forks placed on another CPU than the parent's",
	  .least = 0.2, .share = SHARE_POINTS,
	  .levels = "fork", .levels_words = "by target",
	  .experiments = { "no-autogroup", "own-group" } },
	{ .fact = "fork", .decision = true, .metric = "migrate_fork",
	  .what = "forks placed on another CPU than the parent's",
	  .least = 0.5, .a_cpu = true, .share = SHARE_SUM, .of = { "forks" },
	  .levels = "fork", .levels_words = "by target",
	  .experiments = { "no-autogroup", "own-group" } },
	{ .fact = "wakeup", .decision = true, .metric = "wakeup_moved",
	  .what = "wakeups on another CPU than where the task ran last",
	  .least = 0.5, .share = SHARE_POINTS,
	  .levels = "wakeup", .levels_words = "by target",
	  .experiments = { "no-wake-affine", "no-sis-util", "no-ttwu-queue" } },
	{ .fact = "balance", .decision = true, .metric = "migrate_balance",
	  .what = "migrations of runnable tasks (load balancing)",
	  .least = 0.05, .a_cpu = true, .share = SHARE_SUM, .of = TURNS,
	  .levels = "migrate", .levels_words = "all migrations",
	  .experiments = { "newidle-always" } },
	{ .fact = "exec", .decision = true, .metric = "migrate_exec", .what = "migrations at exec",
	  .least = 0.05, .a_cpu = true, .share = SHARE_SUM, .of = TURNS },
	{ .fact = "preemption", .decision = true, .metric = "preemptions", .what = "preemptions",
	  .least = 0.5, .a_cpu = true, .share = SHARE_SUM, .of = TURNS,
	  .parts = { { "slice_p50", "slice p50" }, { "slice_p99", "slice p99" } },
	  .experiments = { "no-next-buddy", "no-wakeup-preemption", "batch", "long-slice" } },
	{ .fact = "preemption", .decision = true, .metric = "involuntary",
	  .what = "preemptions of the workers themselves, a trial",
	  .least = 1, .a_cpu = true, .share = SHARE_SUM, .of = { "switches" },
	  .experiments = { "no-next-buddy", "no-wakeup-preemption", "batch", "long-slice" } },
	{ .fact = "preemption", .decision = true, .metric = "slice_p50",
	  .what = "slice (from being put on a CPU to leaving it), p50",
	  .least = 1, .share = SHARE_RATIO,
	  .parts = { { "slice_p99", "p99" } },
	  .experiments = { "no-next-buddy", "no-wakeup-preemption", "batch", "long-slice" } },
	{ .fact = "wait", .metric = "queue_share", .what = "share of runnable time spent waiting",
	  .least = 0.2, .share = SHARE_POINTS,
	  .parts = WAITS },
	{ .fact = "wait", .metric = "run_delay",
	  .what = "time that the workers themselves waited on run queues, a trial",
	  .least = 0.001, .a_cpu = true, .share = SHARE_SUM, .of = { "cpu_time", "run_delay" },
	  .parts = WAITS },
	{ .fact = "wait", .metric = "wakeup_wait_p99",
	  .what = "wait from wakeup to running, p99",
	  .least = 1, .share = SHARE_TAIL,
	  .parts = { { "wakeup_wait_p50", "p50" }, { "wakeup_wait_max", "longest" } },
	  .experiments = { "no-next-buddy", "batch", "no-ttwu-queue" } },
	{ .fact = "wait", .metric = "preempt_wait_p99",
	  .what = "wait of preempted tasks, p99",
	  .least = 1, .share = SHARE_TAIL,
	  .parts = { { "preempt_wait_p50", "p50" } },
	  .experiments = { "no-next-buddy", "batch", "long-slice" } },
	{ .fact = "crowding", .metric = "sharing_llc",
	  .what = "tasks that shared an LLC while another LLC was idle",
	  .least = 0.05, .share = SHARE_CPUS,
	  .parts = { { "imbalance_llc", "runnable tasks a CPU, fullest LLC - emptiest" },
		     { "imbalance_node", "fullest node - emptiest" },
		     { "sharing_node", "tasks that shared a node while another node was idle" } },
	  .where = "running",
	  .experiments = { "newidle-always" } },
	{ .fact = "crowding", .metric = "sharing_node",
	  .what = "tasks that shared a node while another node was idle",
	  .least = 0.05, .share = SHARE_CPUS,
	  .parts = { { "imbalance_node", "runnable tasks a CPU, fullest node - emptiest" } },
	  .where = "running",
	  .experiments = { "newidle-always" } },
	{ .fact = "crowding", .also = "work", .metric = "imbalance_node",
	  .what = "imbalance between nodes: runnable tasks a CPU, fullest - emptiest",
	  .least = 0.02, .share = SHARE_CPUS,
	  .parts = { { "imbalance_llc", "LLCs" }, { "imbalance_package", "packages" } },
	  .where = "running",
	  .experiments = { "newidle-always" } },
	{ .fact = "crowding", .also = "work", .metric = "imbalance_llc",
	  .what = "imbalance between LLCs: runnable tasks a CPU, fullest - emptiest",
	  .least = 0.02, .share = SHARE_CPUS,
	  .where = "running",
	  .experiments = { "newidle-always" } },
	{ .fact = "cores", .metric = "sharing_core",
	  .what = "tasks that shared a core while another core was idle",
	  .without_smt = "tasks that shared a CPU while another CPU was idle",
	  .least = 0.05, .share = SHARE_CPUS },
	{ .fact = "progress", .metric = "runtime_cov",
	  .what = "dispersion of the workers' CPU time within 100 ms (CoV)",
	  .least = 0.5, .share = SHARE_COV },
	{ .fact = "newidle", .decision = true, .metric = "newidle_balance_llc",
	  .what = "attempts of newly idle CPUs to balance within the LLC",
	  .least = 0.5, .a_cpu = true, .share = SHARE_SUM, .of = TURNS,
	  .parts = { { "newidle_success_llc", "attempts that moved tasks" },
		     { "newidle_pulled_llc", "tasks pulled" } },
	  .experiments = { "newidle-always", "no-ni-random" } },
	{ .fact = "newidle-system", .decision = true, .metric = "newidle_balance_system",
	  .what = "attempts of newly idle CPUs to balance between packages",
	  .least = 0.05, .a_cpu = true, .share = SHARE_SUM, .of = TURNS,
	  .parts = { { "newidle_success_system", "attempts that moved tasks" },
		     { "newidle_pulled_system", "tasks pulled" } },
	  .experiments = { "newidle-always", "no-ni-random" } },
	{ .fact = "active", .decision = true, .metric = "active_balance_system",
	  .what = "running tasks pushed between packages",
	  .least = 0.005, .a_cpu = true, .share = SHARE_SUM, .of = TURNS },
	{ .fact = "ipc", .metric = "ipc", .what = "instructions a cycle",
	  .least = 0.005, .share = SHARE_RATIO },
	{ .fact = "clock", .metric = "clock", .what = "clock of the case's CPUs",
	  .least = 5, .share = SHARE_RATIO,
	  .parts = { { "clock_limit", "limit" } } },
	{ .fact = "remote", .metric = "remote_loads", .what = "loads served by another node",
	  .least = 1e4, .a_cpu = true, .share = SHARE_TAIL },
	{ .fact = "heat", .metric = "core_throttles", .what = "throttling by heat",
	  .least = 1, .share = SHARE_TAIL },
	{ .fact = "quota", .metric = "throttled_time", .what = "time held back by a cgroup quota",
	  .least = 1, .share = SHARE_TAIL },
	{ .metric = NULL },
};
/* clang-format on */

const struct experiment experiments[] = {
	{ "no-next-buddy", { "feature.NEXT_BUDDY = 0" }, "the preference for a task just woken" },
	{ "no-wakeup-preemption",
	  { "feature.WAKEUP_PREEMPTION = 0" },
	  "preemption of the running task by one that wakes" },
	{ "batch", { "policy = batch" }, "preemption of the workers by one another at wakeup" },
	{ "long-slice", { "slice = 20ms" }, "most preemption at the end of a slice" },
	{ "no-wake-affine",
	  { "feature.WA_IDLE = 0", "feature.WA_WEIGHT = 0" },
	  "pulling a woken task to the waker's CPU" },
	{ "no-sis-util",
	  { "feature.SIS_UTIL = 0" },
	  "the limit on the search for an idle CPU at wakeup" },
	{ "no-ttwu-queue", { "feature.TTWU_QUEUE = 0" }, "wakeups queued by IPI on a remote CPU" },
	{ "newidle-always",
	  { "sched.migration_cost_ns = 0" },
	  "the limit on balancing by CPUs that become idle only for a short time" },
	{ "no-ni-random",
	  { "feature.NI_RANDOM = 0" },
	  "the weighing of newly idle balancing by its success" },
	{ "no-autogroup", { "autogroup = 0" }, "autogroups" },
	{ "own-group",
	  { "cpu.weight = 100" },
	  "the root task group (the workers get a cgroup, where autogroup does not act)" },
	{ NULL },
};

const struct experiment *experiment_find(const char *name)
{
	for (const struct experiment *experiment = experiments; experiment->name; experiment++)
		if (!strcmp(experiment->name, name))
			return experiment;
	return NULL;
}

char *experiment_key(const char *setting)
{
	return memory_string_n(setting, strcspn(setting, " ="));
}

const char *experiment_value(const char *setting)
{
	const char *value = strstr(setting, "= ");

	return value ? value + 2 : "";
}

char *experiment_settings(const struct experiment *experiment)
{
	char *text = memory_string("");

	for (int i = 0; i < EXPERIMENT_SETTINGS && experiment->settings[i]; i++)
		text = memory_append(text, "%s%s", i ? ", " : "", experiment->settings[i]);
	return text;
}
