// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"

#include <math.h>

#include "fixture.h"

static const double base_values[] = { 100, 103, 99, 101, 104, 98 };
static const double slow_values[] = { 90, 93, 88.5, 91.5, 93, 88 };

/* a table of all variants of a run, which are kept for it */
struct compared {
	struct run *run;
	struct fixture_sides sides;
	struct table *table;
};

static struct table *table_of(const struct fixture_sides *sides)
{
	struct table_options options = fixture_options();
	struct table *table;

	ck_no_error(table_new(sides->sides, sides->n, &options, &table));
	return table;
}

static struct table *compare(struct compared *compared, struct run *run)
{
	compared->run = run;
	fixture_sides_of(&compared->sides, run);
	return compared->table = table_of(&compared->sides);
}

static void compared_free(struct compared *compared)
{
	table_free(compared->table);
	run_free(compared->run);
}

static struct error *table_error(const struct fixture_sides *sides, bool force)
{
	struct table_options options = fixture_options();
	struct table *table;
	struct error *error;

	options.force = force;
	error = table_new(sides->sides, sides->n, &options, &table);
	if (!error)
		table_free(table);
	return error;
}

START_TEST(slower_variant_is_a_regression_with_its_ratio)
{
	struct compared compared;
	struct table *table;

	table = compare(&compared, fixture_pair("off on", &fixture_ops, base_values, slow_values));
	ck_assert_int_eq(table->n_rows, 1);
	ck_assert(table->interleaved);
	ck_assert_int_eq(table->rows[0].cells[1].verdict, VERDICT_REGRESSION);
	ck_assert(table_has_regression(table));
	ck_assert_double_eq_tol(table->rows[0].cells[1].effect.point, 0.8992, 1e-3);
	ck_assert(table->rows[0].cells[1].effect.paired);
	compared_free(&compared);
}
END_TEST

START_TEST(failed_trial_is_named_and_drops_its_block_for_its_variant_only)
{
	const double with_failure[] = { 90, 93, NAN, 91.5, 93, 88 };
	struct run *run = fixture_run(1, "off on slow");
	struct compared compared;
	struct table *table;
	struct row *row;

	fixture_values(run, 0, &fixture_ops, base_values, 6);
	fixture_values(run, 1, &fixture_ops, with_failure, 6);
	fixture_values(run, 2, &fixture_ops, slow_values, 6);
	table = compare(&compared, run);
	row = &table->rows[0];
	ck_assert_int_eq(row->cells[1].effect.n_base, 5);
	ck_assert_int_eq(row->cells[1].failed, 1);
	ck_assert_int_eq(row->cells[2].effect.n_base, 6);
	/* base beside it is of the same five blocks, so that the ratio can be recomputed */
	ck_assert_double_eq_tol(row->cells[1].effect.point,
				row->cells[1].test.geometric / row->cells[1].base.geometric, 1e-12);
	ck_assert_int_eq(table->n_warnings, 1);
	ck_assert_str_eq(table->warnings[0],
			 "spawn: 1 of 6 trials of on failed (worker 1 died of signal 9)");
	compared_free(&compared);
}
END_TEST

START_TEST(unavailable_value_keeps_its_reason)
{
	struct run *run = fixture_run(1, "off on");
	struct compared compared;
	struct table *table;

	fixture_values(run, 0, &fixture_ops, base_values, 6);
	fixture_values(run, 1, &fixture_ops, base_values, 5);
	trial_add_unavailable(fixture_trial(run, 0, 1, 5), &fixture_ops, "no counter here");
	table = compare(&compared, run);
	ck_assert_int_eq(table->rows[0].cells[1].missing, 1);
	ck_assert_str_eq(table->rows[0].cells[1].unavailable, "no counter here");
	ck_assert_int_eq(table->rows[0].cells[1].effect.n_test, 5);
	compared_free(&compared);
}
END_TEST

START_TEST(value_of_zero_is_compared_by_difference)
{
	const double zeros[] = { 0, 1, 0, 2, 1, 0 }, more[] = { 5, 7, 4, 6, 5, 6 };
	struct compared compared;
	struct table *table;

	table = compare(&compared, fixture_pair("off on", &fixture_time, zeros, more));
	ck_assert_int_eq(table->rows[0].cells[1].effect.scale, EFFECT_DIFFERENCE);
	ck_assert_double_eq_tol(table->rows[0].cells[1].effect.point, 29.0 / 6, 1e-12);
	ck_assert_int_eq(table->rows[0].cells[1].verdict, VERDICT_REGRESSION);
	/* the margin is a share of base's mean */
	ck_assert_double_eq_tol(table->rows[0].margin, 0.01 * 4 / 6, 1e-12);
	compared_free(&compared);
}
END_TEST

START_TEST(what_has_no_direction_is_outside_of_the_family)
{
	struct run *run = fixture_run(1, "off on");
	struct compared compared;
	struct table *table;

	for (int block = 0; block < 6; block++) {
		for (int variant = 0; variant < 2; variant++) {
			struct trial *trial = fixture_trial(run, 0, variant, block);

			trial_add_metric(trial, &fixture_idle,
					 10 * variant + block % 2 + 0.1 * block, NULL, 0);
			trial_add_metric(trial, &fixture_ops, 100 + block % 3 + variant * block,
					 NULL, 0);
		}
	}
	for (int i = 0; i < run->n_trials; i++)
		if (run->trials[i].variant_index)
			run->trials[i].metrics[0].value += 0.01 * i;
	table = compare(&compared, run);
	ck_assert_int_eq(table->n_rows, 2);
	ck_assert_int_eq(table->n_judged, 1);
	ck_assert_str_eq(table->rows[1].metric, "idle");
	ck_assert_int_eq(table->rows[1].cells[1].verdict, VERDICT_DIFFERS);
	ck_assert_int_eq(table->rows[1].cells[1].effect.scale, EFFECT_DIFFERENCE);
	compared_free(&compared);
}
END_TEST

START_TEST(every_test_variant_is_in_the_family)
{
	struct run *run = fixture_run(1, "off a b c");
	struct compared compared;
	struct table *table;

	for (int variant = 0; variant < 4; variant++)
		fixture_values(run, variant, &fixture_ops, variant == 3 ? slow_values : base_values,
			       6);
	table = compare(&compared, run);
	ck_assert_int_eq(table->n_judged, 3);
	/* p of the only one that differs, times three */
	ck_assert_double_eq_tol(table->rows[0].cells[3].adjusted,
				3 * table->rows[0].cells[3].effect.p_value, 1e-12);
	ck_assert_int_eq(table->rows[0].cells[1].verdict, VERDICT_EQUIVALENT);
	compared_free(&compared);
}
END_TEST

START_TEST(variants_of_different_runs_are_not_paired)
{
	struct run *before = fixture_run(1, "v1"), *after = fixture_run(2, "v2");
	struct fixture_sides sides = { .n = 0 };
	struct table *table;

	fixture_values(before, 0, &fixture_ops, base_values, 6);
	fixture_values(after, 0, &fixture_ops, slow_values, 5);
	fixture_add_side(&sides, before, 0);
	fixture_add_side(&sides, after, 0);
	table = table_of(&sides);
	ck_assert(!table->interleaved);
	ck_assert(!table->rows[0].cells[1].effect.paired);
	ck_assert_int_eq(table->rows[0].cells[1].effect.n_base, 6);
	ck_assert_int_eq(table->rows[0].cells[1].effect.n_test, 5);
	ck_assert_int_eq(table->rows[0].cells[1].verdict, VERDICT_REGRESSION);
	table_free(table);
	run_free(before);
	run_free(after);
}
END_TEST

START_TEST(one_block_is_undecided_and_says_why)
{
	struct run *run = fixture_run(1, "off on");
	struct compared compared;
	struct table *table;

	fixture_values(run, 0, &fixture_ops, base_values, 1);
	fixture_values(run, 1, &fixture_ops, slow_values, 1);
	table = compare(&compared, run);
	ck_assert(!table->rows[0].cells[1].compared);
	ck_assert_int_eq(table->rows[0].cells[1].verdict, VERDICT_UNDECIDED);
	ck_assert_ptr_nonnull(strstr(table->rows[0].cells[1].not_compared, "at least 2"));
	compared_free(&compared);
}
END_TEST

/* two runs of one case each, made unequal by the test */
struct two_runs {
	struct run *before, *after;
	struct fixture_sides sides;
};

static void two_runs_make(struct two_runs *runs)
{
	*runs = (struct two_runs){ fixture_run(1, "v1"), fixture_run(2, "v2"), { .n = 0 } };
	fixture_values(runs->before, 0, &fixture_ops, base_values, 6);
	fixture_values(runs->after, 0, &fixture_ops, slow_values, 6);
	fixture_add_side(&runs->sides, runs->before, 0);
	fixture_add_side(&runs->sides, runs->after, 0);
}

static void two_runs_free(struct two_runs *runs)
{
	run_free(runs->before);
	run_free(runs->after);
}

static void replace(char **text, const char *with)
{
	free(*text);
	*text = memory_string(with);
}

/* the pipe stressor of two versions has another transfer size: +36.7 % against -6.1 % */
START_TEST(other_program_version_is_refused_unless_forced)
{
	struct two_runs runs;

	two_runs_make(&runs);
	replace(&runs.before->cases[0].program_version, "stress-ng 0.15.06");
	replace(&runs.after->cases[0].program_version, "stress-ng 0.18.02");
	ck_error(table_error(&runs.sides, false), ERR_MISMATCH,
		 "case spawn differs between v1 and v2: program version stress-ng 0.15.06, and "
		 "stress-ng 0.18.02");
	ck_no_error(table_error(&runs.sides, true));
	replace(&runs.after->cases[0].program_version, "stress-ng 0.15.06");
	ck_no_error(table_error(&runs.sides, false));
	two_runs_free(&runs);
}
END_TEST

START_TEST(other_workload_version_params_or_cpus_are_refused)
{
	struct two_runs runs;

	two_runs_make(&runs);
	runs.after->cases[0].workload_version = 2;
	ck_error(table_error(&runs.sides, false), ERR_MISMATCH, "workload spawn version 1, and 2");
	runs.after->cases[0].workload_version = 1;
	json_object_set_new(runs.after->cases[0].params, "workers", json_integer(8));
	ck_error(table_error(&runs.sides, false), ERR_MISMATCH, "parameters {");
	json_object_set_new(runs.after->cases[0].params, "workers", json_integer(4));
	replace(&runs.after->cases[0].cpus, "0-7");
	ck_error(table_error(&runs.sides, false), ERR_MISMATCH, "CPUs 0-3, and 0-7");
	two_runs_free(&runs);
}
END_TEST

START_TEST(other_unit_is_refused_and_left_out_when_forced)
{
	struct two_runs runs;

	two_runs_make(&runs);
	replace(&runs.after->trials[3].metrics[0].unit, "1/min");
	ck_error(table_error(&runs.sides, false), ERR_MISMATCH,
		 "metric ops of spawn differs between v1 and v2: unit 1/s, and 1/min");
	/* nothing else is there to compare */
	ck_error(table_error(&runs.sides, true), ERR_INPUT, "no trial of v1 has a value");
	replace(&runs.after->trials[3].metrics[0].unit, "1/s");
	runs.after->trials[0].metrics[0].version = 3;
	ck_error(table_error(&runs.sides, false), ERR_MISMATCH, "definition version 1, and 3");
	ck_no_error(table_error(&runs.sides, true));
	two_runs_free(&runs);
}
END_TEST

START_TEST(simulated_and_measured_are_not_compared_unless_forced)
{
	struct two_runs runs;

	two_runs_make(&runs);
	replace(&runs.after->variants[0].backend, "sim");
	ck_error(table_error(&runs.sides, false), ERR_MISMATCH,
		 "v1 ran on backend live, v2 on sim; --force");
	ck_no_error(table_error(&runs.sides, true));
	two_runs_free(&runs);
}
END_TEST

START_TEST(other_machine_is_compared_with_a_warning)
{
	struct two_runs runs;
	struct table *table;

	two_runs_make(&runs);
	replace(&runs.before->variants[0].machine, "epyc");
	replace(&runs.after->variants[0].machine, "graviton3");
	table = table_of(&runs.sides);
	ck_assert_int_eq(table->n_warnings, 1);
	ck_assert_str_eq(table->warnings[0], "different machines: v1 ran on epyc, v2 on graviton3");
	table_free(table);
	two_runs_free(&runs);
}
END_TEST

START_TEST(trials_of_another_length_are_noted)
{
	struct two_runs runs;
	struct table *table;

	two_runs_make(&runs);
	runs.before->plan_text = memory_string("[plan]\nruntime = 30s\n");
	runs.after->plan_text = memory_string("[plan]\ntrials = 6\n");
	table = table_of(&runs.sides);
	ck_assert_int_eq(table->n_warnings, 1);
	ck_assert_str_eq(table->warnings[0], "v1 and v2 differ in their runtime: 30s, and 10s");
	table_free(table);
	two_runs_free(&runs);
}
END_TEST

START_TEST(pooled_runs_are_of_one_variant_and_one_kernel)
{
	struct run *first = fixture_run(1, "off on"), *second = fixture_run(2, "off on");
	const struct side_part off[] = { { first, 0 }, { second, 0 } };
	const struct side_part on[] = { { first, 1 }, { second, 1 } };
	const struct side sides[] = { { "off", off, 2 }, { "on", on, 2 } };
	struct table_options options = fixture_options();
	struct table *table;

	for (int i = 0; i < 2; i++) {
		fixture_values(i ? second : first, 0, &fixture_ops, base_values, 6);
		fixture_values(i ? second : first, 1, &fixture_ops, slow_values, 6);
	}
	ck_no_error(table_new(sides, 2, &options, &table));
	ck_assert(table->interleaved && table->n_warnings == 0);
	ck_assert_int_eq(table->rows[0].cells[1].effect.n_test, 12);
	table_free(table);
	json_object_set_new(first->environment, "kernel_release", json_string("6.12.117"));
	json_object_set_new(second->environment, "kernel_release", json_string("6.13.1"));
	ck_error(table_new(sides, 2, &options, &table), ERR_MISMATCH,
		 "runs 1 and 2 of off differ in their kernel: 6.12.117, and 6.13.1; compare one "
		 "of them: '#2:off'; --force");
	options.force = true;
	ck_no_error(table_new(sides, 2, &options, &table));
	ck_assert_int_eq(table->n_warnings, 2);
	table_free(table);
	options.force = false;
	json_object_set_new(second->variants[1].settings, "nice", json_string("5"));
	json_object_set_new(second->environment, "kernel_release", json_string("6.12.117"));
	ck_error(table_new(sides, 2, &options, &table), ERR_MISMATCH,
		 "on is not one variant: {} in run 1, {\"nice\":\"5\"} in run 2");
	replace(&second->variants[0].backend, "sim");
	ck_error(table_new(sides, 2, &options, &table), ERR_MISMATCH,
		 "runs of off are of different backends: live, sim");
	run_free(first);
	run_free(second);
}
END_TEST

START_TEST(cases_of_one_side_are_named)
{
	struct two_runs runs;
	struct table *table;

	two_runs_make(&runs);
	fixture_case(runs.before, "only before");
	fixture_case(runs.after, "only after");
	table = table_of(&runs.sides);
	ck_assert_int_eq(table->n_cases, 1);
	ck_assert_int_eq(table->n_warnings, 2);
	ck_assert_str_eq(table->warnings[0], "case only before is not compared: only v1 has it");
	ck_assert_str_eq(table->warnings[1], "case only after is not compared: only v2 has it");
	table_free(table);
	replace(&runs.after->cases[0].name, "renamed");
	ck_error(table_error(&runs.sides, false), ERR_INPUT, "no case in common");
	two_runs_free(&runs);
}
END_TEST

START_TEST(variant_is_not_compared_with_itself)
{
	struct run *run = fixture_run(1, "off");
	struct fixture_sides sides = { .n = 0 };

	fixture_values(run, 0, &fixture_ops, base_values, 6);
	fixture_add_side(&sides, run, 0);
	fixture_add_side(&sides, run, 0);
	ck_error(table_error(&sides, false), ERR_INPUT, "are the same trials");
	run_free(run);
}
END_TEST

/* 384 workers, half of them on crowded CPUs before, all alike after: the mean hardly moves */
static struct run *crowded_run(void)
{
	struct run *run = fixture_run(1, "before after");

	for (int block = 0; block < 8; block++) {
		for (int variant = 0; variant < 2; variant++) {
			struct trial *trial = fixture_trial(run, 0, variant, block);
			double workers[384], sum = 0, spread = variant ? 0.07 : 0.6;

			for (int i = 0; i < 384; i++) {
				workers[i] = 1000 * (1 + (i % 2 ? spread : -spread) +
						     0.001 * ((i * 7 + block * 3 + variant) % 10));
				sum += workers[i];
			}
			trial_add_metric(trial, &fixture_ops, sum * (1 + 0.001 * (block % 3)),
					 workers, 384);
		}
	}
	return run;
}

START_TEST(spread_between_workers_is_judged_in_points)
{
	struct run *run = crowded_run();
	struct compared compared;
	struct table *table;
	struct row *row;

	table = compare(&compared, run);
	ck_assert_int_eq(table->n_rows, 2);
	ck_assert_int_eq(table->n_judged, 2);
	row = &table->rows[1];
	ck_assert_str_eq(row->metric, "ops CoV");
	ck_assert(row->shown && row->between_workers);
	ck_assert_int_eq(row->cells[1].effect.scale, EFFECT_DIFFERENCE);
	ck_assert_double_eq_tol(row->cells[0].sample.mean, 60, 0.5);
	ck_assert_double_eq_tol(row->cells[1].sample.mean, 7, 0.5);
	ck_assert_int_eq(row->cells[1].verdict, VERDICT_IMPROVEMENT);
	ck_assert_double_eq_tol(row->jain[0], 1 / 1.36, 0.01);
	ck_assert_double_gt(row->jain[1], 0.99);
	ck_assert_double_eq_tol(row->margin, 1, 1e-12);
	compared_free(&compared);
}
END_TEST

START_TEST(unchanged_spread_between_workers_is_hidden_but_counted)
{
	struct run *run = fixture_run(1, "off on");
	struct table_options options = fixture_options();
	struct fixture_sides sides;
	struct table *table;

	for (int i = 0; i < 12; i++) {
		const double workers[] = { 24 + 0.1 * (i % 5), 25, 26 + 0.1 * (i % 3) };

		trial_add_metric(fixture_trial(run, 0, i % 2, i / 2), &fixture_ops,
				 base_values[i / 2] + 0.1 * (i % 5), workers, 3);
	}
	fixture_sides_of(&sides, run);
	table = table_of(&sides);
	ck_assert_int_eq(table->n_judged, 2);
	ck_assert_int_eq(table->n_hidden, 1);
	ck_assert(!table->rows[1].shown);
	table_free(table);
	options.worker_rows = WORKER_ROWS_ALL;
	ck_no_error(table_new(sides.sides, sides.n, &options, &table));
	ck_assert(table->rows[1].shown && table->n_hidden == 0);
	table_free(table);
	options.worker_rows = WORKER_ROWS_NONE;
	ck_no_error(table_new(sides.sides, sides.n, &options, &table));
	ck_assert_int_eq(table->n_rows, 1);
	table_free(table);
	run_free(run);
}
END_TEST

START_TEST(what_one_case_lacks_is_noted_with_its_case)
{
	struct run *run = fixture_run(1, "off on");
	struct compared compared;
	struct table *table;

	fixture_case(run, "quiet");
	for (int i = 0; i < 8; i++) {
		struct trial *trial = fixture_trial(run, i % 2, i / 2 % 2, i / 4);

		trial_add_metric(trial, &fixture_ops, 100 + i, NULL, 0);
		if (i % 2)
			trial_add_unavailable(trial, &fixture_time, "nothing was woken");
		else
			trial_add_metric(trial, &fixture_time, 5 + i, NULL, 0);
		trial_add_unavailable(trial, &fixture_idle, "no /proc/stat");
	}
	table = compare(&compared, run);
	ck_assert_int_eq(table->n_missing, 2);
	ck_assert_str_eq(table->warnings[table->n_warnings - 2],
			 "idle has no value (no /proc/stat)");
	ck_assert_str_eq(table->warnings[table->n_warnings - 1],
			 "quiet: time has no value (nothing was woken)");
	compared_free(&compared);
}
END_TEST

/* a ping-pong whose halves land on one CPU or on two (a mean would be of neither) */
START_TEST(two_modes_are_named)
{
	struct compared compared;
	struct table *table;
	double modes[10], steady[10];

	for (int i = 0; i < 10; i++) {
		modes[i] = (i % 2 ? 12.1 : 20.3) + 0.01 * i;
		steady[i] = 16 + 0.3 * ((i * 7) % 10);
	}
	table = compare(&compared, fixture_pair("off on", &fixture_time, steady, modes));
	ck_assert(!table->rows[0].cells[0].bimodal.found);
	ck_assert(table->rows[0].cells[1].bimodal.found);
	ck_assert_int_eq(table->rows[0].cells[1].bimodal.n_low, 5);
	compared_free(&compared);
}
END_TEST

START_TEST(block_that_was_run_again_counts_once)
{
	const double again[] = { NAN, 93, 88.5, 91.5, 93, 88 };
	struct run *run = fixture_run(1, "off on");
	struct compared compared;
	struct table *table;

	fixture_values(run, 0, &fixture_ops, base_values, 6);
	fixture_values(run, 1, &fixture_ops, again, 6);
	trial_add_metric(fixture_trial(run, 0, 1, 0), &fixture_ops, 90, NULL, 0);
	table = compare(&compared, run);
	ck_assert_int_eq(table->rows[0].cells[1].effect.n_test, 6);
	ck_assert_double_eq(table->rows[0].cells[1].values[0], 90);
	compared_free(&compared);
}
END_TEST

UNIT_TESTS("table", slower_variant_is_a_regression_with_its_ratio,
	   failed_trial_is_named_and_drops_its_block_for_its_variant_only,
	   unavailable_value_keeps_its_reason, value_of_zero_is_compared_by_difference,
	   what_has_no_direction_is_outside_of_the_family, every_test_variant_is_in_the_family,
	   variants_of_different_runs_are_not_paired, one_block_is_undecided_and_says_why,
	   other_program_version_is_refused_unless_forced,
	   other_workload_version_params_or_cpus_are_refused,
	   other_unit_is_refused_and_left_out_when_forced,
	   simulated_and_measured_are_not_compared_unless_forced,
	   other_machine_is_compared_with_a_warning, trials_of_another_length_are_noted,
	   pooled_runs_are_of_one_variant_and_one_kernel, cases_of_one_side_are_named,
	   variant_is_not_compared_with_itself, spread_between_workers_is_judged_in_points,
	   unchanged_spread_between_workers_is_hidden_but_counted, two_modes_are_named,
	   block_that_was_run_again_counts_once, what_one_case_lacks_is_noted_with_its_case)
