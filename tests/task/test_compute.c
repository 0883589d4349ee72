// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"

#include "task/compute.h"

static uint64_t sum_after(enum compute_method method, size_t bytes, uint64_t units)
{
	struct compute *compute = compute_new(method, bytes);
	uint64_t sum;

	ck_assert_ptr_nonnull(compute);
	compute_run(compute, units);
	sum = compute_checksum(compute);
	compute_free(compute);
	return sum;
}

/* the same under every compiler and level of optimisation: these are what version 1 computes */
START_TEST(units_compute_the_same_everywhere)
{
	ck_assert_uint_eq(sum_after(COMPUTE_INT128, 0, 50), 0x72d4208382ab9175);
	ck_assert_uint_eq(sum_after(COMPUTE_DOUBLE, 0, 50), 0x202fbb9b1558d9cb);
	ck_assert_uint_eq(sum_after(COMPUTE_MATRIX, 100000, 50), 0xd7565f5c3fc3c4f6);
	ck_assert_uint_eq(sum_after(COMPUTE_CHASE, 100000, 50), 0x9f5fbcb07a91cf55);
}
END_TEST

START_TEST(every_unit_changes_the_checksum)
{
	for (int method = COMPUTE_INT128; method <= COMPUTE_CHASE; method++)
		for (int units = 0; units < 20; units++)
			ck_assert_uint_ne(sum_after(method, 1000000, units),
					  sum_after(method, 1000000, units + 1));
}
END_TEST

START_TEST(doubles_stay_finite)
{
	struct compute_double state;

	compute_double_start(&state);
	for (int i = 0; i < 20000; i++)
		compute_double_unit(&state);
	ck_assert(state.x > -2 && state.x < 2 && state.x != 0);
	ck_assert(state.y > -2 && state.y < 2 && state.y != 0);
	ck_assert(state.z > 0 && state.z <= 1);
}
END_TEST

START_TEST(a_matrix_stays_finite_and_fills_its_working_set)
{
	struct compute_matrix state;

	ck_assert_int_eq(compute_matrix_start(&state, 3 * 8 * 40 * 40), 0);
	ck_assert_uint_eq(state.n, 40);
	for (int i = 0; i < 20000; i++)
		compute_matrix_unit(&state);
	for (int i = 0; i < 40 * 40; i++)
		ck_assert(state.c[i] > -100 && state.c[i] < 100);
	compute_matrix_end(&state);
}
END_TEST

START_TEST(a_chase_visits_every_line_once_a_round)
{
	enum {
		LINES = 777
	};
	struct compute_chase state;
	bool seen[LINES] = { false };
	void **at;

	ck_assert_int_eq(compute_chase_start(&state, LINES * COMPUTE_LINE), 0);
	at = state.at;
	for (int i = 0; i < LINES; i++, at = *at) {
		size_t line = ((char *)at - (char *)state.memory) / COMPUTE_LINE;

		ck_assert_uint_lt(line, LINES);
		ck_assert(!seen[line]);
		seen[line] = true;
	}
	ck_assert_ptr_eq(at, state.at);
	compute_chase_end(&state);
}
END_TEST

START_TEST(the_smallest_working_set_works)
{
	sum_after(COMPUTE_MATRIX, 1, 3);
	sum_after(COMPUTE_CHASE, 1, 3);
}
END_TEST

START_TEST(memory_that_is_not_there_is_an_error)
{
	ck_assert_ptr_null(compute_new(COMPUTE_CHASE, (size_t)1 << 60));
	ck_assert_ptr_null(compute_new(COMPUTE_MATRIX, (size_t)1 << 60));
}
END_TEST

UNIT_TESTS("compute", units_compute_the_same_everywhere, every_unit_changes_the_checksum,
	   doubles_stay_finite, a_matrix_stays_finite_and_fills_its_working_set,
	   a_chase_visits_every_line_once_a_round, the_smallest_working_set_works,
	   memory_that_is_not_there_is_an_error)
