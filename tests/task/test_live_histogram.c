// SPDX-License-Identifier: GPL-2.0-only
#include "live_fixture.h"

#include <math.h>

static const struct histogram *of(const struct fixture *f, int worker, int index)
{
	return &f->report.workers[worker].histograms[index];
}

static void record_at_both_ends(struct task *task, void *data)
{
	(void)data;
	task_record(task, 0, 1);
	while (task_running(task))
		task_sleep(task, MS);
	task_record(task, 0, 1000);
}

START_TEST(values_before_and_after_the_measured_time_are_left_out)
{
	struct fixture f = FIXTURE;

	f.options.warmup_ns = 100 * MS;
	fixture_open(&f);
	team_histograms(f.team, 1);
	fixture_add(&f, record_at_both_ends, NULL);
	fixture_run_well(&f);
	ck_assert_uint_eq(of(&f, 0, 0)->count, 0);
	fixture_close(&f);
}
END_TEST

START_TEST(without_warm_up_the_first_value_is_in_the_result)
{
	struct fixture f = FIXTURE;

	f.options.runtime_ns = 300 * MS;
	fixture_open(&f);
	team_histograms(f.team, 1);
	fixture_add(&f, record_at_both_ends, NULL);
	fixture_run_well(&f);
	ck_assert_uint_eq(of(&f, 0, 0)->count, 1);
	ck_assert_double_eq(histogram_max(of(&f, 0, 0)), 1);
	fixture_close(&f);
}
END_TEST

/* @data: how many values, of 1, 2, 3 ... ns to histogram 0 and ten times that to histogram 2 */
static void record_some(struct task *task, void *data)
{
	for (int i = 1; i <= *(int *)data; i++) {
		task_record(task, 0, i);
		task_record(task, 2, 10 * i);
	}
}

START_TEST(workers_and_indexes_are_kept_apart_and_helpers_left_out)
{
	struct fixture f = FIXTURE;
	static int n[] = { 10, 20, 30 };
	struct worker_spec helper = {
		.body = record_some, .data = &n[2], .process = -1, .helper = true
	};

	fixture_open(&f);
	team_histograms(f.team, 3);
	fixture_add(&f, record_some, &n[0]);
	team_add(f.team, &helper);
	fixture_add(&f, record_some, &n[1]);
	fixture_run_well(&f);
	ck_assert_int_eq(f.report.n_workers, 2);
	ck_assert_int_eq(f.report.n_histograms, 3);
	for (int i = 0; i < 2; i++) {
		ck_assert_uint_eq(of(&f, i, 0)->count, n[i]);
		ck_assert_uint_eq(of(&f, i, 1)->count, 0);
		ck_assert_uint_eq(of(&f, i, 2)->count, n[i]);
		ck_assert_double_eq(histogram_max(of(&f, i, 2)), 10 * n[i]);
	}
	fixture_close(&f);
}
END_TEST

static void record_in_children(struct task *task, void *data)
{
	int64_t process = task_spawn(task, CHILD_FORK, record_some, data);
	int64_t thread = task_spawn(task, CHILD_THREAD, record_some, data);

	record_some(task, data);
	task_wait(task, process);
	task_wait(task, thread);
}

START_TEST(children_record_into_the_histograms_of_their_worker)
{
	struct fixture f = FIXTURE;
	static int n = 1000;

	f.options.runtime_ns = 20000 * MS; /* ends when the worker returns */
	fixture_open(&f);
	team_histograms(f.team, 3);
	fixture_add(&f, record_in_children, &n);
	fixture_run_well(&f);
	ck_assert_uint_eq(of(&f, 0, 0)->count, 3 * n);
	fixture_close(&f);
}
END_TEST

START_TEST(a_team_that_asks_for_none_has_none)
{
	struct fixture f = FIXTURE;

	fixture_open(&f);
	fixture_add(&f, body_busy, NULL);
	fixture_run_well(&f);
	ck_assert_int_eq(f.report.n_histograms, 0);
	ck_assert_ptr_null(f.report.workers[0].histograms);
	fixture_close(&f);
}
END_TEST

UNIT_TESTS("live_histogram", values_before_and_after_the_measured_time_are_left_out,
	   without_warm_up_the_first_value_is_in_the_result,
	   workers_and_indexes_are_kept_apart_and_helpers_left_out,
	   children_record_into_the_histograms_of_their_worker, a_team_that_asks_for_none_has_none)
