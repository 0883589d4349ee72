// SPDX-License-Identifier: GPL-2.0-only
/* table_judge.c - verdicts over the whole table */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "stats/multiplicity.h"
#include "stats/table_parts.h"

#define SAME_SHOWN 2 /* notes about metrics of the same values */

static bool is_judged(const struct row *row)
{
	return row->role == ROLE_MAIN && row->better != BETTER_NEITHER && !row->same_as;
}

/* the margin on the scale of the test */
static double test_margin(const struct row *row, const struct effect *effect)
{
	return effect->scale == EFFECT_RATIO ? margin_of_ratio(row->margin) : row->margin;
}

/*
 * Rows that are judged are one family; those that are not are another one, so that a "d" among many
 * rows means something too. @judged chooses. Returns the level of the next row.
 */
static double adjust_family(struct table *table, bool judged)
{
	int tests = table->n_sides - 1, n = table->n_rows * tests;
	double alpha = 1 - table->options.level, next;
	double *p = memory_zeroed(n, sizeof(*p));

	for (int i = 0; i < n; i++) {
		const struct row *row = &table->rows[i / tests];
		const struct cell *cell = &row->cells[1 + i % tests];
		bool member = cell->compared && !row->same_as && is_judged(row) == judged;

		p[i] = member ? cell->effect.p_value : NAN;
		table->n_judged += member && judged;
	}
	adjust_p_values(p, n, p);
	for (int i = 0; i < n; i++)
		if (!isnan(p[i]))
			table->rows[i / tests].cells[1 + i % tests].adjusted = p[i];
	next = next_row_alpha(p, n, alpha);
	free(p);
	return next;
}

static void judge_cell(const struct table *table, const struct row *row, struct cell *cell,
		       double row_alpha)
{
	double alpha = 1 - table->options.level, margin;

	if (!cell->compared) {
		bool some = cell->sample.n && row->cells[0].sample.n;

		cell->verdict = some && is_judged(row) ? VERDICT_UNDECIDED : VERDICT_NONE;
		return;
	}
	if (row->same_as) {
		cell->verdict = VERDICT_NONE;
		return;
	}
	margin = test_margin(row, &cell->effect);
	cell->verdict =
		verdict_of(&cell->effect, row->role == ROLE_MAIN ? row->better : BETTER_NEITHER,
			   cell->adjusted, alpha, margin);
	if (cell->verdict == VERDICT_UNDECIDED)
		cell->further = further_trials(&cell->effect, row_alpha, alpha, margin);
}

static bool row_changed(const struct table *table, const struct row *row)
{
	for (int side = 1; side < table->n_sides; side++)
		if (row->cells[side].verdict == VERDICT_REGRESSION ||
		    row->cells[side].verdict == VERDICT_IMPROVEMENT)
			return true;
	return false;
}

static bool has_values(const struct table *table, const struct row *row)
{
	for (int side = 0; side < table->n_sides; side++)
		if (row->cells[side].sample.n)
			return true;
	return false;
}

/* names that are said of one reason; the others are counted */
#define MOST_NAMES 4

/* metrics without a value for one and the same reason */
struct missing {
	const char *reason;
	const char *case_name; /* NULL: in all cases */
	const char **names;
	int n;
};

static bool is_named(const struct missing *missing, const char *name)
{
	for (int i = 0; i < missing->n; i++)
		if (!strcmp(missing->names[i], name))
			return true;
	return false;
}

static bool is_missing(const struct table *table, const struct row *row)
{
	return !row->shown && row->cells[0].unavailable && !has_values(table, row);
}

static bool missing_everywhere(const struct table *table, const struct row *row)
{
	int n = 0;

	for (int i = 0; i < table->n_rows; i++)
		n += !strcmp(table->rows[i].metric, row->metric) &&
		     is_missing(table, &table->rows[i]);
	return n == table->n_cases;
}

/* one metric is missing in all cases: it is named once; else with its case */
static void collect_missing(const struct table *table, struct missing **list, int *n)
{
	for (int i = 0; i < table->n_rows; i++) {
		const struct row *row = &table->rows[i];
		struct missing *missing = NULL;
		const char *case_name;

		if (!is_missing(table, row))
			continue;
		case_name = missing_everywhere(table, row) ? NULL : row->case_name;
		for (int j = 0; j < *n; j++)
			if (!strcmp((*list)[j].reason, row->cells[0].unavailable) &&
			    (*list)[j].case_name == case_name)
				missing = &(*list)[j];
		if (!missing) {
			missing = array_append(*list, *n);
			missing->reason = row->cells[0].unavailable;
			missing->case_name = case_name;
		}
		if (!is_named(missing, row->metric))
			*array_append(missing->names, missing->n) = row->metric;
	}
}

static void warn_of_missing(struct table *table)
{
	struct missing *list = NULL;
	int n = 0;

	collect_missing(table, &list, &n);
	table->n_missing = n;
	for (int i = 0; i < n; i++) {
		const char *name = list[i].case_name;
		char *names = memory_format("%s%s%s", name ? name : "", name ? ": " : "",
					    list[i].names[0]);

		for (int j = 1; j < list[i].n && j < MOST_NAMES; j++) {
			names = memory_append(names, ", %s", list[i].names[j]);
		}
		if (list[i].n > MOST_NAMES)
			table_warn(table, "%s and %d more have no value (%s)", names,
				   list[i].n - MOST_NAMES, list[i].reason);
		else
			table_warn(table, "%s %s no value (%s)", names,
				   list[i].n > 1 ? "have" : "has", list[i].reason);
		free(names);
		free(list[i].names);
	}
	free(list);
}

/* has a result of the same case a value? Then one without is a note, not a row of dashes */
static bool case_has_result(const struct table *table, const struct row *row)
{
	for (int i = 0; i < table->n_rows; i++) {
		const struct row *other = &table->rows[i];

		if (other->case_index == row->case_index && is_judged(other) &&
		    !other->between_workers && has_values(table, other))
			return true;
	}
	return false;
}

static void decide_shown(struct table *table, struct row *row)
{
	row->shown = true;
	if (row->same_as) {
		row->shown = false;
	} else if (!has_values(table, row)) {
		row->shown = row->role == ROLE_MAIN && !row->between_workers &&
			     !case_has_result(table, row);
	} else if (row->between_workers && table->options.worker_rows == WORKER_ROWS_CHANGED) {
		row->shown = row_changed(table, row);
		for (int side = 1; side < table->n_sides; side++)
			table->n_hidden += !row->shown && row->cells[side].compared;
	}
}

static bool same_value(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

static bool same_values(const struct table *table, const struct row *a, const struct row *b)
{
	for (int side = 0; side < table->n_sides; side++) {
		const struct cell *one = &a->cells[side], *other = &b->cells[side];

		for (int i = 0; i < one->n; i++)
			if (!same_value(one->values[i], other->values[i]))
				return false;
	}
	return has_values(table, a);
}

/* of few values p99, p99.9 and max are one number: three names are no three pieces of evidence */
static void find_same(struct table *table, struct row *row)
{
	for (struct row *other = table->rows; other < row; other++)
		if (is_judged(other) && other->case_index == row->case_index &&
		    other->between_workers == row->between_workers &&
		    other->better == row->better && !strcmp(other->unit, row->unit) &&
		    same_values(table, other, row)) {
			row->same_as = other->metric;
			return;
		}
}

/* metrics of one judged row, in the cases where they are the same */
struct same {
	const char *judged;
	char *names;
	const char *first_case, *last_case;
	int n_cases;
};

/* the metrics of a case whose values are those of @row, or NULL */
static char *same_names(const struct table *table, int index)
{
	const struct row *row = &table->rows[index];
	char *names = NULL;

	for (int i = index + 1; i < table->n_rows; i++)
		if (table->rows[i].case_index == row->case_index &&
		    table->rows[i].same_as == row->metric)
			names = memory_append(names ? names : memory_string(""), "%s%s",
					      names ? ", " : "", table->rows[i].metric);
	return names;
}

static void add_same(struct same **groups, int *n, const struct row *row, char *names)
{
	struct same *group = NULL;

	for (int i = 0; i < *n && !group; i++)
		if (!strcmp((*groups)[i].judged, row->metric) && !strcmp((*groups)[i].names, names))
			group = &(*groups)[i];
	if (group) {
		free(names);
	} else {
		group = array_append(*groups, *n);
		*group = (struct same){ .judged = row->metric, .names = names };
		group->first_case = row->case_name;
	}
	group->last_case = row->case_name;
	group->n_cases++;
}

static int by_cases(const void *a, const void *b)
{
	const struct same *one = a, *other = b;

	if (one->n_cases != other->n_cases)
		return other->n_cases - one->n_cases;
	if (strcmp(one->first_case, other->first_case) != 0)
		return strcmp(one->first_case, other->first_case);
	return strcmp(one->judged, other->judged);
}

static void warn_of_group(struct table *table, const struct same *group)
{
	if (group->n_cases == 1)
		table_warn(table, "%s: the values of %s are those of %s: judged once",
			   group->first_case, group->names, group->judged);
	else
		table_warn(table,
			   "%d cases (%s%s%s): the values of %s are those of %s: judged once each",
			   group->n_cases, group->first_case, group->n_cases > 2 ? " ... " : ", ",
			   group->last_case, group->names, group->judged);
}

/* said once for all cases where it is so: a plan of many cases would begin with as many notes */
static void warn_of_same(struct table *table)
{
	struct same *groups = NULL;
	int n = 0;

	for (int i = 0; i < table->n_rows; i++) {
		char *names = same_names(table, i);

		if (names)
			add_same(&groups, &n, &table->rows[i], names);
	}
	if (n)
		qsort(groups, n, sizeof(*groups), by_cases);
	if (n > SAME_SHOWN)
		table_warn(table,
			   "%d further sets of metrics have the same values in a case and are "
			   "judged once each (--json names them: same_as)",
			   n - SAME_SHOWN);
	for (int i = 0; i < n; i++) {
		if (i < SAME_SHOWN)
			warn_of_group(table, &groups[i]);
		free(groups[i].names);
	}
	free(groups);
}

void judge_rows(struct table *table)
{
	double row_alpha;

	for (int i = 0; i < table->n_rows; i++)
		if (is_judged(&table->rows[i]))
			find_same(table, &table->rows[i]);
	warn_of_same(table);
	for (int i = 0; i < table->n_rows; i++)
		for (int side = 0; side < table->n_sides; side++)
			table->rows[i].cells[side].adjusted = NAN;
	adjust_family(table, false);
	row_alpha = adjust_family(table, true);
	for (int i = 0; i < table->n_rows; i++) {
		struct row *row = &table->rows[i];

		for (int side = 1; side < table->n_sides; side++)
			judge_cell(table, row, &row->cells[side], row_alpha);
		decide_shown(table, row);
	}
	warn_of_missing(table);
}
