// SPDX-License-Identifier: GPL-2.0-only
/*
 * Does the rule do what it says? Simulation on generated data with fixed seeds: false alarms, coverage,
 * false discoveries, the number of further trials, drift. Bounds are three standard deviations of a
 * binomial count, so that a correct rule passes with any seed, and a wrong one does not.
 */
#include "unit.h"

#include <math.h>

#include "fixture.h"
#include "draws.h"

static double bound(double rate, int repeats)
{
	return rate + 3 * sqrt(rate * (1 - rate) / repeats);
}

/* ---- hard data ---- */

enum shape {
	LOG_NORMAL,
	SKEWED,
	BIMODAL,
	DRIFTING,
	N_SHAPES
};

/* the state of a machine while trials run */
struct machine_state {
	struct random random;
	enum shape shape;
	double drift; /* logarithm of its speed: a random walk from block to block */
};

static void next_block(struct machine_state *state)
{
	if (state->shape == DRIFTING)
		state->drift += 0.05 * random_normal(&state->random);
}

static double draw(struct machine_state *state)
{
	struct random *random = &state->random;

	switch (state->shape) {
	case SKEWED: /* now and then something else runs too */
		return 100 / (1 - 0.1 * log(random_uniform(random)));
	case BIMODAL: /* two ways to be placed */
		return (random_uniform(random) < 0.5 ? 100 : 150) *
		       random_log_normal(random, 1, 0.01);
	case DRIFTING:
		return exp(state->drift) * random_log_normal(random, 100, 0.01);
	default:
		return random_log_normal(random, 100, 0.03);
	}
}

/* trials of two equal variants: @metrics metrics, with values per worker, @blocks blocks */
static struct run *equal_variants(struct machine_state *state, int metrics, int blocks)
{
	struct run *run = fixture_run(1, "a b");

	for (int block = 0; block < blocks; block++) {
		next_block(state);
		for (int variant = 0; variant < 2; variant++) {
			struct trial *trial = fixture_trial(run, 0, variant, block);

			for (int m = 0; m < metrics; m++) {
				autofree char *name = memory_format("metric_%d", m);
				struct metric_desc desc = { name, "1/s", BETTER_HIGHER, 1, "" };
				double workers[4];

				for (int i = 0; i < 4; i++)
					workers[i] = random_log_normal(&state->random, 25, 0.1);
				trial_add_metric(trial, &desc, draw(state), workers, 4);
			}
		}
	}
	return run;
}

static bool has_alarm(const struct table *table)
{
	for (int i = 0; i < table->n_rows; i++)
		if (table->rows[i].cells[1].verdict == VERDICT_REGRESSION ||
		    table->rows[i].cells[1].verdict == VERDICT_IMPROVEMENT)
			return true;
	return false;
}

/* in how many of the tables is there any R or I? */
static int alarms(enum shape shape, uint64_t seed, int metrics, int blocks, int repeats)
{
	struct table_options options = fixture_options();
	int n = 0;

	for (int repeat = 0; repeat < repeats; repeat++) {
		struct machine_state state = { { seed + 1000003 * repeat }, shape, 0 };
		struct run *run = equal_variants(&state, metrics, blocks);
		struct fixture_sides sides;
		struct table *table;

		fixture_sides_of(&sides, run);
		ck_no_error(table_new(sides.sides, sides.n, &options, &table));
		n += has_alarm(table);
		table_free(table);
		run_free(run);
	}
	return n;
}

START_TEST(equal_variants_give_no_verdict_in_19_of_20_tables)
{
	for (int metrics = 1; metrics <= 5; metrics += 2)
		ck_assert_int_le(alarms(LOG_NORMAL, 100 * metrics, metrics, 10, 20), 1);
}
END_TEST

START_TEST(false_alarms_of_tables_are_at_most_5_per_cent)
{
	for (int shape = 0; shape < N_SHAPES; shape++)
		ck_assert_int_le(alarms(shape, 7 + shape, 3, 10, 1500), 1500 * bound(0.05, 1500));
}
END_TEST

START_TEST(few_trials_do_not_raise_false_alarms)
{
	for (int shape = 0; shape < N_SHAPES; shape++)
		ck_assert_int_le(alarms(shape, 70 + shape, 3, 4, 1500), 1500 * bound(0.05, 1500));
}
END_TEST

/* ---- intervals ---- */

static double coverage(double ratio, double sigma, int n, int repeats)
{
	struct random random = { 42 + n };
	int covered = 0;

	for (int repeat = 0; repeat < repeats; repeat++) {
		double base[32], test[32];
		struct effect effect;

		for (int i = 0; i < n; i++) {
			base[i] = random_log_normal(&random, 50, sigma);
			test[i] = random_log_normal(&random, 50 * ratio, sigma);
		}
		ck_no_error(ratio_paired(base, test, n, 0.95, &effect));
		covered += effect.low <= ratio && ratio <= effect.high;
	}
	return (double)covered / repeats;
}

START_TEST(interval_covers_the_true_ratio_95_times_in_100)
{
	static const int sizes[] = { 2, 3, 5, 10, 30 };
	const int repeats = 4000;
	const double most = 3 * sqrt(0.95 * 0.05 / repeats);

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		ck_assert_double_eq_tol(coverage(1.1, 0.2, sizes[i], repeats), 0.95, most);
}
END_TEST

START_TEST(unpaired_interval_covers_with_unequal_spread_and_size)
{
	const int repeats = 4000;
	struct random random = { 5 };
	int covered = 0;

	for (int repeat = 0; repeat < repeats; repeat++) {
		double base[6], test[15];
		struct effect effect;

		for (int i = 0; i < 6; i++)
			base[i] = random_log_normal(&random, 10, 0.3);
		for (int i = 0; i < 15; i++)
			test[i] = random_log_normal(&random, 12, 0.05);
		ck_no_error(ratio_unpaired(base, 6, test, 15, 0.95, &effect));
		covered += effect.low <= 1.2 && 1.2 <= effect.high;
	}
	/* Welch's t is approximate: one point more on either side */
	ck_assert_double_eq_tol((double)covered / repeats, 0.95, 0.02);
}
END_TEST

/* ---- many rows, half of them with an effect ---- */

START_TEST(false_discoveries_are_at_most_5_per_cent)
{
	struct table_options options = fixture_options();
	struct random random = { 11 };
	const int repeats = 400, metrics = 20;
	double share = 0;
	int found = 0;

	options.margin = 0;
	for (int repeat = 0; repeat < repeats; repeat++) {
		struct run *run = fixture_run(1, "a b");
		struct fixture_sides sides;
		struct table *table;
		int called = 0, wrong = 0;

		for (int i = 0; i < 20; i++) {
			struct trial *trial = fixture_trial(run, 0, i % 2, i / 2);

			for (int m = 0; m < metrics; m++) {
				autofree char *name = memory_format("metric_%d", m);
				struct metric_desc desc = { name, "s", BETTER_LOWER, 1, "" };
				double effect = i % 2 && m < metrics / 2 ? 1.06 : 1;

				trial_add_metric(trial, &desc,
						 random_log_normal(&random, 10 * effect, 0.03),
						 NULL, 0);
			}
		}
		fixture_sides_of(&sides, run);
		ck_no_error(table_new(sides.sides, sides.n, &options, &table));
		for (int m = 0; m < metrics; m++) {
			enum verdict verdict = table->rows[m].cells[1].verdict;
			bool is_called =
				verdict == VERDICT_REGRESSION || verdict == VERDICT_IMPROVEMENT;

			called += is_called;
			wrong += is_called && m >= metrics / 2;
		}
		found += called - wrong;
		share += called ? (double)wrong / called : 0;
		table_free(table);
		run_free(run);
	}
	/* half of the rows have no effect: 2.5 %; and it must not be bought by finding nothing */
	ck_assert_double_le(share / repeats, bound(0.05 / 2, repeats));
	ck_assert_double_ge((double)found / (repeats * metrics / 2), 0.9);
}
END_TEST

/* ---- the number of further trials ---- */

static void draw_pairs(struct random *random, double effect, double sigma, int n, double *base,
		       double *test)
{
	for (int i = 0; i < n; i++) {
		base[i] = random_log_normal(random, 10, sigma / sqrt(2));
		test[i] = random_log_normal(random, 10 * exp(effect), sigma / sqrt(2));
	}
}

static bool decides(struct random *random, double effect, double sigma, int n, double margin)
{
	double base[512], test[512];
	struct effect found;

	draw_pairs(random, effect, sigma, n, base, test);
	ck_no_error(ratio_paired(base, test, n, 0.95, &found));
	return verdict_of(&found, BETTER_LOWER, found.p_value, 0.05, margin) != VERDICT_UNDECIDED;
}

/* the number of blocks at which half of the comparisons are decided */
static int blocks_needed(double effect, double sigma, double margin)
{
	struct random random = { 3 };

	for (int n = 4; n < 512; n += n / 16 + 1) {
		int decided = 0;

		for (int repeat = 0; repeat < 400; repeat++)
			decided += decides(&random, effect, sigma, n, margin);
		if (decided >= 200)
			return n;
	}
	return 512;
}

static int compare_ints(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* the median of what is predicted from @n blocks by those that are undecided then */
static int blocks_predicted(double effect, double sigma, int n, double margin)
{
	struct random random = { 4 };
	int predicted[1000], count = 0;

	while (count < 1000) {
		double base[512], test[512];
		struct effect found;

		draw_pairs(&random, effect, sigma, n, base, test);
		ck_no_error(ratio_paired(base, test, n, 0.95, &found));
		if (verdict_of(&found, BETTER_LOWER, found.p_value, 0.05, margin) ==
		    VERDICT_UNDECIDED)
			predicted[count++] = n + further_trials(&found, 0.05, 0.05, margin).trials;
	}
	qsort(predicted, count, sizeof(*predicted), compare_ints);
	return predicted[count / 2];
}

START_TEST(predicted_number_of_trials_is_about_what_is_needed)
{
	static const struct {
		double effect, sigma;
	} cases[] = { { 0.03, 0.06 }, { 0.04, 0.10 }, { 0, 0.02 }, { 0, 0.03 } };
	const double margin = margin_of_ratio(0.01);

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int needed = blocks_needed(cases[i].effect, cases[i].sigma, margin);
		int predicted = blocks_predicted(cases[i].effect, cases[i].sigma, 10, margin);

		ck_assert_msg(predicted >= needed / 2 && predicted <= needed * 2,
			      "effect %g, sd %g: predicted %d, needed %d", cases[i].effect,
			      cases[i].sigma, predicted, needed);
	}
}
END_TEST

/* ---- drift ---- */

START_TEST(interleaving_cancels_a_drift_that_hides_the_effect_otherwise)
{
	struct random random = { 9 };
	int paired = 0, unpaired = 0;

	for (int repeat = 0; repeat < 200; repeat++) {
		double base[10], test[10];
		struct effect effect;

		/* the machine slows down by a third; the variant is 2 % faster */
		for (int i = 0; i < 10; i++) {
			double speed = 100 * (1 - 0.033 * i);

			base[i] = random_log_normal(&random, speed, 0.005);
			test[i] = random_log_normal(&random, 1.02 * speed, 0.005);
		}
		ck_no_error(ratio_paired(base, test, 10, 0.95, &effect));
		paired += effect.low > 1;
		ck_no_error(ratio_unpaired(base, 10, test, 10, 0.95, &effect));
		unpaired += effect.low > 1;
	}
	ck_assert_int_ge(paired, 198);
	ck_assert_int_le(unpaired, 10);
}
END_TEST

UNIT_TESTS("calibration", equal_variants_give_no_verdict_in_19_of_20_tables,
	   false_alarms_of_tables_are_at_most_5_per_cent, few_trials_do_not_raise_false_alarms,
	   interval_covers_the_true_ratio_95_times_in_100,
	   unpaired_interval_covers_with_unequal_spread_and_size,
	   false_discoveries_are_at_most_5_per_cent,
	   predicted_number_of_trials_is_about_what_is_needed,
	   interleaving_cancels_a_drift_that_hides_the_effect_otherwise)
