// SPDX-License-Identifier: GPL-2.0-only
#include "live_fixture.h"

struct shared {
	struct mutex *mutex;
	uint64_t count; /* changed without atomic operations, under the mutex alone */
	uint32_t holds;
};

static void count_spinning(struct task *task, void *data)
{
	struct shared *shared = data;

	while (mutex_spin(task, shared->mutex)) {
		*(volatile uint64_t *)&shared->count += 1;
		mutex_unlock(task, shared->mutex);
		task_count(task, 0, 1);
	}
}

static void count_sleeping(struct task *task, void *data)
{
	struct shared *shared = data;

	while (mutex_lock(task, shared->mutex)) {
		*(volatile uint64_t *)&shared->count += 1;
		mutex_unlock(task, shared->mutex);
		task_count(task, 0, 1);
	}
}

START_TEST(one_at_a_time_has_a_mutex_whether_it_spins_or_sleeps)
{
	struct fixture f = FIXTURE;
	struct shared *shared;
	uint64_t sum = 0;

	f.options.runtime_ns = 300 * MS;
	fixture_open(&f);
	shared = team_shared(f.team, sizeof(*shared));
	shared->mutex = team_mutex(f.team);
	for (int i = 0; i < 4; i++)
		fixture_add(&f, i % 2 ? count_spinning : count_sleeping, shared);
	fixture_run_well(&f);
	for (int i = 0; i < 4; i++)
		sum += fixture_count(&f, i);
	/* what was counted between the end of the measured time and that of the trial is in one of them */
	ck_assert_uint_gt(sum, 0);
	ck_assert_uint_ge(shared->count, sum);
	fixture_close(&f);
}
END_TEST

static void add_exactly(struct task *task, void *data)
{
	struct shared *shared = data;

	for (int i = 0; i < 100000 && mutex_spin(task, shared->mutex); i++) {
		*(volatile uint64_t *)&shared->count += 1;
		mutex_unlock(task, shared->mutex);
	}
}

START_TEST(no_change_under_a_spinning_mutex_is_lost)
{
	struct fixture f = FIXTURE;
	struct shared *shared;

	f.options.runtime_ns = 60000 * MS; /* ends when all have returned */
	fixture_open(&f);
	shared = team_shared(f.team, sizeof(*shared));
	shared->mutex = team_mutex(f.team);
	for (int i = 0; i < 3; i++)
		fixture_add(&f, add_exactly, shared);
	fixture_run_well(&f);
	ck_assert_uint_eq(shared->count, 300000);
	fixture_close(&f);
}
END_TEST

static void hold(struct task *task, void *data)
{
	struct shared *shared = data;

	if (!mutex_lock(task, shared->mutex))
		return;
	__atomic_store_n(&shared->holds, 1, __ATOMIC_SEQ_CST);
	while (task_running(task))
		task_sleep(task, MS);
}

static void spin_for_ever(struct task *task, void *data)
{
	struct shared *shared = data;

	while (!__atomic_load_n(&shared->holds, __ATOMIC_SEQ_CST))
		if (!task_sleep(task, MS))
			return;
	if (mutex_spin(task, shared->mutex))
		task_fail(task, "it has a mutex that another worker holds");
}

START_TEST(the_end_of_the_trial_ends_spinning)
{
	struct fixture f = FIXTURE;
	struct shared *shared;

	fixture_open(&f);
	shared = team_shared(f.team, sizeof(*shared));
	shared->mutex = team_mutex(f.team);
	fixture_add(&f, hold, shared);
	fixture_add(&f, spin_for_ever, shared);
	fixture_run_well(&f);
	fixture_close(&f);
}
END_TEST

/* elapsed is zero and untrue outside of the measured time, and rises within it */
static void look(struct task *task, void *data)
{
	uint64_t ns, last = 0, *most = data;

	if (task_elapsed(task, &ns) || ns)
		task_fail(task, "the measured time began before the warm-up was over");
	while (task_running(task)) {
		if (task_elapsed(task, &ns)) {
			if (ns < last)
				task_fail(task, "time went back");
			last = ns;
		}
		task_sleep(task, MS);
	}
	*most = last;
	if (task_elapsed(task, &ns) || ns)
		task_fail(task, "the measured time goes on after its end");
}

START_TEST(elapsed_time_is_that_of_the_measured_time)
{
	struct fixture f = FIXTURE;
	uint64_t *most;

	f.options.warmup_ns = 2000 * MS; /* they have all run before it is over */
	f.options.runtime_ns = 500 * MS;
	fixture_open(&f);
	most = team_shared(f.team, sizeof(*most));
	fixture_add(&f, look, most);
	fixture_run_well(&f);
	ck_assert_uint_gt(*most, 0);
	fixture_close(&f);
}
END_TEST

UNIT_TESTS("live_spin", one_at_a_time_has_a_mutex_whether_it_spins_or_sleeps,
	   no_change_under_a_spinning_mutex_is_lost, the_end_of_the_trial_ends_spinning,
	   elapsed_time_is_that_of_the_measured_time)
