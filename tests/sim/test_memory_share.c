// SPDX-License-Identifier: GPL-2.0-only
/* Shares of caches and memory, barriers, and trials that end early, with exact answers. */
#include "simulation.h"

#include <math.h>

#define near(value, expected, relative)                                                            \
	ck_assert_msg(fabs((double)(value) - (double)(expected)) <=                                \
			      (relative) * (double)(expected),                                     \
		      "%s = %.9g, expected %.9g", #value, (double)(value), (double)(expected))

static struct simulation trial;

static const struct sim_options one_second = {
	.runtime_ns = 1000000000, .warmup_ns = 20000000, .stop_limit_ns = 1000000000, .seed = 1
};

/* what a test's workers are given */
static size_t set_bytes = 16 << 20;
static struct barrier *barrier;
static uint64_t pieces[4];

static void copy(struct task *task, void *data)
{
	struct compute *compute = task_compute_new(task, COMPUTE_COPY, set_bytes);

	(void)data;
	task_compute(task, compute, UINT64_MAX, 0);
	task_compute_free(task, compute);
}

/* the same in pieces, with computing in registers between them */
static void copy_in_pieces(struct task *task, void *data)
{
	struct compute *registers = task_compute_new(task, COMPUTE_INT128, 0);
	struct compute *compute = task_compute_new(task, COMPUTE_COPY, set_bytes);

	(void)data;
	while (task_running(task)) {
		task_compute(task, registers, 10, -1);
		task_compute(task, compute, 990, 0);
	}
	task_compute_free(task, compute);
	task_compute_free(task, registers);
}

/* a few records, then twice as long or more in registers */
static void records_now_and_then(struct task *task, void *data)
{
	struct compute *registers = task_compute_new(task, COMPUTE_INT128, 0);
	struct compute *compute = task_compute_new(task, COMPUTE_OBJECTS, set_bytes);

	(void)data;
	while (task_running(task)) {
		task_compute(task, registers, 20, -1);
		task_compute(task, compute, 10, 0);
	}
	task_compute_free(task, compute);
	task_compute_free(task, registers);
}

static bool run_on(const int *cpus, int n, task_body body)
{
	if (!simulation_open("silent-llcs", &one_second, &trial))
		return false;
	for (int i = 0; i < n; i++) {
		hwloc_bitmap_t cpu = hwloc_bitmap_alloc();
		struct worker_spec spec = {
			.body = body, .process = -1, .spins = true, .cpus = cpu
		};

		hwloc_bitmap_set(cpu, cpus[i]);
		team_add(trial.team, &spec);
		hwloc_bitmap_free(cpu);
	}
	simulation_run(&trial);
	return true;
}

static double units(int worker)
{
	return (double)trial.report.workers[worker].counters[0];
}

START_TEST(a_stream_alone_has_what_its_core_can_move)
{
	if (run_on((const int[]){ 2 }, 1, copy))
		near(units(0), 1000000, 1e-5);
}
END_TEST

START_TEST(two_streams_on_one_cache_share_its_link)
{
	if (!run_on((const int[]){ 0, 1 }, 2, copy))
		return;
	near(units(0), 500000, 1e-5);
	near(units(1), 500000, 1e-5);
}
END_TEST

START_TEST(two_streams_on_two_caches_share_the_node)
{
	if (!run_on((const int[]){ 0, 2 }, 2, copy))
		return;
	near(units(0), 750000, 1e-5);
	near(units(1), 750000, 1e-5);
}
END_TEST

START_TEST(a_stream_that_fits_into_its_l2_shares_nothing)
{
	set_bytes = 256 << 10;
	if (!run_on((const int[]){ 0, 1 }, 2, copy))
		return;
	near(units(0), 2000000, 1e-5);
	near(units(1), 2000000, 1e-5);
}
END_TEST

/* the mean number of users is 1.98 of 2: 10 us of 2000 are spent in registers */
START_TEST(who_changes_between_kernels_is_counted_for_the_time_he_uses_memory)
{
	if (!run_on((const int[]){ 0, 1 }, 2, copy_in_pieces))
		return;
	near(units(0), 1e9 / (10 / 990. * 1000 + 2000), 0.01);
	near(units(1), 1e9 / (10 / 990. * 1000 + 2000), 0.01);
}
END_TEST

START_TEST(a_set_alone_in_its_cache_is_found_there)
{
	set_bytes = 768 << 10;
	if (run_on((const int[]){ 0 }, 1, records_now_and_then))
		near(units(0), 10 * 1e9 / (20 * 1000 + 10 * (400 + 50 * 10)), 0.01);
}
END_TEST

/* two sets of 768 KiB in a cache of 1 MiB: 341 of 1024 loads miss, though each task seldom loads */
START_TEST(a_set_stays_in_its_cache_while_its_task_computes_on_less)
{
	double latency = (14 * 683 + 100 * 341) / 1024.;

	set_bytes = 768 << 10;
	if (!run_on((const int[]){ 0, 1 }, 2, records_now_and_then))
		return;
	near(units(0), 10 * 1e9 / (20 * 1000 + 10 * (400 + 50 * (latency - 4))), 0.01);
	near(units(1), 10 * 1e9 / (20 * 1000 + 10 * (400 + 50 * (latency - 4))), 0.01);
}
END_TEST

static void piece_and_meet(struct task *task, void *data)
{
	struct compute *compute = task_compute_new(task, COMPUTE_INT128, 0);

	do
		task_compute(task, compute, *(const uint64_t *)data, -1);
	while (barrier_wait(task, barrier) && (task_count(task, 0, 1), true));
	task_compute_free(task, compute);
}

static void check_rounds(bool spins)
{
	if (!simulation_open("silent-llcs", &one_second, &trial))
		return;
	barrier = team_barrier(trial.team, 3, spins);
	for (int i = 0; i < 3; i++) {
		struct worker_spec spec = {
			.body = piece_and_meet, .data = &pieces[i], .process = -1, .spins = true
		};

		pieces[i] = 1000u * (unsigned)(i + 1);
		team_add(trial.team, &spec);
	}
	simulation_run(&trial);
	/* the slowest takes 3 ms */
	for (int i = 0; i < 3; i++)
		near(units(i), 333, 0.01);
	near(cpu_of(&trial, 0), spins ? 1.0 : 1 / 3., 0.01);
	near(cpu_of(&trial, 2), 1.0, 0.01);
}

START_TEST(all_go_through_a_barrier_when_the_slowest_has_come_computing)
{
	check_rounds(true);
}
END_TEST

START_TEST(all_go_through_a_barrier_when_the_slowest_has_come_asleep)
{
	check_rounds(false);
}
END_TEST

static void some_work(struct task *task, void *data)
{
	struct compute *compute = task_compute_new(task, COMPUTE_INT128, 0);

	task_compute(task, compute, *(const uint64_t *)data, 0);
	task_compute_free(task, compute);
}

START_TEST(a_trial_ends_when_all_workers_have_returned)
{
	if (!simulation_open("silent-llcs", &one_second, &trial))
		return;
	for (int i = 0; i < 3; i++) {
		struct worker_spec spec = { .body = some_work, .data = &pieces[i], .process = 0 };

		pieces[i] = 100000u * (unsigned)(i + 1);
		team_add(trial.team, &spec);
	}
	simulation_run(&trial);
	/* 300 ms from the gate, of which 20 are warm-up */
	near(trial.report.seconds, 0.28, 1e-3);
	near(units(0), 80000, 1e-3);
	near(units(2), 280000, 1e-3);
}
END_TEST

START_TEST(a_trial_that_is_done_in_the_warm_up_is_short)
{
	if (!simulation_open("silent-llcs", &one_second, &trial))
		return;
	pieces[0] = 100;
	team_add(trial.team,
		 &(struct worker_spec){ .body = some_work, .data = &pieces[0], .process = -1 });
	simulation_run(&trial);
	ck_assert(trial.report.seconds < 1e-3);
	ck_assert(units(0) == 0);
}
END_TEST

UNIT_TESTS("memory share", a_stream_alone_has_what_its_core_can_move,
	   two_streams_on_one_cache_share_its_link, two_streams_on_two_caches_share_the_node,
	   a_stream_that_fits_into_its_l2_shares_nothing,
	   who_changes_between_kernels_is_counted_for_the_time_he_uses_memory,
	   a_set_alone_in_its_cache_is_found_there,
	   a_set_stays_in_its_cache_while_its_task_computes_on_less,
	   all_go_through_a_barrier_when_the_slowest_has_come_computing,
	   all_go_through_a_barrier_when_the_slowest_has_come_asleep,
	   a_trial_ends_when_all_workers_have_returned,
	   a_trial_that_is_done_in_the_warm_up_is_short)
