// SPDX-License-Identifier: GPL-2.0-only
#include "live_fixture.h"

#include <errno.h>
#include <sched.h>

#define TURNS 500

/* three tasks that take turns: each waits for its number */
struct round {
	struct mutex *mutex;
	struct condition *condition;
	int next;
};

struct turn {
	struct round *round;
	int number;
};

static void take_turns(struct task *task, void *data)
{
	const struct turn *turn = data;
	struct round *round = turn->round;

	for (int i = 0; i < TURNS; i++) {
		if (!mutex_lock(task, round->mutex))
			return;
		while (round->next % 3 != turn->number)
			if (!condition_wait(task, round->condition, round->mutex))
				return;
		round->next++;
		task_count(task, 0, 1);
		condition_wake(task, round->condition, true);
		mutex_unlock(task, round->mutex);
	}
}

START_TEST(a_broadcast_wakes_all_who_wait)
{
	struct fixture f = FIXTURE;
	struct round *round;

	f.options.runtime_ns = 100000 * MS;
	fixture_open(&f);
	round = team_shared(f.team, sizeof(*round));
	round->mutex = team_mutex(f.team);
	round->condition = team_condition(f.team);
	for (int i = 0; i < 3; i++) {
		struct turn *turn = team_shared(f.team, sizeof(*turn));

		*turn = (struct turn){ round, i };
		fixture_add(&f, take_turns, turn);
	}
	fixture_run_well(&f);
	for (int i = 0; i < 3; i++)
		ck_assert_uint_eq(fixture_count(&f, i), TURNS);
	fixture_close(&f);
}
END_TEST

static void wait_for_ever(struct task *task, void *data)
{
	struct round *round = data;

	if (!mutex_lock(task, round->mutex))
		return;
	while (condition_wait(task, round->condition, round->mutex))
		;
	if (task_running(task))
		task_fail(task, "a wait ended before the trial");
}

START_TEST(waiting_ends_with_the_trial)
{
	struct fixture f = FIXTURE;
	struct round *round;

	fixture_open(&f);
	round = team_shared(f.team, sizeof(*round));
	round->mutex = team_mutex(f.team);
	round->condition = team_condition(f.team);
	fixture_add(&f, wait_for_ever, round);
	fixture_add(&f, wait_for_ever, round);
	fixture_run_well(&f);
	fixture_close(&f);
}
END_TEST

struct pair {
	struct channel *there, *back;
};

static void ask(struct task *task, void *data)
{
	struct pair *pair = data;

	for (int i = 0; i < TURNS; i++)
		if (channel_send(task, pair->there) && channel_receive(task, pair->back))
			task_count(task, 0, 1);
}

static void answer(struct task *task, void *data)
{
	struct pair *pair = data;

	for (int i = 0; i < TURNS; i++)
		if (channel_receive(task, pair->there) && channel_send(task, pair->back))
			task_count(task, 0, 1);
}

static void run_pair(enum channel_kind kind)
{
	struct fixture f = FIXTURE;
	struct pair *pair;

	f.options.runtime_ns = 100000 * MS;
	fixture_open(&f);
	pair = team_shared(f.team, sizeof(*pair));
	pair->there = team_channel(f.team, kind, 7);
	pair->back = team_reply_channel(f.team, pair->there, 40000);
	fixture_add(&f, ask, pair);
	fixture_add(&f, answer, pair);
	fixture_run_well(&f);
	ck_assert_uint_eq(fixture_count(&f, 0), TURNS);
	ck_assert_uint_eq(fixture_count(&f, 1), TURNS);
	fixture_close(&f);
}

START_TEST(a_reply_goes_back_on_the_same_connection)
{
	run_pair(CHANNEL_SOCKET);
	run_pair(CHANNEL_TCP);
}
END_TEST

static void change_policy(struct task *task, void *data)
{
	struct task_policy batch = { .policy = SCHED_BATCH, .nice = 3 };
	struct task_policy wrong = { .policy = SCHED_FIFO, .priority = 1000 };

	(void)data;
	if (task_set_policy(task, &batch) || sched_getscheduler(0) != SCHED_BATCH)
		task_fail(task, "SCHED_BATCH was refused");
	if (task_set_policy(task, &wrong) != -EINVAL)
		task_fail(task, "priority 1000 was not refused with EINVAL");
}

START_TEST(a_policy_is_set_or_refused_with_its_errno)
{
	struct fixture f = FIXTURE;

	fixture_open(&f);
	fixture_add(&f, change_policy, NULL);
	fixture_run_well(&f);
	fixture_close(&f);
}
END_TEST

START_TEST(a_unit_of_every_kernel_takes_some_time)
{
	struct fixture f = FIXTURE;

	fixture_open(&f);
	for (int method = COMPUTE_INT128; method <= COMPUTE_CHASE; method++) {
		uint64_t time = team_unit_time(f.team, method, method % 2 ? -1 : 0);

		/* 1000 steps: above a picosecond each, and below a millisecond */
		ck_assert_msg(time > 1000 && time < UINT64_C(1000000000000), "method %d: %llu ps",
			      method, (unsigned long long)time);
	}
	live_team_free(f.team);
}
END_TEST

UNIT_TESTS("live_condition", a_broadcast_wakes_all_who_wait, waiting_ends_with_the_trial,
	   a_reply_goes_back_on_the_same_connection, a_policy_is_set_or_refused_with_its_errno,
	   a_unit_of_every_kernel_takes_some_time)
