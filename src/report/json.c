// SPDX-License-Identifier: GPL-2.0-only
/* json.c - everything a table holds, as one JSON object (docs/statistics.md lists the keys) */
#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "report/provenance.h"
#include "report/style.h"
#include "stats/origin.h"

/* JSON has no NAN and no infinity: null */
static json_t *number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *text(const char *value)
{
	return value ? json_string(value) : json_null();
}

static void set(json_t *object, const char *key, json_t *value)
{
	json_object_set_new(object, key, value);
}

static json_t *part_object(const struct side_part *part)
{
	const struct run *run = part->run;
	json_t *object = json_object();
	char *kernel = origin_kernel(part), *machine = origin_machine(part);
	char *build = provenance_kernel(part);

	set(object, "run", json_integer(run->id));
	set(object, "label", text(run->label));
	set(object, "plan", text(run->plan_name));
	set(object, "started", number(run->started));
	set(object, "complete", json_boolean(run->complete));
	set(object, "variant", text(run->variants[part->variant].name));
	set(object, "settings",
	    run->variants[part->variant].settings
		    ? json_deep_copy(run->variants[part->variant].settings)
		    : json_object());
	set(object, "backend", text(origin_backend(part)));
	set(object, "machine", text(machine));
	set(object, "kernel", text(kernel));
	set(object, "kernel_build", text(build));
	set(object, "tool_version", text(run->tool_version));
	free(build);
	free(kernel);
	free(machine);
	return object;
}

static json_t *sides_array(const struct table *table)
{
	json_t *sides = json_array();

	for (int side = 0; side < table->n_sides; side++) {
		json_t *object = json_object(), *parts = json_array();

		for (int i = 0; i < table->sides[side].n_parts; i++)
			json_array_append_new(parts, part_object(&table->sides[side].parts[i]));
		set(object, "name", text(table->sides[side].name));
		set(object, "base", json_boolean(side == 0));
		set(object, "runs", parts);
		json_array_append_new(sides, object);
	}
	return sides;
}

static json_t *sample_object(const struct sample *sample)
{
	json_t *object = json_object();

	set(object, "n", json_integer(sample->n));
	set(object, "mean", number(sample->mean));
	set(object, "geometric_mean", number(sample->geometric));
	set(object, "stddev", number(sample->stddev));
	set(object, "cov", number(sample->cov));
	set(object, "min", number(sample->min));
	set(object, "max", number(sample->max));
	return object;
}

static json_t *values_array(const struct cell *cell)
{
	json_t *values = json_array();

	for (int i = 0; i < cell->n; i++)
		json_array_append_new(values, number(cell->values[i]));
	return values;
}

static json_t *bimodal_object(const struct bimodal *bimodal)
{
	json_t *object;

	if (!bimodal->found)
		return json_null();
	object = json_object();
	set(object, "n_low", json_integer(bimodal->n_low));
	set(object, "low", number(bimodal->low));
	set(object, "n_high", json_integer(bimodal->n_high));
	set(object, "high", number(bimodal->high));
	return object;
}

static json_t *effect_object(const struct cell *cell)
{
	const struct effect *effect = &cell->effect;
	json_t *object;

	if (!cell->compared)
		return json_null();
	object = json_object();
	set(object, "scale", json_string(effect->scale == EFFECT_RATIO ? "ratio" : "difference"));
	set(object, "paired", json_boolean(effect->paired));
	set(object, "no_spread", json_boolean(effect->no_spread));
	set(object, "point", number(effect->point));
	set(object, "low", number(effect->low));
	set(object, "high", number(effect->high));
	set(object, "df", number(effect->df));
	set(object, "p", number(effect->p_value));
	set(object, "p_adjusted", number(cell->adjusted));
	set(object, "base_used", sample_object(&cell->base));
	set(object, "test_used", sample_object(&cell->test));
	return object;
}

static json_t *further_object(const struct cell *cell)
{
	json_t *object;

	if (cell->verdict != VERDICT_UNDECIDED || !cell->further.trials)
		return json_null();
	object = json_object();
	set(object, "trials",
	    cell->further.trials > FURTHER_MOST ? json_null() : json_integer(cell->further.trials));
	set(object, "more_than",
	    cell->further.trials > FURTHER_MOST ? json_integer(FURTHER_MOST) : json_null());
	set(object, "outcome", json_string(cell->further.no_change ? "equivalent" : "differs"));
	return object;
}

static json_t *cell_object(const struct table *table, const struct row *row, int side)
{
	const struct cell *cell = &row->cells[side];
	json_t *object = json_object();

	set(object, "name", text(table->sides[side].name));
	set(object, "values", values_array(cell));
	set(object, "sample", sample_object(&cell->sample));
	set(object, "failed", json_integer(cell->failed));
	set(object, "missing", json_integer(cell->missing));
	set(object, "unavailable", text(cell->unavailable));
	set(object, "bimodal", bimodal_object(&cell->bimodal));
	if (row->jain)
		set(object, "jain", number(row->jain[side]));
	if (!side)
		return object;
	set(object, "effect", effect_object(cell));
	set(object, "not_compared", text(cell->not_compared));
	set(object, "verdict", json_string(verdict_name(cell->verdict)));
	set(object, "further", further_object(cell));
	return object;
}

static json_t *row_object(const struct table *table, const struct row *row)
{
	const struct result_case *description = table->cases[row->case_index].description;
	json_t *object = json_object(), *cells = json_array();

	for (int side = 0; side < table->n_sides; side++)
		json_array_append_new(cells, cell_object(table, row, side));
	set(object, "case", text(row->case_name));
	set(object, "workload", text(description->workload));
	set(object, "params",
	    description->params ? json_deep_copy(description->params) : json_object());
	set(object, "cpus", text(description->cpus));
	set(object, "metric", text(row->metric));
	set(object, "unit", text(row->unit));
	set(object, "better", json_string(better_name(row->better)));
	set(object, "judged",
	    json_boolean(row->role == ROLE_MAIN && row->better != BETTER_NEITHER && !row->same_as));
	set(object, "same_as", text(row->same_as));
	set(object, "between_workers", json_boolean(row->between_workers));
	set(object, "shown", json_boolean(row->shown));
	set(object, "margin", number(row->margin));
	set(object, "sides", cells);
	return object;
}

static void print_json(FILE *stream, const struct table *table,
		       const struct report_options *options)
{
	json_t *root = json_object(), *rows = json_array(), *warnings = json_array();

	(void)options;
	for (int i = 0; i < table->n_rows; i++)
		json_array_append_new(rows, row_object(table, &table->rows[i]));
	for (int i = 0; i < table->n_warnings; i++)
		json_array_append_new(warnings, text(table->warnings[i]));
	set(root, "format", json_string("fairtrial-compare"));
	set(root, "version", json_integer(1));
	set(root, "level", number(table->options.level));
	set(root, "margin", number(table->options.margin));
	set(root, "interleaved", json_boolean(table->interleaved));
	set(root, "comparisons", json_integer(table->n_judged));
	set(root, "regression", json_boolean(table_has_regression(table)));
	set(root, "sides", sides_array(table));
	set(root, "warnings", warnings);
	set(root, "rows", rows);
	json_dumpf(root, stream, JSON_INDENT(1) | JSON_REAL_PRECISION(15));
	putc('\n', stream);
	json_decref(root);
}

const struct report_style style_json = {
	.name = "json",
	.summary = "everything, values of trials included, as one JSON object",
	.print = print_json,
};
