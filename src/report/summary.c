// SPDX-License-Identifier: GPL-2.0-only
/* summary.c - the default style: for each case and metric a line a variant, at most 78 columns */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "monitor/monitor.h"
#include "report/format.h"
#include "report/header.h"
#include "report/style.h"

#define NAME_LEAST  8
#define SHARE_LEAST 1e-3 /* per cent */
#define NAME_MOST   13	 /* longer names stand on a line of their own */

/* what the legend must explain: what is in the table */
struct summary {
	FILE *stream;
	const struct table *table;
	const struct report_options *options;
	int name_width;
	bool has_ratio, has_difference, has_workers, has_bimodal;
	bool has_verdict[VERDICT_DIFFERS + 1];
};

static bool is_context(const struct row *row)
{
	return row->role == ROLE_CONTEXT || row->better == BETTER_NEITHER;
}

static const char *colour_of(enum verdict verdict)
{
	switch (verdict) {
	case VERDICT_REGRESSION:
		return "\033[1;31m";
	case VERDICT_IMPROVEMENT:
		return "\033[1;32m";
	case VERDICT_UNDECIDED:
		return "\033[33m";
	default:
		return NULL;
	}
}

static void print_verdict(const struct summary *summary, const char *text, enum verdict verdict)
{
	const char *colour = summary->options->colour ? colour_of(verdict) : NULL;

	fprintf(summary->stream, "%s%s%s", colour ? colour : "", text, colour ? "\033[0m" : "");
}

static char *verdict_text(const struct cell *cell)
{
	if (cell->verdict != VERDICT_UNDECIDED || !cell->further.trials)
		return memory_string(verdict_letter(cell->verdict));
	if (cell->further.trials > FURTHER_MOST)
		return memory_format("? >%d", FURTHER_MOST);
	return memory_format("? +%d%s", cell->further.trials, cell->further.no_change ? "=" : "");
}

/* the name of a variant in its column, or on a line of its own if it is too long */
static void print_name(const struct summary *summary, const char *raw_name)
{
	autofree char *name = format_name(raw_name);

	if ((int)strlen(name) > summary->name_width)
		fprintf(summary->stream, "    %s\n    %*s", name, summary->name_width, "");
	else
		fprintf(summary->stream, "    %-*s", summary->name_width, name);
}

/* "    name   mean   CoV   n": the left part of a line; a new string without the name's own line */
static char *sample_text(const struct summary *summary, const char *raw_name,
			 const struct sample *sample, enum effect_scale scale)
{
	autofree char *name = format_name(raw_name);
	double location = scale == EFFECT_RATIO && !isnan(sample->geometric) ? sample->geometric
									     : sample->mean;
	bool fits = (int)strlen(name) <= summary->name_width;
	autofree char *value = format_value(location);
	autofree char *cov = format_percent(sample->cov);

	if (!fits)
		fprintf(summary->stream, "    %s\n", name);
	return memory_format("    %-*s %9s %6s %3d", summary->name_width, fits ? name : "", value,
			     cov, sample->n);
}

/* the change, its interval and the verdict, on a line of their own if numbers are too wide */
static void print_effect(struct summary *summary, const struct cell *cell, const char *left)
{
	autofree char *verdict = verdict_text(cell);
	autofree char *effect = cell->compared ? format_effect(&cell->effect) : memory_string("-");
	autofree char *interval =
		cell->compared ? format_interval(&cell->effect) : memory_string("-");
	autofree char *right = cell->compared || *verdict
				       ? memory_format(" %8s %20s", effect, interval)
				       : memory_string("");
	bool fits = strlen(left) + strlen(right) + 2 + strlen(verdict) <= REPORT_COLUMNS;

	fprintf(summary->stream, fits ? "%s" : "%s\n%36s", left, "");
	fputs(right, summary->stream);
	if (*verdict)
		fputs("  ", summary->stream);
	print_verdict(summary, verdict, cell->verdict);
	putc('\n', summary->stream);
	summary->has_verdict[cell->verdict] = true;
}

static void print_note(const struct summary *summary, char *text)
{
	fprintf(summary->stream, "      ");
	print_wrapped(summary->stream, text, 6, 8);
	free(text);
}

static void print_notes(struct summary *summary, const struct cell *cell)
{
	if (cell->bimodal.found) {
		autofree char *low = format_short(cell->bimodal.low);
		autofree char *high = format_short(cell->bimodal.high);

		summary->has_bimodal = true;
		print_note(summary,
			   memory_format("bimodal: %d trials near %s, %d near %s",
					 cell->bimodal.n_low, low, cell->bimodal.n_high, high));
	}
	if (cell->missing)
		print_note(summary, memory_format("no value in %d trial%s%s%s", cell->missing,
						  cell->missing == 1 ? "" : "s",
						  cell->unavailable ? ": " : "",
						  cell->unavailable ? cell->unavailable : ""));
	if (cell->not_compared)
		print_note(summary, memory_format("not compared: %s", cell->not_compared));
	if (cell->compared && cell->effect.no_spread)
		print_note(summary, memory_format("no spread: the same effect in all %d %s",
						  cell->effect.n_test,
						  cell->effect.paired ? "blocks" : "trials"));
}

static enum effect_scale row_scale(const struct summary *summary, const struct row *row)
{
	for (int side = 1; side < summary->table->n_sides; side++)
		if (row->cells[side].compared)
			return row->cells[side].effect.scale;
	return EFFECT_RATIO;
}

static void print_row_title(struct summary *summary, const struct row *row, enum effect_scale scale)
{
	const char *better = row->better == BETTER_HIGHER ? "higher is better" : "lower is better";
	const char *difference = "";
	autofree char *metric = format_name(row->metric), *unit = format_name(row->unit);

	summary->has_ratio |= scale == EFFECT_RATIO;
	summary->has_difference |= scale == EFFECT_DIFFERENCE;
	summary->has_workers |= row->between_workers;
	if (scale == EFFECT_DIFFERENCE)
		difference = strcmp(row->unit, "%") ? "; difference, not ratio"
						    : "; difference in points";
	fprintf(summary->stream, "  %s, %s (%s%s)\n", metric, unit, better, difference);
}

static bool same_sample(const struct sample *a, const struct sample *b)
{
	return a->n == b->n && (a->mean == b->mean || (isnan(a->mean) && isnan(b->mean)));
}

/* a metric without any value: why, once; false if there is a value */
static bool print_nothing(const struct summary *summary, const struct row *row)
{
	const char *why = NULL;

	for (int side = 0; side < summary->table->n_sides; side++) {
		if (row->cells[side].sample.n)
			return false;
		why = why ? why : row->cells[side].unavailable;
	}
	print_note(summary,
		   memory_format("no value in any trial%s%s", why ? ": " : "", why ? why : ""));
	return true;
}

/* base is printed again where other blocks of it were used, so that the change can be recomputed */
static void print_judged(struct summary *summary, const struct row *row)
{
	enum effect_scale scale = row_scale(summary, row);
	const struct sample *shown = NULL;

	print_row_title(summary, row, scale);
	if (print_nothing(summary, row))
		return;
	for (int side = 1; side < summary->table->n_sides; side++) {
		const struct cell *cell = &row->cells[side];
		const struct sample *base = cell->compared ? &cell->base : &row->cells[0].sample;

		autofree char *left = NULL;

		if (!shown || !same_sample(shown, base)) {
			autofree char *base_text =
				sample_text(summary, summary->table->sides[0].name, base, scale);

			fprintf(summary->stream, "%s\n", base_text);
			if (!shown)
				print_notes(summary, &row->cells[0]);
			shown = base;
		}
		left = sample_text(summary, summary->table->sides[side].name,
				   cell->compared ? &cell->test : &cell->sample, scale);
		print_effect(summary, cell, left);
		print_notes(summary, cell);
	}
}

/* ---- what is not judged: a small table for each case, a column a metric ---- */

#define CONTEXT_LEAST 8

static int context_width(const struct row *row)
{
	int width = (int)(strlen(row->metric) + strlen(row->unit)) + 1;

	return width < CONTEXT_LEAST ? CONTEXT_LEAST : width;
}

/* of a share: what is left of 100 per cent by rounding is nothing */
static double context_value(const struct row *row, double value)
{
	return !strcmp(row->unit, "%") && fabs(value) < SHARE_LEAST ? 0 : value;
}

static void print_context_cell(struct summary *summary, const struct row *row, int side, bool last)
{
	const struct cell *cell = &row->cells[side];
	autofree char *value = format_short(context_value(row, cell->sample.mean));
	bool differs = side && cell->verdict == VERDICT_DIFFERS;

	summary->has_verdict[VERDICT_DIFFERS] |= differs;
	fprintf(summary->stream, " %*s%s", context_width(row), value,
		differs ? " d"
		: last	? ""
			: "  ");
}

static void print_context_block(struct summary *summary, const struct row *const *rows, int n)
{
	fprintf(summary->stream, "    %-*s", summary->name_width, "");
	for (int i = 0; i < n; i++) {
		autofree char *raw = memory_format("%s %s", rows[i]->metric, rows[i]->unit);
		autofree char *title = format_name(raw);

		fprintf(summary->stream, " %*s%s", context_width(rows[i]), title,
			i < n - 1 ? "  " : "\n");
	}
	for (int side = 0; side < summary->table->n_sides; side++) {
		print_name(summary, summary->table->sides[side].name);
		for (int i = 0; i < n; i++)
			print_context_cell(summary, rows[i], side, i == n - 1);
		putc('\n', summary->stream);
	}
}

/* a column of zeros tells little */
static bool all_zero(const struct table *table, const struct row *row)
{
	for (int side = 0; side < table->n_sides; side++)
		if (row->cells[side].sample.min != 0 || row->cells[side].sample.max != 0)
			return false;
	return true;
}

static int columns_width(const struct row *const *rows, int n)
{
	int width = 0;

	for (int i = 0; i < n; i++)
		width += context_width(rows[i]) + 3;
	return width;
}

/* where not all fit beside each other, columns of zeros go, the last first */
static int drop_zeros(const struct table *table, const struct row **rows, int n, int room)
{
	for (int i = n - 1; i >= 0 && columns_width(rows, n) > room; i--) {
		if (!all_zero(table, rows[i]))
			continue;
		memmove(&rows[i], &rows[i + 1], (n - i - 1) * sizeof(*rows));
		n--;
	}
	return n;
}

static void print_context(struct summary *summary, int case_index)
{
	const struct table *table = summary->table;
	const struct row **rows = memory_zeroed(table->n_rows, sizeof(*rows));
	int n = 0, room = REPORT_COLUMNS - 4 - summary->name_width;

	for (int i = 0; i < table->n_rows; i++) {
		const struct row *row = &table->rows[i];

		if (row->case_index == case_index && is_context(row) && row->shown)
			rows[n++] = row;
	}
	n = drop_zeros(table, rows, n, room);
	for (int first = 0, count; first < n; first += count) {
		count = 1;
		while (first + count < n && columns_width(rows + first, count + 1) <= room)
			count++;
		print_context_block(summary, rows + first, count);
	}
	free(rows);
}

static void print_case(struct summary *summary, int case_index)
{
	const struct table *table = summary->table;
	const struct table_case *table_case = &table->cases[case_index];
	bool empty = true;
	const char *cpus = table_case->description->cpus;
	autofree char *title = cpus && *cpus && !strstr(table_case->name, "cpus")
				       ? memory_format("%s (CPUs %s)", table_case->name, cpus)
				       : memory_string(table_case->name);

	putc('\n', summary->stream);
	print_wrapped(summary->stream, title, 0, 2);
	for (int i = 0; i < table->n_rows; i++) {
		const struct row *row = &table->rows[i];

		if (row->case_index != case_index || !row->shown)
			continue;
		empty = false;
		if (!is_context(row))
			print_judged(summary, row);
	}
	print_context(summary, case_index);
	if (empty)
		fprintf(summary->stream, "  has none of the metrics that are compared\n");
}

static void legend_line(const struct summary *summary, bool wanted, char *text)
{
	if (wanted)
		print_wrapped(summary->stream, text, 0, 2);
	free(text);
}

/* is a row of the monitor of the CPUs shown? */
static bool has_cpu_times(const struct table *table)
{
	for (int i = 0; i < table->n_rows; i++)
		for (const struct metric_desc *desc = monitor_cpu.metrics; desc->name; desc++)
			if (table->rows[i].shown && !strcmp(table->rows[i].metric, desc->name))
				return true;
	return false;
}

static void print_legend(const struct summary *summary)
{
	const struct table *table = summary->table;
	double level = 100 * table->options.level, margin = 100 * table->options.margin;
	const bool *has = summary->has_verdict;

	putc('\n', summary->stream);
	legend_line(
		summary, summary->has_ratio,
		memory_format("mean: geometric, over n %s; change: mean / base's mean - 1, with "
			      "its %g%% interval (%s of logarithms). CoV: sd / mean over "
			      "trials.",
			      table->interleaved ? "blocks" : "trials", level,
			      table->interleaved ? "paired t" : "Welch's t"));
	legend_line(
		summary, summary->has_difference,
		memory_format("difference: arithmetic mean - base's mean, with its %g%% interval "
			      "(%s).",
			      level, table->interleaved ? "paired t" : "Welch's t"));
	legend_line(summary, summary->has_workers,
		    memory_string("metric CoV: sd / mean of the workers of a trial, mean over "
				  "trials."));
	legend_line(summary, has[VERDICT_REGRESSION] || has[VERDICT_IMPROVEMENT],
		    memory_format("R regression, I improvement: at most %g%% of these are false "
				  "(Benjamini-Hochberg over %d comparison%s).",
				  100 - level, table->n_judged, table->n_judged == 1 ? "" : "s"));
	legend_line(summary, has[VERDICT_EQUIVALENT],
		    memory_format("= no change: the interval is within %g%% either way.", margin));
	legend_line(
		summary, has[VERDICT_UNDECIDED],
		memory_format("? undecided%s; +N: trials more of each variant that would decide "
			      "it (+N=: to no change) one time in two.",
			      table->n_judged > 1 ? ", all comparisons allowed for" : ""));
	legend_line(summary, has_cpu_times(table),
		    memory_string("user, system, idle, ...: of the case's CPUs, whoever ran there; "
				  "not of the workers alone."));
	legend_line(summary, has[VERDICT_DIFFERS],
		    memory_string("d differs, but is neither better nor worse."));
	legend_line(summary, summary->has_bimodal,
		    memory_format("bimodal: Hartigan's dip at %g%%; a mean says little there.",
				  100 * BIMODAL_ALPHA));
	legend_line(summary, table->n_hidden > 0,
		    memory_format("%d comparison%s of the spread between workers not shown: no "
				  "change seen (--per-worker shows them).",
				  table->n_hidden, table->n_hidden == 1 ? "" : "s"));
}

static void print_summary(FILE *stream, const struct table *table,
			  const struct report_options *options)
{
	struct summary summary = { .stream = stream, .table = table, .options = options };

	summary.name_width = NAME_LEAST;
	for (int side = 0; side < table->n_sides; side++) {
		int length = (int)strlen(table->sides[side].name);

		if (length > summary.name_width)
			summary.name_width = length < NAME_MOST ? length : NAME_MOST;
	}
	print_header(stream, table);
	print_warnings(stream, table);
	fprintf(stream, "\n    %-*s %9s %6s %3s %8s %20s\n", summary.name_width, "", "mean", "CoV",
		"n", "change", "interval");
	for (int i = 0; i < table->n_cases; i++)
		print_case(&summary, i);
	print_legend(&summary);
}

const struct report_style style_summary = {
	.name = "summary",
	.summary = "values, change with its interval and a verdict a metric, with legend (default)",
	.print = print_summary,
};
