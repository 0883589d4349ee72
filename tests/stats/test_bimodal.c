// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"

#include "draws.h"
#include "stats/bimodal.h"

START_TEST(two_modes_are_named_with_their_sizes_and_means)
{
	const double values[] = { 20.2, 12.0, 12.2, 20.4, 20.1, 12.1, 12.3, 20.3, 11.9, 20.5 };
	struct bimodal bimodal = bimodal_of(values, 10);

	ck_assert(bimodal.found);
	ck_assert_int_eq(bimodal.n_low, 5);
	ck_assert_int_eq(bimodal.n_high, 5);
	ck_assert_double_eq_tol(bimodal.low, 12.1, 1e-9);
	ck_assert_double_eq_tol(bimodal.high, 20.3, 1e-9);
}
END_TEST

START_TEST(one_mode_with_an_outlier_is_not_bimodal)
{
	const double values[] = { 12.0, 12.2, 12.1, 12.3, 11.9, 12.05, 12.15, 12.25, 11.95, 20.0 };

	ck_assert(!bimodal_of(values, 10).found);
}
END_TEST

START_TEST(few_and_missing_values_say_nothing)
{
	const double values[] = { 1, 1, 1, 9, 9, 9, NAN, NAN, NAN, 1 };
	const double equal[] = { 3, 3, 3, 3, 3, 3, 3, 3, 3 };

	ck_assert(!bimodal_of(values, 10).found);
	ck_assert(!bimodal_of(equal, 9).found);
	ck_assert(!bimodal_of(NULL, 0).found);
}
END_TEST

START_TEST(dip_is_that_of_known_samples)
{
	const double halves[] = { 0, 0, 1, 1 }, even[] = { 1, 2, 3, 4, 5, 6, 7, 8 };

	ck_assert_double_eq(dip_of(halves, 4), 0.25);		   /* the largest there is */
	ck_assert_double_eq_tol(dip_of(even, 8), 1.0 / 16, 1e-12); /* the smallest: 1 / (2n) */
	ck_assert_double_eq(dip_of(even, 1), 0);
}
END_TEST

/* 0.95 quantiles as published by Hartigan and Hartigan (1985) and refined since */
START_TEST(critical_values_agree_with_the_published_ones)
{
	ck_assert_double_eq_tol(dip_critical(10), 0.1397, 0.0010);
	ck_assert_double_eq_tol(dip_critical(20), 0.1050, 0.0010);
	ck_assert_double_eq_tol(dip_critical(50), 0.0703, 0.0010);
	ck_assert_double_eq_tol(dip_critical(1000), 0.0170, 0.0002);
	for (int n = BIMODAL_LEAST; n < 3000; n++)
		ck_assert_double_gt(dip_critical(n), dip_critical(n + 1));
}
END_TEST

enum shape {
	UNIFORM,
	NORMAL,
	SKEWED
};

static double draw(struct random *random, enum shape shape)
{
	switch (shape) {
	case UNIFORM:
		return random_uniform(random);
	case NORMAL:
		return random_normal(random);
	default:
		return random_log_normal(random, 1, 1);
	}
}

static double alarm_rate(enum shape shape, int n, int repeats)
{
	struct random random = { 7 };
	double values[64];
	int found = 0;

	for (int repeat = 0; repeat < repeats; repeat++) {
		for (int i = 0; i < n; i++)
			values[i] = draw(&random, shape);
		found += bimodal_of(values, n).found;
	}
	return (double)found / repeats;
}

START_TEST(false_alarms_are_as_rare_as_stated)
{
	static const int sizes[] = { 8, 10, 17, 40 };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		/* three standard deviations of a count of 5 % of 10,000 */
		ck_assert_double_eq_tol(alarm_rate(UNIFORM, sizes[i], 10000), BIMODAL_ALPHA,
					0.0075);
		ck_assert_double_le(alarm_rate(NORMAL, sizes[i], 10000), 0.035);
		ck_assert_double_le(alarm_rate(SKEWED, sizes[i], 10000), 0.035);
	}
}
END_TEST

START_TEST(modes_of_half_and_half_are_found_nearly_always)
{
	struct random random = { 8 };
	double values[10];
	int found = 0;

	for (int repeat = 0; repeat < 1000; repeat++) {
		for (int i = 0; i < 10; i++)
			values[i] = random_log_normal(&random, i % 2 ? 12 : 20, 0.02);
		found += bimodal_of(values, 10).found;
	}
	ck_assert_int_ge(found, 990);
}
END_TEST

UNIT_TESTS("bimodal", two_modes_are_named_with_their_sizes_and_means,
	   one_mode_with_an_outlier_is_not_bimodal, few_and_missing_values_say_nothing,
	   dip_is_that_of_known_samples, critical_values_agree_with_the_published_ones,
	   false_alarms_are_as_rare_as_stated, modes_of_half_and_half_are_found_nearly_always)
