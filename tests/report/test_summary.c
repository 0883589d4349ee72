// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"

#include <math.h>

#include "capture.h"

static const double lps_off[] = { 27745, 27801, 27650, 27900, 27700, 27720 };
static const double lps_on[] = { 21005, 21100, 20950, 21150, 20980, 21010 };

static struct run *spawn_run(void)
{
	struct run *run = fixture_run(12, "off on");

	fixture_values(run, 0, &fixture_ops, lps_off, 6);
	fixture_values(run, 1, &fixture_ops, lps_on, 6);
	return run;
}

START_TEST(header_says_what_is_compared)
{
	struct run *run = spawn_run();
	char *text;

	json_object_set_new(run->environment, "kernel_release", json_string("6.13.1"));
	json_object_set_new(run->environment, "cpu", json_pack("{s:s}", "model", "Graviton2"));
	json_object_set_new(run->environment, "machine",
			    json_pack("{s:s, s:i, s:i}", "name", "live", "nr_cpus", 4, "nr_nodes",
				      1));
	text = captured(run, "summary");
	ck_contains(text, "compared  on against off (base)\n");
	ck_contains(text, "run 12 (fixture.plan, 2026-09-21 14:13 UTC, label fixture)\n");
	ck_contains(text, "machine   Graviton2, 4 CPUs, 1 node; kernel 6.13.1; backend live\n");
	ck_contains(text, "interleaved, 6 blocks");
	ck_fits(text);
	free(text);
}
END_TEST

static void set_text(char **text, const char *value)
{
	free(*text);
	*text = memory_string(value);
}

static void set_kernel(struct run *run, int variant, const char *patches)
{
	for (int i = 0; i < run->n_trials; i++) {
		struct trial *trial = &run->trials[i];
		json_t *kernel;

		if (trial->variant_index != variant)
			continue;
		if (!trial->environment)
			trial->environment = json_object();
		kernel = json_pack("{s:s, s:s, s:[], s:[], s:[]}", "version", "6.12.9", "source_id",
				   "commit:0123456789abcdef0123", "config", "patches",
				   "patch_sha256");
		if (*patches) {
			json_array_append_new(json_object_get(kernel, "patches"),
					      json_string(patches));
			json_array_append_new(json_object_get(kernel, "patch_sha256"),
					      json_string("fedcba9876543210"));
		}
		json_object_set_new(trial->environment, "kernel", kernel);
		trial->duration = 2.5;
	}
}

START_TEST(header_says_which_kernels_and_how_it_was_measured)
{
	struct run *same = spawn_run(), *patched = spawn_run();
	struct run *three = fixture_run(3, "off old new");
	char *text;

	for (int i = 0; i < 3; i++)
		fixture_values(three, i, &fixture_ops, lps_off, 6);
	for (int i = 0; i < 2; i++) {
		set_text(&same->variants[i].backend, "sim");
		set_text(&patched->variants[i].backend, "sim");
		set_kernel(same, i, "");
	}
	same->seed = UINT64_MAX;
	set_text(&same->tool_version, "0.1.0 (abc)");
	text = captured(same, "summary");
	ck_contains(text, "\nkernels   Linux 6.12.9, commit 0123456789ab, no patches\n");
	ck_contains(text, "\nmeasured  by fairtrial 0.1.0 (abc); a trial took 2.5 s; seed\n"
			  "          18446744073709551615\n");
	free(text);
	for (int i = 0; i < 3; i++)
		set_kernel(three, i, i == 1 ? "old.patch" : "");
	for (int i = 0; i < 3; i++)
		set_text(&three->variants[i].backend, "sim");
	text = captured(three, "summary");
	ck_contains(text,
		    "\nkernels   off, new: Linux 6.12.9, commit 0123456789ab, no patches; old: ");
	ck_fits(text);
	free(text);
	set_kernel(patched, 1, "some/where/fix.patch");
	text = captured(patched, "summary");
	ck_contains(text, "\nkernels   off: not recorded; on: Linux 6.12.9, commit 0123456789ab, "
			  "patch\n          fix.patch (sha256:fedcba987654)\n");
	ck_fits(text);
	free(text);
}
END_TEST

/* as live trials with monitor = events; the first @n of a variant */
static void set_recorded(struct run *run, int n)
{
	for (int i = 0; i < run->n_trials; i++) {
		struct trial *trial = &run->trials[i];

		if (trial->block >= n)
			continue;
		if (!trial->environment)
			trial->environment = json_object();
		json_object_set_new(trial->environment, "events_recorder",
				    json_pack("{s:f, s:f, s:i}", "seconds", 2.0,
					      "reader_cpu_seconds", 0.05, "bytes", 4096));
	}
}

START_TEST(trials_that_were_recorded_are_told_with_what_it_cost)
{
	struct run *all = spawn_run(), *some = spawn_run();
	char *text = captured(spawn_run(), "summary");

	ck_lacks(text, "recorded");
	free(text);
	set_recorded(all, 6);
	text = captured(all, "summary");
	ck_contains(text, "recorded  scheduling events, in all trials: rates and times are not");
	ck_contains(text, "; the reader took 2.5 % of a CPU");
	ck_fits(text);
	free(text);
	set_recorded(some, 1);
	text = captured(some, "summary");
	ck_contains(text, "recorded  scheduling events, in 2 of 12 trials");
	ck_fits(text);
	free(text);
}
END_TEST

START_TEST(metric_without_any_value_is_one_line)
{
	struct run *run = fixture_run(1, "off on");
	char *text;

	for (int i = 0; i < 8; i++)
		trial_add_unavailable(fixture_trial(run, 0, i % 2, i / 2), &fixture_ops,
				      "nothing was counted");
	text = captured(run, "summary");
	ck_contains(text, "  ops, 1/s (higher is better)\n"
			  "      no value in any trial: nothing was counted\n");
	ck_lacks(text, "not compared");
	free(text);
}
END_TEST

static double number_after(const char *text, const char *label)
{
	const char *at = strstr(text, label);

	ck_assert_msg(at != NULL, "no \"%s\" in:\n%s", label, text);
	return strtod(at + strlen(label), NULL);
}

START_TEST(change_can_be_recomputed_from_what_is_printed)
{
	char *text = captured(spawn_run(), "summary");
	double off = number_after(text, "\n    off "), on = number_after(text, "\n    on ");
	char expected[32];

	snprintf(expected, sizeof(expected), "%+.2f%%", 100 * (on / off - 1));
	ck_contains(text, expected);
	ck_contains(text, "  R\n");
	ck_contains(text, "ops, 1/s (higher is better)");
	ck_contains(text, "R regression, I improvement: at most 5% of these are false");
	ck_lacks(text, "? undecided");
	ck_fits(text);
	free(text);
}
END_TEST

START_TEST(context_stands_beneath_the_case_without_a_verdict)
{
	struct run *run = spawn_run();
	char *text;

	for (int i = 0; i < run->n_trials; i++)
		trial_add_metric(&run->trials[i], &fixture_idle,
				 run->trials[i].variant_index ? 18 + 0.1 * i : 0.5, NULL, 0);
	text = captured(run, "summary");
	ck_contains(text, "idle %\n    off        0.5000\n    on          18.85 d\n");
	ck_contains(text, "d differs");
	ck_fits(text);
	free(text);
}
END_TEST

START_TEST(zeros_are_left_out_only_where_columns_do_not_fit)
{
	static const struct metric_desc other = { "context_switches_of_tasks", "1/s",
						  BETTER_NEITHER, 1, "" };
	static const struct metric_desc zero = { "a_long_name_of_a_share", "%", BETTER_NEITHER, 1,
						 "" };
	struct run *run = spawn_run();
	struct table_options options = fixture_options();
	struct fixture_sides sides;
	char *text;

	for (int i = 0; i < run->n_trials; i++) {
		trial_add_metric(&run->trials[i], &fixture_idle, 0, NULL, 0);
		trial_add_metric(&run->trials[i], &zero, 0, NULL, 0);
	}
	fixture_sides_of(&sides, run);
	text = captured_sides(&sides, "summary", &options, false);
	ck_contains(text, "idle %");
	ck_contains(text, "a_long_name_of_a_share %");
	free(text);
	for (int i = 0; i < run->n_trials; i++)
		trial_add_metric(&run->trials[i], &other, i, NULL, 0);
	text = captured_sides(&sides, "summary", &options, false);
	ck_contains(text, "idle %");
	ck_lacks(text, "a_long_name_of_a_share %");
	ck_contains(text, "context_switches_of_tasks 1/s");
	ck_fits(text);
	free(text);
	run_free(run);
}
END_TEST

START_TEST(undecided_says_how_many_trials_more)
{
	const double base[] = { 100, 110, 90, 105, 95, 100 },
		     test[] = { 103, 118, 90, 101, 103, 101 };
	char *text = captured(fixture_pair("off on", &fixture_ops, base, test), "summary");

	ck_contains(text, "]  ? +");
	ck_contains(text, "? undecided; +N: trials more of each variant");
	ck_fits(text);
	free(text);
}
END_TEST

START_TEST(bimodal_trials_are_named)
{
	double steady[10], modes[10];
	char *text;

	for (int i = 0; i < 10; i++) {
		steady[i] = 16 + 0.3 * ((i * 7) % 10);
		modes[i] = i % 2 ? 12.1 : 20.3;
	}
	text = captured(fixture_pair("off on", &fixture_time, steady, modes), "summary");
	ck_contains(text, "bimodal: 5 trials near 12.10, 5 near 20.30\n");
	ck_fits(text);
	free(text);
}
END_TEST

START_TEST(every_problem_of_the_data_is_said)
{
	const double failed[] = { 21005, NAN, 20950, 21150, 20980, 21010 };
	const double once[] = { 21005 };
	struct run *run = fixture_run(1, "off on once");
	char *text;

	fixture_values(run, 0, &fixture_ops, lps_off, 6);
	fixture_values(run, 1, &fixture_ops, failed, 6);
	fixture_values(run, 2, &fixture_ops, once, 1);
	trial_add_unavailable(fixture_trial(run, 0, 2, 1), &fixture_ops, "counter overflow");
	run->complete = false;
	text = captured(run, "summary");
	ck_contains(text, "incomplete");
	ck_contains(text, "spawn: 1 of 6 trials of on failed (worker 1 died of signal 9)");
	ck_contains(text, "no value in 1 trial: counter overflow");
	ck_contains(text, "not compared: 1 block with a value of both; at least 2 are needed");
	ck_fits(text);
	free(text);
}
END_TEST

START_TEST(seven_kernels_fit_78_columns)
{
	struct run *run = fixture_run(
		1, "6.18 6.19-rc1 6.19-rc2 6.19-rc3 revert-next-buddy-both-patches r1 r2");
	char *text;

	for (int variant = 0; variant < 7; variant++)
		fixture_values(run, variant, &fixture_ops, variant % 2 ? lps_on : lps_off, 6);
	for (int i = 0; i < run->n_trials; i++)
		for (int m = 0; m < 9; m++) {
			autofree char *name = memory_format("share_of_kind_%d", m);
			struct metric_desc desc = { name, "%", BETTER_NEITHER, 1, "" };

			trial_add_metric(&run->trials[i], &desc, i + m, NULL, 0);
		}
	text = captured(run, "summary");
	ck_fits(text);
	ck_contains(text, "\n    revert-next-buddy-both-patches\n");
	ck_contains(text, "share_of_kind_8 %");
	free(text);
}
END_TEST

START_TEST(extreme_numbers_fit_too)
{
	const double tiny[] = { 1e-12, 3e-9, 2e-6, 5e-12 }, huge[] = { 1e15, 2e9, 7e12, 1e3 };
	char *text = captured(fixture_pair("a-long-name-of-a-variant b", &fixture_time, tiny, huge),
			      "summary");

	ck_fits(text);
	free(text);
}
END_TEST

START_TEST(not_interleaved_is_said)
{
	struct run *before = fixture_run(3, "v1"), *after = fixture_run(4, "v2");
	struct table_options options = fixture_options();
	struct fixture_sides sides = { .n = 0 };
	char *text;

	fixture_values(before, 0, &fixture_ops, lps_off, 6);
	fixture_values(after, 0, &fixture_ops, lps_on, 6);
	fixture_add_side(&sides, before, 0);
	fixture_add_side(&sides, after, 0);
	text = captured_sides(&sides, "summary", &options, false);
	ck_contains(text, "results   v1: run 3");
	ck_contains(text, "          v2: run 4");
	ck_contains(text, "not interleaved");
	ck_contains(text, "Welch's t");
	ck_fits(text);
	free(text);
	run_free(before);
	run_free(after);
}
END_TEST

START_TEST(colour_is_there_only_when_asked_for)
{
	struct run *run = spawn_run();
	struct table_options options = fixture_options();
	struct fixture_sides sides;
	char *plain, *coloured;

	fixture_sides_of(&sides, run);
	plain = captured_sides(&sides, "summary", &options, false);
	coloured = captured_sides(&sides, "summary", &options, true);
	ck_lacks(plain, "\033");
	ck_contains(coloured, "\033[1;31mR\033[0m\n");
	free(plain);
	free(coloured);
	run_free(run);
}
END_TEST

UNIT_TESTS("summary", header_says_what_is_compared, metric_without_any_value_is_one_line,
	   header_says_which_kernels_and_how_it_was_measured,
	   trials_that_were_recorded_are_told_with_what_it_cost,
	   change_can_be_recomputed_from_what_is_printed,
	   context_stands_beneath_the_case_without_a_verdict,
	   zeros_are_left_out_only_where_columns_do_not_fit, undecided_says_how_many_trials_more,
	   bimodal_trials_are_named, every_problem_of_the_data_is_said,
	   seven_kernels_fit_78_columns, extreme_numbers_fit_too, not_interleaved_is_said,
	   colour_is_there_only_when_asked_for)
