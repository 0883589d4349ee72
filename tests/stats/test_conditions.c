// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"

#include "fixture.h"

static const double base_values[] = { 100, 103, 99 };
static const double slow_values[] = { 90, 93, 88.5 };

/* two runs of one plan on a simulated machine, pooled into "stock" and "mine" */
struct twice {
	struct run *runs[2];
	struct side_part stock[2], mine[2];
	struct side sides[2];
};

static struct run *simulated_run(int64_t id, const double *base, const double *test)
{
	struct run *run = fixture_run(id, "stock mine");

	run->plan_text = memory_string("[plan]\ntrials = 3\nruntime = 100ms\n");
	json_decref(run->environment);
	run->environment = json_pack("{s:{s:s, s:s}, s:{s:{s:s, s:{s:s}}}, s:{s:s}}", "sim_kernels",
				     "6.12", "0123456789abcdef", "6.12-mine", "fedcba9876543210",
				     "sim_machines", "epyc", "source", "epyc.machine", "figures",
				     "cost.fork", "60us", "case_machines", "spawn", "epyc");
	for (int i = 0; i < 2; i++) {
		free(run->variants[i].backend);
		run->variants[i].backend = memory_string("sim");
		run->variants[i].machine = memory_string("epyc");
		run->variants[i].kernel = memory_string(i ? "6.12-mine" : "6.12");
		fixture_values(run, i, &fixture_ops, i ? test : base, 3);
	}
	for (int i = 0; i < run->n_trials; i++)
		run->trials[i].seed = 1000 + run->trials[i].block;
	return run;
}

static void twice_make(struct twice *twice)
{
	for (int i = 0; i < 2; i++) {
		twice->runs[i] = simulated_run(i + 1, base_values, slow_values);
		twice->stock[i] = (struct side_part){ twice->runs[i], 0 };
		twice->mine[i] = (struct side_part){ twice->runs[i], 1 };
	}
	twice->sides[0] = (struct side){ "stock", twice->stock, 2 };
	twice->sides[1] = (struct side){ "mine", twice->mine, 2 };
}

static void twice_free(struct twice *twice)
{
	run_free(twice->runs[0]);
	run_free(twice->runs[1]);
}

static struct table *table_of(const struct side *sides)
{
	struct table_options options = fixture_options();
	struct table *table;

	ck_no_error(table_new(sides, 2, &options, &table));
	return table;
}

static void expect_error(const struct side *sides, const char *message)
{
	struct table_options options = fixture_options();
	struct table *table;

	ck_error(table_new(sides, 2, &options, &table), ERR_MISMATCH, message);
}

START_TEST(simulated_trials_made_twice_are_counted_once)
{
	struct twice twice;
	struct table *table;

	twice_make(&twice);
	table = table_of(twice.sides);
	ck_assert_int_eq(table->n_repeated, 6);
	ck_assert_int_eq(table->n_warnings, 1);
	ck_assert_str_eq(
		table->warnings[0],
		"6 trials are repetitions with the same seed, counted once; another `seed` "
		"in [plan] gives further trials");
	ck_assert_int_eq(table->rows[0].cells[0].n, 3);
	ck_assert(table->rows[0].cells[1].effect.paired);
	ck_assert_int_eq(table->rows[0].cells[1].effect.n_test, 3);
	table_free(table);
	twice_free(&twice);
}
END_TEST

START_TEST(another_seed_is_another_trial)
{
	struct twice twice;
	struct table *table;

	twice_make(&twice);
	for (int i = 0; i < twice.runs[1]->n_trials; i++)
		twice.runs[1]->trials[i].seed += 100;
	table = table_of(twice.sides);
	ck_assert_int_eq(table->n_repeated, 0);
	ck_assert_int_eq(table->rows[0].cells[1].effect.n_test, 6);
	table_free(table);
	twice_free(&twice);
}
END_TEST

/* the block that the first run lacks is a pair of the second one's */
START_TEST(a_cut_off_run_is_completed_by_its_repetition)
{
	struct twice twice;
	struct table *table;

	twice_make(&twice);
	/* the last trial of "mine" was not made */
	trial_clear(&twice.runs[0]->trials[--twice.runs[0]->n_trials]);
	table = table_of(twice.sides);
	ck_assert_int_eq(table->n_repeated, 5);
	ck_assert_int_eq(table->rows[0].cells[1].effect.n_test, 3);
	ck_assert_double_eq(table->rows[0].cells[1].values[2], 88.5);
	table_free(table);
	twice_free(&twice);
}
END_TEST

START_TEST(measured_trials_of_one_seed_are_all_counted)
{
	struct twice twice;
	struct table *table;

	twice_make(&twice);
	for (int i = 0; i < 4; i++) {
		struct result_variant *variant = &twice.runs[i / 2]->variants[i % 2];

		free(variant->backend);
		variant->backend = memory_string("live");
	}
	table = table_of(twice.sides);
	ck_assert_int_eq(table->n_repeated, 0);
	ck_assert_int_eq(table->rows[0].cells[1].effect.n_test, 6);
	table_free(table);
	twice_free(&twice);
}
END_TEST

START_TEST(the_same_simulated_trials_on_both_sides_are_named)
{
	struct twice twice;
	struct side sides[2];
	struct table *table;

	twice_make(&twice);
	sides[0] = (struct side){ "#1:stock", &twice.stock[0], 1 };
	sides[1] = (struct side){ "#2:stock", &twice.stock[1], 1 };
	table = table_of(sides);
	ck_assert_int_eq(table->n_warnings, 1);
	ck_assert_str_eq(table->warnings[0],
			 "spawn: 3 trials of #2:stock are the same as of #1:stock: the same "
			 "kernel, machine, settings and seed");
	table_free(table);
	twice_free(&twice);
}
END_TEST

static void set(struct run *run, const char *object, const char *key, const char *value)
{
	json_object_set_new(json_object_get(run->environment, object), key, json_string(value));
}

START_TEST(a_kernel_added_again_under_its_name_is_not_pooled)
{
	struct twice twice;

	twice_make(&twice);
	set(twice.runs[1], "sim_kernels", "6.12-mine", "00112233445566");
	expect_error(twice.sides,
		     "runs 1 and 2 of mine differ in their kernel: 6.12-mine (fedcba98), and "
		     "6.12-mine (00112233); compare one of them: '#2:mine'; --force");
	twice_free(&twice);
}
END_TEST

START_TEST(two_names_of_one_build_are_named)
{
	struct twice twice;
	struct table *table;

	twice_make(&twice);
	set(twice.runs[0], "sim_kernels", "6.12-mine", "0123456789abcdef");
	set(twice.runs[1], "sim_kernels", "6.12-mine", "0123456789abcdef");
	table = table_of(twice.sides);
	ck_assert_str_eq(table->warnings[0],
			 "kernel 6.12 of stock and kernel 6.12-mine of mine are the same build");
	table_free(table);
	twice_free(&twice);
}
END_TEST

START_TEST(other_figures_under_one_machine_name_are_not_pooled_but_noted_between_runs)
{
	struct twice twice;
	struct side sides[2];
	struct table *table;
	json_t *figures;

	twice_make(&twice);
	figures = json_object_get(
		json_object_get(json_object_get(twice.runs[1]->environment, "sim_machines"),
				"epyc"),
		"figures");
	json_object_set_new(figures, "cost.fork", json_string("90us"));
	expect_error(twice.sides, "runs 1 and 2 of stock differ in their simulated machine: "
				  "epyc.figures.cost.fork (60us, and 90us)");
	sides[0] = (struct side){ "#1:stock", &twice.stock[0], 1 };
	sides[1] = (struct side){ "#2:mine", &twice.mine[1], 1 };
	table = table_of(sides);
	ck_assert_int_eq(table->n_warnings, 1);
	ck_assert_str_eq(table->warnings[0],
			 "#1:stock and #2:mine differ in their simulated machine: "
			 "epyc.figures.cost.fork (60us, and 90us)");
	table_free(table);
	twice_free(&twice);
}
END_TEST

START_TEST(trials_of_100_and_of_300_ms_are_not_pooled)
{
	struct twice twice;

	twice_make(&twice);
	free(twice.runs[1]->plan_text);
	twice.runs[1]->plan_text = memory_string("[plan]\nruntime = 300ms\n");
	expect_error(twice.sides,
		     "runs 1 and 2 of stock differ in their runtime: 100ms, and 300ms");
	twice_free(&twice);
}
END_TEST

/* two measured runs on one host */
START_TEST(what_changed_on_the_host_between_runs_is_noted)
{
	struct run *before = fixture_run(1, "v1"), *after = fixture_run(2, "v2");
	struct fixture_sides sides = { .n = 0 };
	struct table *table;

	fixture_values(before, 0, &fixture_ops, base_values, 3);
	fixture_values(after, 0, &fixture_ops, slow_values, 3);
	json_decref(before->environment);
	json_decref(after->environment);
	before->environment =
		json_pack("{s:{s:s}, s:{s:s, s:s}}", "frequency", "governor", "performance",
			  "sysctls", "kernel.sched_a", "1", "kernel.sched_b", "1");
	after->environment = json_pack("{s:{s:s}, s:{s:s, s:s}}", "frequency", "governor",
				       "powersave", "sysctls", "kernel.sched_a", "2",
				       "kernel.sched_b", "not available: no such file");
	/* what the variant sets itself is not the host's */
	json_object_set_new(after->variants[0].settings, "sysctl.kernel.sched_a", json_string("1"));
	before->plan_text = memory_string("[plan]\nmonitor = cpu\n");
	after->plan_text = memory_string("[plan]\nmonitor = events\n");
	fixture_add_side(&sides, before, 0);
	fixture_add_side(&sides, after, 0);
	table = table_of(sides.sides);
	ck_assert_int_eq(table->n_warnings, 2);
	ck_assert_str_eq(table->warnings[0], "v1 and v2 differ in their monitors: cpu, and events");
	ck_assert_str_eq(table->warnings[1], "v1 and v2 differ in their state of the host: "
					     "frequency.governor (performance, and powersave)");
	table_free(table);
	run_free(before);
	run_free(after);
}
END_TEST

/* two variants of one live run, with the share that others took recorded */
static struct run *run_beside_others(double off, double on)
{
	struct run *run = fixture_run(1, "off on");

	fixture_values(run, 0, &fixture_ops, base_values, 3);
	fixture_values(run, 1, &fixture_ops, slow_values, 3);
	for (int i = 0; i < run->n_trials; i++)
		run->trials[i].environment =
			json_pack("{s:f}", "others", run->trials[i].variant_index ? on : off);
	return run;
}

static char *first_warning(struct run *run)
{
	struct fixture_sides sides;
	struct table *table;
	char *text;

	fixture_sides_of(&sides, run);
	table = table_of(sides.sides);
	ck_assert_int_le(table->n_warnings, 1);
	text = memory_string(table->n_warnings ? table->warnings[0] : "");
	table_free(table);
	run_free(run);
	return text;
}

START_TEST(a_busy_machine_is_noted_and_more_so_where_variants_differ)
{
	autofree char *idle = first_warning(run_beside_others(0.4, 1.2));
	autofree char *alike = first_warning(run_beside_others(60, 62));
	autofree char *unlike = first_warning(run_beside_others(2, 71));

	ck_assert_str_eq(idle, "");
	ck_assert_str_eq(alike,
			 "others took part of the CPUs: off 60 %, on 62 % (at most 62 % in a "
			 "trial); on a busy machine shares are compared, not only speeds");
	ck_assert_str_eq(unlike, "others took unlike shares of the CPUs: off 2 %, on 71 % (at most "
				 "71 % in a trial); what differs may be what they left, not what "
				 "the variants do");
}
END_TEST

UNIT_TESTS("stats: conditions", simulated_trials_made_twice_are_counted_once,
	   another_seed_is_another_trial, a_cut_off_run_is_completed_by_its_repetition,
	   measured_trials_of_one_seed_are_all_counted,
	   the_same_simulated_trials_on_both_sides_are_named,
	   a_kernel_added_again_under_its_name_is_not_pooled, two_names_of_one_build_are_named,
	   other_figures_under_one_machine_name_are_not_pooled_but_noted_between_runs,
	   trials_of_100_and_of_300_ms_are_not_pooled,
	   what_changed_on_the_host_between_runs_is_noted,
	   a_busy_machine_is_noted_and_more_so_where_variants_differ)
