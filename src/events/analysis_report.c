// SPDX-License-Identifier: GPL-2.0-only
/* analysis_report.c - from sums and histograms to metrics of a trial */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "events/analysis_private.h"

#define NS_PER_US 1e3

double analysis_seconds(const struct analysis *analysis)
{
	return (double)(analysis->now - analysis->begin) / 1e9;
}

const struct histogram *analysis_histogram(const struct analysis *analysis,
					   enum analysis_histogram which, bool others)
{
	return &analysis->histograms[others][which];
}

struct report {
	const struct analysis *analysis;
	struct trial *trial;
	double seconds;
	const char *nothing; /* why there is no value at all, or NULL */
};

static void add(const struct report *report, int metric, double value, const char *reason)
{
	if (report->nothing || isnan(value))
		trial_add_unavailable(report->trial, &event_metrics[metric],
				      report->nothing ? report->nothing : reason);
	else
		trial_add_metric(report->trial, &event_metrics[metric], value, NULL, 0);
}

static void add_rate(const struct report *report, int metric, uint64_t count)
{
	add(report, metric, (double)count / report->seconds, NULL);
}

static void add_quantiles(const struct report *report, int first, enum analysis_histogram which,
			  const char *reason)
{
	static const double quantiles[] = { 0.5, 0.99, 0.999, 1 };
	const struct histogram *histogram = analysis_histogram(report->analysis, which, false);

	for (int i = 0; i < 4; i++) {
		double ns = histogram_quantile(histogram, quantiles[i]);

		add(report, first + i, ns / NS_PER_US, reason);
		/* the first one carries what all are computed from */
		if (!i && !report->nothing && histogram->count)
			report->trial->metrics[report->trial->n_metrics - 1].histogram =
				memory_copy(histogram, sizeof(*histogram));
	}
}

static void add_share(const struct report *report)
{
	const struct analysis *analysis = report->analysis;
	double run = (double)analysis->tally.run_ns, wait = (double)analysis->tally.wait_ns;
	int n = analysis->n_workers;
	autofree double *workers = memory_zeroed((size_t)n, sizeof(*workers));

	if (report->nothing || !(run + wait > 0)) {
		add(report, EVENT_WAIT_SHARE, NAN, "no task was runnable");
		return;
	}
	for (int i = 0; i < n; i++) {
		double worker_run = (double)analysis->workers[i].run_ns;
		double worker_wait = (double)analysis->workers[i].wait_ns;

		workers[i] = worker_run + worker_wait > 0
				     ? 100 * worker_wait / (worker_run + worker_wait)
				     : NAN;
	}
	trial_add_metric(report->trial, &event_metrics[EVENT_WAIT_SHARE], 100 * wait / (wait + run),
			 workers, n);
}

static uint64_t sum(const uint64_t *counts)
{
	uint64_t total = 0;

	for (int i = 0; i < N_EVENT_LEVELS; i++)
		total += counts[i];
	return total;
}

static double moved(const uint64_t *counts)
{
	uint64_t total = sum(counts);

	return total ? 100 * (double)(total - counts[EVENT_LEVEL_SAME]) / (double)total : NAN;
}

/* levels of a machine that is not known cannot be told apart, but whether a CPU is the same */
static void add_levels(const struct report *report, int first, enum event_level lowest,
		       const double *values)
{
	for (int level = lowest; level < N_EVENT_LEVELS; level++)
		add(report, first + level - (int)lowest,
		    report->analysis->machine || level == EVENT_LEVEL_SAME ? values[level] : NAN,
		    "the topology of the machine is not known");
}

static void add_counts(const struct report *report, int first, enum event_level lowest,
		       const uint64_t *counts)
{
	double values[N_EVENT_LEVELS];

	for (int level = 0; level < N_EVENT_LEVELS; level++)
		values[level] = (double)counts[level] / report->seconds;
	add_levels(report, first, lowest, values);
}

static void add_placements(const struct report *report)
{
	const struct tally *tally = &report->analysis->tally;

	add_rate(report, EVENT_WAKEUPS, tally->wakeups);
	add_rate(report, EVENT_PREEMPTIONS, tally->preemptions);
	add_rate(report, EVENT_FORKS, sum(tally->fork));
	add(report, EVENT_FORK_MOVED, moved(tally->fork), "nothing forked");
	add_counts(report, EVENT_FORK_LEVEL, EVENT_LEVEL_SAME, tally->fork);
	add(report, EVENT_WAKEUP_MOVED, moved(tally->wakeup), "nothing was woken");
	add_counts(report, EVENT_WAKEUP_LEVEL, EVENT_LEVEL_SAME, tally->wakeup);
	add_counts(report, EVENT_MIGRATE_LEVEL, EVENT_LEVEL_SMT, tally->migrate);
	add_rate(report, EVENT_MIGRATE_FORK, sum(tally->fork) - tally->fork[EVENT_LEVEL_SAME]);
	add_rate(report, EVENT_MIGRATE_EXEC, tally->by_exec);
	add_rate(report, EVENT_MIGRATE_WAKEUP, tally->by_wakeup);
	add_rate(report, EVENT_MIGRATE_BALANCE, tally->by_balance);
}

static void add_group(const struct report *report, int metric, double value, bool several,
		      const char *what)
{
	autofree char *reason = memory_format("the case's CPUs are in one %s", what);

	if (!report->analysis->machine)
		add(report, metric, NAN, "the topology of the machine is not known");
	else
		add(report, metric, several ? value / report->seconds : NAN, reason);
}

/* do the CPUs of the case lie in more than one group? */
static bool several(const struct analysis *analysis, enum levels_group level)
{
	int used = 0;

	for (int i = 0; i < analysis->levels.n_groups[level]; i++) {
		struct crowd_place place;

		crowd_place(analysis->crowd, level, i, &place);
		used += place.n_cpus > 0;
	}
	return used > 1;
}

static void add_crowd(const struct report *report)
{
	static const struct {
		enum levels_group group;
		const char *name;
		int sharing, imbalance; /* metrics, -1: none */
	} groups[] = {
		{ GROUP_CORE, "core", EVENT_SHARING_CORE, -1 },
		{ GROUP_LLC, "LLC", EVENT_SHARING_LLC, -1 },
		{ GROUP_NODE, "node", EVENT_SHARING_NODE, -1 },
		{ GROUP_LLC, "LLC", -1, EVENT_IMBALANCE_LLC },
		{ GROUP_NODE, "node", -1, EVENT_IMBALANCE_NODE },
		{ GROUP_PACKAGE, "package", -1, EVENT_IMBALANCE_PACKAGE },
	};
	const struct crowd_sums *sums = &report->analysis->sums;
	double values[N_EVENT_LEVELS] = { 0 }, total = 0;

	for (int level = EVENT_LEVEL_SMT; level < N_EVENT_LEVELS; level++) {
		values[level] = sums->unconserved[level] / report->seconds;
		total += values[level];
	}
	add(report, EVENT_IDLE_SHARE, 100 * sums->idle / sums->n_cpus / report->seconds,
	    "no CPU is known");
	add(report, EVENT_IDLE_WAITING, total, NULL);
	add_levels(report, EVENT_IDLE_WAITING_LEVEL, EVENT_LEVEL_SMT, values);
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++) {
		enum levels_group group = groups[i].group;
		bool more = !report->nothing && several(report->analysis, group);

		if (groups[i].sharing >= 0)
			add_group(report, groups[i].sharing, sums->sharing[group], more,
				  groups[i].name);
		else
			add_group(report, groups[i].imbalance, sums->imbalance[group], more,
				  groups[i].name);
	}
}

static void add_rest(const struct report *report)
{
	const struct analysis *analysis = report->analysis;

	add(report, EVENT_PROGRESS_COV,
	    analysis->n_windows ? analysis->cov_sum / analysis->n_windows : NAN,
	    analysis->n_workers < 2 ? "there are no two workers"
				    : "the measured time is shorter than 100 ms");
	add_rate(report, EVENT_RATE, analysis->tally.events);
	add(report, EVENT_LOST_COUNT,
	    analysis->tally.lost_unknown ? NAN : (double)analysis->tally.lost,
	    "events were lost, and it is not known how many");
	add(report, EVENT_MISSING_COUNT, (double)analysis->tally.missing, NULL);
}

/* where tasks ran and waited and CPUs idled: means over the time, of groups that the case uses */
static json_t *places_json(const struct analysis *analysis, enum levels_group group,
			   enum machine_level level)
{
	const struct machine *machine = analysis->machine;
	json_t *list = json_array();

	for (int i = 0; i < machine->n_groups[level]; i++) {
		autofree char *cpus = cpulist_format(machine->groups[level][i].cpus);
		struct crowd_place place;

		crowd_place(analysis->crowd, group, i, &place);
		if (place.n_cpus)
			json_array_append_new(list, json_pack("{s:i, s:s, s:i, s:f, s:f, s:f}",
							      "id", machine->groups[level][i].id,
							      "cpus", cpus, "allowed", place.n_cpus,
							      "running", place.running, "waiting",
							      place.waiting, "idle", place.idle));
	}
	return list;
}

static void add_places(const struct report *report)
{
	static const struct {
		const char *name;
		enum levels_group group;
		enum machine_level level;
	} levels[] = {
		{ "llc", GROUP_LLC, LEVEL_LLC },
		{ "node", GROUP_NODE, LEVEL_NODE },
		{ "package", GROUP_PACKAGE, LEVEL_PACKAGE },
	};
	json_t *events = json_object();

	if (report->nothing || !report->analysis->machine) {
		json_decref(events);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(levels); i++)
		if (several(report->analysis, levels[i].group))
			json_object_set_new(events, levels[i].name,
					    places_json(report->analysis, levels[i].group,
							levels[i].level));
	if (!report->trial->environment)
		report->trial->environment = json_object();
	json_object_set_new(report->trial->environment, "events", events);
}

void analysis_report(const struct analysis *analysis, struct trial *trial)
{
	struct report report = {
		.analysis = analysis,
		.trial = trial,
		.seconds = analysis_seconds(analysis),
	};

	if (!analysis->ended || !(report.seconds > 0))
		report.nothing = "no scheduling event was recorded in the measured time";
	add_quantiles(&report, EVENT_WAKEUP_LATENCY, ANALYSIS_WAKEUP_WAIT, "nothing was woken");
	add_quantiles(&report, EVENT_QUEUE_WAIT, ANALYSIS_QUEUE_WAIT, "nothing waited");
	add_quantiles(&report, EVENT_PREEMPT_WAIT, ANALYSIS_PREEMPT_WAIT, "nothing was preempted");
	add_quantiles(&report, EVENT_SLICE, ANALYSIS_SLICE, "nothing left a CPU");
	add_share(&report);
	add_placements(&report);
	add_crowd(&report);
	add_rest(&report);
	add_places(&report);
}
