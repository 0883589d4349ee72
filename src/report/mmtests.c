// SPDX-License-Identifier: GPL-2.0-only
/*
 * mmtests.c - the table that readers of the kernel lists know, with its own percentages and star
 *
 * Layout and formulas are those of mmtests' comparison (docs/statistics.md); where mmtests prints a
 * number that is none (a rate that fell to 0, missing data), this prints what it is, or "-".
 * The star is mmtests' rule, not a verdict of fairtrial, and is labelled so.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "report/format.h"
#include "report/header.h"
#include "report/style.h"

#define STATISTIC_WIDTH 10
#define COLUMN_WIDTH	23 /* a value and its percentage */

enum statistic {
	MIN,
	MEAN,
	STDDEV,
	COEFFVAR,
	MAX,
	BEST_MEAN,
	N_STATISTICS
};

static const struct {
	const char *lower, *higher; /* names, by which is better */
} names[N_STATISTICS] = {
	[MIN] = { "Min", "Min" },	   [MEAN] = { "Amean", "Hmean" },
	[STDDEV] = { "Stddev", "Stddev" }, [COEFFVAR] = { "CoeffVar", "CoeffVar" },
	[MAX] = { "Max", "Max" },	   [BEST_MEAN] = { "BAmean-95", "BHmean-95" },
};

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* arithmetic, or harmonic if higher is better: 0 if a value is 0, NAN if one is negative */
static double mean_of(const double *values, int n, bool higher)
{
	double sum = 0;

	if (!n)
		return NAN;
	for (int i = 0; i < n; i++) {
		if (higher && values[i] < 0)
			return NAN;
		sum += higher ? 1 / values[i] : values[i];
	}
	return higher ? n / sum : sum / n;
}

static double stddev_of(const double *values, int n, double mean, bool higher)
{
	double squares = 0;

	if (n < 2 || (higher && !(mean > 0)))
		return NAN;
	for (int i = 0; i < n; i++) {
		double distance =
			higher ? (1 / values[i] - 1 / mean) * mean * mean : values[i] - mean;

		squares += distance * distance;
	}
	return sqrt(squares / (higher ? n : n - 1));
}

/* the mean of the best 95 % */
static double best_mean_of(const double *sorted, int n, bool higher)
{
	int kept = n * 95 / 100;

	kept = kept ? kept : n;
	return mean_of(higher ? sorted + n - kept : sorted, kept, higher);
}

static void statistics_of(const struct cell *cell, bool higher, double out[N_STATISTICS])
{
	autofree double *sorted = memory_zeroed(cell->n, sizeof(*sorted));
	int n = 0;

	for (int i = 0; i < cell->n; i++)
		if (!isnan(cell->values[i]))
			sorted[n++] = cell->values[i];
	qsort(sorted, n, sizeof(*sorted), ascending);
	out[MIN] = n ? sorted[0] : NAN;
	out[MAX] = n ? sorted[n - 1] : NAN;
	out[MEAN] = mean_of(sorted, n, higher);
	out[STDDEV] = stddev_of(sorted, n, out[MEAN], higher);
	out[COEFFVAR] = out[MEAN] != 0 ? 100 * out[STDDEV] / out[MEAN] : NAN;
	out[BEST_MEAN] = best_mean_of(sorted, n, higher);
}

/* positive is better; NAN if it cannot be told */
static double percent_of(enum statistic statistic, double base, double new, bool higher)
{
	if (statistic == STDDEV || statistic == COEFFVAR)
		higher = false;
	if (isnan(base) || isnan(new))
		return NAN;
	if (base == new)
		return 0;
	if (base == 0)
		return NAN;
	return higher ? new * 100 / base - 100 : 100 - new * 100 / base;
}

static bool has_star(const double *base, const double *new)
{
	return fabs(base[MEAN] - new[MEAN]) > 1.96 * base[STDDEV] + 1.96 * new[STDDEV];
}

static void print_value(FILE *stream, double value, double percent, bool star)
{
	if (isnan(value))
		fprintf(stream, "%12s", "-");
	else
		fprintf(stream, "%12.2f", value);
	if (isnan(percent))
		fprintf(stream, " (%8s)", "-");
	else
		fprintf(stream, star ? " *%7.2f%%*" : " (%7.2f%%)", percent);
}

/* the rows that are operations of the table */
struct operations {
	const struct row **rows;
	char **names;
	int n, width;
	bool by_number; /* names are too long for a column: "#1", listed above the table */
};

/* the spread between workers is no operation of mmtests': only where it was asked for */
static bool is_operation(const struct table *table, const struct row *row)
{
	return row->shown && row->role == ROLE_MAIN && row->better != BETTER_NEITHER &&
	       (!row->between_workers || table->options.worker_rows == WORKER_ROWS_ALL);
}

static char *operation_name(const struct table *table, const struct row *row)
{
	int of_case = 0;
	char *name;

	for (int i = 0; i < table->n_rows; i++)
		of_case += is_operation(table, &table->rows[i]) &&
			   table->rows[i].case_index == row->case_index;
	name = of_case > 1 ? memory_format("%s %s", row->case_name, row->metric)
			   : memory_string(row->case_name);
	text_printable(name);
	for (char *blank = name; (blank = strchr(blank, ' '));)
		*blank = '-';
	return name;
}

static struct operations operations_of(const struct table *table)
{
	struct operations operations = { 0 };

	operations.rows = memory_zeroed(table->n_rows, sizeof(*operations.rows));
	operations.names = memory_zeroed(table->n_rows, sizeof(*operations.names));
	for (int i = 0; i < table->n_rows; i++) {
		int length;

		if (!is_operation(table, &table->rows[i]))
			continue;
		operations.rows[operations.n] = &table->rows[i];
		operations.names[operations.n] = operation_name(table, &table->rows[i]);
		length = (int)strlen(operations.names[operations.n++]);
		operations.width = length > operations.width ? length : operations.width;
	}
	operations.by_number =
		STATISTIC_WIDTH + operations.width + 2 * COLUMN_WIDTH > REPORT_COLUMNS;
	if (operations.by_number)
		operations.width = (int)strlen("#") + snprintf(NULL, 0, "%d", operations.n);
	return operations;
}

static void print_operation_names(FILE *stream, const struct operations *operations)
{
	for (int i = 0; i < operations->n; i++)
		if (operations->by_number)
			fprintf(stream, "#%d = %s\n", i + 1, operations->names[i]);
	if (operations->by_number)
		putc('\n', stream);
}

/* a name is split at its first "-"; "-rcN" stays in the first row */
static int first_row_length(const char *name)
{
	const char *dash = strchr(name, '-');

	if (dash && !strncmp(dash, "-rc", 3) && dash[3] >= '0' && dash[3] <= '9') {
		dash += 3;
		dash += strspn(dash, "0123456789");
		return (int)(*dash == '-' ? dash - name : (int)strlen(name));
	}
	return (int)(dash ? dash - name : (int)strlen(name));
}

static bool names_fit(const struct table *table)
{
	for (int side = 0; side < table->n_sides; side++) {
		autofree char *name = format_name(table->sides[side].name);
		int first = first_row_length(name), rest = (int)strlen(name) - first - 1;

		if (first >= COLUMN_WIDTH || rest >= COLUMN_WIDTH)
			return false;
	}
	return true;
}

/* what stands above the column of a side: its name, or a word where names are wider than columns */
static char *column_name(const struct table *table, int side)
{
	if (names_fit(table))
		return format_name(table->sides[side].name);
	return side ? memory_format("test %d", side) : memory_string("base");
}

static void print_column_names(FILE *stream, const struct table *table)
{
	if (names_fit(table))
		return;
	for (int side = 0; side < table->n_sides; side++) {
		autofree char *word = column_name(table, side);
		autofree char *name = format_name(table->sides[side].name);

		fprintf(stream, "%s = %s\n", word, name);
	}
	putc('\n', stream);
}

/* one of the two rows of names; blanks at the end and a row without any are not printed */
static void print_names(FILE *stream, const struct table *table, int width, const int *sides,
			int n_sides, bool second)
{
	char *line = memory_format("%*s", width, "");
	bool any = false;

	for (int i = 0; i < n_sides; i++) {
		autofree char *name = column_name(table, sides[i]);
		int first = first_row_length(name);
		const char *rest = name[first] ? name + first + 1 : "";
		char *longer = second ? memory_format("%s%*s", line, COLUMN_WIDTH, rest)
				      : memory_format("%s%*.*s", line, COLUMN_WIDTH, first, name);

		any |= !second || *rest;
		free(line);
		line = longer;
	}
	if (any)
		fprintf(stream, "%s\n", line);
	free(line);
}

static void print_row(FILE *stream, const struct row *row, const char *name, int width,
		      enum statistic statistic, const int *sides, int n_sides)
{
	bool higher = row->better == BETTER_HIGHER;
	double base[N_STATISTICS];

	statistics_of(&row->cells[0], higher, base);
	fprintf(stream, "%-*s%-*s", STATISTIC_WIDTH,
		higher ? names[statistic].higher : names[statistic].lower, width, name);
	for (int i = 0; i < n_sides; i++) {
		double own[N_STATISTICS], percent;

		statistics_of(&row->cells[sides[i]], higher, own);
		percent = percent_of(statistic, base[statistic], own[statistic], higher);
		print_value(stream, own[statistic], percent,
			    statistic == MEAN && sides[i] && has_star(base, own));
	}
	putc('\n', stream);
}

static void print_block(FILE *stream, const struct table *table,
			const struct operations *operations, const int *sides, int n_sides)
{
	for (int second = 0; second < 2; second++)
		print_names(stream, table, STATISTIC_WIDTH + operations->width, sides, n_sides,
			    second);
	for (int statistic = 0; statistic < N_STATISTICS; statistic++) {
		for (int i = 0; i < operations->n; i++) {
			autofree char *number = memory_format("#%d", i + 1);

			print_row(stream, operations->rows[i],
				  operations->by_number ? number : operations->names[i],
				  operations->width, statistic, sides, n_sides);
		}
	}
	putc('\n', stream);
}

/* base stands in each block of columns, so that a block can be read alone */
static void print_blocks(FILE *stream, const struct table *table,
			 const struct operations *operations)
{
	int room = (REPORT_COLUMNS - STATISTIC_WIDTH - operations->width) / COLUMN_WIDTH - 1;
	autofree int *sides = memory_zeroed(table->n_sides, sizeof(*sides));

	room = room < 1 ? 1 : room;
	for (int first = 1; first < table->n_sides; first += room) {
		int n = 1;

		for (int side = first; side < table->n_sides && side < first + room; side++)
			sides[n++] = side;
		print_block(stream, table, operations, sides, n);
	}
}

static void print_mmtests(FILE *stream, const struct table *table,
			  const struct report_options *options)
{
	struct operations operations = operations_of(table);

	(void)options;
	print_header(stream, table);
	print_warnings(stream, table);
	putc('\n', stream);
	print_operation_names(stream, &operations);
	print_column_names(stream, table);
	print_blocks(stream, table, &operations);
	print_wrapped(
		stream,
		"Layout and rules of mmtests. Percentages: positive is better. *: mmtests' rule, "
		"the means differ by more than 1.96 sd of one plus 1.96 sd of the other; it does "
		"not look at the number of trials and is no verdict of fairtrial (see --style "
		"summary).",
		0, 0);
	for (int i = 0; i < operations.n; i++)
		free(operations.names[i]);
	free(operations.names);
	free(operations.rows);
}

const struct report_style style_mmtests = {
	.name = "mmtests",
	.summary = "the layout, percentages and star of mmtests' comparison",
	.print = print_mmtests,
};
