// SPDX-License-Identifier: GPL-2.0-only
/*
 * cyclictest_json.c - the file of `cyclictest --json=FILE` (rt-tests 2.0 and later)
 *
 * With --histogram each thread has counts by microsecond; percentiles of all threads together are
 * made of them. Wakeups beyond the histogram's end are counted but not placed: a percentile that
 * falls among them is not available.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "result/foreign/cyclictest.h"

struct bin {
	int64_t latency; /* us */
	double count;
};

struct bins {
	struct bin *bins;
	int n;
};

static struct error *read_number(const char *file, const json_t *object, int thread,
				 const char *key, double *out)
{
	const json_t *value = json_object_get(object, key);

	if (!json_is_number(value))
		return lines_missing(file, "thread %d has no number '%s'", thread, key);
	*out = json_number_value(value);
	return NULL;
}

static struct error *read_histogram(const char *file, const json_t *object, int thread,
				    struct bins *bins)
{
	const json_t *count;
	const char *key;

	json_object_foreach((json_t *)object, key, count)
	{
		struct bin *bin;
		int64_t latency;
		struct error *error = text_integer(key, 0, INT32_MAX, &latency);

		error_free(error);
		if (error || !json_is_number(count) || json_number_value(count) < 0)
			return lines_missing(file,
					     "the histogram of thread %d: '%s' is no latency "
					     "with its count",
					     thread, key);
		bin = array_append(bins->bins, bins->n);
		*bin = (struct bin){ latency, json_number_value(count) };
	}
	return NULL;
}

static struct error *read_thread(const char *file, const json_t *object, int number,
				 struct cyclictest *test, struct bins *bins)
{
	struct cyclictest_thread *thread = array_append(test->threads, test->n_threads);
	struct error *error = read_number(file, object, number, "cycles", &thread->cycles);

	if (!error)
		error = read_number(file, object, number, "min", &thread->min);
	if (!error)
		error = read_number(file, object, number, "avg", &thread->avg);
	if (!error)
		error = read_number(file, object, number, "max", &thread->max);
	if (!error)
		error = read_histogram(file, json_object_get(object, "histogram"), number, bins);
	return error;
}

static struct error *read_threads(const char *file, const json_t *root, struct cyclictest *test,
				  struct bins *bins)
{
	const json_t *threads = json_object_get(root, "thread");
	size_t n = json_object_size(threads);
	struct error *error = NULL;

	if (!n)
		return lines_missing(file,
				     "no \"thread\" with a number for each thread; the file of "
				     "cyclictest --json is accepted");
	for (size_t i = 0; !error && i < n; i++) {
		autofree char *key = memory_format("%zu", i);
		const json_t *thread = json_object_get(threads, key);

		if (!json_is_object(thread))
			return lines_missing(file, "thread %zu of %zu is missing", i, n);
		error = read_thread(file, thread, (int)i, test, bins);
	}
	return error;
}

static int by_latency(const void *a, const void *b)
{
	int64_t x = ((const struct bin *)a)->latency, y = ((const struct bin *)b)->latency;

	return (x > y) - (x < y);
}

static void add_percentile(const struct bins *bins, double total, double percent,
			   struct foreign_result *result)
{
	autofree char *name = memory_format("latency_p%g", percent);
	struct metric_desc desc = { name, "us", BETTER_LOWER, 1, NULL };
	double wanted = total * percent / 100, seen = 0;

	for (int i = 0; i < bins->n; i++) {
		seen += bins->bins[i].count;
		if (seen >= wanted) {
			foreign_metric(result, name, "us", BETTER_LOWER, bins->bins[i].latency,
				       NULL, 0);
			return;
		}
	}
	trial_add_unavailable(&result->trial, &desc,
			      "it lies beyond the end of cyclictest's histogram");
}

static void add_percentiles(struct bins *bins, const struct cyclictest *test,
			    struct foreign_result *result)
{
	static const double percents[] = { 50, 90, 99, 99.9 };
	double total = 0;

	if (!bins->n)
		return;
	qsort(bins->bins, bins->n, sizeof(*bins->bins), by_latency);
	for (int i = 0; i < test->n_threads; i++)
		total += test->threads[i].cycles;
	for (size_t i = 0; i < ARRAY_SIZE(percents); i++)
		add_percentile(bins, total, percents[i], result);
}

/* "rt_test_version:" has a colon of its own in rt-tests 2.x */
static void add_version(const json_t *root, struct foreign_result *result)
{
	const char *version = json_string_value(json_object_get(root, "rt_test_version:"));

	if (!version)
		version = json_string_value(json_object_get(root, "rt_test_version"));
	if (version)
		result->program_version = memory_format("cyclictest %s", version);
}

static struct error *read_root(const char *file, const json_t *root, struct foreign *out)
{
	struct cyclictest test = { 0 };
	struct bins bins = { 0 };
	const json_t *code = json_object_get(root, "return_code");
	json_t *system = json_object_get(root, "sysinfo");
	struct error *error = NULL;

	if (json_is_integer(code) && json_integer_value(code))
		error = lines_missing(file, "cyclictest failed: return_code is %lld",
				      (long long)json_integer_value(code));
	if (!error)
		error = read_threads(file, root, &test, &bins);
	if (!error)
		error = cyclictest_add(file, &test, out);
	if (!error) {
		add_percentiles(&bins, &test, out->results);
		add_version(root, out->results);
		if (system)
			json_object_set(out->results->trial.environment, "sysinfo", system);
	}
	free(bins.bins);
	cyclictest_clear(&test);
	return error;
}

static bool matches(const char *text)
{
	text += strspn(text, " \t\r\n");
	return *text == '{' && strstr(text, "\"rt_test_version") && strstr(text, "\"thread\"");
}

const struct foreign_format foreign_cyclictest_json = {
	.name = "cyclictest-json",
	.workload = "cyclictest",
	.summary = "JSON of cyclictest --json",
	.matches = matches,
	.parse_json = read_root,
};
