// SPDX-License-Identifier: GPL-2.0-only
#include "live_fixture.h"

#define N      4
#define ROUNDS 20

/* shared by all: who has been how often at the barrier */
struct course {
	struct barrier *barrier;
	uint64_t rounds[N];
	uint64_t torn; /* how often somebody was seen who is not in the same round */
};

struct runner {
	struct course *course;
	int number;
};

static uint64_t rounds_of(const struct course *course, int number)
{
	return __atomic_load_n(&course->rounds[number], __ATOMIC_SEQ_CST);
}

static void run_rounds(struct task *task, void *data)
{
	const struct runner *runner = data;
	struct course *course = runner->course;
	uint64_t round = 0;

	do {
		__atomic_store_n(&course->rounds[runner->number], ++round, __ATOMIC_SEQ_CST);
		if (!barrier_wait(task, course->barrier))
			return;
		for (int i = 0; i < N; i++)
			if (rounds_of(course, i) != round)
				__atomic_add_fetch(&course->torn, 1, __ATOMIC_SEQ_CST);
		task_count(task, 0, 1);
	} while (barrier_wait(task, course->barrier) && round < ROUNDS);
}

static void check_barrier(bool spins, bool threads)
{
	struct fixture fixture = FIXTURE;
	struct course *course;

	fixture.options.runtime_ns = 60000 * MS; /* it ends when all have returned */

	fixture_open(&fixture);
	course = team_shared(fixture.team, sizeof(*course));
	course->barrier = team_barrier(fixture.team, N, spins);
	for (int i = 0; i < N; i++) {
		struct runner *runner = team_shared(fixture.team, sizeof(*runner));
		struct worker_spec spec = { .body = run_rounds,
					    .data = runner,
					    .process = threads ? 0 : -1 };

		*runner = (struct runner){ course, i };
		team_add(fixture.team, &spec);
	}
	fixture_run_well(&fixture);
	ck_assert_uint_eq(course->torn, 0);
	for (int i = 0; i < N; i++)
		ck_assert_uint_eq(rounds_of(course, i), ROUNDS);
	fixture_close(&fixture);
}

START_TEST(nobody_leaves_a_barrier_before_all_have_come)
{
	check_barrier(false, false);
	check_barrier(false, true);
	check_barrier(true, false);
	check_barrier(true, true);
}
END_TEST

/* two values for the trial's process: was it the measured time in the warm-up, and after it? */
static void look_at_the_time(struct task *task, void *data)
{
	uint64_t *seen = data;

	seen[0] = task_measured(task);
	while (task_running(task) && !task_measured(task))
		task_count(task, 1, 1);
	seen[1] = task_measured(task);
	while (task_running(task))
		task_count(task, 0, 1);
}

START_TEST(the_measured_time_begins_after_the_warm_up)
{
	struct fixture fixture = FIXTURE;
	uint64_t *seen;

	/* the worker gets a turn in both also where others compute */
	fixture.options.warmup_ns = 500 * MS;
	fixture.options.runtime_ns = 500 * MS;
	fixture_open(&fixture);
	seen = team_shared(fixture.team, 2 * sizeof(*seen));
	fixture_add(&fixture, look_at_the_time, seen);
	fixture_run_well(&fixture);
	ck_assert_uint_eq(seen[0], 0);
	ck_assert_uint_eq(seen[1], 1);
	fixture_close(&fixture);
}
END_TEST

UNIT_TESTS("live barrier", nobody_leaves_a_barrier_before_all_have_come,
	   the_measured_time_begins_after_the_warm_up)
