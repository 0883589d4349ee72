// SPDX-License-Identifier: GPL-2.0-only
/*
 * hwbench.c - the columns of hwbench's comparison: a table a case and metric, a line a variant
 *
 * Columns of what was not measured are left out and named below.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/format.h"
#include "report/grid.h"
#include "report/header.h"
#include "report/hwbench_values.h"
#include "report/style.h"

static char *format_count(double value)
{
	return memory_format("%.0f", value);
}

/* K, M, G with two decimals, as hwbench prints rates */
static char *format_rate(double value)
{
	static const char suffixes[] = "KMGT";
	int power = -1;

	while (fabs(value) >= 999.995 && power < (int)strlen(suffixes) - 1) {
		value /= 1000;
		power++;
	}
	if (power < 0)
		return memory_format(fabs(value) < 0.1 && value != 0 ? "%.2e" : "%.2f", value);
	return memory_format("%.2f%c", value, suffixes[power]);
}

static char *format_power(double value)
{
	return memory_format("%.0fW", value);
}

static char *format_clock(double value)
{
	return memory_format("%.0fM", value);
}

static char *format_ipc(double value)
{
	return memory_format("%.2f", value);
}

static char *format_cov(double value)
{
	return memory_format("%.1f%%", value);
}

static char *format_linearity(double value)
{
	return memory_format("%+.2f%%", value);
}

/* in the order in which they are printed; a column without a format is a ratio alone */
static const struct column {
	enum hwbench_quantity quantity;
	const char *head, *ratio_head;
	char *(*format)(double value);
	const char *legend;
} columns[] = {
	{ HWBENCH_WORKERS, ">Wrk", NULL, format_count, "Wrk: workers." },
	{ HWBENCH_PERF, ">Perf", ">dPerf", format_rate,
	  "Perf: geometric mean over n trials, in the unit of the section." },
	{ HWBENCH_PER_CORE, ">Perf/core", ">dPerf/core", format_rate,
	  "Perf/core: Perf / physical cores of the machine." },
	{ HWBENCH_POWER, ">Power", ">dPower", format_power, "Power: of the packages, mean." },
	{ HWBENCH_PER_WATT, NULL, ">Perf/W", NULL, "Perf/W: dPerf / dPower." },
	{ HWBENCH_CLOCK, ">Clock", ">dClock", format_clock, "Clock: mean over CPUs, in MHz." },
	{ HWBENCH_IPC, ">IPC", ">dIPC", format_ipc, "IPC: instructions a cycle." },
	{ HWBENCH_COV, ">CoV", NULL, format_cov,
	  "CoV: 100 sd / mean over the workers of a trial, mean over trials." },
	{ HWBENCH_LINEARITY, ">Linearity", NULL, format_linearity,
	  "Linearity: 100 Perf / (Perf0 / Wrk0 * Wrk) - 100, with 0 the step of fewest workers of "
	  "the same variant." },
};

struct hwbench {
	const struct table *table;
	struct hwbench_section *sections;
	int n_sections;
	bool used[ARRAY_SIZE(columns)];
	const char *heads[3 + 2 * ARRAY_SIZE(columns) + 2];
};

static bool is_measured(const struct hwbench *report, enum hwbench_quantity quantity)
{
	for (int i = 0; i < report->n_sections; i++)
		for (int side = 0; side < report->table->n_sides; side++)
			if (!isnan(report->sections[i].values[side][quantity]))
				return true;
	return false;
}

static void choose_columns(struct hwbench *report)
{
	int n = 0;

	report->heads[n++] = "<Trace";
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		report->used[i] = is_measured(report, columns[i].quantity);
		if (!report->used[i])
			continue;
		if (columns[i].head)
			report->heads[n++] = columns[i].head;
		if (columns[i].ratio_head)
			report->heads[n++] = columns[i].ratio_head;
	}
	report->heads[n++] = ">n";
	report->heads[n++] = "<V";
	report->heads[n] = NULL;
}

static void add_number(struct grid *grid, double value, char *(*format)(double value))
{
	autofree char *text = isnan(value) ? memory_string("-") : format(value);

	grid_add(grid, "%s", text);
}

static char *format_ratio(double value)
{
	return memory_format("%.2fx", value);
}

/* of Perf, and of the CoV between workers */
static char *verdicts(const struct hwbench_section *section, int side)
{
	const char *perf = verdict_letter(section->row->cells[side].verdict);
	const char *spread =
		section->spread ? verdict_letter(section->spread->cells[side].verdict) : "";

	return memory_format("%s%s%s", *perf ? perf : "-", *spread ? "/" : "", spread);
}

static void add_side(const struct hwbench *report, const struct hwbench_section *section, int side,
		     struct grid *grid)
{
	autofree char *verdict = side ? verdicts(section, side) : memory_string("");

	grid_add(grid, "%s%s", report->table->sides[side].name, side ? "" : "*");
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		const struct column *column = &columns[i];

		if (!report->used[i])
			continue;
		if (column->head)
			add_number(grid, section->values[side][column->quantity], column->format);
		if (column->ratio_head)
			add_number(grid, hwbench_ratio(section, side, column->quantity),
				   format_ratio);
	}
	grid_add(grid, "%d", section->row->cells[side].sample.n);
	grid_add(grid, "%s", verdict);
}

static void print_section(FILE *stream, const struct hwbench *report,
			  const struct hwbench_section *section)
{
	const struct row *row = section->row;
	struct grid *grid = grid_new(report->heads, 1);
	autofree char *title =
		memory_format("### %s: %s [%s], %s is better", row->case_name, row->metric,
			      row->unit, row->better == BETTER_HIGHER ? "higher" : "lower");

	putc('\n', stream);
	grid_wrap(stream, title, 0);
	for (int side = 0; side < report->table->n_sides; side++)
		add_side(report, section, side, grid);
	grid_end(grid, stream, 0);
}

/* ---- all sections together ---- */

/* the geometric mean of the ratios of those sections that have one; *n of them */
static double mean_ratio(const struct hwbench *report, int side, enum hwbench_quantity quantity,
			 int *n)
{
	double logs = 0;

	*n = 0;
	for (int i = 0; i < report->n_sections; i++) {
		double ratio = hwbench_ratio(&report->sections[i], side, quantity);

		if (report->sections[i].row->better != BETTER_HIGHER || !(ratio > 0))
			continue;
		logs += log(ratio);
		++*n;
	}
	return *n ? exp(logs / *n) : NAN;
}

static void print_means(FILE *stream, const struct hwbench *report)
{
	const struct table *table = report->table;
	const char *heads[2 + ARRAY_SIZE(columns) + 1] = { "<Trace" };
	struct grid *grid;
	int n, n_heads = 1;

	mean_ratio(report, 0, HWBENCH_PERF, &n);
	if (n < 2)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		if (report->used[i] && columns[i].ratio_head)
			heads[n_heads++] = columns[i].ratio_head;
	heads[n_heads++] = ">sections";
	grid = grid_new(heads, 1);
	for (int side = 0; side < table->n_sides; side++) {
		int n_sections = 0, ignored;

		grid_add(grid, "%s%s", table->sides[side].name, side ? "" : "*");
		for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
			if (report->used[i] && columns[i].ratio_head)
				add_number(grid,
					   mean_ratio(report, side, columns[i].quantity, &ignored),
					   format_ratio);
		mean_ratio(report, side, HWBENCH_PERF, &n_sections);
		grid_add(grid, "%d", n_sections);
	}
	fprintf(stream, "\n### geometric means of the ratios where higher is better\n");
	grid_end(grid, stream, 0);
}

/* ---- below the tables ---- */

static void print_left_out(FILE *stream, const struct hwbench *report)
{
	char *list = memory_string("");

	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		const struct column *column = &columns[i];
		if (report->used[i])
			continue;
		list = memory_append(list, "%s%s%s%s", *list ? ", " : "",
				     column->head ? column->head + 1 : "",
				     column->head && column->ratio_head ? ", " : "",
				     column->ratio_head ? column->ratio_head + 1 : "");
	}
	if (*list) {
		autofree char *text = memory_format("Not measured, left out: %s.", list);

		grid_wrap(stream, text, 0);
	}
	free(list);
}

static void print_legend(FILE *stream, const struct hwbench *report)
{
	const struct table *table = report->table;
	char *text = memory_string("Columns of hwbench. *: the reference; d...: value / that of "
				   "the reference.");
	double level = 100 * table->options.level;

	putc('\n', stream);
	print_left_out(stream, report);
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		if (!report->used[i])
			continue;
		text = memory_append(text, " %s", columns[i].legend);
	}
	grid_wrap(stream, text, 0);
	free(text);
	text = memory_format("V, not of hwbench: the verdict on Perf / on CoV, as --style summary "
			     "tells with the intervals: R regression, I improvement (at most %g%% "
			     "of %d comparison%s false), = no change within %g%%, ? undecided.",
			     100 - level, table->n_judged, table->n_judged == 1 ? "" : "s",
			     100 * table->options.margin);
	grid_wrap(stream, text, 0);
	free(text);
}

static void print_hwbench(FILE *stream, const struct table *table,
			  const struct report_options *options)
{
	struct hwbench report = { .table = table };

	(void)options;
	report.sections = hwbench_sections(table, &report.n_sections);
	choose_columns(&report);
	print_header(stream, table);
	print_warnings(stream, table);
	for (int i = 0; i < report.n_sections; i++)
		print_section(stream, &report, &report.sections[i]);
	print_means(stream, &report);
	print_legend(stream, &report);
	hwbench_sections_free(report.sections, report.n_sections);
}

const struct report_style style_hwbench = {
	.name = "hwbench",
	.summary = "the columns of hwbench: ratios, per core, per watt, CoV, linearity",
	.print = print_hwbench,
};
