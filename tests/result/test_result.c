// SPDX-License-Identifier: GPL-2.0-only
#include "result/result.h"

#include <math.h>

#include "unit.h"

static const struct metric_desc ops = { "ops", "1/s", BETTER_HIGHER, 3, "operations" };

START_TEST(added_metric_copies_its_description_and_values)
{
	double workers[] = { 1, NAN, 3 };
	struct trial trial = { 0 };
	struct metric *metric = trial_add_metric(&trial, &ops, 4, workers, 3);

	workers[0] = 9;
	ck_assert_str_eq(metric->name, "ops");
	ck_assert_str_eq(metric->unit, "1/s");
	ck_assert_int_eq(metric->version, 3);
	ck_assert_double_eq(metric->value, 4);
	ck_assert_int_eq(metric->n_workers, 3);
	ck_assert_double_eq(metric->per_worker[0], 1);
	ck_assert_double_nan(metric->per_worker[1]);
	ck_assert_ptr_null(metric->unavailable);
	trial_clear(&trial);
	ck_assert_int_eq(trial.n_metrics, 0);
}
END_TEST

START_TEST(unavailable_metric_says_why)
{
	struct trial trial = { 0 };

	trial_add_unavailable(&trial, &ops, "no counter here");
	ck_assert_double_nan(trial_metric(&trial, "ops")->value);
	ck_assert_str_eq(trial_metric(&trial, "ops")->unavailable, "no counter here");
	trial_clear(&trial);
}
END_TEST

START_TEST(nan_value_is_never_without_a_reason)
{
	struct trial trial = { 0 };

	trial_add_metric(&trial, &ops, NAN, NULL, 0);
	ck_assert_ptr_nonnull(trial_metric(&trial, "ops")->unavailable);
	trial_clear(&trial);
}
END_TEST

START_TEST(names_are_found_or_not)
{
	struct run *run = run_new();
	struct trial trial = { 0 };

	array_append(run->cases, run->n_cases)->name = memory_string("a");
	array_append(run->cases, run->n_cases)->name = memory_string("b");
	array_append(run->variants, run->n_variants)->name = memory_string("on");
	ck_assert_int_eq(run_case_index(run, "b"), 1);
	ck_assert_int_eq(run_case_index(run, "on"), -1);
	ck_assert_int_eq(run_variant_index(run, "on"), 0);
	ck_assert_int_eq(run_variant_index(run, ""), -1);
	ck_assert_ptr_null(trial_metric(&trial, "ops"));
	ck_assert(json_is_object(run->environment));
	run_free(run);
	run_free(NULL);
}
END_TEST

UNIT_TESTS("result", added_metric_copies_its_description_and_values, unavailable_metric_says_why,
	   nan_value_is_never_without_a_reason, names_are_found_or_not)
