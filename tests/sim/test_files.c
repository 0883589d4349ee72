// SPDX-License-Identifier: GPL-2.0-only
/* Files and what else sleeps in the simulated kernel: results, time, locks. */
#include "simulation.h"

#include "task/files.h"

#include <math.h>

static struct simulation trial;

static const struct sim_options one_second = { .runtime_ns = 1000000000,
					       .stop_limit_ns = 1000000000,
					       .seed = 1 };

static void add(task_body body, void *data, int process)
{
	team_add(trial.team,
		 &(struct worker_spec){ .body = body, .data = data, .process = process });
}

START_TEST(operations_do_what_the_kernel_says)
{
	if (!simulation_open("silent-2", &one_second, &trial))
		return;
	add(files_body, team_folder(trial.team, NULL), -1);
	simulation_run(&trial);
	ck_assert_uint_eq(trial.report.workers[0].counters[0],
			  sizeof(file_expectations) / sizeof(file_expectations[0]));
}
END_TEST

/* makes and removes files of its own name in one folder */
struct maker {
	struct folder *folder;
	const char *name;
};

static void make_and_remove(struct task *task, void *data)
{
	const struct maker *maker = data;

	while (task_running(task)) {
		struct file_request request = { FILE_CREATE, .path = maker->name };
		int64_t handle = task_file(task, maker->folder, &request);

		if (handle < 0)
			return;
		request = (struct file_request){ FILE_CLOSE, .handle = (int)handle };
		task_file(task, maker->folder, &request);
		request = (struct file_request){ FILE_UNLINK, .path = maker->name };
		if (task_file(task, maker->folder, &request))
			return;
		task_count(task, 0, 2);
	}
}

static void run_makers(struct folder *(*folder_of)(int))
{
	static struct maker makers[2];

	for (int i = 0; i < 2; i++) {
		makers[i] = (struct maker){ folder_of(i), i ? "b" : "a" };
		add(make_and_remove, &makers[i], -1);
	}
	simulation_run(&trial);
}

static struct folder *own_folder(int i)
{
	(void)i;
	return team_folder(trial.team, NULL);
}

static struct folder *one_folder(int i)
{
	static struct folder *folder;

	if (!i)
		folder = team_folder(trial.team, NULL);
	return folder;
}

static double changes(void)
{
	return (double)(trial.report.workers[0].counters[0] + trial.report.workers[1].counters[0]);
}

/* on a silent machine a create and unlink cost lookups, two changes and two opens */
START_TEST(two_tasks_in_folders_of_their_own_do_not_wait)
{
	/* ns: create 120 + 600 + 1500, close 600, unlink 120 + 1500; a task's loop 3 */
	const double pair = 120 + 600 + 1500 + 600 + 120 + 1500 + 3;

	if (!simulation_open("silent-2", &one_second, &trial))
		return;
	run_makers(own_folder);
	ck_assert_msg(fabs(changes() - 4e9 / pair) < 0.01 * changes(), "%g changes, expected %g",
		      changes(), 4e9 / pair);
}
END_TEST

/* changes of one folder exclude each other: two tasks on two CPUs cannot do more than its lock lets */
START_TEST(a_folder_lets_one_change_it_at_a_time)
{
	if (!simulation_open("silent-2", &one_second, &trial))
		return;
	run_makers(one_folder);
	ck_assert_msg(changes() < 1e9 / 1500 * 1.001, "%g changes of 1.5 us in a second",
		      changes());
	ck_assert_msg(changes() > 1e9 / 1500 * 0.6, "%g changes: the lock is idle", changes());
	/* the holder runs on the other CPU: who waits spins and does not sleep */
	ck_assert(trial.report.workers[0].switches < 100);
}
END_TEST

/* a file of its own in one folder, written and flushed */
static void write_and_flush(struct task *task, void *data)
{
	const struct maker *maker = data;
	struct file_request create = { FILE_CREATE, .path = maker->name };
	int64_t handle = task_file(task, maker->folder, &create);
	struct file_request write = { FILE_WRITE, .handle = (int)handle, .size = 4096 };
	struct file_request flush = { FILE_FLUSH, .handle = (int)handle };

	while (task_running(task)) {
		if (task_file(task, maker->folder, &write) < 0 ||
		    task_file(task, maker->folder, &flush) < 0)
			return;
		task_count(task, 0, 1);
		/* nothing has changed since: this one returns at once */
		if (task_file(task, maker->folder, &flush) < 0)
			return;
	}
}

static void run_flushers(const char *machine, int n)
{
	static struct maker makers[2];

	if (!simulation_open(machine, &one_second, &trial))
		return;
	for (int i = 0; i < n; i++) {
		makers[i] = (struct maker){ one_folder(i), i ? "b" : "a" };
		add(write_and_flush, &makers[i], -1);
	}
	simulation_run(&trial);
}

/* 100 us for the pages, then the journal's thread: 20 us, 100 us, and 100 + 50 us for its commit; 660 ns of copying */
START_TEST(a_flush_waits_for_the_disk_and_for_the_journal)
{
	const double round = 100000 + 20000 + 100000 + 150000 + 660;

	run_flushers("silent-disk", 1);
	if (trial.report.n_workers)
		/* a timer may be late by a microsecond */
		ck_assert_msg(fabs((double)trial.report.workers[0].counters[0] - 1e9 / round) < 27,
			      "%g flushes, expected %g",
			      (double)trial.report.workers[0].counters[0], 1e9 / round);
}
END_TEST

/* both write their pages at the same time and wait for the same commits */
START_TEST(those_who_wait_for_one_commit_are_woken_together)
{
	run_flushers("silent-disk", 2);
	if (trial.report.n_workers)
		ck_assert_msg(changes() > 1.9 * 1e9 / 371000, "%g flushes of two", changes());
}
END_TEST

START_TEST(without_a_disk_a_flush_waits_for_nothing)
{
	run_flushers("silent-2", 1);
	if (trial.report.n_workers)
		ck_assert(trial.report.workers[0].counters[0] > 500000);
}
END_TEST

struct pair {
	struct channel *there, *back;
};

static void ask(struct task *task, void *data)
{
	struct pair *pair = data;

	while (channel_send(task, pair->there) && channel_receive(task, pair->back))
		task_count(task, 0, 1);
}

static void answer(struct task *task, void *data)
{
	struct pair *pair = data;

	while (channel_receive(task, pair->there) && channel_send(task, pair->back))
		;
}

/* on one CPU nothing overlaps; a message: 250 + 700 ns at each end, 1.5 us of softirq at the sender's */
START_TEST(a_tcp_message_costs_its_sender_the_softirq)
{
	static struct pair pair;
	hwloc_bitmap_t one = hwloc_bitmap_alloc();
	struct sim_options options = one_second;
	const double round = 2 * (2 * (250 + 700) + 1500);

	hwloc_bitmap_set(one, 0);
	options.cpus = one;
	if (!simulation_open("silent-2", &options, &trial)) {
		hwloc_bitmap_free(one);
		return;
	}
	pair.there = team_channel(trial.team, CHANNEL_TCP, 1);
	pair.back = team_reply_channel(trial.team, pair.there, 1);
	add(ask, &pair, -1);
	add(answer, &pair, -1);
	simulation_run(&trial);
	ck_assert_msg(fabs((double)trial.report.workers[0].counters[0] - 1e9 / round) <
			      0.02 * 1e9 / round,
		      "%llu rounds, expected %g",
		      (unsigned long long)trial.report.workers[0].counters[0], 1e9 / round);
	hwloc_bitmap_free(one);
}
END_TEST

struct meeting {
	struct mutex *mutex;
	struct condition *condition;
	int next;
};

static void take_turns(struct task *task, struct meeting *meeting, int number)
{
	while (mutex_lock(task, meeting->mutex)) {
		while (meeting->next % 3 != number)
			if (!condition_wait(task, meeting->condition, meeting->mutex))
				return;
		meeting->next++;
		task_count(task, 0, 1);
		condition_wake(task, meeting->condition, true);
		mutex_unlock(task, meeting->mutex);
	}
}

static void first(struct task *task, void *data)
{
	take_turns(task, data, 0);
}

static void second_turn(struct task *task, void *data)
{
	take_turns(task, data, 1);
}

static void third(struct task *task, void *data)
{
	take_turns(task, data, 2);
}

START_TEST(three_tasks_take_turns_under_a_condition)
{
	static struct meeting meeting;
	struct sim_options options = one_second;
	const struct worker_report *workers;

	/* a turn takes some 100 ns here */
	options.runtime_ns = 5000000;
	if (!simulation_open("silent-2", &options, &trial))
		return;
	meeting.mutex = team_mutex(trial.team);
	meeting.condition = team_condition(trial.team);
	add(first, &meeting, -1);
	add(second_turn, &meeting, -1);
	add(third, &meeting, -1);
	simulation_run(&trial);
	workers = trial.report.workers;
	ck_assert_uint_gt(workers[0].counters[0], 1000);
	for (int i = 1; i < 3; i++)
		ck_assert(fabs((double)workers[i].counters[0] - (double)workers[0].counters[0]) <=
			  1);
}
END_TEST

UNIT_TESTS("sim files", operations_do_what_the_kernel_says,
	   two_tasks_in_folders_of_their_own_do_not_wait, a_folder_lets_one_change_it_at_a_time,
	   a_flush_waits_for_the_disk_and_for_the_journal,
	   those_who_wait_for_one_commit_are_woken_together,
	   without_a_disk_a_flush_waits_for_nothing, a_tcp_message_costs_its_sender_the_softirq,
	   three_tasks_take_turns_under_a_condition)
