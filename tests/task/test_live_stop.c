// SPDX-License-Identifier: GPL-2.0-only
#include "live_fixture.h"

#include <fcntl.h>
#include <sys/resource.h>

struct blocked {
	struct channel *channel;
	struct mutex *mutex;
};

static void receive_for_ever(struct task *task, void *data)
{
	struct blocked *blocked = data;

	task_count(task, 0, 1);
	while (channel_receive(task, blocked->channel))
		;
}

static void send_for_ever(struct task *task, void *data)
{
	struct blocked *blocked = data;

	while (channel_send(task, blocked->channel))
		task_count(task, 0, 1);
}

static void run_blocked(task_body body, enum channel_kind kind, size_t size)
{
	struct fixture f = FIXTURE;
	struct blocked *blocked;

	fixture_open(&f);
	blocked = team_shared(f.team, sizeof(*blocked));
	blocked->channel = team_channel(f.team, kind, size);
	for (int i = 0; i < 3; i++)
		fixture_add(&f, body, blocked);
	fixture_run_well(&f);
	fixture_close(&f);
}

START_TEST(receivers_of_an_empty_channel_stop)
{
	run_blocked(receive_for_ever, CHANNEL_PIPE, 100);
	run_blocked(receive_for_ever, CHANNEL_SOCKET, 100);
	run_blocked(receive_for_ever, CHANNEL_EVENTFD, 8);
	run_blocked(receive_for_ever, CHANNEL_FUTEX, 8);
}
END_TEST

/* an eventfd is full at 2^64 - 2 messages only */
START_TEST(senders_to_a_full_channel_stop)
{
	run_blocked(send_for_ever, CHANNEL_PIPE, 1000);
	run_blocked(send_for_ever, CHANNEL_PIPE, 65536);
	run_blocked(send_for_ever, CHANNEL_SOCKET, 65536);
	run_blocked(send_for_ever, CHANNEL_FUTEX, 8);
}
END_TEST

static void hold(struct task *task, void *data)
{
	struct blocked *blocked = data;

	if (!mutex_lock(task, blocked->mutex))
		return;
	while (task_running(task))
		task_sleep(task, 10000 * MS);
	mutex_unlock(task, blocked->mutex);
}

START_TEST(waiters_for_a_mutex_and_sleepers_stop)
{
	struct fixture f = FIXTURE;
	struct blocked *blocked;

	fixture_open(&f);
	blocked = team_shared(f.team, sizeof(*blocked));
	blocked->mutex = team_mutex(f.team);
	for (int i = 0; i < 4; i++)
		fixture_add(&f, hold, blocked);
	fixture_run_well(&f);
	fixture_close(&f);
}
END_TEST

static void parent_of_fork(struct task *task, void *data)
{
	int64_t child = task_spawn(task, CHILD_FORK, receive_for_ever, data);

	task_wait(task, child);
}

static void parent_of_thread(struct task *task, void *data)
{
	int64_t child = task_spawn(task, CHILD_THREAD, receive_for_ever, data);

	task_wait(task, child);
}

static void parent_of_none_waited(struct task *task, void *data)
{
	task_spawn(task, CHILD_FORK, receive_for_ever, data);
	task_spawn(task, CHILD_THREAD, receive_for_ever, data);
}

START_TEST(children_that_are_blocked_stop)
{
	run_blocked(parent_of_fork, CHANNEL_PIPE, 1);
	run_blocked(parent_of_thread, CHANNEL_FUTEX, 1);
}
END_TEST

START_TEST(children_that_nobody_waits_for_do_not_hold_up_the_end)
{
	run_blocked(parent_of_none_waited, CHANNEL_SOCKET, 1);
}
END_TEST

static void hang(struct task *task, void *data)
{
	sigset_t all;

	(void)data;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	task_count(task, 0, 1);
	for (;;)
		pause();
}

START_TEST(a_worker_that_hangs_is_killed_and_named)
{
	struct fixture f = FIXTURE;

	f.options.stop_limit_ns = 200 * MS;
	fixture_open(&f);
	fixture_add(&f, body_busy, NULL);
	fixture_add(&f, hang, NULL);
	fixture_run_badly(&f, "worker 1 did not stop within 0.2 s");
	fixture_close(&f);
}
END_TEST

static void die(struct task *task, void *data)
{
	task_count(task, 0, 1);
	if (*(int *)data)
		kill(getpid(), *(int *)data);
	_exit(3);
}

static void check_death(int signal_number, const char *reason)
{
	struct fixture f = FIXTURE;

	f.options.runtime_ns = 100000 * MS;
	fixture_open(&f);
	fixture_add(&f, body_busy, NULL);
	fixture_add(&f, die, &signal_number);
	fixture_run_badly(&f, reason);
	ck_assert(f.report.seconds < 50);
	fixture_close(&f);
}

START_TEST(a_worker_that_dies_ends_the_trial_with_a_reason)
{
	check_death(SIGKILL, "worker 1 was killed by signal 9");
	check_death(SIGTERM, "worker 1 was killed by signal 15");
	check_death(0, "worker 1 exited with status 3 before the end");
}
END_TEST

static void no_body(struct task *task, void *data)
{
	(void)data;
	task_fail(task, "its body must not run");
}

START_TEST(a_worker_that_dies_before_the_gate_ends_the_trial)
{
	struct fixture f = FIXTURE;
	int signal_number = SIGKILL;
	struct worker_spec spec = {
		.prepare = die, .body = no_body, .data = &signal_number, .process = -1
	};

	fixture_open(&f);
	fixture_add(&f, no_body, NULL);
	team_add(f.team, &spec);
	fixture_run_badly(&f, "worker 1 was killed by signal 9");
	fixture_close(&f);
}
END_TEST

static void give_up(struct task *task, void *data)
{
	task_fail(task, "found %d of %d", *(int *)data, 5);
}

START_TEST(a_worker_that_fails_ends_the_trial_with_its_reason)
{
	struct fixture f = FIXTURE;
	int found = 3;

	f.options.runtime_ns = 100000 * MS;
	fixture_open(&f);
	fixture_add(&f, body_busy, NULL);
	fixture_add(&f, give_up, &found);
	fixture_run_badly(&f, "worker 1: found 3 of 5");
	ck_assert(f.report.seconds < 50);
	fixture_close(&f);
}
END_TEST

START_TEST(failing_to_get_ready_keeps_all_bodies_from_running)
{
	struct fixture f = FIXTURE;
	int found = 1;
	struct worker_spec spec = {
		.prepare = give_up, .body = no_body, .data = &found, .process = -1
	};

	fixture_open(&f);
	team_add(f.team, &spec);
	fixture_add(&f, no_body, NULL);
	fixture_run_badly(&f, "worker 0: found 1 of 5");
	fixture_close(&f);
}
END_TEST

static void ask_for_too_much(struct task *task, void *data)
{
	(void)data;
	task_compute_new(task, COMPUTE_CHASE, (size_t)1 << 60);
}

START_TEST(memory_that_is_short_fails_the_trial)
{
	struct fixture f = FIXTURE;
	struct worker_spec spec = { .prepare = ask_for_too_much, .body = no_body, .process = -1 };

	fixture_open(&f);
	team_add(f.team, &spec);
	fixture_run_badly(&f,
			  "worker 0: a working set of 1152921504606846976 bytes: Cannot allocate");
	fixture_close(&f);
}
END_TEST

static volatile sig_atomic_t interrupted;

static void on_alarm(int signal_number)
{
	(void)signal_number;
	interrupted = 1;
}

START_TEST(an_interrupt_ends_the_trial)
{
	struct fixture f = FIXTURE;
	struct sigaction action = { .sa_handler = on_alarm };

	sigaction(SIGALRM, &action, NULL);
	f.options.runtime_ns = 100000 * MS;
	f.options.interrupted = &interrupted;
	fixture_open(&f);
	fixture_add(&f, body_busy, NULL);
	ualarm(50000, 0);
	ck_error(live_team_run(f.team, &f.report), ERR_INTERRUPTED, "interrupted");
	fixture_close(&f);
}
END_TEST

START_TEST(too_few_files_are_an_error_that_names_the_limit)
{
	struct fixture f = FIXTURE;
	struct rlimit limit = { 30, 30 };

	fixture_open(&f);
	setrlimit(RLIMIT_NOFILE, &limit);
	for (int i = 0; i < 50; i++)
		team_channel(f.team, CHANNEL_PIPE, 1);
	fixture_add(&f, body_busy, NULL);
	ck_error(live_team_run(f.team, &f.report), ERR_SYSTEM,
		 "the hard limit of open files is 30");
	fixture_close(&f);
}
END_TEST

START_TEST(the_soft_limit_of_files_is_raised)
{
	struct fixture f = FIXTURE;
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = 20;
	setrlimit(RLIMIT_NOFILE, &limit);
	fixture_open(&f);
	for (int i = 0; i < 50; i++)
		team_channel(f.team, CHANNEL_PIPE, 1);
	fixture_add(&f, body_busy, NULL);
	fixture_run_well(&f);
	fixture_close(&f);
}
END_TEST

START_TEST(a_message_of_no_bytes_is_an_error)
{
	struct fixture f = FIXTURE;

	fixture_open(&f);
	team_channel(f.team, CHANNEL_PIPE, 0);
	fixture_add(&f, body_busy, NULL);
	ck_error(live_team_run(f.team, &f.report), ERR_DOMAIN, "1 to 65536");
	fixture_close(&f);
}
END_TEST

UNIT_TESTS("live_stop", receivers_of_an_empty_channel_stop, senders_to_a_full_channel_stop,
	   waiters_for_a_mutex_and_sleepers_stop, children_that_are_blocked_stop,
	   children_that_nobody_waits_for_do_not_hold_up_the_end,
	   a_worker_that_hangs_is_killed_and_named, a_worker_that_dies_ends_the_trial_with_a_reason,
	   a_worker_that_dies_before_the_gate_ends_the_trial,
	   a_worker_that_fails_ends_the_trial_with_its_reason,
	   failing_to_get_ready_keeps_all_bodies_from_running, memory_that_is_short_fails_the_trial,
	   an_interrupt_ends_the_trial, too_few_files_are_an_error_that_names_the_limit,
	   the_soft_limit_of_files_is_raised, a_message_of_no_bytes_is_an_error)
