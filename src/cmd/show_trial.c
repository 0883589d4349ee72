// SPDX-License-Identifier: GPL-2.0-only
/* show_trial.c - a trial: what it ran under, its values, and those of its workers */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cmd/show.h"
#include "cmd/store_option.h"
#include "report/grid.h"

#define VALUES_A_LINE 6

static void show_header(const struct run *run, const struct trial *trial, int number)
{
	const struct result_variant *variant = &run->variants[trial->variant_index];
	autofree char *started = utc_time(trial->started);
	autofree char *settings = show_settings(variant->settings);

	printf("Trial %d of run %lld\n", number, (long long)run->id);
	printf("  case     ");
	grid_wrap(stdout, run->cases[trial->case_index].name, 0);
	printf("  variant  ");
	grid_wrap(stdout, variant->name, 0);
	if (*settings)
		grid_wrap(stdout, settings, 11);
	printf("  block    %d, position %d, seed %llu\n", trial->block, trial->position,
	       (unsigned long long)trial->seed);
	printf("  started  %s UTC, ", started);
	if (isnan(trial->duration))
		printf("duration unknown\n");
	else
		printf("%.6g s\n", trial->duration);
	if (trial->status == TRIAL_OK) {
		printf("  status   ok\n");
	} else {
		printf("  status   failed\n");
		grid_wrap(stdout, trial->reason ? trial->reason : "(no reason was given)", 11);
	}
}

static void add_number(struct grid *grid, double value)
{
	if (isnan(value))
		grid_add(grid, "-");
	else
		grid_add(grid, "%.6g", value);
}

static void add_short(struct grid *grid, double value)
{
	if (isnan(value))
		grid_add(grid, "-");
	else
		grid_add(grid, "%.4g", value);
}

static void show_values(const struct trial *trial)
{
	static const char *const heads[] = { "<METRIC", "<UNIT",    ">VALUE",
					     "<BETTER", ">VERSION", NULL };
	struct grid *grid = grid_new(heads, 1);

	for (int i = 0; i < trial->n_metrics; i++) {
		const struct metric *metric = &trial->metrics[i];

		grid_add(grid, "%s", metric->name);
		grid_add(grid, "%s", metric->unit);
		add_number(grid, metric->value);
		grid_add(grid, "%s", better_name(metric->better));
		grid_add(grid, "%d", metric->version);
		if (metric->unavailable)
			grid_note(grid, "%s", metric->unavailable);
	}
	printf("\nValues\n");
	grid_end(grid, stdout, 2);
}

static bool has_workers(const struct trial *trial)
{
	for (int i = 0; i < trial->n_metrics; i++)
		if (trial->metrics[i].n_workers)
			return true;
	return false;
}

static void show_spread(const struct trial *trial)
{
	static const char *const heads[] = { "<METRIC", ">WORKERS", ">MEAN", ">MIN",
					     ">MAX",	">CoV %",   ">JAIN", NULL };
	struct grid *grid;

	if (!has_workers(trial)) {
		printf("\nNo metric has values by worker\n");
		return;
	}
	grid = grid_new(heads, 1);
	for (int i = 0; i < trial->n_metrics; i++) {
		const struct metric *metric = &trial->metrics[i];
		struct spread spread = spread_of(metric->per_worker, metric->n_workers);

		if (!metric->n_workers)
			continue;
		grid_add(grid, "%s", metric->name);
		grid_add(grid, "%d", spread.n);
		add_number(grid, spread.mean);
		add_number(grid, spread.min);
		add_number(grid, spread.max);
		add_short(grid, spread.cov);
		add_short(grid, spread.jain);
	}
	printf("\nSpread over the workers (CoV of the population; Jain's index: 1 is all equal)\n");
	grid_end(grid, stdout, 2);
}

static void show_workers(const struct metric *metric)
{
	static const char *const heads[] = { ">WORKER", ">", ">", ">", ">", ">", ">", NULL };
	struct grid *grid = grid_new(heads, 1);

	for (int i = 0; i < metric->n_workers; i += VALUES_A_LINE) {
		grid_add(grid, "%d", i);
		for (int j = i; j < i + VALUES_A_LINE; j++) {
			if (j < metric->n_workers)
				add_number(grid, metric->per_worker[j]);
			else
				grid_add(grid, "%s", "");
		}
	}
	printf("\n%s (%s) by worker\n", metric->name, metric->unit);
	grid_end(grid, stdout, 2);
}

void show_trial(const struct run *run, int number)
{
	const struct trial *trial = &run->trials[number - 1];

	show_header(run, trial, number);
	show_values(trial);
	show_spread(trial);
	for (int i = 0; i < trial->n_metrics; i++)
		if (trial->metrics[i].n_workers)
			show_workers(&trial->metrics[i]);
	printf("\nRan under\n");
	show_object(trial->environment, 2);
}
