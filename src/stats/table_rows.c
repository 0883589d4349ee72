// SPDX-License-Identifier: GPL-2.0-only
/* table_rows.c - the rows of a case: values of the trials, and the effect of each variant */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "stats/table_parts.h"

/* the metrics of a case by name, in the order of their first appearance */
struct metric_list {
	const struct metric **metrics;
	int n;
};

static bool listed(const struct metric_list *list, const char *name)
{
	for (int i = 0; i < list->n; i++)
		if (!strcmp(list->metrics[i]->name, name))
			return true;
	return false;
}

static struct metric_list metrics_of(const struct case_trials *trials)
{
	struct metric_list list = { NULL, 0 };

	for (int side = 0; side < trials->n_sides; side++) {
		for (int slot = 0; slot < trials->n_slots[side]; slot++) {
			const struct trial *trial = trials->slots[side][slot];

			for (int i = 0; trial && i < trial->n_metrics; i++)
				if (!listed(&list, trial->metrics[i].name))
					*array_append(list.metrics, list.n) = &trial->metrics[i];
		}
	}
	return list;
}

/* the value of a trial in a row; counts what is not there in the cell */
static double value_of(const struct row *row, const struct trial *trial, const char *metric,
		       struct cell *cell, struct spread *workers)
{
	const struct metric *found;

	*workers = (struct spread){ .cov = NAN, .jain = NAN };
	if (!trial)
		return NAN;
	if (trial->status != TRIAL_OK) {
		cell->failed++;
		return NAN;
	}
	found = trial_metric(trial, metric);
	if (found && row->between_workers) {
		*workers = spread_of(found->per_worker, found->n_workers);
		if (!isnan(workers->cov))
			return workers->cov;
	}
	if (found && !row->between_workers && !isnan(found->value))
		return found->value;
	if (!cell->missing++)
		cell->unavailable = found ? found->unavailable : NULL;
	return NAN;
}

static void gather(struct row *row, const char *metric, const struct case_trials *trials)
{
	for (int side = 0; side < trials->n_sides; side++) {
		struct cell *cell = &row->cells[side];
		double jain = 0;
		int n_jain = 0;

		cell->n = trials->n_slots[side];
		cell->values = memory_zeroed(cell->n, sizeof(*cell->values));
		for (int i = 0; i < cell->n; i++) {
			struct spread workers;

			cell->values[i] =
				value_of(row, trials->slots[side][i], metric, cell, &workers);
			if (!isnan(workers.jain)) {
				jain += workers.jain;
				n_jain++;
			}
		}
		cell->sample = sample_of(cell->values, cell->n);
		if (row->jain)
			row->jain[side] = n_jain ? jain / n_jain : NAN;
	}
}

/* shares and the spread between workers are compared in points; what can be 0 has no ratio */
static enum effect_scale scale_of(const struct row *row, int n_sides)
{
	if (row->between_workers || (row->better == BETTER_NEITHER && !strcmp(row->unit, "%")))
		return EFFECT_DIFFERENCE;
	for (int side = 0; side < n_sides; side++)
		for (int i = 0; i < row->cells[side].n; i++)
			if (row->cells[side].values[i] <= 0)
				return EFFECT_DIFFERENCE;
	return EFFECT_RATIO;
}

static struct error *effect_of(const struct cell *base, const struct cell *test, bool paired,
			       enum effect_scale scale, double level, struct effect *out)
{
	if (paired)
		return scale == EFFECT_RATIO
			       ? ratio_paired(base->values, test->values, test->n, level, out)
			       : difference_paired(base->values, test->values, test->n, level, out);
	return scale == EFFECT_RATIO
		       ? ratio_unpaired(base->values, base->n, test->values, test->n, level, out)
		       : difference_unpaired(base->values, base->n, test->values, test->n, level,
					     out);
}

/* what was used of the values of one side where the other has some in the same block */
static struct sample used(const struct cell *cell, const struct cell *other, bool paired)
{
	autofree double *values = memory_zeroed(cell->n, sizeof(*values));

	for (int i = 0; i < cell->n; i++)
		values[i] = paired && isnan(other->values[i]) ? NAN : cell->values[i];
	return sample_of(values, cell->n);
}

static void compare(const struct table *table, struct row *row, struct cell *cell)
{
	enum effect_scale scale = scale_of(row, table->n_sides);
	struct cell *base = &row->cells[0];
	struct error *error;

	cell->base = used(base, cell, row->paired);
	cell->test = used(cell, base, row->paired);
	error = effect_of(base, cell, row->paired, scale, table->options.level, &cell->effect);
	cell->compared = !error;
	if (error)
		cell->not_compared = memory_string(error->message);
	error_free(error);
}

static void set_margin(const struct table *table, struct row *row)
{
	double margin = table->options.margin;

	row->margin = margin;
	if (row->between_workers)
		row->margin = 100 * margin;
	else if (scale_of(row, table->n_sides) == EFFECT_DIFFERENCE)
		row->margin = margin * fabs(row->cells[0].sample.mean);
}

/* are the groups apart by more than what is no change? */
static bool apart(const struct bimodal *bimodal, double margin)
{
	return bimodal->high - bimodal->low >
	       margin * fmax(fabs(bimodal->low), fabs(bimodal->high));
}

static void name_bimodal(const struct table *table, struct row *row)
{
	for (int side = 0; side < table->n_sides; side++) {
		struct cell *cell = &row->cells[side];

		cell->bimodal = bimodal_of(cell->values, cell->n);
		if (!apart(&cell->bimodal, table->options.margin))
			cell->bimodal.found = false;
	}
}

static struct row *new_row(struct table *table, int case_index, const struct metric *metric,
			   enum metric_role role)
{
	struct row *row = array_append(table->rows, table->n_rows);

	row->case_name = table->cases[case_index].name;
	row->case_index = case_index;
	row->metric = memory_string(metric->name);
	row->unit = metric->unit;
	row->better = metric->better;
	row->role = role;
	row->paired = table->interleaved;
	row->cells = memory_zeroed(table->n_sides, sizeof(*row->cells));
	return row;
}

static void complete_row(struct table *table, struct row *row, const char *metric,
			 const struct case_trials *trials)
{
	gather(row, metric, trials);
	set_margin(table, row);
	for (int side = 1; side < table->n_sides; side++)
		compare(table, row, &row->cells[side]);
}

static bool has_workers(const struct case_trials *trials, const char *metric)
{
	for (int side = 0; side < trials->n_sides; side++) {
		for (int i = 0; i < trials->n_slots[side]; i++) {
			const struct trial *trial = trials->slots[side][i];
			const struct metric *found = trial ? trial_metric(trial, metric) : NULL;

			if (found && found->n_workers >= 2)
				return true;
		}
	}
	return false;
}

static void add_worker_row(struct table *table, int case_index, const struct metric *metric,
			   const struct case_trials *trials)
{
	struct row *row = new_row(table, case_index, metric, ROLE_MAIN);

	free(row->metric);
	row->metric = memory_format("%s CoV", metric->name);
	row->unit = "%";
	row->better = BETTER_LOWER;
	row->between_workers = true;
	row->jain = memory_zeroed(table->n_sides, sizeof(*row->jain));
	complete_row(table, row, metric->name, trials);
}

static void add_metric(struct table *table, int case_index, const struct metric *metric,
		       enum metric_role role, const struct case_trials *trials)
{
	struct row *row = new_row(table, case_index, metric, role);

	complete_row(table, row, metric->name, trials);
	if (role != ROLE_MAIN || metric->better == BETTER_NEITHER)
		return;
	name_bimodal(table, row);
	if (table->options.worker_rows != WORKER_ROWS_NONE && has_workers(trials, metric->name))
		add_worker_row(table, case_index, metric, trials);
}

static struct error *add_role(struct table *table, int case_index, const struct metric_list *list,
			      enum metric_role role, const struct case_trials *trials)
{
	const struct table_case *table_case = &table->cases[case_index];
	struct error *error;
	bool usable;

	for (int i = 0; i < list->n; i++) {
		const struct metric *metric = list->metrics[i];

		if (table->options.role(table_case->description->workload, metric,
					table->options.role_data) != role)
			continue;
		error = check_metric(table, trials, table_case->name, metric->name, &usable);
		if (error)
			return error;
		if (usable)
			add_metric(table, case_index, metric, role, trials);
	}
	return NULL;
}

static void warn_of_failures(struct table *table, const char *case_name,
			     const struct case_trials *trials)
{
	for (int side = 0; side < trials->n_sides; side++) {
		const char *reason = NULL;
		int failed = 0, made = 0;

		for (int i = 0; i < trials->n_slots[side]; i++) {
			const struct trial *trial = trials->slots[side][i];

			made += trial != NULL;
			if (!trial || trial->status == TRIAL_OK)
				continue;
			if (!failed++)
				reason = trial->reason;
		}
		if (failed)
			table_warn(table, "%s: %d of %d trials of %s failed (%s)", case_name,
				   failed, made, table->sides[side].name,
				   reason ? reason : "no reason recorded");
	}
}

/* two runs of one plan on one kernel: what differs between them is not the kernel */
static void warn_of_shared(struct table *table, const char *case_name,
			   const struct case_trials *trials)
{
	for (int side = 1; side < trials->n_sides && !table->interleaved; side++) {
		int shared = case_trials_shared(trials, table->sides, side, case_name);

		if (shared)
			table_warn(table,
				   "%s: %d trial%s of %s %s the same as of %s: the same kernel, "
				   "machine, settings and seed",
				   case_name, shared, shared == 1 ? "" : "s",
				   table->sides[side].name, shared == 1 ? "is" : "are",
				   table->sides[0].name);
	}
}

struct error *add_case_rows(struct table *table, int case_index)
{
	const char *name = table->cases[case_index].name;
	struct case_trials trials =
		case_trials_of(table->sides, table->n_sides, name, table->interleaved);
	struct metric_list list;
	struct error *error;

	table->n_repeated += case_trials_merge(&trials, table->sides, name, table->interleaved);
	list = metrics_of(&trials);
	warn_of_failures(table, name, &trials);
	warn_of_shared(table, name, &trials);
	error = add_role(table, case_index, &list, ROLE_MAIN, &trials);
	if (!error)
		error = add_role(table, case_index, &list, ROLE_CONTEXT, &trials);
	free(list.metrics);
	case_trials_clear(&trials);
	return error;
}
