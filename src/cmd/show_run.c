// SPDX-License-Identifier: GPL-2.0-only
/* show_run.c - a run: header, environment, variants, cases, values of the trials */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cmd/show.h"
#include "cmd/store_option.h"
#include "report/grid.h"
#include "workload/workload.h"

/* A column of the table of a case: metrics of one name, unit and version are one column. */
struct column {
	const struct metric *metric; /* the first of them */
	bool has_value;		     /* in any trial of the case */
	char *head;
};

static int count_failed(const struct run *run)
{
	int n = 0;

	for (int i = 0; i < run->n_trials; i++)
		n += run->trials[i].status == TRIAL_FAILED;
	return n;
}

static void show_header(const struct run *run)
{
	autofree char *started = utc_time(run->started), *line = NULL;
	int n_variants = 0;

	for (int i = 0; i < run->n_variants; i++)
		n_variants += !run->variants[i].skipped;
	line = memory_format("label %s, plan %s, started %s UTC, seed %llu, fairtrial %s",
			     run->label ? run->label : "-", run->plan_name, started,
			     (unsigned long long)run->seed, run->tool_version);
	printf("Run %lld (%s)\n", (long long)run->id, run->identity);
	grid_wrap(stdout, line, 2);
	printf("  %d of %d trials, %d failed, %s\n", run->n_trials,
	       run->trials_planned * run->n_cases * n_variants, count_failed(run),
	       run->complete ? "complete" : "partial (fairtrial run --resume goes on)");
}

static const char *or_dash(const char *text)
{
	return text && *text ? text : "-";
}

static void show_variants(const struct run *run)
{
	static const char *const heads[] = { "<VARIANT", "<BACKEND", "<MACHINE", "<KERNEL", NULL };
	struct grid *grid = grid_new(heads, 1);

	for (int i = 0; i < run->n_variants; i++) {
		const struct result_variant *variant = &run->variants[i];
		autofree char *settings = show_settings(variant->settings);

		grid_add(grid, "%s", variant->name);
		grid_add(grid, "%s", or_dash(variant->backend));
		grid_add(grid, "%s", or_dash(variant->machine));
		grid_add(grid, "%s", or_dash(variant->kernel));
		grid_note(grid, "%s", *settings ? settings : "(no settings)");
		if (variant->skipped)
			grid_note(grid, "left out: %s", variant->skipped);
	}
	printf("\nVariants\n");
	grid_end(grid, stdout, 2);
}

/* not a table: names of cases of a sweep may fill a line */
static void show_cases(const struct run *run)
{
	printf("\nCases\n");
	for (int i = 0; i < run->n_cases; i++) {
		const struct result_case *instance = &run->cases[i];
		autofree char *params = show_settings(instance->params);
		autofree char *workload =
			memory_format("workload %s, version %d, CPUs %s", instance->workload,
				      instance->workload_version, or_dash(instance->cpus));
		const struct workload *known = workload_find(instance->workload);

		grid_wrap(stdout, instance->name, 2);
		grid_wrap(stdout, workload, 8);
		if (known)
			grid_wrap(stdout, known->summary, 8);
		if (*params)
			grid_wrap(stdout, params, 8);
		if (instance->program_version) {
			autofree char *program =
				memory_format("program: %s", instance->program_version);

			grid_wrap(stdout, program, 8);
		}
	}
}

static bool same_definition(const struct metric *a, const struct metric *b)
{
	return !strcmp(a->name, b->name) && !strcmp(a->unit, b->unit) && a->version == b->version;
}

/* the columns of a case, in the order in which its trials first have them */
static struct column *find_columns(const struct run *run, int case_index, int *n)
{
	struct column *columns = NULL;

	*n = 0;
	for (int i = 0; i < run->n_trials; i++) {
		const struct trial *trial = &run->trials[i];

		for (int m = 0; trial->case_index == case_index && m < trial->n_metrics; m++) {
			const struct metric *metric = &trial->metrics[m];
			struct column *column;
			int at = 0;

			while (at < *n && !same_definition(columns[at].metric, metric))
				at++;
			if (at < *n) {
				columns[at].has_value |= !isnan(metric->value);
				continue;
			}
			column = array_append(columns, *n);
			column->metric = metric;
			column->has_value = !isnan(metric->value);
			column->head = strcmp(metric->unit, "1")
					       ? memory_format(">%s %s", metric->name, metric->unit)
					       : memory_format(">%s", metric->name);
		}
	}
	return columns;
}

static void add_value(struct grid *grid, const struct trial *trial, const struct metric *wanted)
{
	for (int m = 0; m < trial->n_metrics; m++) {
		const struct metric *metric = &trial->metrics[m];

		if (!same_definition(metric, wanted))
			continue;
		if (isnan(metric->value))
			break;
		grid_add(grid, "%.6g", metric->value);
		return;
	}
	grid_add(grid, "-");
}

static void show_table(const struct run *run, int case_index, const struct column *columns, int n)
{
	autofree const char **heads = memory_zeroed(n + 4, sizeof(*heads));
	struct grid *grid;
	int n_heads = 0;

	heads[n_heads++] = ">TRIAL";
	heads[n_heads++] = ">BLOCK";
	heads[n_heads++] = "<VARIANT";
	for (int i = 0; i < n; i++)
		if (columns[i].has_value)
			heads[n_heads++] = columns[i].head;
	grid = grid_new(heads, 3);
	for (int i = 0; i < run->n_trials; i++) {
		const struct trial *trial = &run->trials[i];

		if (trial->case_index != case_index)
			continue;
		grid_add(grid, "%d", i + 1);
		grid_add(grid, "%d", trial->block);
		grid_add(grid, "%s", run->variants[trial->variant_index].name);
		for (int c = 0; c < n; c++)
			if (columns[c].has_value)
				add_value(grid, trial, columns[c].metric);
		if (trial->status == TRIAL_FAILED)
			grid_note(grid, "failed: %s", or_dash(trial->reason));
	}
	grid_end(grid, stdout, 2);
}

/* a metric that no trial has is a line with the reason instead of a column of dashes */
static void show_trials(const struct run *run, int case_index)
{
	int n;
	struct column *columns = find_columns(run, case_index, &n);

	printf("\n");
	grid_wrap(stdout, run->cases[case_index].name, 0);
	show_table(run, case_index, columns, n);
	for (int i = 0; i < n; i++) {
		if (!columns[i].has_value) {
			autofree char *line =
				memory_format("%s: %s", columns[i].metric->name,
					      or_dash(columns[i].metric->unavailable));

			grid_wrap(stdout, line, 2);
		}
		free(columns[i].head);
	}
	free(columns);
}

void show_run(const struct run *run)
{
	show_header(run);
	show_variants(run);
	show_cases(run);
	printf("\nMeasured on\n");
	show_object(run->environment, 2);
	for (int i = 0; i < run->n_cases; i++)
		show_trials(run, i);
}
