// SPDX-License-Identifier: GPL-2.0-only
#include "events/put.h"

#include <math.h>

#include "events/analysis.h"

/* 2 nodes of an LLC of 2 cores of 2 threads: CPUs 0-1 2-3 | 4-5 6-7 */
static struct machine *machine;
static struct analysis *analysis;
static struct trial trial;
static hwloc_bitmap_t cpus;

static void start_on(const char *list)
{
	struct analysis_options options = { .starts_idle = true, .keep_tasks = true };

	ck_no_error(machine_open("pack:2 [numa] l3:1 core:2 pu:2", &machine));
	cpus = hwloc_bitmap_alloc();
	if (list)
		ck_no_error(cpulist_parse(list, cpus));
	options.cpus = list ? cpus : NULL;
	analysis = analysis_new(&options);
	put_begin(analysis_sink(analysis), machine, 8);
}

/* ends the stream 10 ms after the first event, which all tests put at 0 */
static void finish(void)
{
	put_end(10 * MS);
	analysis_report(analysis, &trial);
	ck_assert_int_eq(trial.n_metrics, N_EVENT_METRICS);
}

static void done(void)
{
	trial_clear(&trial);
	analysis_free(analysis);
	hwloc_bitmap_free(cpus);
	machine_close(machine);
}

static void expect(const char *name, double value)
{
	const struct metric *metric = trial_metric(&trial, name);

	ck_assert_msg(metric != NULL, "no metric %s", name);
	ck_assert_msg(!metric->unavailable, "%s: %s", name, metric->unavailable);
	ck_assert_msg(fabs(metric->value - value) <= 1e-9 + fabs(value) * 0.005,
		      "%s is %g, expected %g", name, metric->value, value);
}

static void expect_reason(const char *name, const char *part)
{
	const struct metric *metric = trial_metric(&trial, name);

	ck_assert_msg(metric && metric->unavailable, "%s has a value", name);
	ck_assert_msg(strstr(metric->unavailable, part) != NULL, "%s: %s", name,
		      metric->unavailable);
}

/* tasks 11 and 12 are workers; 11 runs on CPU 0, 12 sleeps; CPU 0 is all that is busy */
static void two_workers(void)
{
	static const int32_t workers[] = { 11, 12 };

	put_task(0, 11, 0, "worker");
	put_task(0, 12, 0, "worker");
	put_switch(0, 1, 12, EVENT_STATE_SLEEPS, 0);
	put_switch(0, 0, 0, 0, 11);
	put_mark(EVENT_MARK_BEGIN, 0, workers, 2);
}

START_TEST(a_wakeup_is_placed_relative_to_where_the_task_ran_last_and_waits_until_it_runs)
{
	start_on(NULL);
	two_workers();
	put_wake(EVENT_WAKING, 1 * MS, 0, 12, 1);
	put_wake(EVENT_WAKEUP, 1 * MS + 10 * US, 0, 12, 4);
	put_switch(1 * MS + 60 * US, 4, 0, 0, 12);
	put_switch(3 * MS, 4, 12, EVENT_STATE_SLEEPS, 0);
	put_wake(EVENT_WAKING, 4 * MS, 0, 12, 4);
	put_wake(EVENT_WAKEUP, 4 * MS, 0, 12, 5);
	put_switch(4 * MS + 20 * US, 5, 0, 0, 12);
	finish();
	expect("wakeup_wait_p50", 20);
	expect("wakeup_wait_max", 50);
	expect("queue_wait_max", 50);
	expect_reason("preempt_wait_p50", "nothing was preempted");
	expect("event_wakeups", 200);
	expect("wakeup_moved", 100);
	expect("wakeup_remote", 100);
	expect("wakeup_smt", 100);
	expect("wakeup_same", 0);
	expect("slice_p50", 1940);
	done();
}
END_TEST

START_TEST(a_task_that_waits_while_an_allowed_cpu_idles_is_not_conserved_work)
{
	start_on("0-5");
	two_workers();
	/* 12 is queued behind 11 for 2 ms; CPU 1, the sibling, idles for the first of them */
	put_wake(EVENT_WAKEUP, 1 * MS, 0, 12, 0);
	put_switch(2 * MS, 1, 0, 0, 99);
	put_switch(3 * MS, 0, 11, EVENT_STATE_PREEMPTED, 12);
	put_switch(4 * MS, 0, 12, EVENT_STATE_SLEEPS, 11);
	/* 11 fills its core alone; in the rest of the time nothing waits */
	finish();
	/* 1-3 ms: 12 waits, then 3-4 ms: 11 waits */
	expect("idle_waiting", 0.3);
	expect("idle_waiting_smt", 0.1);
	expect("idle_waiting_llc", 0.2); /* CPUs 2 and 3 were nearest then */
	expect("idle_waiting_remote", 0);
	expect("preempt_wait_max", 1000);
	expect("preemptions", 100);
	expect("queue_share", 100 * 3.0 / 13);
	done();
}
END_TEST

START_TEST(cpus_that_a_task_may_not_use_are_no_idle_cpus_for_it)
{
	start_on("0");
	two_workers();
	put_wake(EVENT_WAKEUP, 1 * MS, 0, 12, 0);
	put_switch(9 * MS, 0, 11, EVENT_STATE_PREEMPTED, 12);
	finish();
	expect("idle_waiting", 0);
	expect("event_idle", 0);
	expect_reason("imbalance_llc", "one LLC");
	done();
}
END_TEST

START_TEST(a_task_queued_on_an_idle_cpu_is_a_wakeup_under_way_not_lost_work)
{
	start_on(NULL);
	two_workers();
	put_wake(EVENT_WAKEUP, 1 * MS, 0, 12, 5);
	put_switch(2 * MS, 5, 0, 0, 12);
	finish();
	expect("idle_waiting", 0);
	expect("wakeup_wait_max", 1000);
	done();
}
END_TEST

START_TEST(forks_are_placed_relative_to_the_parent_and_their_children_count_too)
{
	start_on(NULL);
	two_workers();
	put_fork(1 * MS, 0, 11, 21);
	put_wake(EVENT_WAKEUP_NEW, 1 * MS, 0, 21, 0);
	put_fork(2 * MS, 0, 11, 22);
	put_wake(EVENT_WAKEUP_NEW, 2 * MS, 0, 22, 3);
	put_switch(2 * MS + 5 * US, 3, 0, 0, 22);
	put_fork(3 * MS, 3, 22, 23);
	put_wake(EVENT_WAKEUP_NEW, 3 * MS, 3, 23, 6);
	/* not of a worker */
	put_fork(4 * MS, 7, 99, 98);
	put_wake(EVENT_WAKEUP_NEW, 4 * MS, 7, 98, 0);
	finish();
	expect("forks", 300);
	expect("fork_moved", 200.0 / 3);
	expect("fork_same", 100);
	expect("fork_llc", 100);
	expect("fork_remote", 100);
	expect("migrate_fork", 200);
	done();
}
END_TEST

START_TEST(moves_are_told_apart_by_what_the_task_did)
{
	start_on(NULL);
	two_workers();
	put_wake(EVENT_WAKING, 1 * MS, 0, 12, 1);
	put_move(1 * MS, 12, 1, 0);
	put_wake(EVENT_WAKEUP, 1 * MS, 0, 12, 0);
	put_move(2 * MS, 12, 0, 2); /* the balancer */
	put_switch(2 * MS, 2, 0, 0, 12);
	put_switch(3 * MS, 2, 12, 0, 77); /* the stopper moves it, for its exec */
	put_move(3 * MS, 12, 2, 7);
	put_switch(3 * MS, 7, 0, 0, 12);
	put_simple(EVENT_EXEC, 3 * MS, 7, 12);
	put_simple(EVENT_EXEC, 4 * MS, 7, 12); /* nothing was moved for this one */
	finish();
	expect("migrate_wakeup", 100);
	expect("migrate_balance", 100);
	expect("migrate_exec", 100);
	expect("migrate_smt", 100);
	expect("migrate_llc", 100);
	expect("migrate_remote", 100);
	done();
}
END_TEST

START_TEST(only_what_lies_between_the_marks_is_measured)
{
	static const int32_t workers[] = { 11 };

	start_on(NULL);
	put_task(0, 11, 0, "worker");
	put_switch(0, 0, 0, 0, 11);
	put_wake(EVENT_WAKEUP, 1 * MS, 0, 99, 0);
	put_switch(2 * MS, 0, 11, EVENT_STATE_PREEMPTED, 99);
	put_switch(4 * MS, 0, 99, EVENT_STATE_SLEEPS, 11);
	put_mark(EVENT_MARK_BEGIN, 5 * MS, workers, 1);
	put_switch(6 * MS, 0, 11, EVENT_STATE_SLEEPS, 0);
	put_mark(EVENT_MARK_END, 7 * MS, NULL, 0);
	put_switch(9 * MS, 0, 0, 0, 11);
	finish();
	ck_assert_double_eq_tol(analysis_seconds(analysis), 0.002, 1e-12);
	expect_reason("preempt_wait_max", "nothing was preempted");
	expect("queue_share", 0);
	expect("event_idle", 100 * 7.5 / 8);
	expect("event_rate", 500);
	done();
}
END_TEST

START_TEST(tasks_that_share_an_llc_while_another_is_empty_are_seen)
{
	start_on(NULL);
	two_workers();
	put_wake(EVENT_WAKEUP, 0, 0, 12, 2);
	put_switch(0, 2, 0, 0, 12);
	put_switch(5 * MS, 2, 12, EVENT_STATE_SLEEPS, 0);
	put_wake(EVENT_WAKEUP, 5 * MS, 0, 12, 4);
	put_switch(5 * MS, 4, 0, 0, 12);
	finish();
	expect("sharing_llc", 0.5);
	expect("sharing_node", 0.5);
	expect("sharing_core", 0);
	/* 2/4 against 0, then 1/4 against 1/4 */
	expect("imbalance_llc", 0.25);
	done();
}
END_TEST

START_TEST(progress_is_the_dispersion_of_cpu_time_within_100_ms)
{
	start_on(NULL);
	two_workers();
	/* 11 runs alone for 100 ms, then 12 alone: equal in total, never at a time */
	put_switch(100 * MS, 0, 11, EVENT_STATE_SLEEPS, 12);
	put_end(200 * MS);
	analysis_report(analysis, &trial);
	expect("runtime_cov", 100);
	done();
}
END_TEST

START_TEST(events_that_were_lost_cost_no_sense)
{
	struct event_lost lost = { .cpu = 0, .count = 3, .from = 1, .to = 2 };

	start_on(NULL);
	two_workers();
	put_wake(EVENT_WAKEUP, 1 * MS, 0, 12, 0);
	ck_no_error(event_sink_lost(to, &lost));
	/* 12 goes without having come; 11 comes on another CPU while it runs on the first */
	put_switch(2 * MS, 0, 12, EVENT_STATE_SLEEPS, 0);
	put_switch(3 * MS, 5, 0, 0, 11);
	put_switch(4 * MS, 5, 11, EVENT_STATE_SLEEPS, 0);
	put_switch(5 * MS, 3, 12, EVENT_STATE_SLEEPS, 0);
	finish();
	expect("events_lost", 3);
	expect("idle_waiting", 0.1); /* until its switch was seen */
	expect("event_idle", 100 * (80 - 2 - 1) / 80.0);
	done();
}
END_TEST

START_TEST(events_that_the_kernel_left_out_are_counted_unless_they_were_told_as_lost)
{
	struct event_lost lost = { .cpu = 5, .count = 1, .from = 1, .to = 2 };

	start_on(NULL);
	two_workers();
	put_switch(1 * MS, 5, 0, 0, 12);
	put_switch(2 * MS, 5, 0, 0, 11); /* 12 went, and nobody said so */
	put_switch(3 * MS, 5, 11, EVENT_STATE_SLEEPS, 0);
	put_switch(4 * MS, 5, 12, EVENT_STATE_SLEEPS, 0); /* and came again */
	ck_no_error(event_sink_lost(to, &lost));
	put_switch(5 * MS, 5, 12, EVENT_STATE_SLEEPS, 0); /* this one is explained */
	put_switch(6 * MS, 5, 0, 0, 11);
	finish();
	expect("events_missing", 2);
	done();
}
END_TEST

START_TEST(an_id_that_is_used_again_is_another_task)
{
	struct analysis_task *tasks;
	int n;

	start_on(NULL);
	two_workers();
	put_fork(1 * MS, 0, 11, 21);
	put_wake(EVENT_WAKEUP_NEW, 1 * MS, 0, 21, 1);
	put_switch(1 * MS, 1, 0, 0, 21);
	put_switch(2 * MS, 1, 21, EVENT_STATE_DEAD, 0);
	put_fork(3 * MS, 0, 11, 21);
	put_wake(EVENT_WAKEUP_NEW, 3 * MS, 0, 21, 1);
	put_switch(3 * MS, 1, 0, 0, 21);
	finish();
	tasks = analysis_tasks(analysis, false, &n);
	ck_assert_int_eq(n, 3); /* 11, and 21 twice */
	ck_assert_int_eq(tasks[0].pid, 11);
	ck_assert_uint_eq(tasks[0].run_ns, 10 * MS);
	ck_assert_int_eq(tasks[1].pid, 21);
	ck_assert_uint_eq(tasks[1].run_ns, 7 * MS);
	ck_assert_uint_eq(tasks[2].run_ns, 1 * MS);
	free(tasks);
	tasks = analysis_tasks(analysis, true, &n);
	ck_assert_int_eq(n, 2);
	ck_assert_int_eq(tasks[1].n_tasks, 2);
	ck_assert_uint_eq(tasks[1].run_ns, 8 * MS);
	free(tasks);
	done();
}
END_TEST

START_TEST(without_marks_all_tasks_count_and_without_a_machine_levels_say_so)
{
	struct analysis_options options = { 0 };

	analysis = analysis_new(&options);
	put_begin(analysis_sink(analysis), NULL, 2);
	put_task(0, 11, 0, "a");
	put_task(0, 12, 0, "b");
	put_switch(0, 0, 0, 0, 11);
	put_switch(0, 1, 11, 0, 0);
	put_wake(EVENT_WAKING, 1 * MS, 0, 12, 0);
	put_wake(EVENT_WAKEUP, 1 * MS, 0, 12, 1);
	put_switch(2 * MS, 1, 0, 0, 12);
	put_end(10 * MS);
	analysis_report(analysis, &trial);
	expect("event_wakeups", 100);
	expect("wakeup_moved", 100);
	expect("wakeup_wait_max", 1000);
	expect("wakeup_same", 0);
	expect_reason("wakeup_llc", "topology of the machine is not known");
	expect_reason("sharing_llc", "topology of the machine is not known");
	expect_reason("runtime_cov", "no two workers");
	trial_clear(&trial);
	analysis_free(analysis);
}
END_TEST

START_TEST(marks_without_workers_leave_all_tasks_counted)
{
	start_on(NULL);
	put_mark(EVENT_MARK_BEGIN, 0, NULL, 0);
	put_task(0, 11, 0, "a");
	put_switch(0, 0, 0, 0, 11);
	put_task(0, 12, 0, "b");
	put_wake(EVENT_WAKEUP, 1 * MS, 0, 12, 1);
	put_switch(2 * MS, 1, 0, 0, 12);
	put_mark(EVENT_MARK_END, 9 * MS, NULL, 0);
	finish();
	expect("event_wakeups", 100);
	expect("wakeup_wait_max", 1000);
	done();
}
END_TEST

START_TEST(a_cpu_beyond_the_machine_is_refused_with_its_number)
{
	struct event event = event_blank(EVENT_SWITCH, 1, 8);

	start_on(NULL);
	ck_error(event_sink_event(to, &event), ERR_INPUT, "an event on CPU 8");
	done();
}
END_TEST

START_TEST(a_stream_without_events_gives_reasons_not_values)
{
	start_on(NULL);
	put_end(0);
	analysis_report(analysis, &trial);
	for (int i = 0; i < trial.n_metrics; i++)
		ck_assert_ptr_nonnull(trial.metrics[i].unavailable);
	done();
}
END_TEST

UNIT_TESTS("analysis",
	   a_wakeup_is_placed_relative_to_where_the_task_ran_last_and_waits_until_it_runs,
	   a_task_that_waits_while_an_allowed_cpu_idles_is_not_conserved_work,
	   cpus_that_a_task_may_not_use_are_no_idle_cpus_for_it,
	   a_task_queued_on_an_idle_cpu_is_a_wakeup_under_way_not_lost_work,
	   forks_are_placed_relative_to_the_parent_and_their_children_count_too,
	   moves_are_told_apart_by_what_the_task_did, only_what_lies_between_the_marks_is_measured,
	   tasks_that_share_an_llc_while_another_is_empty_are_seen,
	   progress_is_the_dispersion_of_cpu_time_within_100_ms,
	   events_that_the_kernel_left_out_are_counted_unless_they_were_told_as_lost,
	   events_that_were_lost_cost_no_sense, an_id_that_is_used_again_is_another_task,
	   without_marks_all_tasks_count_and_without_a_machine_levels_say_so,
	   marks_without_workers_leave_all_tasks_counted,
	   a_cpu_beyond_the_machine_is_refused_with_its_number,
	   a_stream_without_events_gives_reasons_not_values)
