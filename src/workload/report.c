// SPDX-License-Identifier: GPL-2.0-only
/* report.c - from what workers did to the metrics of a trial */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "workload/program.h"
#include "workload/quantiles.h"
#include "workload/workload.h"

enum common {
	COMMON_CPU_TIME,
	COMMON_RUN_DELAY,
	COMMON_MIGRATIONS,
	COMMON_SWITCHES,
	COMMON_INVOLUNTARY,
	COMMON_START_SKEW,
	N_COMMON,
};

/* Of every workload; the value of the trial is the sum over the workers, of start_skew the largest. */
static const struct metric_desc common_metrics[] = {
	[COMMON_CPU_TIME] = { "cpu_time", "s", BETTER_NEITHER, 1,
			      "CPU time of workers and of children they waited for" },
	[COMMON_RUN_DELAY] = { "run_delay", "s", BETTER_NEITHER, 1,
			       "time that workers were runnable and waited for a CPU" },
	[COMMON_MIGRATIONS] = { "migrations", "1", BETTER_NEITHER, 1,
				"moves of workers to another CPU" },
	[COMMON_SWITCHES] = { "switches", "1", BETTER_NEITHER, 1, "context switches of workers" },
	[COMMON_INVOLUNTARY] = { "involuntary", "1", BETTER_NEITHER, 1,
				 "context switches of workers by preemption" },
	[COMMON_START_SKEW] = { "start_skew", "us", BETTER_NEITHER, 1,
				"from the opening of the gate to a worker's first instruction" },
};

static double common_value(const struct worker_report *worker, enum common which)
{
	switch (which) {
	case COMMON_CPU_TIME:
		return worker->cpu_seconds;
	case COMMON_RUN_DELAY:
		return worker->wait_seconds;
	case COMMON_MIGRATIONS:
		return worker->migrations;
	case COMMON_SWITCHES:
		return worker->switches;
	case COMMON_INVOLUNTARY:
		return worker->involuntary;
	case COMMON_START_SKEW:
		return worker->start_skew_ns / 1e3;
	case N_COMMON:
		break;
	}
	return NAN;
}

/* of a metric that some or all workers lack */
static const char *common_reason(const struct team_report *report, enum common which)
{
	static const char prefix[] = "not available: ";
	const char *source = which == COMMON_RUN_DELAY	  ? report->wait_source
			     : which == COMMON_MIGRATIONS ? report->migrations_source
							  : NULL;

	if (!source || strncmp(source, prefix, strlen(prefix)))
		return "it could not be read for every worker";
	return source + strlen(prefix);
}

static void add_common(struct trial *trial, const struct team_report *report, enum common which)
{
	const struct metric_desc *desc = &common_metrics[which];
	autofree double *values = memory_zeroed(report->n_workers, sizeof(*values));
	double sum = 0, most = 0;

	for (int i = 0; i < report->n_workers; i++) {
		values[i] = common_value(&report->workers[i], which);
		sum += values[i];
		if (values[i] > most)
			most = values[i];
	}
	if (isnan(sum))
		trial_add_unavailable(trial, desc, common_reason(report, which));
	else
		trial_add_metric(trial, desc, which == COMMON_START_SKEW ? most : sum, values,
				 report->n_workers);
}

/* a worker that was never measured has no rate */
static void add_counted(struct trial *trial, const struct workload_metric *metric,
			const struct team_report *report)
{
	autofree double *values = memory_zeroed(report->n_workers, sizeof(*values));
	double sum = 0;

	for (int i = 0; i < report->n_workers; i++) {
		const struct worker_report *worker = &report->workers[i];

		values[i] = worker->counters[metric->counter];
		if (metric->kind == METRIC_RATE)
			values[i] = worker->seconds > 0 ? values[i] / worker->seconds : NAN;
		if (!isnan(values[i]))
			sum += values[i];
	}
	trial_add_metric(trial, &metric->desc, sum, values, report->n_workers);
}

bool workload_has_metric(const struct workload *workload, const char *name)
{
	for (const struct workload_metric *own = workload->metrics; own->desc.name; own++)
		if (own->kind == METRIC_HISTOGRAM ? quantiles_has(&own->desc, name)
						  : !strcmp(own->desc.name, name))
			return true;
	return false;
}

struct error *workload_report(const struct workload *workload, struct team *team,
			      const struct params *params, const struct team_report *report,
			      struct trial *trial)
{
	struct error *error = NULL;

	for (const struct workload_metric *metric = workload->metrics; metric->desc.name; metric++)
		if (metric->kind == METRIC_HISTOGRAM)
			quantiles_add(trial, &metric->desc, report, metric->counter);
		else if (metric->kind != METRIC_COMPUTED)
			add_counted(trial, metric, report);
	if (workload->program)
		error = program_finish(team, workload->program, trial);
	if (!error && workload->finish)
		error = workload->finish(team, params, report, trial);
	if (error)
		return error;
	for (int i = 0; i < N_COMMON; i++)
		if (workload->program && i != COMMON_CPU_TIME)
			trial_add_unavailable(trial, &common_metrics[i],
					      "of the tasks of an external program only the CPU "
					      "time is known");
		else
			add_common(trial, report, i);
	return NULL;
}
