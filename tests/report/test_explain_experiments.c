// SPDX-License-Identifier: GPL-2.0-only
/* which experiments are proposed, by what is recorded of base and test, and what they show */
#include "unit.h"

#include <math.h>

#include "base/memory.h"
#include "explained.h"
#include "report/in_force.h"

static const struct explained_metric none[] = { { NULL } };

/* the use of an experiment for a run's two variants */
static enum experiment_use use_of(struct run *run, const char *name, char **why)
{
	struct fixture_sides sides;
	struct table *table = explained_table(run, &sides);
	enum experiment_use use = experiment_use(table, experiment_find(name), why);

	table_free(table);
	return use;
}

#define ck_use(run, name, expected, reason)                                                        \
	do {                                                                                       \
		char *why_ = NULL;                                                                 \
		enum experiment_use use_ = use_of(run, name, &why_);                               \
                                                                                                   \
		ck_assert_msg(use_ == (expected), "%s: use %d: %s", name, (int)use_,               \
			      why_ ? why_ : "no reason");                                          \
		ck_assert_msg(!*(reason) == !why_ && strstr(why_ ? why_ : "", reason), "%s: %s",   \
			      name, why_);                                                         \
		free(why_);                                                                        \
	} while (0)

static void set(struct run *run, int variant, const char *key, const char *value)
{
	json_object_set_new(run->variants[variant].settings, key, json_string(value));
}

/* into the record of every trial of a variant; takes @value */
static void record(struct run *run, int variant, const char *key, json_t *value)
{
	for (int i = 0; i < run->n_trials; i++)
		if (run->trials[i].variant_index == variant)
			json_object_set(run->trials[i].environment, key, value);
	json_decref(value);
}

START_TEST(what_is_not_recorded_is_no_obstacle)
{
	struct run *run = explained_run(none);

	for (const struct experiment *experiment = experiments; experiment->name; experiment++)
		ck_use(run, experiment->name, EXPERIMENT_USEFUL, "");
	run_free(run);
}
END_TEST

START_TEST(a_setting_in_force_in_both_is_not_proposed)
{
	struct run *run = explained_run(none);

	/* by the variants themselves, also under the sysctl's name */
	set(run, 0, "autogroup", "0");
	set(run, 1, "sysctl.kernel.sched_autogroup_enabled", "0");
	ck_use(run, "no-autogroup", EXPERIMENT_IN_FORCE,
	       "autogroup = 0 is in force in both already");
	/* by the trials' record of the kernel's own files, as the simulator has */
	record(run, 0, "features", json_string("PLACE_LAG NO_NEXT_BUDDY WA_IDLE"));
	record(run, 1, "features", json_string("PLACE_LAG NO_NEXT_BUDDY WA_IDLE"));
	ck_use(run, "no-next-buddy", EXPERIMENT_IN_FORCE, "feature.NEXT_BUDDY = 0");
	record(run, 0, "policy", json_string("batch"));
	record(run, 1, "policy", json_string("batch"));
	ck_use(run, "batch", EXPERIMENT_IN_FORCE, "policy = batch");
	run_free(run);
}
END_TEST

START_TEST(the_settings_of_the_host_are_those_of_a_live_run)
{
	struct run *run = explained_run(none);

	json_object_set_new(run->environment, "features",
			    json_string("WA_IDLE WA_WEIGHT NO_TTWU_QUEUE NEXT_BUDDY"));
	json_object_set_new(run->environment, "knobs",
			    json_pack("{s:s}", "migration_cost_ns", "0"));
	json_object_set_new(run->environment, "sysctls",
			    json_pack("{s:s}", "kernel.sched_autogroup_enabled", "0"));
	ck_use(run, "no-ttwu-queue", EXPERIMENT_IN_FORCE, "in force in both");
	ck_use(run, "newidle-always", EXPERIMENT_IN_FORCE, "sched.migration_cost_ns = 0");
	ck_use(run, "no-autogroup", EXPERIMENT_IN_FORCE, "autogroup = 0");
	/* that is on */
	ck_use(run, "no-next-buddy", EXPERIMENT_USEFUL, "");
	ck_use(run, "no-wake-affine", EXPERIMENT_USEFUL, "");
	/* of a simulated run the host that simulates says nothing */
	for (int i = 0; i < 2; i++) {
		free(run->variants[i].backend);
		run->variants[i].backend = memory_string("sim");
	}
	ck_use(run, "no-ttwu-queue", EXPERIMENT_USEFUL, "");
	run_free(run);
}
END_TEST

START_TEST(what_the_two_differ_in_is_not_set_in_both)
{
	struct run *run = explained_run(none);

	set(run, 1, "policy", "batch");
	ck_use(run, "batch", EXPERIMENT_DIFFERENCE, "policy is what off and on differ in");
	set(run, 0, "sysctl.kernel.sched_autogroup_enabled", "0");
	set(run, 1, "sysctl.kernel.sched_autogroup_enabled", "1");
	ck_use(run, "no-autogroup", EXPERIMENT_DIFFERENCE,
	       "autogroup is what off and on differ in");
	run_free(run);
}
END_TEST

START_TEST(a_default_in_which_two_kernels_differ_is_worth_an_experiment)
{
	struct run *run = explained_run(none);

	record(run, 0, "features", json_string("NO_NEXT_BUDDY"));
	record(run, 1, "features", json_string("NEXT_BUDDY"));
	ck_use(run, "no-next-buddy", EXPERIMENT_USEFUL, "");
	run_free(run);
}
END_TEST

START_TEST(what_the_kernel_does_not_have_is_not_proposed)
{
	struct run *run = explained_run(none);

	record(run, 0, "features", json_string("PLACE_LAG"));
	record(run, 1, "features", json_string("PLACE_LAG"));
	json_object_set_new(run->environment, "knobs",
			    json_string("not available: debugfs is not mounted"));
	ck_use(run, "no-ni-random", EXPERIMENT_IMPOSSIBLE,
	       "the kernel of off has no feature NI_RANDOM");
	ck_use(run, "newidle-always", EXPERIMENT_IMPOSSIBLE, "debugfs is not mounted");
	run_free(run);
}
END_TEST

START_TEST(autogroup_is_no_experiment_where_it_does_not_act)
{
	struct run *run = explained_run(none);

	set(run, 0, "cpu.weight", "100");
	set(run, 1, "cpu.weight", "100");
	ck_use(run, "no-autogroup", EXPERIMENT_IN_FORCE, "does not act on the workers of either");
	ck_use(run, "own-group", EXPERIMENT_IN_FORCE, "already");
	set(run, 0, "cpu.weight", "50");
	set(run, 1, "cpu.weight", "50");
	ck_use(run, "own-group", EXPERIMENT_IN_FORCE, "in a cgroup already");
	run_free(run);
}
END_TEST

START_TEST(an_experiment_that_is_left_out_is_named_with_the_reason)
{
	static const struct explained_metric forks[] = { { "fork_moved", "%", 1, 80 }, { NULL } };
	struct run *run = explained_run(forks);
	char *text;

	set(run, 0, "autogroup", "0");
	set(run, 1, "autogroup", "0");
	text = explained(run);
	flatten(text);
	ck_contains(text, "own-group (cpu.weight = 100): without");
	ck_contains(text, "not proposed: no-autogroup (autogroup = 0 is in force in both already)");
	ck_lacks(text, "no-autogroup (autogroup = 0): ");
	free(text);
}
END_TEST

/* what an experiment says: base and test without it, base and test with it */
static char *outcome_of(double test, double test_with)
{
	static const double noise[] = { 1, 1.004, 0.996, 1.002, 0.999, 1.001 };
	static const double other[] = { 1.001, 0.998, 1.003, 0.997, 1, 1.002 };
	double values[4][6];
	const double *const arrays[4] = { values[0], values[1], values[2], values[3] };
	struct outcome outcome;
	size_t length;
	char *text;
	FILE *stream = open_memstream(&text, &length);

	for (int i = 0; i < 6; i++) {
		values[0][i] = 100 * noise[i];
		values[1][i] = test * other[i];
		values[2][i] = 90 * other[5 - i];
		values[3][i] = test_with * 0.9 * noise[5 - i];
	}
	ck_no_error(explain_outcome(arrays, 6, 0.95, &outcome));
	explain_outcome_print(stream, "ops", &outcome, 0.95);
	fclose(stream);
	return text;
}

START_TEST(an_experiment_is_judged_by_the_ratio_of_the_two_effects)
{
	static const struct {
		double test, with;
		const char *says;
	} cases[] = {
		{ 70, 100, "the difference goes with it" },
		{ 70, 85, "55 % of the difference goes with it" },
		{ 70, 70, "does not depend on it" },
		{ 70, 50, "the difference grows by 9" },
		{ 70, 140, "the difference changes its sign without it" },
		{ 100, 70, "no clear difference to explain" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *text = outcome_of(cases[i].test, cases[i].with);

		flatten(text);
		ck_contains(text, cases[i].says);
		free(text);
	}
}
END_TEST

START_TEST(identical_results_are_no_statement_about_the_difference)
{
	static const double base[] = { 100, 101, 99 }, test[] = { 70, 71, 69 };
	const double *const values[4] = { base, test, base, test };
	struct outcome outcome;
	size_t length;
	char *text;
	FILE *stream = open_memstream(&text, &length);

	ck_no_error(explain_outcome(values, 3, 0.95, &outcome));
	explain_outcome_print(stream, "ops", &outcome, 0.95);
	fclose(stream);
	flatten(text);
	ck_contains(text, "the setting had no effect here");
	ck_lacks(text, "does not depend on it");
	free(text);
}
END_TEST

UNIT_TESTS("explain experiments", what_is_not_recorded_is_no_obstacle,
	   a_setting_in_force_in_both_is_not_proposed,
	   the_settings_of_the_host_are_those_of_a_live_run,
	   what_the_two_differ_in_is_not_set_in_both,
	   a_default_in_which_two_kernels_differ_is_worth_an_experiment,
	   what_the_kernel_does_not_have_is_not_proposed,
	   autogroup_is_no_experiment_where_it_does_not_act,
	   an_experiment_that_is_left_out_is_named_with_the_reason,
	   an_experiment_is_judged_by_the_ratio_of_the_two_effects,
	   identical_results_are_no_statement_about_the_difference)
