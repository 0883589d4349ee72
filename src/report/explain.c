// SPDX-License-Identifier: GPL-2.0-only
/* explain.c - finds what moved, and ranks it */
#include "report/explain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "machine/machine.h"

const struct row *explain_row(const struct table *table, int case_index, const char *metric)
{
	for (int i = 0; i < table->n_rows; i++)
		if (table->rows[i].case_index == case_index &&
		    !strcmp(table->rows[i].metric, metric))
			return &table->rows[i];
	return NULL;
}

static int case_cpus(const struct table *table, int case_index)
{
	const char *list = table->cases[case_index].description->cpus;
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
	int n = 1;

	if (list) {
		struct error *error = cpulist_parse(list, cpus);

		if (!error)
			n = hwloc_bitmap_weight(cpus);
		error_free(error);
	}
	hwloc_bitmap_free(cpus);
	return n;
}

static double score_of(const struct cell *cell)
{
	double base = cell->base.mean, test = cell->test.mean;
	double largest = fmax(fabs(base), fabs(test));

	return largest > 0 ? fabs(test - base) / largest : 0;
}

bool explain_differs(const struct table *table, const struct cell *cell)
{
	const struct effect *effect = &cell->effect;

	if (!cell->compared)
		return false;
	if (effect->no_spread)
		return effect->p_value <= 1 - table->options.level && effect->centre != 0;
	return cell->verdict == VERDICT_DIFFERS || cell->verdict == VERDICT_REGRESSION ||
	       cell->verdict == VERDICT_IMPROVEMENT;
}

static bool applies(const struct table *table, int case_index,
		    const struct explanation *explanation, const struct row **row)
{
	const struct cell *cell;
	double least = explanation->least;

	*row = explain_row(table, case_index, explanation->metric);
	if (!*row)
		return false;
	cell = &(*row)->cells[1];
	if (explanation->a_cpu)
		least *= case_cpus(table, case_index);
	return explain_differs(table, cell) && fabs(cell->test.mean - cell->base.mean) >= least;
}

/* the monitor cpu and the events both tell the idle share: one sentence is enough */
static bool told(const struct finding *findings, int n, const struct explanation *explanation)
{
	for (int i = 0; i < n; i++)
		if (!strcmp(findings[i].explanation->what, explanation->what))
			return true;
	return false;
}

static int largest_first(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;

	if (x->score != y->score)
		return x->score < y->score ? 1 : -1;
	return strcmp(x->explanation->metric, y->explanation->metric);
}

struct finding *explain_findings(const struct table *table, int case_index, int *n)
{
	struct finding *findings = NULL;
	const struct row *row;

	*n = 0;
	for (const struct explanation *explanation = explanations; explanation->metric;
	     explanation++) {
		if (told(findings, *n, explanation) ||
		    !applies(table, case_index, explanation, &row))
			continue;
		*array_append(findings, *n) = (struct finding){
			.explanation = explanation,
			.row = row,
			.score = score_of(&row->cells[1]),
		};
	}
	if (*n)
		qsort(findings, (size_t)*n, sizeof(*findings), largest_first);
	return findings;
}

const struct experiment **explain_experiments(const struct finding *findings, int n, int *n_out)
{
	const struct experiment **list = NULL;

	*n_out = 0;
	for (int i = 0; i < n; i++) {
		const char *const *names = findings[i].explanation->experiments;

		for (int j = 0; j < EXPLANATION_EXPERIMENTS && names[j]; j++) {
			const struct experiment *experiment = experiment_find(names[j]);
			bool known = false;

			for (int k = 0; k < *n_out; k++)
				known |= list[k] == experiment;
			if (!known)
				*array_append(list, *n_out) = experiment;
		}
	}
	return list;
}

/* a missing value of any of the four drops the block from all */
struct error *explain_outcome(const double *const values[4], int n, double level,
			      struct outcome *out)
{
	autofree double *without = memory_zeroed((size_t)n, sizeof(double));
	autofree double *with = memory_zeroed((size_t)n, sizeof(double));
	struct error *error;

	for (int i = 0; i < n; i++) {
		without[i] = values[1][i] / values[0][i];
		with[i] = values[3][i] / values[2][i];
		if (isnan(without[i]) || isnan(with[i]))
			without[i] = with[i] = NAN;
	}
	error = ratio_paired(values[0], values[1], n, level, &out->without);
	if (!error)
		error = ratio_paired(values[2], values[3], n, level, &out->with);
	if (!error)
		error = ratio_paired(without, with, n, level, &out->ratio);
	return error;
}
