// SPDX-License-Identifier: GPL-2.0-only
/* The tables of the report about the allowed CPUs of a fork (stable list, 2026-07-15). */
#include "unit.h"

#include <math.h>

#include "capture.h"

static const struct metric_desc power = { "package_power", "W", BETTER_NEITHER, 1, "power" };
static const struct metric_desc clock_rate = { "clock", "MHz", BETTER_NEITHER, 1, "clock" };
static const struct metric_desc ipc = { "ipc", "1", BETTER_NEITHER, 1, "IPC" };

/* what a trial of the report's tables shows */
struct measured {
	double ops, power, clock, ipc, cov;
};

/* values of @n workers whose population CoV is @cov per cent: half above, half below the mean */
static void spread_workers(double *workers, int n, double ops, double cov)
{
	for (int i = 0; i < n; i++)
		workers[i] = ops / n * (1 + (i % 2 ? cov : -cov) / 100);
}

static void add_trial(struct run *run, int case_index, int variant, int block,
		      const struct measured *measured, int n_workers)
{
	struct trial *trial = fixture_trial(run, case_index, variant, block);
	double *workers = memory_zeroed(n_workers, sizeof(*workers));

	spread_workers(workers, n_workers, measured->ops, measured->cov);
	trial_add_metric(trial, &fixture_ops, measured->ops, workers, n_workers);
	if (!isnan(measured->power))
		trial_add_metric(trial, &power, measured->power, NULL, 0);
	if (!isnan(measured->clock))
		trial_add_metric(trial, &clock_rate, measured->clock, NULL, 0);
	if (!isnan(measured->ipc))
		trial_add_metric(trial, &ipc, measured->ipc, NULL, 0);
	free(workers);
}

static void set_cores(struct run *run, int cores)
{
	json_t *cases = json_object();

	for (int i = 0; i < run->n_cases; i++)
		json_object_set_new(cases, run->cases[i].name, json_string("zen"));
	json_object_set_new(run->environment, "case_machines", cases);
	json_object_set_new(run->environment, "machines",
			    json_pack("{s:{s:i}}", "zen", "nr_cores", cores));
}

START_TEST(line_of_the_report_comes_out_as_hwbench_printed_it)
{
	const struct measured before = { 395660, 568, 3274, 1.64, 63.4 };
	const struct measured after = { 470310, 568, 3141, 1.31, 6.8 };
	struct run *run = fixture_run(1, "Zen5c-baseline Zen5c-patched");
	char *text;

	for (int block = 0; block < 2; block++) {
		add_trial(run, 0, 0, block, &before, 384);
		add_trial(run, 0, 1, block, &after, 384);
	}
	set_cores(run, 320);
	text = captured(run, "hwbench");
	ck_contains(text, "\n### spawn: ops [1/s], higher is better\n");
	ck_contains(text, "Trace            Wrk     Perf  dPerf  Perf/core  dPerf/core  Power");
	ck_contains(text, "Zen5c-baseline*  384  395.66K  1.00x      1.24K       1.00x   568W");
	ck_contains(text, "Zen5c-patched    384  470.31K  1.19x      1.47K       1.19x   568W");
	/* the rest of the columns follows below, with the names again */
	ck_contains(text, "Zen5c-baseline*   1.00x  3274M   1.00x  1.64  1.00x  63.4%");
	ck_contains(text, "Zen5c-patched     1.19x  3141M   0.96x  1.31  0.80x   6.8%");
	ck_contains(text, "Not measured, left out: Linearity.");
	ck_fits(text);
	free(text);
}
END_TEST

START_TEST(columns_of_what_was_not_measured_are_left_out_and_named)
{
	const struct measured base = { 40950, NAN, NAN, NAN, 7 },
			      test = { 41990, NAN, NAN, NAN, .1 };
	struct run *run = fixture_run(1, "off on");
	char *text;

	add_trial(run, 0, 0, 0, &base, 40);
	add_trial(run, 0, 1, 0, &test, 40);
	text = captured(run, "hwbench");
	ck_contains(text, "\nTrace  Wrk    Perf  dPerf   CoV  n  V\n"
			  "off*    40  40.95K  1.00x  7.0%  1\n"
			  "on      40  41.99K  1.03x  0.1%  1  ?/?\n");
	ck_contains(text, "Not measured, left out: Perf/core, dPerf/core, Power, dPower, Perf/W, "
			  "Clock,\ndClock, IPC, dIPC, Linearity.");
	/* nothing is explained that is not there */
	ck_lacks(text, "IPC: ");
	ck_fits(text);
	free(text);
}
END_TEST

/* 2 and 4 workers of one section: twice the workers gave 1.8 times the rate */
START_TEST(linearity_is_against_the_step_with_the_fewest_workers)
{
	const struct measured four = { 1800, NAN, NAN, NAN, 0 }, two = { 1000, NAN, NAN, NAN, 0 };
	struct run *run = fixture_run(1, "off on");
	char *text;

	free(run->cases[0].name);
	run->cases[0].name = memory_string("spawn workers=4");
	fixture_case(run, "spawn workers=2");
	fixture_case(run, "other workers=1");
	json_object_set_new(run->cases[1].params, "workers", json_integer(2));
	for (int variant = 0; variant < 2; variant++) {
		add_trial(run, 0, variant, 0, &four, 4);
		add_trial(run, 1, variant, 0, &two, 2);
		add_trial(run, 2, variant, 0, &two, 1);
	}
	text = captured(run, "hwbench");
	ck_contains(text, "on       4  1.80K  1.00x  0.0%    -10.00%");
	ck_contains(text, "on       2  1.00K  1.00x  0.0%     +0.00%");
	ck_contains(text, "on       1  1.00K  1.00x    -          -");
	ck_contains(text, "### geometric means of the ratios where higher is better\n"
			  "Trace  dPerf  sections\n"
			  "off*   1.00x         3\n");
	free(text);
}
END_TEST

/* the receivers of a group wait for its senders */
START_TEST(workers_that_wait_for_each_other_have_no_linearity)
{
	const struct measured four = { 1800, NAN, NAN, NAN, 0 }, two = { 1000, NAN, NAN, NAN, 0 };
	struct run *run = fixture_run(1, "off on");
	char *text;

	free(run->cases[0].name);
	run->cases[0].name = memory_string("spawn workers=4");
	fixture_case(run, "spawn workers=2");
	for (int i = 0; i < 2; i++) {
		free(run->cases[i].workload);
		run->cases[i].workload = memory_string("messaging");
		json_object_clear(run->cases[i].params);
		add_trial(run, 0, i, 0, &four, 4);
		add_trial(run, 1, i, 0, &two, 2);
	}
	text = captured(run, "hwbench");
	ck_lacks(text, "-10.00%");
	ck_contains(text, "Linearity.");
	free(text);
}
END_TEST

START_TEST(several_variants_stand_below_one_reference)
{
	const double ops[] = { 100, 110, 90, 125 };
	struct run *run = fixture_run(1, "base a b c");
	char *text;

	for (int variant = 0; variant < 4; variant++)
		for (int block = 0; block < 3; block++) {
			const struct measured at = { ops[variant] + block * .01, NAN, NAN, NAN, 1 };

			add_trial(run, 0, variant, block, &at, 4);
		}
	text = captured(run, "hwbench");
	ck_contains(text, "base*    4  100.01  1.00x  1.0%  3\n");
	ck_contains(text, "a        4  110.01  1.10x  1.0%  3  I/?\n");
	ck_contains(text, "b        4   90.01  0.90x  1.0%  3  R/?\n");
	ck_contains(text, "c        4  125.01  1.25x  1.0%  3  I/?\n");
	ck_fits(text);
	free(text);
}
END_TEST

UNIT_TESTS("hwbench style", line_of_the_report_comes_out_as_hwbench_printed_it,
	   columns_of_what_was_not_measured_are_left_out_and_named,
	   linearity_is_against_the_step_with_the_fewest_workers,
	   workers_that_wait_for_each_other_have_no_linearity,
	   several_variants_stand_below_one_reference)
