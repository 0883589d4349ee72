// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"

#include "plan/plan.h"

static struct plan_step *schedule(int trials, int n_variants, int n_cases, uint64_t seed,
				  const bool *skipped, int *n)
{
	struct plan plan = { .trials = trials, .n_variants = n_variants, .seed = seed };
	struct plan_step *steps;

	plan_schedule(&plan, n_cases, skipped, &steps, n);
	return steps;
}

START_TEST(each_block_has_every_variant_of_every_case_once)
{
	for (int n_variants = 1; n_variants <= 5; n_variants++) {
		for (uint64_t seed = 0; seed < 20; seed++) {
			int seen[7][3][5] = { 0 }, n;
			autofree struct plan_step *steps =
				schedule(7, n_variants, 3, seed, NULL, &n);

			ck_assert_int_eq(n, 7 * 3 * n_variants);
			for (int i = 0; i < n; i++)
				seen[steps[i].block][steps[i].case_index][steps[i].variant_index]++;
			for (int b = 0; b < 7; b++)
				for (int c = 0; c < 3; c++)
					for (int v = 0; v < n_variants; v++)
						ck_assert_int_eq(seen[b][c][v], 1);
		}
	}
}
END_TEST

START_TEST(variants_of_a_case_and_block_run_next_to_each_other)
{
	int n;
	autofree struct plan_step *steps = schedule(6, 4, 3, 9, NULL, &n);

	for (int i = 0; i < n; i++) {
		ck_assert_int_eq(steps[i].block, i / 12);
		ck_assert_int_eq(steps[i].case_index, i / 4 % 3);
	}
}
END_TEST

START_TEST(the_order_of_variants_turns_round_from_block_to_block)
{
	int n;
	autofree struct plan_step *steps = schedule(6, 4, 3, 5, NULL, &n);

	for (int block = 0; block + 1 < 6; block++)
		for (int c = 0; c < 3; c++)
			for (int k = 0; k < 4; k++)
				ck_assert_int_eq(
					steps[block * 12 + c * 4 + k].variant_index,
					steps[(block + 1) * 12 + c * 4 + 3 - k].variant_index);
}
END_TEST

START_TEST(equal_seeds_give_equal_schedules_and_others_do_not)
{
	int first = 0, n, other_n;
	autofree struct plan_step *steps = schedule(4, 3, 2, 77, NULL, &n);
	autofree struct plan_step *again = schedule(4, 3, 2, 77, NULL, &other_n);

	ck_assert_int_eq(n, other_n);
	ck_assert_mem_eq(steps, again, n * sizeof(*steps));
	for (uint64_t seed = 0; seed < 200; seed++) {
		autofree struct plan_step *drawn = schedule(1, 2, 1, seed, NULL, &n);

		first += drawn[0].variant_index == 0;
	}
	/* each of two variants is first for about half of the seeds */
	ck_assert_msg(first > 70 && first < 130, "%d of 200", first);
}
END_TEST

START_TEST(seeds_are_of_case_and_block_not_of_variant)
{
	int n;
	autofree struct plan_step *steps = schedule(5, 2, 3, 1, NULL, &n);

	for (int i = 0; i < n; i++) {
		for (int k = 0; k < n; k++) {
			bool same = steps[i].case_index == steps[k].case_index &&
				    steps[i].block == steps[k].block;

			ck_assert_int_eq(steps[i].seed == steps[k].seed, same);
		}
	}
}
END_TEST

START_TEST(more_trials_continue_a_schedule_without_changing_its_start)
{
	int n, longer_n;
	autofree struct plan_step *steps = schedule(3, 3, 2, 4, NULL, &n);
	autofree struct plan_step *longer = schedule(8, 3, 2, 4, NULL, &longer_n);

	ck_assert_mem_eq(steps, longer, n * sizeof(*steps));
}
END_TEST

START_TEST(skipped_variants_have_no_trials)
{
	static const bool skipped[] = { false, true, false };
	static const bool all[] = { true, true, true };
	int n;
	autofree struct plan_step *steps = schedule(4, 3, 2, 1, skipped, &n);
	autofree struct plan_step *none = NULL;

	ck_assert_int_eq(n, 4 * 2 * 2);
	for (int i = 0; i < n; i++)
		ck_assert_int_ne(steps[i].variant_index, 1);
	none = schedule(4, 3, 2, 1, all, &n);
	ck_assert_int_eq(n, 0);
}
END_TEST

UNIT_TESTS("schedule", each_block_has_every_variant_of_every_case_once,
	   variants_of_a_case_and_block_run_next_to_each_other,
	   the_order_of_variants_turns_round_from_block_to_block,
	   equal_seeds_give_equal_schedules_and_others_do_not,
	   seeds_are_of_case_and_block_not_of_variant,
	   more_trials_continue_a_schedule_without_changing_its_start,
	   skipped_variants_have_no_trials)
