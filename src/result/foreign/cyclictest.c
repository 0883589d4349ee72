// SPDX-License-Identifier: GPL-2.0-only
/*
 * cyclictest.c - what `cyclictest --quiet` prints: a line a thread
 *
 *   T: 0 ( 3837) P: 0 I:1000 C:    986 Min:     60 Act:   77 Avg:   87 Max:    3761
 *
 * In microseconds, with --nsecs in nanoseconds, which the line does not tell: there --format is no
 * help, the JSON of --json is accepted.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "result/foreign/cyclictest.h"

static struct error *read_thread(const struct lines *lines, struct cyclictest *test)
{
	struct cyclictest_thread *thread = array_append(test->threads, test->n_threads);
	static const struct {
		const char *key;
		size_t offset;
	} fields[] = {
		{ " C:", offsetof(struct cyclictest_thread, cycles) },
		{ " Min:", offsetof(struct cyclictest_thread, min) },
		{ " Avg:", offsetof(struct cyclictest_thread, avg) },
		{ " Max:", offsetof(struct cyclictest_thread, max) },
	};
	struct error *error = NULL;

	for (size_t i = 0; !error && i < ARRAY_SIZE(fields); i++) {
		const char *at = strstr(lines->text, fields[i].key);

		if (!at)
			return lines_problem(lines,
					     "'T: N ( TID) P: N I:N C: N Min: N Act: N Avg: N "
					     "Max: N' is expected");
		error = lines_number(lines, fields[i].key + 1, at + strlen(fields[i].key),
				     (double *)((char *)thread + fields[i].offset), NULL);
	}
	return error;
}

static struct error *parse(const char *file, const char *text, struct foreign *out)
{
	struct lines lines = lines_start(file, text);
	struct cyclictest test = { 0 };
	struct error *error = NULL;

	while (!error && lines_next(&lines)) {
		int number;

		if (!lines_after(&lines, "T:"))
			continue;
		if (sscanf(lines.text, " T: %d", &number) != 1 || number != test.n_threads)
			error = lines_problem(&lines,
					      "thread %d is expected; what cyclictest --quiet "
					      "prints, one run a file, is accepted",
					      test.n_threads);
		else
			error = read_thread(&lines, &test);
	}
	lines_end(&lines);
	if (!error && !test.n_threads)
		error = lines_missing(file, "no line of a thread ('T: 0 ( 1234) P: ...')");
	if (!error)
		error = cyclictest_add(file, &test, out);
	cyclictest_clear(&test);
	return error;
}

static bool matches(const char *text)
{
	return text_has_line(text, "T: 0 (");
}

const struct foreign_format foreign_cyclictest = {
	.name = "cyclictest",
	.workload = "cyclictest",
	.summary = "text of cyclictest --quiet",
	.matches = matches,
	.parse = parse,
};

struct error *cyclictest_add(const char *file, const struct cyclictest *test, struct foreign *out)
{
	int n = test->n_threads;
	autofree double *average = memory_zeroed(n, sizeof(double));
	autofree double *largest = memory_zeroed(n, sizeof(double));
	autofree double *least = memory_zeroed(n, sizeof(double));
	autofree double *cycles = memory_zeroed(n, sizeof(double));
	autofree char *name = memory_format("cyclictest threads=%d", n);
	double sum = 0, weighted = 0, max = 0, min = test->threads[0].min;
	struct foreign_result *result;

	for (int i = 0; i < n; i++) {
		const struct cyclictest_thread *thread = &test->threads[i];

		if (!(thread->cycles >= 1))
			return lines_missing(file, "thread %d has no cycle: the run was too short",
					     i);
		if (!(thread->min <= thread->avg + 1 && thread->avg <= thread->max + 1))
			return lines_missing(file, "thread %d: min %g, avg %g and max %g cannot be",
					     i, thread->min, thread->avg, thread->max);
		average[i] = thread->avg;
		largest[i] = thread->max;
		least[i] = thread->min;
		cycles[i] = thread->cycles;
		sum += thread->cycles;
		weighted += thread->cycles * thread->avg;
		max = thread->max > max ? thread->max : max;
		min = thread->min < min ? thread->min : min;
	}
	result = foreign_add(out, name);
	foreign_param(result, "threads", "%d", n);
	foreign_metric(result, "latency_avg", "us", BETTER_LOWER, weighted / sum, average, n);
	foreign_metric(result, "latency_max", "us", BETTER_LOWER, max, largest, n);
	foreign_metric(result, "latency_min", "us", BETTER_LOWER, min, least, n);
	foreign_metric(result, "cycles", "1", BETTER_NEITHER, sum, cycles, n);
	return NULL;
}

void cyclictest_clear(struct cyclictest *test)
{
	free(test->threads);
	*test = (struct cyclictest){ 0 };
}
