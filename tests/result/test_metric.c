// SPDX-License-Identifier: GPL-2.0-only
#include "result/metric.h"

#include <math.h>

#include "unit.h"

START_TEST(better_names_parse_back)
{
	enum better better;

	for (int i = BETTER_HIGHER; i <= BETTER_NEITHER; i++) {
		ck_assert(better_parse(better_name(i), &better));
		ck_assert_int_eq(better, i);
	}
	ck_assert(!better_parse("Higher", &better));
	ck_assert(!better_parse("", &better));
}
END_TEST

START_TEST(spread_of_known_values)
{
	const double values[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
	struct spread spread = spread_of(values, ARRAY_SIZE(values));

	ck_assert_int_eq(spread.n, 8);
	ck_assert_double_eq(spread.mean, 5);
	ck_assert_double_eq(spread.min, 2);
	ck_assert_double_eq(spread.max, 9);
	ck_assert_double_eq_tol(spread.stddev, 2, 1e-14);
	ck_assert_double_eq_tol(spread.cov, 40, 1e-12);
	ck_assert_double_eq_tol(spread.jain, 40.0 * 40.0 / (8 * 232.0), 1e-14);
}
END_TEST

START_TEST(jain_is_one_over_n_when_one_worker_has_all)
{
	const double values[] = { 0, 0, 0, 12 };

	ck_assert_double_eq_tol(spread_of(values, 4).jain, 0.25, 1e-15);
}
END_TEST

START_TEST(nan_values_are_passed_over)
{
	const double values[] = { NAN, 3, NAN, 1 };
	struct spread spread = spread_of(values, 4);

	ck_assert_int_eq(spread.n, 2);
	ck_assert_double_eq(spread.mean, 2);
	ck_assert_double_eq(spread.min, 1);
	ck_assert_double_eq(spread.max, 3);
	ck_assert_double_eq(spread.stddev, 1);
}
END_TEST

START_TEST(no_values_have_no_spread)
{
	const double nothing[] = { NAN };
	struct spread spread = spread_of(nothing, 1);

	ck_assert_int_eq(spread.n, 0);
	ck_assert_double_nan(spread.mean);
	ck_assert_double_nan(spread.min);
	ck_assert_double_nan(spread.max);
	ck_assert_double_nan(spread.stddev);
	ck_assert_double_nan(spread.cov);
	ck_assert_double_nan(spread.jain);
	ck_assert_int_eq(spread_of(NULL, 0).n, 0);
}
END_TEST

START_TEST(one_value_has_no_cov)
{
	const double one[] = { 7 };
	struct spread spread = spread_of(one, 1);

	ck_assert_double_eq(spread.stddev, 0);
	ck_assert_double_eq(spread.jain, 1);
	ck_assert_double_nan(spread.cov);
}
END_TEST

START_TEST(all_zero_has_neither_cov_nor_jain)
{
	const double zeros[] = { 0, 0, 0 };
	struct spread spread = spread_of(zeros, 3);

	ck_assert_double_eq(spread.mean, 0);
	ck_assert_double_eq(spread.stddev, 0);
	ck_assert_double_nan(spread.cov);
	ck_assert_double_nan(spread.jain);
}
END_TEST

START_TEST(equal_values_have_no_deviation_whatever_the_rounding)
{
	double values[1000];

	for (int i = 0; i < 1000; i++)
		values[i] = 0.1;
	ck_assert_double_eq(spread_of(values, 1000).mean, 0.1);
	ck_assert_double_eq(spread_of(values, 1000).stddev, 0);
	ck_assert_double_eq(spread_of(values, 1000).cov, 0);
	ck_assert_double_eq(spread_of(values, 1000).jain, 1);
}
END_TEST

/* the textbook formula sum x^2 - n mean^2 has no correct digit here */
START_TEST(small_spread_on_a_large_mean_is_exact)
{
	const double values[] = { 1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16 };
	struct spread spread = spread_of(values, 4);

	ck_assert_double_eq(spread.mean, 1e9 + 10);
	ck_assert_double_eq_tol(spread.stddev, sqrt(22.5), 1e-9);
}
END_TEST

UNIT_TESTS("metric", better_names_parse_back, spread_of_known_values,
	   jain_is_one_over_n_when_one_worker_has_all, nan_values_are_passed_over,
	   no_values_have_no_spread, one_value_has_no_cov, all_zero_has_neither_cov_nor_jain,
	   equal_values_have_no_deviation_whatever_the_rounding,
	   small_spread_on_a_large_mean_is_exact)
