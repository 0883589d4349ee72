// SPDX-License-Identifier: GPL-2.0-only
/*
 * unixbench.c - the report and the .log file of UnixBench's Run
 *
 * The report has a section for each number of copies, in it a line a test ("Process Creation
 * 12345.6 lps (30.0 s, 3 samples)") and a table of indexes. The .log has every pass and copy: from it
 * come values by copy (the mean over the passes), while the score is UnixBench's own (the lowest
 * third of the passes dropped, geometric mean of the rest).
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "result/foreign/lines.h"

/* UnixBench's name in reports, and the name by which Run takes the test */
static const char *const tests[][2] = {
	{ "Dhrystone 2 using register variables", "dhry2reg" },
	{ "Double-Precision Whetstone", "whetstone-double" },
	{ "Execl Throughput", "execl" },
	{ "File Copy 1024 bufsize 2000 maxblocks", "fstime" },
	{ "File Copy 256 bufsize 500 maxblocks", "fsbuffer" },
	{ "File Copy 4096 bufsize 8000 maxblocks", "fsdisk" },
	{ "Pipe-based Context Switching", "context1" },
	{ "Pipe Throughput", "pipe" },
	{ "Process Creation", "spawn" },
	{ "Shell Scripts (1 concurrent)", "shell1" },
	{ "Shell Scripts (8 concurrent)", "shell8" },
	{ "Shell Scripts (16 concurrent)", "shell16" },
	{ "System Call Overhead", "syscall" },
};

struct sums {
	double sum;
	int n;
};

struct log {
	struct lines lines;
	struct foreign *out;
	char *version;
	int copies; /* of the section; 0: none yet */
	/* of the .log: the test whose passes come now */
	char *test;
	struct sums *by_copy;
	int n_by_copy, copy; /* copy: the one that comes next in this pass */
	double count, elapsed, base;
	char unit[16];
	bool open; /* a test of the .log without its score yet */
};

static char *test_name(const char *name)
{
	char *slug;

	for (size_t i = 0; i < ARRAY_SIZE(tests); i++)
		if (!strcmp(tests[i][0], name))
			return memory_string(tests[i][1]);
	slug = memory_string(name);
	for (char *at = slug; *at; at++)
		*at = isalnum((unsigned char)*at) ? tolower((unsigned char)*at) : '-';
	return slug;
}

/* "lps" is 1/s for all tests, and no MWIPS is an operation: other words stay as they are */
static const char *unit_of(const char *label)
{
	return !strcmp(label, "lps") ? "1/s" : !strcmp(label, "lpm") ? "1/min" : label;
}

static struct foreign_result *find(const struct foreign *out, const char *case_name)
{
	for (int i = out->n - 1; i >= 0; i--)
		if (!strcmp(out->results[i].case_name, case_name))
			return &out->results[i];
	return NULL;
}

/* takes the result of a test; the report may repeat what the log had: then nothing is added */
static struct error *add_score(struct log *log, const char *test, const char *label, double score,
			       const double *by_copy, int n)
{
	autofree char *name = memory_format("%s copies=%d", test, log->copies);
	struct foreign_result *result = find(log->out, name);

	if (result)
		return lines_problem(&log->lines,
				     "a second result of %s: one run a file is accepted", name);
	result = foreign_add(log->out, name);
	foreign_param(result, "test", "%s", test);
	foreign_param(result, "copies", "%d", log->copies);
	foreign_metric(result, "score", unit_of(label), BETTER_HIGHER, score, by_copy, n);
	return NULL;
}

/* ---- the report ---- */

/* "4 CPUs in system; running 1 parallel copy of tests" */
static struct error *read_copies(struct log *log)
{
	const char *at = strstr(log->lines.text, "; running ");
	double copies;
	struct error *error;

	if (!at)
		return NULL;
	error = lines_number(&log->lines, "copies", at + strlen("; running "), &copies, NULL);
	if (!error && !(copies >= 1 && copies <= 1e6))
		error = lines_problem(&log->lines, "'running NUMBER parallel copies' is expected");
	if (!error)
		log->copies = (int)copies;
	return error;
}

/* cuts the last word off @text, in place; NULL if there is only one */
static char *last_word(char *text)
{
	char *blank = strrchr(text_trim(text), ' ');

	if (!blank)
		return NULL;
	*blank = '\0';
	return blank + 1;
}

/* "Process Creation    12345.6 lps   (30.0 s, 3 samples)" */
static struct error *read_score(struct log *log)
{
	autofree char *line = memory_string(log->lines.text);
	char *label, *number;
	autofree char *test = NULL;
	double score;
	struct error *error;

	*strrchr(line, '(') = '\0';
	label = last_word(line);
	number = label ? last_word(line) : NULL;
	if (!number)
		return lines_problem(&log->lines,
				     "'TEST NUMBER UNIT (TIME s, N samples)' is expected");
	error = lines_number(&log->lines, "score", number, &score, NULL);
	if (error)
		return error;
	if (!log->copies)
		return lines_problem(&log->lines, "no line 'N CPUs in system; running N parallel "
						  "copies of tests' before it");
	test = test_name(text_trim(line));
	return add_score(log, test, label, score, NULL, 0);
}

/* "Process Creation    126.0   12345.6   979.8" of the table of indexes, known by its four parts */
static struct error *read_index(struct log *log, const char *name, const char *figure)
{
	autofree char *test = test_name(name);
	autofree char *case_name = memory_format("%s copies=%d", test, log->copies);
	struct foreign_result *result = find(log->out, case_name);
	double index;
	struct error *error = lines_number(&log->lines, "index", figure, &index, NULL);

	if (!error && result && !foreign_has(result, "index"))
		foreign_metric(result, "index", "1", BETTER_HIGHER, index, NULL, 0);
	return error;
}

static struct error *read_total(struct log *log, const char *at)
{
	bool partial = strstr(at, "(Partial Only)");
	const char *number = strrchr(log->lines.text, ' ');
	autofree char *name =
		memory_format("index%s copies=%d", partial ? "-partial" : "", log->copies);
	struct foreign_result *result;
	double index;
	struct error *error;

	if (!number || !log->copies)
		return lines_problem(&log->lines, "an index without its section");
	error = lines_number(&log->lines, "index", number, &index, NULL);
	if (error)
		return error;
	if (find(log->out, name))
		return lines_problem(&log->lines, "a second '%s': one run a file is accepted",
				     name);
	result = foreign_add(log->out, name);
	foreign_param(result, "test", "index");
	foreign_param(result, "copies", "%d", log->copies);
	foreign_metric(result, "index", "1", BETTER_HIGHER, index, NULL, 0);
	return NULL;
}

/* is it a row of the table: a known test and three numbers (or "---")? then its index, else NULL */
static const char *row_of_table(struct log *log, char **name)
{
	for (size_t i = 0; i < ARRAY_SIZE(tests); i++) {
		const char *at = lines_after(&log->lines, tests[i][0]);
		char rest;
		double a, b, c;

		if (at && sscanf(at, "%lf %lf %lf %c", &a, &b, &c, &rest) == 3) {
			*name = (char *)tests[i][0];
			return strrchr(log->lines.text, ' ');
		}
	}
	return NULL;
}

/* ---- the .log ---- */

/* "Process Creation -- 4 copies" */
static struct error *begin_test(struct log *log, const char *dashes)
{
	double copies;
	struct error *error = lines_number(&log->lines, "copies", dashes + 4, &copies, NULL);
	char *name;

	if (!error && !(copies >= 1 && copies <= 1e6))
		error = lines_problem(&log->lines, "'TEST -- NUMBER copies' is expected");
	if (error)
		return error;
	name = memory_string_n(log->lines.text, dashes - log->lines.text);
	free(log->test);
	log->test = test_name(name);
	free(name);
	log->copies = (int)copies;
	free(log->by_copy);
	log->by_copy = NULL;
	log->n_by_copy = log->copy = 0;
	log->count = log->elapsed = NAN;
	log->base = 1;
	log->open = true;
	snprintf(log->unit, sizeof(log->unit), "lps");
	return NULL;
}

/* the fields of a copy come sorted, and end with "status" (or "pid") and an empty line */
static void end_copy(struct log *log)
{
	struct sums *sums;

	if (isnan(log->count) || !(log->elapsed > 0) || log->copy >= log->copies)
		return;
	while (log->n_by_copy <= log->copy)
		array_append(log->by_copy, log->n_by_copy);
	sums = &log->by_copy[log->copy++];
	sums->sum += log->base > 0 ? log->count / log->elapsed * log->base : log->count;
	sums->n++;
	log->count = log->elapsed = NAN;
}

static struct error *read_field(struct log *log, const char *field)
{
	const char *at;

	if ((at = lines_after(&log->lines, "# COUNT0:")))
		return lines_number(&log->lines, field, at, &log->count, NULL);
	if ((at = lines_after(&log->lines, "# COUNT1:")))
		return lines_number(&log->lines, field, at, &log->base, NULL);
	if ((at = lines_after(&log->lines, "# COUNT2:")))
		snprintf(log->unit, sizeof(log->unit), "%s", at);
	if ((at = lines_after(&log->lines, "# TIME:")) ||
	    (isnan(log->elapsed) && (at = lines_after(&log->lines, "# elapsed:"))))
		return lines_number(&log->lines, field, at, &log->elapsed, NULL);
	return NULL;
}

static struct error *end_test(struct log *log, const char *at)
{
	autofree double *values = memory_zeroed(log->n_by_copy, sizeof(*values));
	bool all = log->n_by_copy == log->copies;
	double score;
	struct error *error = lines_number(&log->lines, "score", at, &score, NULL);

	if (error)
		return error;
	if (!log->open)
		return lines_problem(&log->lines, "a score without its test");
	for (int i = 0; i < log->n_by_copy; i++)
		values[i] = log->by_copy[i].sum / log->by_copy[i].n;
	log->open = false;
	return add_score(log, log->test, log->unit, score, all ? values : NULL,
			 all ? log->n_by_copy : 0);
}

static struct error *read_log_line(struct log *log)
{
	const char *at;

	if (!*log->lines.text) {
		end_copy(log);
		return NULL;
	}
	if (lines_after(&log->lines, "#### Pass")) {
		log->copy = 0;
		return NULL;
	}
	at = lines_after(&log->lines, "# ERROR:");
	if (at)
		return lines_problem(&log->lines, "%s failed: %s", log->test, at);
	at = lines_after(&log->lines, ">>>> score:");
	if (at)
		return end_test(log, at);
	return log->lines.text[0] == '#' ? read_field(log, "a field") : NULL;
}

static struct error *read_line(struct log *log)
{
	const char *dashes = strstr(log->lines.text, " -- "), *at, *figure;
	char *name;

	at = lines_after(&log->lines, "BYTE UNIX Benchmarks (Version ");
	if (at) {
		free(log->version);
		log->version = memory_format("UnixBench %.*s", (int)strcspn(at, ")"), at);
		return NULL;
	}
	if (dashes && (strstr(dashes, " copies") || strstr(dashes, " copy")))
		return begin_test(log, dashes);
	if (strstr(log->lines.text, "in system; running "))
		return read_copies(log);
	if (strstr(log->lines.text, "samples)") && strchr(log->lines.text, '('))
		return read_score(log);
	at = strstr(log->lines.text, "Index Score");
	if (at)
		return read_total(log, at);
	figure = row_of_table(log, &name);
	if (figure)
		return read_index(log, name, figure);
	return log->open ? read_log_line(log) : NULL;
}

static struct error *parse(const char *file, const char *text, struct foreign *out)
{
	struct log log = { .lines = lines_start(file, text), .out = out };
	struct error *error = NULL;

	while (!error && lines_next(&log.lines))
		error = read_line(&log);
	lines_end(&log.lines);
	if (!error && log.open)
		error = lines_missing(file, "it is cut off: %s has no score ('>>>> score:')",
				      log.test);
	if (!error && !out->n)
		error = lines_missing(file, "no result of a test; the report or the .log file of "
					    "UnixBench's Run is accepted");
	for (int i = 0; !error && log.version && i < out->n; i++)
		out->results[i].program_version = memory_string(log.version);
	free(log.version);
	free(log.test);
	free(log.by_copy);
	return error;
}

static bool matches(const char *text)
{
	return text_has_line(text, "BYTE UNIX Benchmarks") || text_has_line(text, "#### Pass 1");
}

const struct foreign_format foreign_unixbench = {
	.name = "unixbench",
	.workload = "unixbench",
	.summary = "report or .log of UnixBench's Run",
	.matches = matches,
	.parse = parse,
};
