// SPDX-License-Identifier: GPL-2.0-only
/*
 * fastpath.c - the style "grid": many kernels side by side, base absolute, the others in per cent
 *
 * The layout and the (R)/(I) rule of Fastpath's result tables, split into blocks that fit a mail;
 * the letter behind a cell is fairtrial's own verdict. Formulas: docs/statistics.md.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "report/format.h"
#include "report/grid.h"
#include "report/header.h"
#include "report/style.h"

#define RESULT_LEAST 14
#define RESULT_MOST  34 /* longer names stand on a line of their own */
#define BASE_LEAST   10
#define CELL_LEAST   16 /* "(R)", a percentage, a verdict */

struct blocks {
	FILE *stream;
	const struct table *table;
	const struct report_options *options;
	char **names; /* of the sides as columns */
	char **full;  /* of those that have another name above the table, else NULL */
	int result_width, base_width, cell_width;
};

static bool is_printed(const struct row *row)
{
	return row->shown && row->role == ROLE_MAIN && row->better != BETTER_NEITHER;
}

static char *result_name(const struct row *row)
{
	autofree char *metric = format_name(row->metric), *unit = format_name(row->unit);

	return memory_format("  %s (%s)", metric, unit);
}

/* the change of the mean in per cent, positive is better */
static double percent_of(const struct row *row, int side)
{
	double base = row->cells[0].sample.mean, test = row->cells[side].sample.mean;
	double percent = base != 0 ? 100 * (test - base) / fabs(base) : NAN;

	return row->better == BETTER_LOWER ? -percent : percent;
}

/* "(R)", "(I)" where the intervals of the two means do not overlap, else "" */
static const char *mark_of(const struct table *table, const struct row *row, int side)
{
	const struct sample *base = &row->cells[0].sample, *test = &row->cells[side].sample;
	double reach = sample_half_width(base, table->options.level) +
		       sample_half_width(test, table->options.level);

	if (!(fabs(test->mean - base->mean) > reach))
		return "";
	return (test->mean > base->mean) == (row->better == BETTER_HIGHER) ? "(I)" : "(R)";
}

static char *percent_text(double percent)
{
	if (isnan(percent))
		return memory_string("-");
	if (fabs(percent) < 0.005)
		return memory_string("0.00%");
	return memory_format(fabs(percent) < 1e5 ? "%.2f%%" : "%.2e%%", percent);
}

static const char *colour_of(enum verdict verdict)
{
	return verdict == VERDICT_REGRESSION ? "\033[1;31m" : "\033[1;32m";
}

static void print_cell(const struct blocks *blocks, const struct row *row, int side)
{
	const struct cell *cell = &row->cells[side];
	autofree char *percent = percent_text(percent_of(row, side));
	const char *letter = verdict_letter(cell->verdict);
	bool coloured = blocks->options->colour && (cell->verdict == VERDICT_REGRESSION ||
						    cell->verdict == VERDICT_IMPROVEMENT);

	fprintf(blocks->stream, "%*s%3s %9s %s%s%s", blocks->cell_width - 15, "",
		mark_of(blocks->table, row, side), percent,
		coloured ? colour_of(cell->verdict) : "", *letter ? letter : "-",
		coloured ? "\033[0m" : "");
}

static void print_row(const struct blocks *blocks, const struct row *row, int first, int end)
{
	autofree char *name = result_name(row);
	autofree char *base = format_value(row->cells[0].sample.mean);

	if ((int)strlen(name) > blocks->result_width)
		fprintf(blocks->stream, "%s\n%*s", name, blocks->result_width, "");
	else
		fprintf(blocks->stream, "%-*s", blocks->result_width, name);
	fprintf(blocks->stream, " %*s", blocks->base_width, base);
	for (int side = first; side < end; side++)
		print_cell(blocks, row, side);
	putc('\n', blocks->stream);
}

static void print_heads(const struct blocks *blocks, int first, int end)
{
	fprintf(blocks->stream, "\n%-*s %*s", blocks->result_width, "benchmark, result (unit)",
		blocks->base_width, blocks->names[0]);
	for (int side = first; side < end; side++)
		fprintf(blocks->stream, "%*s", blocks->cell_width, blocks->names[side]);
	putc('\n', blocks->stream);
}

static void print_block(const struct blocks *blocks, int first, int end)
{
	const struct table *table = blocks->table;
	int last_case = -1;

	print_heads(blocks, first, end);
	for (int i = 0; i < table->n_rows; i++) {
		const struct row *row = &table->rows[i];

		if (!is_printed(row))
			continue;
		if (row->case_index != last_case)
			grid_wrap(blocks->stream, row->case_name, 0);
		last_case = row->case_index;
		print_row(blocks, row, first, end);
	}
}

/* base stands in each block, so that a block can be read alone */
static void print_blocks(const struct blocks *blocks)
{
	int room = (REPORT_COLUMNS - blocks->result_width - 1 - blocks->base_width) /
		   blocks->cell_width;
	int n = blocks->table->n_sides;

	room = room < 1 ? 1 : room;
	for (int first = 1; first < n; first += room)
		print_block(blocks, first, first + room < n ? first + room : n);
}

static void choose_widths(struct blocks *blocks)
{
	const struct table *table = blocks->table;

	blocks->result_width = (int)strlen("benchmark, result (unit)");
	blocks->base_width = BASE_LEAST;
	blocks->cell_width = CELL_LEAST;
	for (int i = 0; i < table->n_rows; i++) {
		autofree char *name = result_name(&table->rows[i]);
		int length = (int)strlen(name);

		if (is_printed(&table->rows[i]) && length > blocks->result_width)
			blocks->result_width = length < RESULT_MOST ? length : RESULT_MOST;
	}
}

/* names wider than their column get a word, and stand above the table */
static void choose_names(struct blocks *blocks)
{
	const struct table *table = blocks->table;

	blocks->names = memory_zeroed(table->n_sides, sizeof(*blocks->names));
	blocks->full = memory_zeroed(table->n_sides, sizeof(*blocks->full));
	for (int side = 0; side < table->n_sides; side++) {
		char *name = format_name(table->sides[side].name);
		int room = side ? blocks->cell_width - 1 : blocks->base_width;

		blocks->names[side] = name;
		if ((int)strlen(name) <= room)
			continue;
		blocks->full[side] = name;
		blocks->names[side] = side ? memory_format("test %d", side) : memory_string("base");
	}
}

static void print_names(const struct blocks *blocks)
{
	bool any = false;

	for (int side = 0; side < blocks->table->n_sides; side++) {
		if (!blocks->full[side])
			continue;
		fprintf(blocks->stream, "%s%s = %s\n", any ? "" : "\n", blocks->names[side],
			blocks->full[side]);
		any = true;
	}
}

static void print_legend(const struct blocks *blocks)
{
	const struct table *table = blocks->table;
	double level = 100 * table->options.level;
	autofree char *rule = memory_format(
		"First column: arithmetic mean over trials. Others: change of the mean, positive "
		"is better: 100 (mean / base - 1), where lower is better 100 (1 - mean / base). "
		"(R)/(I): the rule of Fastpath, the %g%% intervals of the two means (t) do not "
		"overlap; it is no verdict of fairtrial.",
		level);
	autofree char *verdict = memory_format(
		"The letter behind is the verdict of fairtrial%s: R regression, I improvement (at "
		"most %g%% of %d comparison%s false), = no change within %g%%, ? undecided; "
		"--style summary has the intervals.",
		table->interleaved ? ", in blocks" : "", 100 - level, table->n_judged,
		table->n_judged == 1 ? "" : "s", 100 * table->options.margin);

	putc('\n', blocks->stream);
	grid_wrap(blocks->stream, rule, 0);
	grid_wrap(blocks->stream, verdict, 0);
}

static void print_grid(FILE *stream, const struct table *table,
		       const struct report_options *options)
{
	struct blocks blocks = { .stream = stream, .table = table, .options = options };

	choose_widths(&blocks);
	choose_names(&blocks);
	print_header(stream, table);
	print_warnings(stream, table);
	print_names(&blocks);
	print_blocks(&blocks);
	print_legend(&blocks);
	for (int side = 0; side < table->n_sides; side++) {
		free(blocks.names[side]);
		free(blocks.full[side]);
	}
	free(blocks.names);
	free(blocks.full);
}

const struct report_style style_grid = {
	.name = "grid",
	.summary = "kernels side by side, per cent of base, Fastpath's (R)/(I) beside the verdict",
	.print = print_grid,
};
