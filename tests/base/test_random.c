// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"

#include "base/random.h"

START_TEST(the_sequence_of_a_seed_is_the_published_one)
{
	struct random random = random_seeded(1234567);

	/* the reference implementation's first values for this seed */
	ck_assert_uint_eq(random_next(&random), 6457827717110365317u);
	ck_assert_uint_eq(random_next(&random), 3203168211198807973u);
	ck_assert_uint_eq(random_next(&random), 9817491932198370423u);
}
END_TEST

START_TEST(numbers_below_a_limit_cover_it_evenly)
{
	struct random random = random_seeded(1);
	int seen[7] = { 0 };

	for (int i = 0; i < 70000; i++)
		seen[random_below(&random, 7)]++;
	for (int i = 0; i < 7; i++)
		ck_assert_msg(seen[i] > 9500 && seen[i] < 10500, "%d came %d times", i, seen[i]);
	ck_assert_uint_eq(random_below(&random, 1), 0);
}
END_TEST

START_TEST(mixed_seeds_of_nearby_numbers_differ_in_many_bits)
{
	for (uint64_t i = 0; i < 100; i++) {
		uint64_t difference = random_mixed(1, i) ^ random_mixed(1, i + 1);

		ck_assert_int_gt(__builtin_popcountll(difference), 10);
		ck_assert_uint_ne(random_mixed(i, 1), random_mixed(i + 1, 1));
	}
	ck_assert_uint_eq(random_mixed(3, 4), random_mixed(3, 4));
}
END_TEST

UNIT_TESTS("random", the_sequence_of_a_seed_is_the_published_one,
	   numbers_below_a_limit_cover_it_evenly, mixed_seeds_of_nearby_numbers_differ_in_many_bits)
