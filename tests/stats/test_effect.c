// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"

#include <math.h>

#include "stats/effect.h"
#include "stats/sample.h"

/* Student's own data (Biometrika 6, 1908): hours of sleep gained with two drugs by ten patients */
static const double drug_1[] = { 0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0 };
static const double drug_2[] = { 1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4 };

static void exponentials(const double *values, double *out, int n)
{
	for (int i = 0; i < n; i++)
		out[i] = exp(values[i]);
}

START_TEST(paired_difference_is_student_s_published_answer)
{
	struct effect effect;

	ck_no_error(difference_paired(drug_1, drug_2, 10, 0.95, &effect));
	ck_assert_double_eq_tol(effect.point, 1.58, 1e-12);
	ck_assert_double_eq_tol(effect.low, 0.7001142, 1e-7);
	ck_assert_double_eq_tol(effect.high, 2.4598858, 1e-7);
	ck_assert_double_eq_tol(effect.p_value, 0.00283289, 1e-8);
	ck_assert_double_eq_tol(effect.centre / effect.standard_error, 4.0621, 1e-4);
	ck_assert_int_eq(effect.n_base, 10);
	ck_assert(effect.paired && !effect.no_spread);
}
END_TEST

START_TEST(unpaired_difference_is_welch_s_test)
{
	struct effect effect;

	ck_no_error(difference_unpaired(drug_1, 10, drug_2, 10, 0.95, &effect));
	ck_assert_double_eq_tol(effect.df, 17.776, 1e-3);
	ck_assert_double_eq_tol(effect.p_value, 0.07939, 1e-5);
	ck_assert_double_eq_tol(effect.low, -0.2054832, 1e-7);
	ck_assert_double_eq_tol(effect.high, 3.3654832, 1e-7);
	ck_assert(!effect.paired);
}
END_TEST

START_TEST(ratio_is_the_difference_of_logarithms)
{
	double base[10], test[10];
	struct effect effect;

	exponentials(drug_1, base, 10);
	exponentials(drug_2, test, 10);
	ck_no_error(ratio_paired(base, test, 10, 0.95, &effect));
	ck_assert_double_eq_tol(effect.point, exp(1.58), 1e-9);
	ck_assert_double_eq_tol(effect.low, exp(0.7001142), 1e-6);
	ck_assert_double_eq_tol(effect.high, exp(2.4598858), 1e-6);
	ck_assert_double_eq_tol(effect.p_value, 0.00283289, 1e-8);
	ck_no_error(ratio_unpaired(base, 10, test, 10, 0.95, &effect));
	ck_assert_double_eq_tol(effect.low, exp(-0.2054832), 1e-6);
	ck_assert_double_eq_tol(effect.p_value, 0.07939, 1e-5);
}
END_TEST

START_TEST(ratio_is_that_of_the_geometric_means_that_are_shown)
{
	const double base[] = { 27745, 27100, 28003 }, test[] = { 21005, 21300, 20800 };
	struct sample a = sample_of(base, 3), b = sample_of(test, 3);
	struct effect effect;

	ck_no_error(ratio_paired(base, test, 3, 0.95, &effect));
	ck_assert_double_eq_tol(effect.point, b.geometric / a.geometric, 1e-12);
}
END_TEST

START_TEST(interval_widens_with_its_level)
{
	struct effect at_95, at_99;

	ck_no_error(difference_paired(drug_1, drug_2, 10, 0.95, &at_95));
	ck_no_error(difference_paired(drug_1, drug_2, 10, 0.99, &at_99));
	ck_assert_double_lt(at_99.low, at_95.low);
	ck_assert_double_gt(at_99.high, at_95.high);
	ck_assert_double_eq(at_99.p_value, at_95.p_value);
	/* from t tables: 3.2498 at 9 degrees of freedom */
	ck_assert_double_eq_tol((at_99.high - at_99.centre) / at_99.standard_error, 3.2498, 1e-4);
}
END_TEST

START_TEST(failed_trial_drops_its_block_only)
{
	const double base[] = { 10, NAN, 11, 12, 13 }, test[] = { 11, 50, NAN, 13, 14 };
	const double kept_base[] = { 10, 12, 13 }, kept_test[] = { 11, 13, 14 };
	struct effect effect, kept;

	ck_no_error(ratio_paired(base, test, 5, 0.95, &effect));
	ck_no_error(ratio_paired(kept_base, kept_test, 3, 0.95, &kept));
	ck_assert_int_eq(effect.n_base, 3);
	ck_assert_double_eq(effect.low, kept.low);
	ck_assert_double_eq(effect.p_value, kept.p_value);
}
END_TEST

START_TEST(what_has_no_ratio_is_refused_with_its_block)
{
	const double base[] = { 10, 11, 12 }, zero[] = { 10, 0, 12 },
		     endless[] = { 1, 2, INFINITY };
	struct effect effect = { .point = 42 };

	ck_error(ratio_paired(base, zero, 3, 0.95, &effect), ERR_DOMAIN,
		 "test block 2: value 0 has no ratio");
	ck_error(ratio_unpaired(zero, 3, base, 3, 0.95, &effect), ERR_DOMAIN, "base trial 2");
	ck_error(difference_paired(base, endless, 3, 0.95, &effect), ERR_DOMAIN,
		 "test block 3: value inf");
	ck_no_error(difference_paired(base, zero, 3, 0.95, &effect));
	ck_error(ratio_paired(base, base, 3, 1, &effect), ERR_DOMAIN, "level 1");
	ck_error(ratio_paired(base, base, 3, 0.4, &effect), ERR_DOMAIN, "level 0.4");
}
END_TEST

START_TEST(one_block_is_too_few_and_leaves_the_output_untouched)
{
	const double base[] = { 10, NAN }, test[] = { 11, 12 };
	struct effect effect = { .point = 42 };

	ck_error(ratio_paired(base, test, 2, 0.95, &effect), ERR_TOO_FEW, "1 block with a value");
	ck_error(ratio_paired(base, test, 0, 0.95, &effect), ERR_TOO_FEW, "0 blocks");
	ck_error(ratio_unpaired(base, 2, test, 2, 0.95, &effect), ERR_TOO_FEW, "1 and 2 trials");
	ck_assert_double_eq(effect.point, 42);
}
END_TEST

START_TEST(no_spread_has_a_width_of_zero_and_the_p_value_of_signs)
{
	double base[10], test[10];
	struct effect effect;

	/* 1.1 times 1, 2, 3 ...: equal ratios but for rounding */
	for (int i = 0; i < 10; i++) {
		base[i] = i + 1;
		test[i] = 1.1 * base[i];
	}
	ck_no_error(ratio_paired(base, test, 10, 0.95, &effect));
	ck_assert(effect.no_spread);
	ck_assert_double_eq(effect.low, effect.high);
	ck_assert_double_eq_tol(effect.point, 1.1, 1e-12);
	ck_assert_double_eq(effect.p_value, 1.0 / 512);
	ck_no_error(ratio_paired(base, base, 10, 0.95, &effect));
	ck_assert_double_eq(effect.point, 1);
	ck_assert_double_eq(effect.p_value, 1);
}
END_TEST

START_TEST(width_after_further_trials_is_that_of_a_larger_sample)
{
	double base[20], test[20];
	struct effect ten, twenty;

	for (int i = 0; i < 20; i++) {
		base[i] = 0;
		test[i] = 1 + drug_2[i % 10];
	}
	ck_no_error(difference_paired(base, test, 10, 0.95, &ten));
	ck_no_error(difference_paired(base, test, 20, 0.95, &twenty));
	/* the same spread: only n and the degrees of freedom differ */
	twenty.variance_base = ten.variance_base;
	ck_assert_double_eq_tol(effect_half_width(&ten, 10, 0.05),
				effect_half_width(&twenty, 0, 0.05), 1e-12);
	ck_assert_double_eq_tol(effect_half_width(&ten, 0, 0.05), ten.high - ten.point, 1e-12);
}
END_TEST

START_TEST(sample_passes_over_what_is_missing)
{
	const double values[] = { 2, NAN, 8, 4 }, one[] = { 7, NAN }, zero[] = { -1, 1 };
	struct sample sample = sample_of(values, 4);

	ck_assert_int_eq(sample.n, 3);
	ck_assert_double_eq_tol(sample.mean, 14.0 / 3, 1e-12);
	ck_assert_double_eq_tol(sample.geometric, 4, 1e-12);
	ck_assert_double_eq_tol(sample.stddev, sqrt(28.0 / 3), 1e-12);
	ck_assert_double_eq_tol(sample.cov, 100 * sqrt(28.0 / 3) / (14.0 / 3), 1e-9);
	ck_assert_double_eq(sample.min, 2);
	ck_assert_double_eq(sample.max, 8);
	sample = sample_of(one, 2);
	ck_assert(sample.n == 1 && isnan(sample.stddev) && isnan(sample.cov));
	sample = sample_of(zero, 2);
	ck_assert(isnan(sample.cov) && isnan(sample.geometric));
	ck_assert(isnan(sample_of(zero, 0).mean));
}
END_TEST

UNIT_TESTS("effect", paired_difference_is_student_s_published_answer,
	   unpaired_difference_is_welch_s_test, ratio_is_the_difference_of_logarithms,
	   ratio_is_that_of_the_geometric_means_that_are_shown, interval_widens_with_its_level,
	   failed_trial_drops_its_block_only, what_has_no_ratio_is_refused_with_its_block,
	   one_block_is_too_few_and_leaves_the_output_untouched,
	   no_spread_has_a_width_of_zero_and_the_p_value_of_signs,
	   width_after_further_trials_is_that_of_a_larger_sample,
	   sample_passes_over_what_is_missing)
