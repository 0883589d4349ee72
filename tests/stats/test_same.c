// SPDX-License-Identifier: GPL-2.0-only
/* test_same.c - metrics whose values are those of another metric */
#include "unit.h"

#include "fixture.h"

static const double base_values[] = { 100, 103, 99, 101, 104, 98 };
static const double slow_values[] = { 90, 93, 88.5, 91.5, 93, 88 };

static const struct metric_desc p50 = { "p50", "us", BETTER_LOWER, 1, "" };
static const struct metric_desc p99 = { "p99", "us", BETTER_LOWER, 1, "" };
static const struct metric_desc max = { "max", "us", BETTER_LOWER, 1, "" };

/* @sides: kept by the caller as long as the table */
static struct table *table_of(struct run *run, struct fixture_sides *sides)
{
	struct table_options options = fixture_options();
	struct table *table;

	fixture_sides_of(sides, run);
	ck_no_error(table_new(sides->sides, sides->n, &options, &table));
	return table;
}

/* of some 15 values a worker p99, p99.9 and max are one */
START_TEST(identical_metrics_are_judged_once)
{
	struct run *run = fixture_run(1, "off on");
	struct fixture_sides sides;
	struct table *table;

	for (int i = 0; i < 12; i++) {
		struct trial *trial = fixture_trial(run, 0, i % 2, i / 2);
		double value = i % 2 ? slow_values[i / 2] : base_values[i / 2];

		trial_add_metric(trial, &p50, value / 2, NULL, 0);
		trial_add_metric(trial, &p99, value, NULL, 0);
		trial_add_metric(trial, &max, value, NULL, 0);
	}
	table = table_of(run, &sides);
	ck_assert_int_eq(table->n_judged, 2);
	ck_assert_int_eq(table->rows[1].cells[1].verdict, VERDICT_IMPROVEMENT);
	ck_assert(!table->rows[2].shown);
	ck_assert_str_eq(table->rows[2].same_as, "p99");
	ck_assert_int_eq(table->rows[2].cells[1].verdict, VERDICT_NONE);
	ck_assert_str_eq(table->warnings[0],
			 "spawn: the values of max are those of p99: judged once");
	table_free(table);
	run_free(run);
}
END_TEST

/* a plan of 91 cases began with 91 notes */
START_TEST(identical_metrics_of_many_cases_are_one_note)
{
	struct run *run = fixture_run(1, "off on");
	struct fixture_sides sides;
	struct table *table;

	fixture_case(run, "second");
	fixture_case(run, "third");
	for (int i = 0; i < 24; i++) {
		struct trial *trial = fixture_trial(run, i % 3, i / 3 % 2, i / 6);

		trial_add_metric(trial, &p99, 100 + i, NULL, 0);
		trial_add_metric(trial, &max, 100 + i, NULL, 0);
	}
	table = table_of(run, &sides);
	ck_assert_int_eq(table->n_judged, 3);
	ck_assert_int_eq(table->n_warnings, 1);
	ck_assert_str_eq(table->warnings[0], "3 cases (spawn ... third): the values of max are "
					     "those of p99: judged once each");
	table_free(table);
	run_free(run);
}
END_TEST

UNIT_TESTS("same", identical_metrics_are_judged_once, identical_metrics_of_many_cases_are_one_note)
