// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"

#include "sim/prng.h"
#include "sim/queue.h"

START_TEST(first_is_always_the_smallest_time)
{
	struct prng prng = { 7 };
	struct queue *queue = queue_new(37);

	for (int step = 0; step < 20000; step++) {
		int best = 0;

		queue_set(queue, (int)prng_below(&prng, 37), prng_below(&prng, 50));
		for (int i = 1; i < 37; i++)
			if (queue_time(queue, i) < queue_time(queue, best))
				best = i;
		ck_assert_int_eq(queue_first(queue), best);
	}
	queue_free(queue);
}
END_TEST

START_TEST(second_and_third_are_first_when_those_before_are_gone)
{
	struct prng prng = { 9 };
	struct queue *queue = queue_new(37);

	for (int step = 0; step < 20000; step++) {
		int first, second, third;
		uint64_t time, second_time;

		queue_set(queue, (int)prng_below(&prng, 37), prng_below(&prng, 50));
		first = queue_first(queue);
		second = queue_second(queue, &third);
		time = queue_time(queue, first);
		second_time = queue_time(queue, second);
		queue_set(queue, first, QUEUE_NEVER);
		if (second_time == QUEUE_NEVER)
			continue;
		ck_assert_int_eq(queue_first(queue), second);
		queue_set(queue, second, QUEUE_NEVER);
		if (queue_time(queue, third) != QUEUE_NEVER)
			ck_assert_int_eq(queue_first(queue), third);
		queue_set(queue, first, time);
		queue_set(queue, second, second_time);
	}
	queue_free(queue);
}
END_TEST

START_TEST(equal_times_go_by_number_whatever_came_before)
{
	struct queue *queue = queue_new(5);

	queue_set(queue, 4, 10);
	queue_set(queue, 2, 10);
	queue_set(queue, 3, 10);
	ck_assert_int_eq(queue_first(queue), 2);
	queue_set(queue, 2, 11);
	ck_assert_int_eq(queue_first(queue), 3);
	queue_set(queue, 2, 10);
	ck_assert_int_eq(queue_first(queue), 2);
	queue_free(queue);
}
END_TEST

START_TEST(empty_queue_has_nothing_to_come)
{
	struct queue *queue = queue_new(1);

	ck_assert_uint_eq(queue_time(queue, queue_first(queue)), QUEUE_NEVER);
	queue_free(queue);
}
END_TEST

START_TEST(times_too_far_away_are_never)
{
	struct queue *queue = queue_new(1027);

	queue_set(queue, 5, (uint64_t)1 << 52);
	ck_assert_uint_eq(queue_time(queue, 5), (uint64_t)1 << 52);
	queue_set(queue, 5, (uint64_t)1 << 53);
	ck_assert_uint_eq(queue_time(queue, 5), QUEUE_NEVER);
	queue_free(queue);
}
END_TEST

START_TEST(random_numbers_are_those_of_splitmix64)
{
	/* the reference implementation's first outputs for seed 1234567 */
	struct prng prng = { 1234567 };

	ck_assert_uint_eq(prng_next(&prng), 6457827717110365317u);
	ck_assert_uint_eq(prng_next(&prng), 3203168211198807973u);
}
END_TEST

START_TEST(jitter_stays_within_its_bounds_and_reaches_them)
{
	struct prng prng = { 1 };
	uint64_t least = UINT64_MAX, most = 0;

	for (int i = 0; i < 100000; i++) {
		uint64_t value = prng_around(&prng, 1000, 100);

		least = value < least ? value : least;
		most = value > most ? value : most;
	}
	ck_assert_uint_eq(least, 900);
	ck_assert_uint_eq(most, 1100);
	ck_assert_uint_eq(prng_around(&prng, 1000, 0), 1000);
	ck_assert_uint_eq(prng_around(&prng, 0, 900), 0);
}
END_TEST

UNIT_TESTS("sim queue", first_is_always_the_smallest_time,
	   second_and_third_are_first_when_those_before_are_gone, times_too_far_away_are_never,
	   equal_times_go_by_number_whatever_came_before, empty_queue_has_nothing_to_come,
	   random_numbers_are_those_of_splitmix64, jitter_stays_within_its_bounds_and_reaches_them)
