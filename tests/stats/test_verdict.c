// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"

#include <math.h>

#include "stats/multiplicity.h"
#include "stats/verdict.h"

/* an effect of a paired ratio: @percent off, with a standard error of @error per cent, 10 blocks */
static struct effect effect_of(double percent, double error)
{
	struct effect effect = {
		.scale = EFFECT_RATIO, .paired = true, .n_base = 10, .n_test = 10
	};

	effect.centre = log1p(percent / 100);
	effect.standard_error = error / 100;
	effect.variance_base = 10 * effect.standard_error * effect.standard_error;
	effect.df = 9;
	return effect;
}

static enum verdict judged(struct effect effect, enum better better, double adjusted)
{
	return verdict_of(&effect, better, adjusted, 0.05, margin_of_ratio(0.01));
}

START_TEST(direction_decides_between_regression_and_improvement)
{
	ck_assert_int_eq(judged(effect_of(-5, 1), BETTER_HIGHER, 0.01), VERDICT_REGRESSION);
	ck_assert_int_eq(judged(effect_of(5, 1), BETTER_HIGHER, 0.01), VERDICT_IMPROVEMENT);
	ck_assert_int_eq(judged(effect_of(5, 1), BETTER_LOWER, 0.01), VERDICT_REGRESSION);
	ck_assert_int_eq(judged(effect_of(-5, 1), BETTER_LOWER, 0.01), VERDICT_IMPROVEMENT);
	ck_assert_int_eq(judged(effect_of(5, 1), BETTER_NEITHER, 0.01), VERDICT_DIFFERS);
	ck_assert_int_eq(judged(effect_of(5, 1), BETTER_NEITHER, 0.06), VERDICT_NONE);
}
END_TEST

START_TEST(adjusted_p_value_decides_not_the_raw_interval)
{
	ck_assert_int_eq(judged(effect_of(-5, 1), BETTER_HIGHER, 0.051), VERDICT_UNDECIDED);
	ck_assert_int_eq(judged(effect_of(-5, 1), BETTER_HIGHER, 0.050), VERDICT_REGRESSION);
}
END_TEST

START_TEST(significant_within_the_margin_is_equivalent)
{
	ck_assert_int_eq(judged(effect_of(-0.5, 0.1), BETTER_HIGHER, 1e-5), VERDICT_EQUIVALENT);
	ck_assert_int_eq(judged(effect_of(0.5, 0.1), BETTER_HIGHER, 1e-5), VERDICT_EQUIVALENT);
	/* the interval passes the margin: 0.9 +- 2.26 * 0.1 */
	ck_assert_int_eq(judged(effect_of(0.9, 0.1), BETTER_HIGHER, 1e-5), VERDICT_IMPROVEMENT);
	ck_assert_int_eq(judged(effect_of(0, 2), BETTER_HIGHER, 1), VERDICT_UNDECIDED);
}
END_TEST

START_TEST(without_spread_a_verdict_needs_six_blocks)
{
	struct effect effect = { .scale = EFFECT_RATIO,
				 .paired = true,
				 .no_spread = true,
				 .centre = log(1.5),
				 .n_base = 5,
				 .n_test = 5 };
	struct further further;

	ck_assert_int_eq(judged(effect, BETTER_LOWER, 0.0625), VERDICT_UNDECIDED);
	further = further_trials(&effect, 0.05, 0.05, 0.01);
	ck_assert_int_eq(further.trials, 1);
	ck_assert(!further.no_change);
	effect.n_base = effect.n_test = 6;
	ck_assert_int_eq(judged(effect, BETTER_LOWER, 0.03125), VERDICT_REGRESSION);
	effect.centre = 0;
	ck_assert_int_eq(judged(effect, BETTER_LOWER, 1), VERDICT_EQUIVALENT);
	effect.n_base = effect.n_test = 2;
	ck_assert_int_eq(judged(effect, BETTER_LOWER, 1), VERDICT_UNDECIDED);
	further = further_trials(&effect, 0.05, 0.05, 0.01);
	ck_assert(further.no_change && further.trials == 4);
}
END_TEST

START_TEST(further_trials_is_the_first_number_that_decides)
{
	struct effect differs = effect_of(3, 2), equal = effect_of(0.1, 1);
	struct further further = further_trials(&differs, 0.05, 0.05, margin_of_ratio(0.01));

	ck_assert(!further.no_change);
	ck_assert_double_le(effect_half_width(&differs, further.trials, 0.05), differs.centre);
	ck_assert_double_gt(effect_half_width(&differs, further.trials - 1, 0.05), differs.centre);
	/* at 21 blocks: 2.086 * 2 % * sqrt(10 / 21) = 2.88 % < log(1.03); at 20 it is 2.96 % */
	ck_assert_int_eq(further.trials, 11);
	/* a stricter level of the row asks for more */
	ck_assert_int_gt(further_trials(&differs, 0.005, 0.05, 0.01).trials, further.trials);

	further = further_trials(&equal, 0.05, 0.05, margin_of_ratio(0.01));
	ck_assert(further.no_change);
	ck_assert_double_le(effect_half_width(&equal, further.trials, 0.05) + equal.centre,
			    margin_of_ratio(0.01));
	ck_assert_double_gt(effect_half_width(&equal, further.trials - 1, 0.05) + equal.centre,
			    margin_of_ratio(0.01));
}
END_TEST

START_TEST(hopeless_is_said_as_more_than_the_most)
{
	struct effect hopeless = effect_of(0.9, 50);

	ck_assert_int_eq(further_trials(&hopeless, 0.05, 0.05, margin_of_ratio(0.01)).trials,
			 FURTHER_MOST + 1);
	/* no effect at all and no margin: no number will do */
	hopeless = effect_of(0, 1);
	ck_assert_int_eq(further_trials(&hopeless, 0.05, 0.05, 0).trials, FURTHER_MOST + 1);
}
END_TEST

START_TEST(adjustment_is_benjamini_and_hochberg_s_own_example)
{
	/* their table of 15 p-values (1995, section 3.2): the first four are rejected at 0.05 */
	const double p[] = { 0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
			     0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000 };
	double adjusted[15];
	int rejected = 0;

	adjust_p_values(p, 15, adjusted);
	for (int i = 0; i < 15; i++)
		rejected += adjusted[i] <= 0.05;
	ck_assert_int_eq(rejected, 4);
	ck_assert_double_eq_tol(adjusted[0], 0.0015, 1e-12);
	ck_assert_double_eq_tol(adjusted[3], 0.035625, 1e-12);
	/* 0.0201 * 15 / 5 = 0.0603, 0.0298 * 15 / 7 = 0.06386: monotone from above */
	ck_assert_double_eq_tol(adjusted[4], 0.0603, 1e-12);
	ck_assert_double_eq_tol(adjusted[5], 0.0298 * 15 / 7, 1e-12);
	ck_assert_double_eq_tol(next_row_alpha(adjusted, 15, 0.05), 0.05 * 5 / 15, 1e-12);
}
END_TEST

START_TEST(adjustment_keeps_the_order_of_rows_and_passes_over_what_is_not_of_the_family)
{
	const double p[] = { 0.04, NAN, 0.001, 0.9 };
	double adjusted[4];

	adjust_p_values(p, 4, adjusted);
	ck_assert_double_eq_tol(adjusted[0], 0.06, 1e-12);
	ck_assert(isnan(adjusted[1]));
	ck_assert_double_eq_tol(adjusted[2], 0.003, 1e-12);
	ck_assert_double_eq_tol(adjusted[3], 0.9, 1e-12);
	adjust_p_values(p + 1, 1, adjusted);
	ck_assert(isnan(adjusted[0]));
	ck_assert_double_eq(next_row_alpha(adjusted, 1, 0.05), 0.05);
}
END_TEST

UNIT_TESTS("verdict", direction_decides_between_regression_and_improvement,
	   adjusted_p_value_decides_not_the_raw_interval,
	   significant_within_the_margin_is_equivalent, without_spread_a_verdict_needs_six_blocks,
	   further_trials_is_the_first_number_that_decides, hopeless_is_said_as_more_than_the_most,
	   adjustment_is_benjamini_and_hochberg_s_own_example,
	   adjustment_keeps_the_order_of_rows_and_passes_over_what_is_not_of_the_family)
