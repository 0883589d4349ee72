// SPDX-License-Identifier: GPL-2.0-only
/* The grid of the NEXT_BUDDY thread (January 2026), which its mail programs wrapped. */
#include "unit.h"

#include <math.h>

#include "capture.h"

static const struct metric_desc rps = { "avg_rps", "1/s", BETTER_HIGHER, 1, "requests" };
static const struct metric_desc latency = { "wakeup_latency_p99", "us", BETTER_LOWER, 1, "p99" };

static void add(struct run *run, int variant, const struct metric_desc *metric,
		const double *values, int n)
{
	for (int i = 0; i < n; i++)
		trial_add_metric(fixture_trial(run, 0, variant, i), metric, values[i], NULL, 0);
}

/* one trial holds both metrics, as trials of one block do */
static void add_both(struct run *run, int variant, const double *rates, const double *latencies,
		     int n)
{
	for (int i = 0; i < n; i++) {
		struct trial *trial = fixture_trial(run, 0, variant, i);

		trial_add_metric(trial, &rps, rates[i], NULL, 0);
		trial_add_metric(trial, &latency, latencies[i], NULL, 0);
	}
}

START_TEST(base_is_absolute_and_the_others_per_cent_positive_is_better)
{
	/* of -m 16 -t 1 and -m 16 -t 4 of the thread: -6.43 %, (R) -16.67 % */
	const double base[] = { 1260, 1263.97, 1267.94 }, test[] = { 1100, 1182.70, 1265.40 };
	const double low[] = { 4.17, 4.18, 4.16 }, high[] = { 4.86, 4.87, 4.865 };
	struct run *run = fixture_run(1, "6.19-rc1 revert-nb");
	char *text;

	add_both(run, 0, base, low, 3);
	add_both(run, 1, test, high, 3);
	text = captured(run, "grid");
	ck_contains(text, "\nbenchmark, result (unit)    6.19-rc1       revert-nb\nspawn\n");
	ck_contains(text, "\n  avg_rps (1/s)              1263.97        -6.43% ?\n");
	ck_contains(text, "\n  wakeup_latency_p99 (us)    4.17000 (R)   -16.67% R\n");
	ck_contains(text, "(R)/(I): the rule of Fastpath");
	ck_contains(text, "it is no verdict of fairtrial");
	ck_fits(text);
	free(text);
}
END_TEST

/* the intervals overlap, the pairs all went the same way: the two rules differ, both are shown */
START_TEST(rule_of_intervals_and_verdict_may_differ)
{
	const double base[] = { 100, 110, 120, 130, 140, 150 };
	const double test[] = { 105, 115.5, 126, 136.5, 147, 157.6 };
	struct run *run = fixture_run(1, "off on");
	char *text;

	add(run, 0, &rps, base, 6);
	add(run, 1, &rps, test, 6);
	text = captured(run, "grid");
	ck_contains(text, "\n  avg_rps (1/s)             125.000         5.01% I\n");
	free(text);
}
END_TEST

/* two trials have an interval of 12.7 standard errors: nothing is called from one */
START_TEST(one_trial_has_no_interval_and_no_mark)
{
	const double base[] = { 100 }, test[] = { 50 };
	struct run *run = fixture_run(1, "off on");
	char *text;

	add(run, 0, &rps, base, 1);
	add(run, 1, &rps, test, 1);
	text = captured(run, "grid");
	ck_contains(text, "\n  avg_rps (1/s)             100.000       -50.00% ?\n");
	free(text);
}
END_TEST

START_TEST(seven_kernels_are_blocks_of_78_columns_each_with_base)
{
	const double values[] = { 1263.97, 1270.1, 1255.3 };
	struct run *run = fixture_run(
		1, "6.18 6.19-rc1 6.19-rc2 6.19-rc3 a-name-of-a-kernel-that-is-long revert-2 both");
	char *text, *at;
	int blocks = 0;

	for (int variant = 0; variant < 7; variant++)
		add(run, variant, &rps, values, 3);
	text = captured(run, "grid");
	ck_fits(text);
	for (at = text; (at = strstr(at, "\n  avg_rps (1/s) ")); at++)
		blocks++;
	/* 78 - 24 - 1 - 10 columns hold two kernels */
	ck_assert_int_eq(blocks, 3);
	ck_contains(text, "\ntest 4 = a-name-of-a-kernel-that-is-long\n");
	ck_contains(text, "        6.19-rc3          test 4\n");
	free(text);
}
END_TEST

START_TEST(missing_values_are_dashes)
{
	const double base[] = { 10, 11, 12 }, none[] = { NAN, NAN, NAN };
	char *text = captured(fixture_pair("off on", &fixture_ops, base, none), "grid");

	ck_contains(text, "\n  ops (1/s)                 11.0000             - -\n");
	free(text);
}
END_TEST

UNIT_TESTS("grid style", base_is_absolute_and_the_others_per_cent_positive_is_better,
	   rule_of_intervals_and_verdict_may_differ, one_trial_has_no_interval_and_no_mark,
	   seven_kernels_are_blocks_of_78_columns_each_with_base, missing_values_are_dashes)
