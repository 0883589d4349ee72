// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf_bench.c - the default text of `perf bench COLLECTION BENCHMARK`
 *
 * Each benchmark begins with "# Running 'sched/pipe' benchmark:" (of `all`, without quotes); a file may
 * hold several, and those of memory one for each function. Figures are lines of a number and a
 * unit; what prints none of the known ones is refused. Those of futex have a rate for each thread. --format=simple prints a bare number, which says neither what was run nor its unit.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "result/foreign/lines.h"

static const struct {
	const char *unit_text, *name, *unit;
	enum better better;
	double factor;
} figures[] = {
	{ "usecs/op", "usecs_per_op", "us", BETTER_LOWER, 1 },
	{ "nsecs/op", "usecs_per_op", "us", BETTER_LOWER, 1e-3 },
	{ "ops/sec", "ops", "1/s", BETTER_HIGHER, 1 },
	{ "operations/sec", "ops", "1/s", BETTER_HIGHER, 1 },
	{ "GB/sec", "rate", "MB/s", BETTER_HIGHER, 1024 },
	{ "MB/sec", "rate", "MB/s", BETTER_HIGHER, 1 },
	{ "KB/sec", "rate", "MB/s", BETTER_HIGHER, 1.0 / 1024 },
};

struct bench {
	struct lines lines;
	struct foreign *out;
	struct foreign_result *result; /* the last of out, or NULL */
	int line;		       /* where it began */
	char *name;		       /* "mem/memcpy" */
	double *threads;	       /* ops/sec of each */
	int n_threads;
};

static struct error *end_bench(const struct bench *bench)
{
	if (!bench->result || bench->result->trial.n_metrics)
		return NULL;
	return error_at(ERR_INPUT, bench->lines.file, bench->line,
			"%s has no figure that is known here: 'Total time: N [sec]', 'N usecs/op', "
			"'N ops/sec', 'N MB/sec' are accepted",
			bench->result->case_name);
}

static void forget_threads(struct bench *bench)
{
	free(bench->threads);
	bench->threads = NULL;
	bench->n_threads = 0;
}

static void add_bench(struct bench *bench, const char *name)
{
	bench->result = foreign_add(bench->out, name);
	foreign_param(bench->result, "benchmark", "%s", name);
	bench->line = bench->lines.number;
	forget_threads(bench);
}

/* "'sched/messaging' benchmark:" or "sched/messaging benchmark..." */
static struct error *begin_bench(struct bench *bench, const char *at)
{
	bool quoted = *at == '\'';
	size_t length = strcspn(at + quoted, quoted ? "'" : " ");
	struct error *error = end_bench(bench);

	if (error)
		return error;
	/* the quote that closes is looked at before what is behind it */
	if (!length || !at[quoted + length] ||
	    strncmp(at + quoted + length + quoted, " benchmark", 10))
		return lines_problem(&bench->lines,
				     "# Running 'COLLECTION/BENCHMARK' benchmark: is expected");
	free(bench->name);
	bench->name = memory_string_n(at + quoted, length);
	add_bench(bench, bench->name);
	return NULL;
}

/* "function 'default' (...)": a benchmark of its own; the first takes the place of the whole */
static struct error *begin_function(struct bench *bench, const char *at)
{
	autofree char *name = memory_format("%s %.*s", bench->name, (int)strcspn(at, "'"), at);

	if (bench->result->trial.n_metrics) {
		add_bench(bench, name);
		return NULL;
	}
	free(bench->result->case_name);
	bench->result->case_name = memory_string(name);
	foreign_param(bench->result, "benchmark", "%s", name);
	return NULL;
}

static struct error *add(struct bench *bench, const char *name, const char *unit,
			 enum better better, double value)
{
	if (foreign_has(bench->result, name))
		return lines_problem(&bench->lines,
				     "a second '%s' of %s: one run of a benchmark is "
				     "accepted",
				     name, bench->result->case_name);
	if (!strcmp(name, "ops"))
		foreign_metric(bench->result, name, unit, better, value, bench->threads,
			       bench->n_threads);
	else
		foreign_metric(bench->result, name, unit, better, value, NULL, 0);
	return NULL;
}

/* "[thread  0] futexes: 0x1 ... 0x2 [ 1533952 ops/sec ]" */
static struct error *read_thread(struct bench *bench)
{
	const char *open = strrchr(bench->lines.text, '[');
	double rate;
	struct error *error;

	if (!strstr(open, "ops/sec"))
		return NULL;
	error = lines_number(&bench->lines, "ops/sec of a thread", open + 1, &rate, NULL);
	if (!error)
		*array_append(bench->threads, bench->n_threads) = rate;
	return error;
}

/* "Averaged 12345 operations/sec (+- 0.10%), total secs = 10" or "  12345 ops/sec" */
static struct error *read_figure(struct bench *bench, const char *at)
{
	const char *rest;
	double value;
	struct error *error = lines_number(&bench->lines, "a figure", at, &value, &rest);

	if (error) {
		error_free(error);
		return NULL; /* a line of text */
	}
	rest += strspn(rest, " \t");
	for (size_t i = 0; i < ARRAY_SIZE(figures); i++) {
		size_t length = strlen(figures[i].unit_text);

		if (!strncmp(rest, figures[i].unit_text, length) &&
		    (!rest[length] || rest[length] == ' '))
			return add(bench, figures[i].name, figures[i].unit, figures[i].better,
				   value * figures[i].factor);
	}
	return NULL;
}

static struct error *read_time(struct bench *bench, const char *at)
{
	const char *rest;
	double seconds;
	struct error *error = lines_number(&bench->lines, "Total time", at, &seconds, &rest);

	if (error)
		return error;
	if (strncmp(rest + strspn(rest, " "), "[sec]", 5))
		return lines_problem(&bench->lines, "'Total time: NUMBER [sec]' is expected");
	bench->result->trial.duration = seconds;
	return add(bench, "time", "s", BETTER_LOWER, seconds);
}

/* "# 20 sender and receiver processes per group": what was run, as a parameter */
static void read_note(struct bench *bench, const char *at)
{
	const json_t *before = json_object_get(bench->result->params, "note");

	if (before)
		foreign_param(bench->result, "note", "%s; %s", json_string_value(before), at);
	else
		foreign_param(bench->result, "note", "%s", at);
}

static struct error *read_line(struct bench *bench)
{
	const char *at = lines_after(&bench->lines, "# Running ");

	if (at)
		return begin_bench(bench, at);
	if (!bench->result)
		return NULL;
	at = lines_after(&bench->lines, "# function '");
	if (at)
		return begin_function(bench, at);
	if (lines_after(&bench->lines, "[thread "))
		return read_thread(bench);
	at = lines_after(&bench->lines, "#");
	if (at) {
		read_note(bench, at);
		return NULL;
	}
	at = lines_after(&bench->lines, "Total time:");
	if (at)
		return read_time(bench, at);
	at = lines_after(&bench->lines, "Averaged ");
	return read_figure(bench, at ? at : bench->lines.text);
}

static struct error *parse(const char *file, const char *text, struct foreign *out)
{
	struct bench bench = { .lines = lines_start(file, text), .out = out };
	struct error *error = NULL;

	while (!error && lines_next(&bench.lines))
		error = read_line(&bench);
	if (!error)
		error = end_bench(&bench);
	lines_end(&bench.lines);
	free(bench.name);
	forget_threads(&bench);
	if (!error && !out->n)
		error = lines_missing(file,
				      "no line '# Running 'COLLECTION/BENCHMARK' benchmark:'; "
				      "the default format of perf bench is accepted");
	return error;
}

static bool matches(const char *text)
{
	return text_has_line(text, "# Running ") && strstr(text, " benchmark");
}

const struct foreign_format foreign_perf_bench = {
	.name = "perf-bench",
	.workload = "perf-bench",
	.summary = "text of perf bench",
	.matches = matches,
	.parse = parse,
};
