// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"

#include <math.h>

#include "base/memory.h"
#include "explained.h"

static const struct metric_desc moved = { "fork_moved", "%", BETTER_NEITHER, 1, "moved" };
static const struct metric_desc remote = { "fork_remote", "1/s", BETTER_NEITHER, 1, "remote" };
static const struct metric_desc waiting = { "idle_waiting", "CPUs", BETTER_LOWER, 1, "lost" };
static const struct metric_desc ipc = { "ipc", "1", BETTER_NEITHER, 1, "ipc" };

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

START_TEST(a_sentence_tells_what_moved_with_levels_and_where)
{
	char *text = explained(spawn_run(500));

	ck_fits(text);
	flatten(text);
	ck_contains(text, "result ops 1001 -> 500.5/s, -50.00%");
	ck_contains(text, "forks placed on another CPU than the parent's 0 -> 48.05 %");
	ck_contains(text, "by target: other node 273 -> 351949/s");
	ck_contains(text, "idle CPUs beside a waiting task that may run there 0 -> 1.5");
	ck_contains(text, "in on: node 3 (CPUs 2-3) 1.500 waiting tasks a CPU");
	ck_contains(text, "node 0 idle 50.0 %");
	ck_contains(text, "3 of 4 scheduling metrics differ");
	ck_lacks(text, "instructions a cycle");
	free(text);
}
END_TEST

START_TEST(every_figure_of_a_sentence_is_in_the_table)
{
	char *text = explained(spawn_run(500));

	ck_contains(text, "\n  fork_moved %  ");
	ck_contains(text, "\n  fork_remote 1/s  ");
	ck_contains(text, "\n  idle_waiting CPUs  ");
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

START_TEST(a_fact_that_several_metrics_tell_is_one_sentence)
{
	static const struct explained_metric metrics[] = {
		{ "preemptions", "1/s", 1000, 9000 },
		{ "slice_p50", "us", 900, 100 },
		{ "involuntary", "1", 2000, 18000 },
		{ "event_idle", "%", 1, 40 },
		{ "idle", "%", 1, 40 },
		{ "queue_share", "%", 2, 30 },
		{ "run_delay", "s", 0.1, 3 },
		{ NULL },
	};
	char *text = explained(explained_run(metrics));

	flatten(text);
	ck_contains(text, "preemptions 1001 -> 9009/s; slice p50");
	ck_lacks(text, "slice (from being put on a CPU");
	ck_lacks(text, "preemptions of the workers themselves");
	ck_lacks(text, "waited on run queues, a trial");
	ck_contains(text, "1. idle share");
	ck_contains(text, "2. share of runnable time");
	ck_contains(text, "3. preemptions");
	ck_lacks(text, " 4. ");
	free(text);
}
END_TEST

START_TEST(time_comes_before_decisions_and_each_by_the_share_that_it_concerns)
{
	/* relatively the idle share changes least, and seven preemptions a second change most */
	static const struct explained_metric metrics[] = {
		{ "preemptions", "1/s", 0, 7 },
		{ "event_wakeups", "1/s", 20000, 19000 },
		{ "forks", "1/s", 20000, 19000 },
		{ "fork_moved", "%", 1, 80 },
		{ "idle_waiting", "CPUs", 0, 0.1 },
		{ "event_idle", "%", 20, 50 },
		{ NULL },
	};
	char *text = explained(explained_run(metrics));

	flatten(text);
	ck_contains(text, "where the time went, the largest share first: 1. idle share");
	ck_contains(text, "2. idle CPUs beside");
	ck_contains(text, "what the scheduler decided, the largest share first: 3. forks placed");
	ck_contains(text, "4. preemptions 0 -> 7.");
	free(text);
}
END_TEST

static const struct explained_metric levels[] = {
	{ "fork_moved", "%", 1, 80 },	   { "fork_smt", "1/s", 10, 900 },
	{ "fork_llc", "1/s", 20, 1800 },   { "fork_remote", "1/s", 5, 5000 },
	{ "sharing_core", "tasks", 0, 1 }, { NULL },
};

static char *of_machine(const struct explained_metric *metrics, int smt, int llcs, int nodes)
{
	struct run *run = explained_run(metrics);
	char *text;

	explained_machine(run, smt, llcs, nodes);
	text = explained(run);
	flatten(text);
	return text;
}

START_TEST(levels_are_named_by_what_the_machine_has)
{
	static const struct explained_metric flat[] = {
		{ "fork_moved", "%", 1, 80 },
		{ "fork_llc", "1/s", 20, 1800 },
		{ "sharing_core", "tasks", 0, 1 },
		{ NULL },
	};
	char *text = of_machine(levels, 2, 4, 2);

	ck_contains(text,
		    "SMT sibling 10.0 -> 900.9/s, same LLC 20 -> 1802/s, other node 5 -> 5005/s");
	ck_contains(text, "tasks that shared a core while another core was idle");
	free(text);
	text = of_machine(levels, 2, 1, 1);
	ck_contains(text, "SMT sibling 10.0 -> 900.9/s, other core 20 -> 1802/s");
	free(text);
	/* one distance: that a task moved within it says nothing new, and a core is a CPU */
	text = of_machine(flat, 1, 1, 1);
	ck_contains(text, "forks placed on another CPU than the parent's 1.00 -> 80.08 % ");
	ck_lacks(text, "LLC 20");
	ck_contains(text, "tasks that shared a CPU while another CPU was idle");
	ck_lacks(text, "core was idle");
	free(text);
}
END_TEST

START_TEST(a_part_that_did_not_differ_is_not_in_a_sentence)
{
	static const struct explained_metric metrics[] = {
		{ "preemptions", "1/s", 1000, 9000 },
		{ "slice_p50", "us", 100, 100 },
		{ NULL },
	};
	char *text = explained(explained_run(metrics));

	ck_lacks(text, "slice p50");
	free(text);
}
END_TEST

START_TEST(cpus_that_are_not_known_leave_no_empty_parentheses)
{
	struct run *run = spawn_run(500);
	char *text;

	free(run->cases[0].cpus);
	run->cases[0].cpus = memory_string("");
	text = explained(run);
	ck_contains(text, "\nspawn\n");
	ck_lacks(text, "(CPUs )");
	free(text);
}
END_TEST

START_TEST(columns_of_names_that_begin_alike_are_told_apart)
{
	struct run *run = spawn_run(500);
	char *text;

	free(run->variants[0].name);
	free(run->variants[1].name);
	run->variants[0].name = memory_string("autogroup-off");
	run->variants[1].name = memory_string("autogroup-on");
	text = explained(run);
	flatten(text);
	ck_contains(text, "compared autogroup-on against autogroup-off (base)");
	ck_contains(text, " base test change interval");
	free(text);
}
END_TEST

START_TEST(it_is_said_how_many_comparisons_were_made_and_corrected_how)
{
	char *text = explained(spawn_run(500));

	flatten(text);
	ck_contains(text, "4 comparisons of scheduling metrics.");
	ck_contains(text, "adjusted over all of them (Benjamini-Hochberg) at most 5%");
	free(text);
}
END_TEST

START_TEST(a_result_that_did_not_move_is_not_said_to_have_moved)
{
	char *text = explained(spawn_run(1000));

	flatten(text);
	ck_contains(text, "no result is called R or I; what moved all the same:");
	free(text);
}
END_TEST

UNIT_TESTS("explain", a_sentence_tells_what_moved_with_levels_and_where,
	   every_figure_of_a_sentence_is_in_the_table,
	   experiments_are_proposed_and_no_cause_is_stated,
	   an_effect_without_any_spread_needs_no_more_than_its_sign_test,
	   every_experiment_that_an_explanation_names_exists,
	   a_fact_that_several_metrics_tell_is_one_sentence,
	   time_comes_before_decisions_and_each_by_the_share_that_it_concerns,
	   levels_are_named_by_what_the_machine_has,
	   a_part_that_did_not_differ_is_not_in_a_sentence,
	   cpus_that_are_not_known_leave_no_empty_parentheses,
	   columns_of_names_that_begin_alike_are_told_apart,
	   it_is_said_how_many_comparisons_were_made_and_corrected_how,
	   a_result_that_did_not_move_is_not_said_to_have_moved)
