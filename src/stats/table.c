// SPDX-License-Identifier: GPL-2.0-only
#include "stats/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "stats/table_parts.h"

void table_warn(struct table *table, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	*array_append(table->warnings, table->n_warnings) = memory_vformat(format, args);
	va_end(args);
}

static bool has_case(const struct table *table, const char *name)
{
	for (int i = 0; i < table->n_cases; i++)
		if (!strcmp(table->cases[i].name, name))
			return true;
	return false;
}

static bool in_other_side(const struct table *table, int side, const char *name)
{
	for (int other = 0; other < table->n_sides; other++)
		if ((side == 0) != (other == 0) && side_case(&table->sides[other], name))
			return true;
	return false;
}

/* the cases of a side: those that base and a test have are added, others are named */
static void add_cases(struct table *table, int side_index)
{
	const struct side *side = &table->sides[side_index];

	for (int part = 0; part < side->n_parts; part++) {
		const struct run *run = side->parts[part].run;

		for (int i = 0; i < run->n_cases; i++) {
			const char *name = run->cases[i].name;

			if (side_case(side, name) != &run->cases[i] || has_case(table, name))
				continue;
			if (in_other_side(table, side_index, name))
				*array_append(table->cases, table->n_cases) =
					(struct table_case){ name,
							     side_case(&table->sides[0], name) };
			else
				table_warn(table, "case %s is not compared: only %s has it", name,
					   side->name);
		}
	}
}

static void warn_of_repeated(struct table *table)
{
	if (table->n_repeated)
		table_warn(table,
			   "%d trial%s with the same seed, counted once; another `seed` in [plan] "
			   "gives further trials",
			   table->n_repeated,
			   table->n_repeated == 1 ? " is a repetition" : "s are repetitions");
}

static struct error *fill(struct table *table)
{
	struct error *error = check_sides(table);

	if (error)
		return error;
	for (int side = 0; side < table->n_sides; side++)
		add_cases(table, side);
	if (!table->n_cases)
		return error_new(ERR_INPUT, "%s and %s have no case in common",
				 table->sides[0].name, table->sides[1].name);
	for (int i = 0; i < table->n_cases && !error; i++) {
		error = check_case(table, table->cases[i].name);
		if (!error)
			error = add_case_rows(table, i);
	}
	warn_of_repeated(table);
	note_others(table);
	if (!error && !table->n_rows)
		error = error_new(ERR_INPUT, "no trial of %s has a value to compare",
				  table->sides[0].name);
	return error;
}

struct error *table_new(const struct side *sides, int n_sides, const struct table_options *options,
			struct table **out)
{
	struct table *table = memory_zeroed(1, sizeof(*table));
	struct error *error;

	table->options = *options;
	table->sides = sides;
	table->n_sides = n_sides;
	table->interleaved = sides_interleaved(sides, n_sides);
	error = fill(table);
	if (error) {
		table_free(table);
		return error;
	}
	judge_rows(table);
	*out = table;
	return NULL;
}

void table_free(struct table *table)
{
	if (!table)
		return;
	for (int i = 0; i < table->n_rows; i++) {
		struct row *row = &table->rows[i];

		for (int side = 0; side < table->n_sides; side++) {
			free(row->cells[side].values);
			free(row->cells[side].not_compared);
		}
		free(row->cells);
		free(row->metric);
		free(row->jain);
	}
	for (int i = 0; i < table->n_warnings; i++)
		free(table->warnings[i]);
	free(table->rows);
	free(table->cases);
	free(table->warnings);
	free(table);
}

bool table_has_regression(const struct table *table)
{
	for (int i = 0; i < table->n_rows; i++)
		for (int side = 1; side < table->n_sides; side++)
			if (table->rows[i].cells[side].verdict == VERDICT_REGRESSION)
				return true;
	return false;
}
