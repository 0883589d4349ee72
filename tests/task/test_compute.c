// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"

#include <math.h>

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
	ck_assert_uint_eq(sum_after(COMPUTE_COPY, 100000, 50), 0x58f8ae10eae5ffaf);
	ck_assert_uint_eq(sum_after(COMPUTE_SCALE, 100000, 50), 0x0e0aba758da6006e);
	ck_assert_uint_eq(sum_after(COMPUTE_ADD, 100000, 50), 0x264b15e7a3c3219e);
	ck_assert_uint_eq(sum_after(COMPUTE_TRIAD, 100000, 50), 0xc192a1a307bd44eb);
	ck_assert_uint_eq(sum_after(COMPUTE_CORE, 100000, 50), 0x000004d19c0fd672);
	ck_assert_uint_eq(sum_after(COMPUTE_OBJECTS, 100000, 50), 0xfaa4c4bce0241478);
}
END_TEST

START_TEST(every_unit_changes_the_checksum)
{
	for (int method = COMPUTE_INT128; method < N_COMPUTE_METHODS; method++)
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

START_TEST(streams_stay_what_they_are_and_cover_all_elements)
{
	struct compute_stream state;

	ck_assert_int_eq(compute_stream_start(&state, 3 * 8 * 5000), 0);
	ck_assert_uint_eq(state.n, 5 * COMPUTE_STREAM_ELEMENTS);
	for (int round = 0; round < 2000; round++)
		for (int method = COMPUTE_COPY; method <= COMPUTE_TRIAD; method++)
			for (int unit = 0; unit < 5; unit++)
				compute_stream_unit(&state, method);
	for (size_t i = 0; i < state.n; i++) {
		ck_assert(fabs(state.a[i] - 1) < 1e-9);
		ck_assert(fabs(state.b[i] - (sqrt(2) - 1)) < 1e-9);
		ck_assert(fabs(state.c[i] - sqrt(2)) < 1e-9);
	}
	compute_stream_end(&state);
}
END_TEST

/* sums of any split of the batches of class S against the published ones */
START_TEST(ep_class_s_has_the_published_sums_however_it_is_split)
{
	static const int parts[][4] = { { 0, 256 }, { 0, 100, 101, 256 }, { 0, 1, 255, 256 } };
	static const int n[] = { 1, 3, 3 };

	for (int split = 0; split < 3; split++) {
		double sum_x = 0, sum_y = 0;
		uint64_t pairs = 0;

		for (int i = n[split] - 1; i >= 0; i--) {
			struct compute *compute = compute_new(COMPUTE_EP, 0);
			struct compute_result result;

			compute_seek(compute, parts[split][i]);
			compute_run(compute, parts[split][i + 1] - parts[split][i]);
			compute_result(compute, &result);
			sum_x += result.sum_x;
			sum_y += result.sum_y;
			for (int j = 0; j < COMPUTE_EP_ANNULI; j++)
				pairs += result.annuli[j];
			compute_free(compute);
		}
		ck_assert(fabs(sum_x / -3.247834652034740e3 - 1) < 1e-10);
		ck_assert(fabs(sum_y / -6.958407078382297e3 - 1) < 1e-10);
		/* pi / 4 of them lie in the circle */
		ck_assert(fabs(pairs / 16777216.0 - 0.785398) < 1e-3);
	}
}
END_TEST

static uint64_t core_sum(const int *ends, int n)
{
	uint64_t sum = 0;

	for (int i = 0; i < n; i++) {
		struct compute *compute = compute_new(COMPUTE_CORE, 50000);
		struct compute_result result;

		compute_seek(compute, ends[i]);
		compute_run(compute, ends[i + 1] - ends[i]);
		compute_result(compute, &result);
		ck_assert_uint_eq(result.units, ends[i + 1] - ends[i]);
		ck_assert_uint_eq(result.wrong, 0);
		sum += compute_checksum(compute);
		compute_free(compute);
	}
	return sum;
}

START_TEST(the_core_checksum_does_not_depend_on_who_computes_what)
{
	uint64_t whole = core_sum((const int[]){ 0, 300 }, 1);

	ck_assert_uint_eq(core_sum((const int[]){ 0, 1, 150, 299, 300 }, 4), whole);
	ck_assert_uint_eq(core_sum((const int[]){ 0, 24, 300 }, 2), whole);
	ck_assert_uint_ne(core_sum((const int[]){ 0, 299 }, 1), whole);
}
END_TEST

START_TEST(a_core_block_that_changed_is_noticed_each_time)
{
	struct compute_core state;

	ck_assert_int_eq(compute_core_start(&state, 10 * 2048), 0);
	for (int i = 0; i < 30; i++)
		compute_core_unit(&state);
	ck_assert_uint_eq(state.wrong, 0);
	((unsigned char *)state.blocks)[3 * 2048 + 512 + 40] ^= 4;
	for (int i = 0; i < 30; i++)
		compute_core_unit(&state);
	ck_assert_uint_eq(state.wrong, 3);
	compute_core_end(&state);
}
END_TEST

START_TEST(core_units_visit_every_block)
{
	for (size_t n = 1; n < 40; n++) {
		struct compute_core state;

		ck_assert_int_eq(compute_core_start(&state, n * 2048), 0);
		ck_assert_uint_eq(state.n, n);
		for (size_t i = 0; i < n; i++)
			state.expected[i] ^= 1;
		for (size_t i = 0; i < 2 * n; i++)
			compute_core_unit(&state);
		ck_assert_uint_eq(state.wrong, 2 * n);
		compute_core_end(&state);
	}
}
END_TEST

START_TEST(the_smallest_working_set_works)
{
	for (int method = 0; method < N_COMPUTE_METHODS; method++)
		sum_after(method, 1, 3);
}
END_TEST

START_TEST(memory_that_is_not_there_is_an_error)
{
	for (int method = 0; method < N_COMPUTE_METHODS; method++)
		if (compute_has_set(method))
			ck_assert_ptr_null(compute_new(method, (size_t)1 << 60));
}
END_TEST

UNIT_TESTS("compute", units_compute_the_same_everywhere, every_unit_changes_the_checksum,
	   doubles_stay_finite, a_matrix_stays_finite_and_fills_its_working_set,
	   a_chase_visits_every_line_once_a_round,
	   streams_stay_what_they_are_and_cover_all_elements,
	   ep_class_s_has_the_published_sums_however_it_is_split,
	   the_core_checksum_does_not_depend_on_who_computes_what,
	   a_core_block_that_changed_is_noticed_each_time, core_units_visit_every_block,
	   the_smallest_working_set_works, memory_that_is_not_there_is_an_error)
