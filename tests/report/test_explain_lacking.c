// SPDX-License-Identifier: GPL-2.0-only
/* what explain says of runs that lack something: one clear sentence, and nothing that is not so */
#include "unit.h"

#include <math.h>

#include "base/memory.h"
#include "explained.h"

static const struct explained_metric forks[] = { { "fork_moved", "%", 1, 80 },
						 { "ipc", "1", 1.2, 1.2 },
						 { NULL } };

static char *flat(struct run *run)
{
	char *text = explained(run);

	flatten(text);
	return text;
}

START_TEST(without_scheduling_metrics_it_says_how_to_get_them)
{
	static const struct explained_metric none[] = { { NULL } };
	struct run *run = explained_run(none);
	char *text;

	run->plan_text = memory_string("[plan]\n");
	text = flat(run);
	ck_contains(text, "no scheduling metric was measured: add monitor = events");
	ck_lacks(text, "comparisons of scheduling metrics");
	free(text);
	/* nobody can add a monitor to what another program measured */
	text = flat(explained_run(none));
	ck_contains(text, "no scheduling metric was measured; these results were imported");
	ck_lacks(text, "[plan]");
	free(text);
}
END_TEST

START_TEST(a_single_trial_is_not_compared_and_not_called_unmeasured)
{
	struct run *run = explained_run(forks);
	char *text;

	while (run->n_trials > 2)
		trial_clear(&run->trials[--run->n_trials]);
	text = flat(run);
	ck_contains(text,
		    "result ops 1000 -> 501/s, not compared: 1 block with a value of both; at "
		    "least 2 are needed");
	ck_contains(text, "not compared: fork_moved and 1 more (1 block with a value of both");
	ck_lacks(text, "no scheduling metric was measured");
	ck_lacks(text, "differ");
	free(text);
}
END_TEST

/* sharing_llc and an unnamed one: 8 and 3 in all blocks of the base, 0 in those of the test */
static struct run *exact_run(int blocks)
{
	static const struct explained_metric none[] = { { NULL } };
	static const struct metric_desc sharing = { "sharing_llc", "tasks", BETTER_NEITHER, 1, "" };
	static const struct metric_desc other = { "nameless", "1", BETTER_NEITHER, 1, "" };
	struct run *run = explained_run(none);

	while (run->n_trials > 2 * blocks)
		trial_clear(&run->trials[--run->n_trials]);
	for (int i = 0; i < run->n_trials; i++) {
		bool test = run->trials[i].variant_index == 1;

		trial_add_metric(&run->trials[i], &sharing, test ? 0 : 8, NULL, 0);
		trial_add_metric(&run->trials[i], &other, test ? 0 : 3, NULL, 0);
	}
	return run;
}

START_TEST(what_moved_without_spread_in_too_few_blocks_is_told_and_not_called_different)
{
	char *text = flat(exact_run(4));

	ck_contains(text, "2 scheduling metrics moved by the same amount in all 4 blocks, too few "
			  "to call them different (6 are enough): tasks that shared an LLC while "
			  "another LLC was idle 8 -> 0 tasks");
	ck_contains(text, "0 of 2 scheduling metrics differ");
	ck_lacks(text, "where the time went");
	free(text);
	text = flat(exact_run(6));
	ck_lacks(text, "too few to call");
	ck_contains(text, "2 of 2 scheduling metrics differ");
	ck_contains(text, "1. tasks that shared an LLC while another LLC was idle 8 -> 0 tasks");
	free(text);
}
END_TEST

START_TEST(failed_trials_are_counted_and_left_out)
{
	struct run *run = explained_run(forks);
	char *text;

	/* a trial of `on`, block 1, whose values would change the means */
	run->trials[3].status = TRIAL_FAILED;
	run->trials[3].reason = memory_string("worker 1 died of signal 9");
	run->trials[3].metrics[0].value = 9e9;
	text = flat(run);
	ck_contains(text, "1 of 6 trials of on failed (worker 1 died of signal 9)");
	ck_contains(text, "interleaved, 5 blocks");
	ck_contains(text, "ops 1001 -> 500.6/s");
	free(text);
}
END_TEST

START_TEST(metrics_of_one_variant_alone_are_named_with_the_other_ones_reason)
{
	struct run *run = explained_run(forks);
	char *text;

	for (int i = 0; i < run->n_trials; i++)
		for (int m = 1; run->trials[i].variant_index && m < run->trials[i].n_metrics; m++) {
			run->trials[i].metrics[m].value = NAN;
			run->trials[i].metrics[m].unavailable = memory_string("nothing forked");
		}
	text = flat(run);
	ck_contains(text, "measured in off alone: fork_moved and 1 more (on: nothing forked)");
	ck_lacks(text, "forks placed");
	ck_lacks(text, "no scheduling metric was measured");
	free(text);
}
END_TEST

START_TEST(a_result_of_zero_is_a_difference)
{
	struct run *run = explained_run(forks);
	char *text;

	for (int i = 0; i < run->n_trials; i++)
		if (run->trials[i].variant_index == 0)
			run->trials[i].metrics[0].value = 0;
	text = flat(run);
	/* a rate of 0 has no ratio: the difference is printed, and nothing crashes */
	ck_contains(text, "result ops 0 -> 500.5/s, +500.5");
	free(text);
}
END_TEST

static char *of_two_runs(struct run *first, struct run *second)
{
	struct table_options options = fixture_options();
	struct report_options report = { false };
	struct fixture_sides sides = { .n = 0 };
	struct table *table;
	size_t length;
	char *text;
	FILE *stream = open_memstream(&text, &length);

	options.role = explained_role;
	fixture_add_side(&sides, first, 0);
	fixture_add_side(&sides, second, 1);
	ck_no_error(table_new(sides.sides, sides.n, &options, &table));
	explain_print(stream, table, &report);
	fclose(stream);
	table_free(table);
	run_free(first);
	run_free(second);
	flatten(text);
	return text;
}

START_TEST(runs_of_other_versions_and_machines_are_named)
{
	struct run *first = explained_run(forks), *second = explained_run(forks);
	char *text;

	second->id = 8;
	free(first->tool_version);
	free(second->tool_version);
	first->tool_version = memory_string("0.1.0");
	second->tool_version = memory_string("0.2.0");
	first->variants[0].machine = memory_string("big");
	second->variants[1].machine = memory_string("small");
	text = of_two_runs(first, second);
	ck_contains(text, "made by two versions: off by 0.1.0, on by 0.2.0");
	ck_contains(text, "different machines: off ran on big, on on small");
	ck_contains(text, "not interleaved");
	free(text);
}
END_TEST

START_TEST(a_case_of_one_run_alone_is_named)
{
	struct run *first = explained_run(forks), *second = explained_run(forks);
	char *text;

	second->id = 8;
	fixture_case(first, "idle case");
	text = of_two_runs(first, second);
	ck_contains(text, "case idle case is not compared: only off has it");
	free(text);
}
END_TEST

UNIT_TESTS("explain what lacks", without_scheduling_metrics_it_says_how_to_get_them,
	   a_single_trial_is_not_compared_and_not_called_unmeasured,
	   what_moved_without_spread_in_too_few_blocks_is_told_and_not_called_different,
	   failed_trials_are_counted_and_left_out,
	   metrics_of_one_variant_alone_are_named_with_the_other_ones_reason,
	   a_result_of_zero_is_a_difference, runs_of_other_versions_and_machines_are_named,
	   a_case_of_one_run_alone_is_named)
