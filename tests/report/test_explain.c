// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"

#include <math.h>

#include "../stats/fixture.h"
#include "capture.h"
#include "report/explain.h"

static const struct metric_desc moved = { "fork_moved", "%", BETTER_NEITHER, 1, "moved" };
static const struct metric_desc remote = { "fork_remote", "1/s", BETTER_NEITHER, 1, "remote" };
static const struct metric_desc waiting = { "idle_waiting", "CPUs", BETTER_LOWER, 1, "lost" };
static const struct metric_desc ipc = { "ipc", "1", BETTER_NEITHER, 1, "ipc" };

static enum metric_role role(const char *workload, const struct metric *metric, void *data)
{
	(void)workload;
	(void)data;
	return strcmp(metric->name, "ops") ? ROLE_CONTEXT : ROLE_MAIN;
}

static json_t *places(double crowded)
{
	return json_pack("{s:{s:[{s:i,s:s,s:i,s:f,s:f,s:f},{s:i,s:s,s:i,s:f,s:f,s:f}]}}", "events",
			 "node", "id", 0, "cpus", "0-1", "allowed", 2, "running", 1.0, "waiting",
			 0.0, "idle", 1.0, "id", 3, "cpus", "2-3", "allowed", 2, "running", 2.0,
			 "waiting", crowded, "idle", 0.0);
}

/* six blocks in which `on` halves the result and forks go away; ipc does not change */
static struct run *spawn_run(double on)
{
	struct run *run = fixture_run(7, "off on");

	for (int block = 0; block < 6; block++)
		for (int variant = 0; variant < 2; variant++) {
			struct trial *trial = fixture_trial(run, 0, variant, block);
			double noise = 1 + 0.001 * (block % 3);

			trial_add_metric(trial, &fixture_ops, (variant ? on : 1000) * noise, NULL,
					 0);
			trial_add_metric(trial, &moved, variant ? 48 * noise : 0, NULL, 0);
			trial_add_metric(trial, &remote, variant ? 351598 * noise : 273 * noise,
					 NULL, 0);
			trial_add_metric(trial, &waiting, variant ? 1.5 * noise : 0, NULL, 0);
			trial_add_metric(trial, &ipc, 1.2 + 0.001 * ((block + variant) % 2), NULL,
					 0);
			trial->environment = places(variant ? 3.0 : 0.5);
		}
	return run;
}

static struct table *table_of(struct run *run, struct fixture_sides *sides)
{
	struct table_options options = fixture_options();
	struct table *table;

	options.role = role;
	fixture_sides_of(sides, run);
	ck_no_error(table_new(sides->sides, sides->n, &options, &table));
	return table;
}

/* one line, whose words are separated by one blank: sentences are wrapped */
static void flatten(char *text)
{
	char *line;

	while ((line = strchr(text, '\n')))
		*line = ' ';
	for (char *blank; (blank = strstr(text, "  "));)
		memmove(blank, blank + 1, strlen(blank));
}

static char *explained(struct run *run)
{
	struct report_options options = { false };
	struct fixture_sides sides;
	struct table *table = table_of(run, &sides);
	size_t length;
	char *text;
	FILE *stream = open_memstream(&text, &length);

	explain_print(stream, table, &options);
	fclose(stream);
	table_free(table);
	run_free(run);
	return text;
}

START_TEST(a_sentence_tells_what_moved_with_levels_and_where)
{
	char *text = explained(spawn_run(500));

	ck_fits(text);
	flatten(text);
	ck_contains(text, "result ops 1001 -> 500.5 1/s, -50.00%");
	ck_contains(text, "forks placed on another CPU than the parent's 0 -> 48.05 %");
	ck_contains(text, "in another node 273.3 ->");
	ck_contains(text, "idle CPUs beside waiting tasks that may run there 0 -> 1.5");
	ck_contains(text, "in on: node 3 (CPUs 2-3) 1.500 waiting a CPU");
	ck_contains(text, "node 0 (CPUs 0-1) idle 50.0 %");
	ck_contains(text, "3 of 4 scheduling metrics differ");
	ck_lacks(text, "instructions a cycle");
	free(text);
}
END_TEST

START_TEST(every_figure_of_a_sentence_is_in_the_table)
{
	char *text = explained(spawn_run(500));

	ck_contains(text, "    fork_moved, % ");
	ck_contains(text, "    fork_remote, 1/s ");
	ck_contains(text, "    idle_waiting, CPUs ");
	free(text);
}
END_TEST

START_TEST(experiments_are_proposed_and_no_cause_is_stated)
{
	char *text = explained(spawn_run(500));

	flatten(text);
	ck_contains(text, "no-autogroup (autogroup = 0)");
	ck_contains(text, "What moves with a result need not be its cause");
	ck_lacks(text, "because");
	free(text);
}
END_TEST

START_TEST(without_scheduling_metrics_it_says_how_to_get_them)
{
	struct run *run = fixture_run(7, "off on");
	static const double off[] = { 10, 11, 12 }, on[] = { 20, 21, 22 };
	char *text;

	fixture_values(run, 0, &fixture_ops, off, 3);
	fixture_values(run, 1, &fixture_ops, on, 3);
	text = explained(run);
	ck_contains(text, "no scheduling metric was measured: add monitor = events");
	free(text);
}
END_TEST

START_TEST(an_effect_without_any_spread_needs_no_more_than_its_sign_test)
{
	struct run *run = fixture_run(7, "off on");
	char *text;

	for (int block = 0; block < 6; block++)
		for (int variant = 0; variant < 2; variant++) {
			struct trial *trial = fixture_trial(run, 0, variant, block);

			trial_add_metric(trial, &fixture_ops, 100 + variant * 50 + block, NULL, 0);
			trial_add_metric(trial, &moved, variant ? 40 : 0, NULL, 0);
			for (int i = 0; i < 30; i++) {
				char name[] = "noise_a";
				struct metric_desc noise = { name, "1", BETTER_NEITHER, 1, "" };

				name[6] = (char)('a' + i);
				trial_add_metric(trial, &noise, (block * 7 + variant * 3 + i) % 5,
						 NULL, 0);
			}
			trial->environment = json_object();
		}
	text = explained(run);
	flatten(text);
	ck_contains(text, "forks placed on another CPU than the parent's 0 -> 40");
	free(text);
}
END_TEST

START_TEST(every_experiment_that_an_explanation_names_exists)
{
	for (const struct explanation *e = explanations; e->metric; e++)
		for (int i = 0; i < EXPLANATION_EXPERIMENTS && e->experiments[i]; i++)
			ck_assert_msg(experiment_find(e->experiments[i]) != NULL, "%s: %s",
				      e->metric, e->experiments[i]);
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
	explain_outcome_print(stream, experiment_find("batch"), "spawn", "ops", &outcome, 0.95);
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
		{ 70, 85, "part of the difference goes with it" },
		{ 70, 70, "does not depend on it" },
		{ 70, 50, "the difference grows without it" },
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

UNIT_TESTS("explain", a_sentence_tells_what_moved_with_levels_and_where,
	   every_figure_of_a_sentence_is_in_the_table,
	   experiments_are_proposed_and_no_cause_is_stated,
	   without_scheduling_metrics_it_says_how_to_get_them,
	   an_effect_without_any_spread_needs_no_more_than_its_sign_test,
	   every_experiment_that_an_explanation_names_exists,
	   an_experiment_is_judged_by_the_ratio_of_the_two_effects)
