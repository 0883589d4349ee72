// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"

#include <math.h>

#include "backend/saturation.h"

/* a machine whose throughput rises up to `full` and then stays, falls, or grows on */
struct curve {
	double full, rate;
	double after;  /* share of the throughput that is left far above full */
	double dip;    /* an unlucky trial: this load measures half */
	double noise;  /* plus or minus, alternating */
	double stolen; /* by others, of two trials in three */
	bool offered;
	int calls;
};

static struct error *measure(int64_t load, int trial, void *data, double *throughput)
{
	struct curve *curve = data;
	double value = curve->rate * fmin(load, curve->full);

	ck_assert_int_eq(trial, curve->calls);
	if (trial % 3)
		value *= 1 - curve->stolen;
	if (load > curve->full)
		value *= curve->after + (1 - curve->after) * curve->full / load;
	if (load == curve->dip)
		value /= 2;
	*throughput = value * (1 + (curve->calls++ % 2 ? 1 : -1) * curve->noise);
	return NULL;
}

static int64_t find(struct curve *curve, int64_t start)
{
	struct saturation_range range = { start, 1, 1 << 20, curve->offered };
	struct saturation found;
	int64_t load;

	curve->calls = 0;
	ck_no_error(saturation_search(&range, measure, curve, &found));
	load = found.load;
	ck_assert_int_eq(found.n, curve->calls);
	ck_assert_int_le(found.n, SATURATION_TRIALS);
	saturation_clear(&found);
	return load;
}

START_TEST(load_at_which_throughput_ends_to_grow_is_found_from_any_start)
{
	static const int fulls[] = { 1, 2, 3, 7, 16, 64, 100, 640, 4000 };
	static const int starts[] = { 1, 3, 16, 160, 100000 };

	for (size_t i = 0; i < ARRAY_SIZE(fulls); i++) {
		for (size_t j = 0; j < ARRAY_SIZE(starts); j++) {
			struct curve curve = { .full = fulls[i], .rate = 10, .after = 1 };
			int64_t load = find(&curve, starts[j]);

			ck_assert_msg(load >= .99 * fulls[i] && load <= 1.02 * fulls[i],
				      "%ld for %d from %d", (long)load, fulls[i], starts[j]);
		}
	}
}
END_TEST

START_TEST(throughput_that_falls_above_it_does_not_hide_it)
{
	struct curve curve = { .full = 40, .rate = 1, .after = .5 };

	ck_assert_int_eq(find(&curve, 10), 40);
	/* from above, where less is more */
	ck_assert_int_eq(find(&curve, 640), 40);
}
END_TEST

START_TEST(one_unlucky_trial_does_not_end_the_search)
{
	struct curve curve = { .full = 64, .rate = 1, .after = 1, .dip = 8 };

	ck_assert_int_eq(find(&curve, 4), 64);
}
END_TEST

START_TEST(noise_moves_it_little)
{
	struct curve curve = { .full = 64, .rate = 1, .after = 1, .noise = .02 };
	int64_t load = find(&curve, 1);

	ck_assert_msg(load >= 58 && load <= 70, "%ld", (long)load);
}
END_TEST

START_TEST(what_is_offered_saturates_where_it_is_no_longer_completed)
{
	static const double fulls[] = { 7, 100, 1050, 9000, 400000 };
	static const int starts[] = { 1, 50, 16384 };

	for (size_t i = 0; i < ARRAY_SIZE(fulls); i++) {
		for (size_t j = 0; j < ARRAY_SIZE(starts); j++) {
			struct curve curve = {
				.full = fulls[i], .rate = 1, .after = .5, .offered = true
			};
			int64_t load = find(&curve, starts[j]);

			ck_assert_msg(load >= .95 * fulls[i] && load <= 1.01 * fulls[i],
				      "%ld for %g from %d", (long)load, fulls[i], starts[j]);
		}
	}
}
END_TEST

START_TEST(throughput_that_wavers_above_the_saturation_does_not_raise_it)
{
	for (double noise = .01; noise < .08; noise += .01) {
		struct curve curve = {
			.full = 1050, .rate = 1, .after = 1, .noise = noise, .offered = true
		};
		int64_t load = find(&curve, 50);

		ck_assert_msg(load >= (1 - noise) * .94 * 1050 && load <= (1 + noise) * 1051,
			      "%ld with %g", (long)load, noise);
	}
}
END_TEST

START_TEST(time_that_others_take_in_some_trials_does_not_lower_it)
{
	for (int offered = 0; offered < 2; offered++) {
		/* which shares of the most are full can only be told apart by what is offered */
		for (double stolen = .05; stolen < (offered ? .9 : .12); stolen += .05) {
			struct curve curve = { .full = 1000,
					       .rate = 1,
					       .after = 1,
					       .stolen = stolen,
					       .offered = offered };
			int64_t load = find(&curve, 64);

			ck_assert_msg(load >= 930 && load <= 1210, "%ld with %g", (long)load,
				      stolen);
		}
	}
}
END_TEST

START_TEST(what_is_offered_without_a_saturation_is_an_error_that_says_so)
{
	struct saturation_range range = { 50, 5, 1 << 20, true };
	struct curve curve = { .full = 3, .rate = 1, .after = 1 };
	struct saturation found;

	ck_error(saturation_search(&range, measure, &curve, &found), ERR_DOMAIN,
		 "not even 5, the least");
	saturation_clear(&found);
	curve = (struct curve){ .full = 1e9, .rate = 1, .after = 1 };
	ck_error(saturation_search(&range, measure, &curve, &found), ERR_DOMAIN,
		 "all of 819200 is");
	saturation_clear(&found);
}
END_TEST

START_TEST(throughput_without_an_end_is_an_error_that_says_so)
{
	const struct saturation_range range = { 1, 1, 1000, false };
	struct curve curve = { .full = 1e9, .rate = 1, .after = 1 };
	struct saturation found;

	ck_error(saturation_search(&range, measure, &curve, &found), ERR_DOMAIN,
		 "still grows at 512");
	saturation_clear(&found);
	curve = (struct curve){ .full = 1, .rate = 0 };
	ck_error(saturation_search(&range, measure, &curve, &found), ERR_DOMAIN, "no throughput");
	saturation_clear(&found);
}
END_TEST

static struct error *refuse(int64_t load, int trial, void *data, double *throughput)
{
	(void)data;
	(void)trial;
	*throughput = load;
	return load < 4 ? NULL : error_new(ERR_INPUT, "no memory for 4");
}

START_TEST(trial_that_fails_ends_the_search_and_keeps_what_was_measured)
{
	const struct saturation_range range = { 1, 1, 1000, false };
	struct saturation found;

	ck_error(saturation_search(&range, refuse, NULL, &found), ERR_INPUT, "no memory for 4");
	ck_assert_int_eq(found.n, 2);
	saturation_clear(&found);
}
END_TEST

UNIT_TESTS("saturation", load_at_which_throughput_ends_to_grow_is_found_from_any_start,
	   throughput_that_falls_above_it_does_not_hide_it,
	   one_unlucky_trial_does_not_end_the_search, noise_moves_it_little,
	   what_is_offered_saturates_where_it_is_no_longer_completed,
	   throughput_that_wavers_above_the_saturation_does_not_raise_it,
	   time_that_others_take_in_some_trials_does_not_lower_it,
	   what_is_offered_without_a_saturation_is_an_error_that_says_so,
	   throughput_without_an_end_is_an_error_that_says_so,
	   trial_that_fails_ends_the_search_and_keeps_what_was_measured)
