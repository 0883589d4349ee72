// SPDX-License-Identifier: GPL-2.0-only
/*
 * fastpath.c - values of Fastpath as CSV
 *
 * The columns are known by their names in the first line, in any order. Needed is `value`, and the
 * name of what was measured: `name` or `resultclass`. A file that a benchmark's container leaves has
 * name, unit, improvement and value; a table of the store has in addition the benchmark, the
 * swprofile (the kernel: it becomes the variant), the sut (the machine) and the session. Each row
 * is one value; the n-th value of one name is that of the n-th trial.
 *
 * A table of means (min, ci95min, mean, ...), which `fastpath result show` prints, is refused: a mean
 * of an unknown number of trials can be compared with nothing.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "result/foreign/csv.h"

enum column {
	COLUMN_BENCHMARK,
	COLUMN_CLASS,
	COLUMN_UNIT,
	COLUMN_IMPROVEMENT,
	COLUMN_VALUE,
	COLUMN_KERNEL,
	COLUMN_SUT,
	COLUMN_SESSION,
	N_COLUMNS,
};

/* lower case, only letters and digits: "Result Class" is "resultclass" */
static const char *const names[N_COLUMNS][3] = {
	[COLUMN_BENCHMARK] = { "benchmark" },
	[COLUMN_CLASS] = { "resultclass", "name" },
	[COLUMN_UNIT] = { "unit" },
	[COLUMN_IMPROVEMENT] = { "improvement" },
	[COLUMN_VALUE] = { "value" },
	[COLUMN_KERNEL] = { "swprofile" },
	[COLUMN_SUT] = { "sut" },
	[COLUMN_SESSION] = { "session", "sessionid" },
};

struct table {
	struct lines lines;
	struct foreign *out;
	int at[N_COLUMNS]; /* index of the column; -1: not there */
	int n_columns;
};

static char *plain(const char *name)
{
	char *text = memory_string(name), *to = text;

	for (const char *at = name; *at; at++)
		if (isalnum((unsigned char)*at))
			*to++ = tolower((unsigned char)*at);
	*to = '\0';
	return text;
}

static int column_of(const char *header)
{
	autofree char *name = plain(header);

	for (int i = 0; i < N_COLUMNS; i++)
		for (int j = 0; j < 3 && names[i][j]; j++)
			if (!strcmp(name, names[i][j]))
				return i;
	return -1;
}

static struct error *check_columns(const struct table *table, char **headers, int n)
{
	if (table->at[COLUMN_VALUE] >= 0 && table->at[COLUMN_CLASS] >= 0)
		return NULL;
	for (int i = 0; i < n; i++) {
		autofree char *name = plain(headers[i]);

		if (!strcmp(name, "mean") || !strcmp(name, "ci95min"))
			return lines_problem(&table->lines,
					     "a table of means: the values of all trials "
					     "are needed, in a column 'value'");
	}
	return lines_problem(&table->lines,
			     "no column '%s'; a first line such as "
			     "'name,unit,improvement,value' is accepted",
			     table->at[COLUMN_VALUE] < 0 ? "value" : "name");
}

static struct error *read_headers(struct table *table)
{
	char **headers;
	int n;
	struct error *error = csv_split(&table->lines, &headers, &n);

	for (int i = 0; i < N_COLUMNS; i++)
		table->at[i] = -1;
	if (error)
		return error;
	for (int i = 0; !error && i < n; i++) {
		int column = column_of(headers[i]);

		if (column < 0)
			continue;
		if (table->at[column] >= 0)
			error = lines_problem(&table->lines, "two columns '%s'", headers[i]);
		table->at[column] = i;
	}
	if (!error)
		error = check_columns(table, headers, n);
	table->n_columns = n;
	text_split_free(headers, n);
	return error;
}

/* ---- rows ---- */

static const char *field(const struct table *table, char **fields, enum column column)
{
	return table->at[column] < 0 ? "" : fields[table->at[column]];
}

static bool same(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

static struct foreign_result *find_trial(const struct table *table, const char *name,
					 const char *kernel, const char *sut, const char *metric)
{
	for (int i = 0; i < table->out->n; i++) {
		struct foreign_result *result = &table->out->results[i];
		const json_t *of = json_object_get(result->params, "sut");

		if (same(result->case_name, name) && same(result->variant, kernel) &&
		    same(json_string_value(of), sut) && !foreign_has(result, metric))
			return result;
	}
	return NULL;
}

/* Fastpath's word is "bigger" or "smaller": what an improvement is */
static struct error *direction(const struct table *table, const char *word, enum better *out)
{
	static const struct {
		const char *word;
		enum better better;
	} words[] = {
		{ "bigger", BETTER_HIGHER }, { "higher", BETTER_HIGHER },
		{ "smaller", BETTER_LOWER }, { "lower", BETTER_LOWER },
		{ "", BETTER_NEITHER },
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (!strcmp(word, words[i].word)) {
			*out = words[i].better;
			return NULL;
		}
	}
	return lines_problem(&table->lines, "improvement '%s': bigger or smaller is accepted",
			     word);
}

static struct error *add_row(struct table *table, char **fields)
{
	const char *benchmark = field(table, fields, COLUMN_BENCHMARK);
	const char *metric = field(table, fields, COLUMN_CLASS);
	const char *kernel = field(table, fields, COLUMN_KERNEL);
	const char *sut = field(table, fields, COLUMN_SUT);
	const char *unit = field(table, fields, COLUMN_UNIT);
	const char *name = *benchmark ? benchmark : "fastpath";
	struct foreign_result *result;
	enum better better;
	double value;
	struct error *error = text_number(field(table, fields, COLUMN_VALUE), &value);

	if (error) {
		error_free(error);
		return lines_problem(&table->lines, "value '%s' is not a number",
				     field(table, fields, COLUMN_VALUE));
	}
	if (!*metric)
		return lines_problem(&table->lines, "a row without a name");
	error = direction(table, field(table, fields, COLUMN_IMPROVEMENT), &better);
	if (error)
		return error;
	result = find_trial(table, name, kernel, sut, metric);
	if (!result) {
		result = foreign_add(table->out, name);
		if (*kernel)
			result->variant = memory_string(kernel);
		if (*sut)
			foreign_param(result, "sut", "%s", sut);
	}
	foreign_metric(result, metric, *unit ? unit : "1", better, value, NULL, 0);
	return NULL;
}

static struct error *read_row(struct table *table)
{
	char **fields;
	int n;
	struct error *error;

	if (!table->lines.text[strspn(table->lines.text, " \t")])
		return NULL;
	error = csv_split(&table->lines, &fields, &n);
	if (error)
		return error;
	if (n != table->n_columns)
		error = lines_problem(&table->lines, "%d fields, the first line has %d", n,
				      table->n_columns);
	else
		error = add_row(table, fields);
	text_split_free(fields, n);
	return error;
}

static struct error *parse(const char *file, const char *text, struct foreign *out)
{
	struct table table = { .lines = lines_start(file, text), .out = out };
	struct error *error = NULL;

	if (lines_next(&table.lines))
		error = read_headers(&table);
	while (!error && lines_next(&table.lines))
		error = read_row(&table);
	lines_end(&table.lines);
	if (!error && !out->n)
		error = lines_missing(file, "no row below the first line");
	return error;
}

static bool matches(const char *text)
{
	struct lines lines = lines_start("", text);
	bool value = false, name = false, mean = false;
	char **headers;
	int n;
	struct error *error;

	if (!lines_next(&lines))
		return false;
	error = csv_split(&lines, &headers, &n);
	lines_end(&lines);
	error_free(error);
	if (error)
		return false;
	for (int i = 0; i < n; i++) {
		int column = column_of(headers[i]);
		autofree char *word = plain(headers[i]);

		value |= column == COLUMN_VALUE;
		name |= column == COLUMN_CLASS;
		mean |= !strcmp(word, "ci95min");
	}
	text_split_free(headers, n);
	return name && (value || mean);
}

const struct foreign_format foreign_fastpath = {
	.name = "fastpath",
	.workload = "fastpath",
	.summary = "values of Fastpath as CSV: name, unit, improvement, value",
	.matches = matches,
	.parse = parse,
};
