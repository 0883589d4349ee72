// SPDX-License-Identifier: GPL-2.0-only
#include "live_fixture.h"

#define MESSAGES 2000

struct exchange {
	struct channel *channel;
	struct mutex *mutex;
	uint64_t unguarded; /* changed under the mutex only, without atomics */
};

static void send_some(struct task *task, void *data)
{
	struct exchange *exchange = data;

	for (int i = 0; i < MESSAGES; i++)
		if (channel_send(task, exchange->channel))
			task_count(task, 0, 1);
}

static void receive_some(struct task *task, void *data)
{
	struct exchange *exchange = data;

	for (int i = 0; i < MESSAGES; i++)
		if (channel_receive(task, exchange->channel))
			task_count(task, 0, 1);
}

/* what is sent is received, with many at both ends, whole messages only */
static void run_exchange(enum channel_kind kind, size_t size, int process)
{
	struct fixture f = FIXTURE;
	struct worker_spec spec = { .process = process };

	f.options.runtime_ns = 100000 * MS;
	fixture_open(&f);
	spec.data = team_shared(f.team, sizeof(struct exchange));
	((struct exchange *)spec.data)->channel = team_channel(f.team, kind, size);
	for (int i = 0; i < 6; i++) {
		spec.body = i % 2 ? send_some : receive_some;
		team_add(f.team, &spec);
	}
	fixture_run_well(&f);
	for (int i = 0; i < 6; i++)
		ck_assert_uint_eq(fixture_count(&f, i), MESSAGES);
	fixture_close(&f);
}

START_TEST(processes_receive_all_that_was_sent)
{
	for (int kind = CHANNEL_PIPE; kind <= CHANNEL_TCP; kind++)
		run_exchange(kind, 100, -1);
}
END_TEST

START_TEST(threads_receive_all_that_was_sent)
{
	for (int kind = CHANNEL_PIPE; kind <= CHANNEL_TCP; kind++)
		run_exchange(kind, 100, 0);
}
END_TEST

static void add_slowly(struct task *task, void *data)
{
	struct exchange *exchange = data;

	for (int i = 0; i < MESSAGES; i++) {
		volatile uint64_t *value = &exchange->unguarded;

		if (!mutex_lock(task, exchange->mutex))
			return;
		*value = *value + 1;
		mutex_unlock(task, exchange->mutex);
		task_count(task, 0, 1);
	}
}

START_TEST(a_mutex_lets_one_in_at_a_time)
{
	struct fixture f = FIXTURE;
	struct exchange *exchange;

	f.options.runtime_ns = 100000 * MS;
	fixture_open(&f);
	exchange = team_shared(f.team, sizeof(*exchange));
	exchange->mutex = team_mutex(f.team);
	for (int i = 0; i < 6; i++)
		fixture_add(&f, add_slowly, exchange);
	fixture_run_well(&f);
	ck_assert_uint_eq(exchange->unguarded, 6 * MESSAGES);
	fixture_close(&f);
}
END_TEST

static void sleep_a_little(struct task *task, void *data)
{
	uint64_t begin = task_clock(task), until = begin + 5 * MS;

	(void)data;
	if (!task_sleep_until(task, until) || task_clock(task) < until)
		task_fail(task, "woke too early");
	if (task_sleep(task, 1000000 * MS))
		task_fail(task, "slept beyond the end");
}

START_TEST(sleeping_ends_at_its_time_or_with_the_trial)
{
	struct fixture f = FIXTURE;

	f.options.runtime_ns = 400 * MS;
	fixture_open(&f);
	fixture_add(&f, sleep_a_little, NULL);
	fixture_run_well(&f);
	fixture_close(&f);
}
END_TEST

static void use_after_end(struct task *task, void *data)
{
	struct exchange *exchange = data;

	while (task_running(task))
		task_yield(task);
	if (channel_send(task, exchange->channel) || channel_receive(task, exchange->channel) ||
	    mutex_lock(task, exchange->mutex) || task_sleep(task, 1) ||
	    task_spawn(task, CHILD_FORK, NULL, NULL) >= 0)
		task_fail(task, "a call works after the end");
	task_count(task, 0, 1000);
}

START_TEST(after_the_end_calls_say_so_and_counts_do_not_matter)
{
	struct fixture f = FIXTURE;
	struct exchange *exchange;

	fixture_open(&f);
	exchange = team_shared(f.team, sizeof(*exchange));
	exchange->channel = team_channel(f.team, CHANNEL_PIPE, 10);
	exchange->mutex = team_mutex(f.team);
	fixture_add(&f, use_after_end, exchange);
	fixture_run_well(&f);
	ck_assert_uint_eq(fixture_count(&f, 0), 0);
	fixture_close(&f);
}
END_TEST

START_TEST(shared_memory_is_zeroed_and_does_not_overlap)
{
	struct fixture f = FIXTURE;
	char *blocks[100];

	fixture_open(&f);
	for (int i = 0; i < 100; i++) {
		size_t size = i % 10 == 9 ? (size_t)3 << 20 : (size_t)i * 1000 + 1;

		blocks[i] = team_shared(f.team, size);
		ck_assert_uint_eq((uintptr_t)blocks[i] % 64, 0);
		for (size_t j = 0; j < size; j += size / 2 + 1)
			ck_assert_int_eq(blocks[i][j], 0);
		memset(blocks[i], i + 1, size);
	}
	for (int i = 0; i < 100; i++)
		ck_assert_int_eq(blocks[i][0], i + 1);
	fixture_close(&f);
}
END_TEST

UNIT_TESTS("live_channel", processes_receive_all_that_was_sent, threads_receive_all_that_was_sent,
	   a_mutex_lets_one_in_at_a_time, sleeping_ends_at_its_time_or_with_the_trial,
	   after_the_end_calls_say_so_and_counts_do_not_matter,
	   shared_memory_is_zeroed_and_does_not_overlap)
