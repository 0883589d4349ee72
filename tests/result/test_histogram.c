// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"

#include <math.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/random.h"
#include "result/histogram.h"

#define N	  20000
#define N_WORKERS 7

/* values of very different sizes: uniform in the number of bits, below 2^@bits */
static uint64_t any_size(struct random *random, int bits)
{
	return random_next(random) >> (64 - 1 - random_below(random, bits));
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static struct histogram *of_values(const uint64_t *values, int n)
{
	struct histogram *histogram = memory_zeroed(1, sizeof(*histogram));

	for (int i = 0; i < n; i++)
		histogram_record(histogram, values[i]);
	return histogram;
}

static void same(const struct histogram *a, const struct histogram *b)
{
	ck_assert_mem_eq(a, b, sizeof(*a));
}

START_TEST(buckets_cover_all_values_without_gap_and_in_order)
{
	ck_assert_uint_eq(histogram_lower(0), 0);
	for (int i = 0; i < HISTOGRAM_BUCKETS; i++) {
		uint64_t lower = histogram_lower(i), next = histogram_lower(i + 1);

		ck_assert_uint_lt(lower, next);
		ck_assert_int_eq(histogram_bucket(lower), i);
		ck_assert_int_eq(histogram_bucket(next - 1), i);
	}
	ck_assert_uint_eq(histogram_lower(HISTOGRAM_BUCKETS), (uint64_t)1 << HISTOGRAM_VALUE_BITS);
}
END_TEST

/* the place that the header promises, in the sorted values; @q in millionths */
static uint64_t exact(const uint64_t *sorted, int n, int64_t q)
{
	int place = (int)((q * n + 999999) / 1000000);

	return sorted[place < 1 ? 0 : place - 1];
}

static void check_quantiles(const struct histogram *histogram, const uint64_t *sorted, int n)
{
	static const int qs[] = { 0,	  1,	  10000,  250000, 500000,
				  900000, 990000, 999000, 999990, 1000000 };

	for (size_t i = 0; i < ARRAY_SIZE(qs); i++) {
		double got = histogram_quantile(histogram, qs[i] / 1e6);
		double want = (double)exact(sorted, n, qs[i]);

		ck_assert_msg(fabs(got - want) <= want * HISTOGRAM_ERROR,
			      "n %d, q %d: %.17g instead of %.17g", n, qs[i], got, want);
		if (qs[i] == 0 || qs[i] == 1000000 || want < 2 * HISTOGRAM_SUB_BUCKETS)
			ck_assert_double_eq(got, want);
	}
}

START_TEST(quantiles_are_within_the_stated_error_of_sorted_values)
{
	static const int sizes[] = { 1, 2, 3, 10, 101, 1000, N };
	struct random random = random_seeded(1);
	uint64_t *values = memory_zeroed(N, sizeof(*values));

	for (int bits = 1; bits <= HISTOGRAM_VALUE_BITS; bits += 3) {
		for (size_t s = 0; s < ARRAY_SIZE(sizes); s++) {
			struct histogram *histogram;
			uint64_t sum = 0;
			int n = sizes[s];

			for (int i = 0; i < n; i++)
				sum += values[i] = any_size(&random, bits);
			histogram = of_values(values, n);
			qsort(values, n, sizeof(*values), by_size);
			check_quantiles(histogram, values, n);
			ck_assert_uint_eq(histogram->count, n);
			ck_assert_uint_eq(histogram->sum, sum);
			ck_assert_double_eq(histogram_min(histogram), (double)values[0]);
			ck_assert_double_eq(histogram_max(histogram), (double)values[n - 1]);
			ck_assert_double_eq(histogram_mean(histogram), (double)sum / n);
			free(histogram);
		}
	}
	free(values);
}
END_TEST

START_TEST(merged_histograms_of_workers_are_the_histogram_of_all_values)
{
	struct random random = random_seeded(2);
	uint64_t *values = memory_zeroed(N, sizeof(*values));
	struct histogram *all, *merged = memory_zeroed(1, sizeof(*merged));
	struct histogram *workers = memory_zeroed(N_WORKERS, sizeof(*workers));

	for (int i = 0; i < N; i++) {
		values[i] = any_size(&random, 44); /* some without a bucket */
		/* the last worker records nothing */
		histogram_record(&workers[random_below(&random, N_WORKERS - 1)], values[i]);
	}
	all = of_values(values, N);
	ck_assert_uint_gt(all->overflow, 0);
	for (int i = 0; i < N_WORKERS; i++)
		histogram_merge(merged, &workers[i]);
	same(merged, all);
	free(values);
	free(all);
	free(merged);
	free(workers);
}
END_TEST

START_TEST(values_beyond_the_buckets_are_counted_and_the_largest_is_exact)
{
	const uint64_t limit = (uint64_t)1 << HISTOGRAM_VALUE_BITS;
	const uint64_t values[] = { 5, limit - 1, limit, UINT64_MAX };
	struct histogram *histogram = of_values(values, 4);

	ck_assert_uint_eq(histogram->count, 4);
	ck_assert_uint_eq(histogram->overflow, 2);
	ck_assert_double_eq(histogram_min(histogram), 5);
	ck_assert_double_eq(histogram_max(histogram), (double)UINT64_MAX);
	ck_assert_double_eq_tol(histogram_quantile(histogram, 0.5), (double)limit,
				(double)limit * HISTOGRAM_ERROR);
	/* its place is among the overflow: the largest value bounds it */
	ck_assert_double_eq(histogram_quantile(histogram, 0.75), (double)UINT64_MAX);
	ck_assert_uint_eq(histogram->sum, UINT64_MAX); /* stays there */
	free(histogram);
}
END_TEST

START_TEST(an_empty_histogram_has_no_values)
{
	struct histogram *histogram = of_values(NULL, 0), *read;
	autofree char *text = histogram_text(histogram);

	ck_assert(isnan(histogram_quantile(histogram, 0.5)));
	ck_assert(isnan(histogram_min(histogram)) && isnan(histogram_max(histogram)) &&
		  isnan(histogram_mean(histogram)));
	ck_assert_str_eq(text, "hdr7;0;0;0;0;");
	ck_no_error(histogram_parse(text, &read));
	same(read, histogram);
	free(read);
	free(histogram);
}
END_TEST

START_TEST(processes_that_record_at_the_same_time_lose_nothing)
{
	struct histogram *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
					MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	const int n = 200000;

	ck_assert_ptr_ne(shared, MAP_FAILED);
	for (int i = 0; i < 3; i++) {
		if (fork())
			continue;
		for (int j = 0; j < n; j++)
			histogram_record(shared, 1000 + j % 3);
		_exit(0);
	}
	while (wait(NULL) > 0)
		;
	ck_assert_uint_eq(shared->count, 3 * n);
	ck_assert_uint_eq(shared->buckets[histogram_bucket(1000)], 3 * n);
	ck_assert_uint_eq(shared->sum, 3 * (1000ull * n + n - 1));
	ck_assert_double_eq(histogram_min(shared), 1000);
	ck_assert_double_eq(histogram_max(shared), 1002);
}
END_TEST

START_TEST(text_holds_everything)
{
	struct random random = random_seeded(3);

	for (int round = 0; round < 200; round++) {
		uint64_t values[300];
		int n = (int)random_below(&random, 300), bits = 1 + round % 63;
		struct histogram *histogram, *read;
		autofree char *text = NULL, *again = NULL;

		for (int i = 0; i < n; i++)
			values[i] = any_size(&random, bits);
		histogram = of_values(values, n);
		text = histogram_text(histogram);
		ck_no_error(histogram_parse(text, &read));
		same(read, histogram);
		again = histogram_text(read);
		ck_assert_str_eq(again, text);
		free(histogram);
		free(read);
	}
}
END_TEST

START_TEST(text_is_short_and_in_nanoseconds)
{
	const uint64_t values[] = { 3, 3, 255, 1000, 1003, 1 << 20 };
	struct histogram *histogram = of_values(values, 6);
	autofree char *text = histogram_text(histogram);

	ck_assert_str_eq(text, "hdr7;1050840;3;1048576;0;3:2 255:1 1000:2 1048576:1");
	free(histogram);
}
END_TEST

START_TEST(text_that_is_not_of_a_histogram_is_refused)
{
	static const struct {
		const char *text, *problem;
	} bad[] = {
		{ "", "does not begin with hdr7" },
		{ "hdr8;3;3;3;0;3:1", "does not begin with hdr7" },
		{ "hdr7;3;3;3;0", "SUM;MIN;MAX;OVERFLOW;" },
		{ "hdr7;3;3;3;;3:1", "SUM;MIN;MAX;OVERFLOW;" },
		{ "hdr7;-3;3;3;0;3:1", "SUM;MIN;MAX;OVERFLOW;" },
		{ "hdr7;03;3;3;0;3:1", "SUM;MIN;MAX;OVERFLOW;" },
		{ "hdr7;99999999999999999999;3;3;0;3:1", "SUM;MIN;MAX;OVERFLOW;" },
		{ "hdr7;3;3;3;0;3:1 ", "LOWER:COUNT" },
		{ "hdr7;3;3;3;0; 3:1", "LOWER:COUNT" },
		{ "hdr7;3;3;3;0;3", "LOWER:COUNT" },
		{ "hdr7;3;3;3;0;3:1,4:1", "LOWER:COUNT" },
		{ "hdr7;3;3;3;0;3:0", "a count is 0" },
		{ "hdr7;3;3;3;1;3:18446744073709551615", "too large" },
		{ "hdr7;1001;1001;1001;0;1001:1", "does not begin a bucket" },
		{ "hdr7;7;3;4;0;4:1 3:1", "must rise" },
		{ "hdr7;6;3;3;0;3:1 3:1", "must rise" },
		{ "hdr7;3;3;3;0;1099511627776:1", "beyond 2^40" },
		{ "hdr7;1;0;0;0;", "is empty" },
		{ "hdr7;3;2;3;0;3:1", "MIN and MAX" },
		{ "hdr7;3;3;4;0;3:1", "MIN and MAX" },
		{ "hdr7;3;3;3;1;3:1", "MIN and MAX" },
		{ "hdr7;3;3;1099511627776;0;3:1", "MIN and MAX" },
		{ "hdr7;9;3;4;0;3:1 4:1", "SUM" },
		{ "hdr7;5;3;4;0;3:1 4:1", "SUM" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct histogram *read;

		ck_error(histogram_parse(bad[i].text, &read), ERR_INPUT, bad[i].problem);
	}
}
END_TEST

UNIT_TESTS("histogram", buckets_cover_all_values_without_gap_and_in_order,
	   quantiles_are_within_the_stated_error_of_sorted_values,
	   merged_histograms_of_workers_are_the_histogram_of_all_values,
	   values_beyond_the_buckets_are_counted_and_the_largest_is_exact,
	   an_empty_histogram_has_no_values, processes_that_record_at_the_same_time_lose_nothing,
	   text_holds_everything, text_is_short_and_in_nanoseconds,
	   text_that_is_not_of_a_histogram_is_refused)
