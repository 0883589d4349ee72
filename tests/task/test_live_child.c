// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "live_fixture.h"

static void spawn_all(struct task *task, enum child_kind kind, task_body body, void *data, int n)
{
	for (int i = 0; i < n; i++) {
		int64_t child = task_spawn(task, kind, body, data);

		if (child < 0 || !task_wait(task, child))
			return;
		task_count(task, 0, 1);
	}
}

static void spawn_forks(struct task *task, void *data)
{
	(void)data;
	spawn_all(task, CHILD_FORK, NULL, NULL, 100);
}

static void spawn_execs(struct task *task, void *data)
{
	(void)data;
	spawn_all(task, CHILD_EXEC, NULL, NULL, 20);
}

static void spawn_threads(struct task *task, void *data)
{
	(void)data;
	spawn_all(task, CHILD_THREAD, NULL, NULL, 100);
}

START_TEST(children_of_each_kind_run_and_end)
{
	struct fixture f = FIXTURE;

	f.options.runtime_ns = 100000 * MS;
	fixture_open(&f);
	fixture_add(&f, spawn_forks, NULL);
	fixture_add(&f, spawn_execs, NULL);
	fixture_add(&f, spawn_threads, NULL);
	fixture_run_well(&f);
	ck_assert_uint_eq(fixture_count(&f, 0), 100);
	ck_assert_uint_eq(fixture_count(&f, 1), 20);
	ck_assert_uint_eq(fixture_count(&f, 2), 100);
	fixture_close(&f);
}
END_TEST

static void count_seven(struct task *task, void *data)
{
	(void)data;
	task_count(task, 1, 7);
}

static void spawn_counting(struct task *task, void *data)
{
	(void)data;
	spawn_all(task, CHILD_FORK, count_seven, NULL, 5);
	spawn_all(task, CHILD_THREAD, count_seven, NULL, 5);
}

START_TEST(what_children_count_is_the_workers)
{
	struct fixture f = FIXTURE;

	f.options.runtime_ns = 100000 * MS;
	fixture_open(&f);
	fixture_add(&f, spawn_counting, NULL);
	fixture_run_well(&f);
	ck_assert_uint_eq(f.report.workers[0].counters[0], 10);
	ck_assert_uint_eq(f.report.workers[0].counters[1], 70);
	fixture_close(&f);
}
END_TEST

static void read_heap(struct task *task, void *data)
{
	const char *heap = data;

	for (int i = 0; i < 1000000; i += 1000)
		if (heap[i] != 'x')
			task_fail(task, "the heap is not what it was");
	count_seven(task, NULL);
}

/* children without a body have little memory; the next kind of child must have all again */
static void mix_children(struct task *task, void *data)
{
	char *heap = memory_zeroed(1, 1000000);

	(void)data;
	memset(heap, 'x', 1000000);
	for (int i = 0; i < 3; i++) {
		spawn_all(task, CHILD_FORK, NULL, NULL, 3);
		spawn_all(task, CHILD_FORK, read_heap, heap, 3);
		spawn_all(task, CHILD_FORK, NULL, NULL, 3);
	}
	spawn_all(task, CHILD_THREAD, read_heap, heap, 3);
	spawn_all(task, CHILD_FORK, NULL, NULL, 3);
	spawn_all(task, CHILD_FORK, read_heap, heap, 3);
	free(heap);
}

START_TEST(kinds_of_children_can_be_mixed)
{
	struct fixture f = FIXTURE;

	f.options.runtime_ns = 100000 * MS;
	fixture_open(&f);
	fixture_add(&f, mix_children, NULL);
	fixture_run_well(&f);
	ck_assert_uint_eq(f.report.workers[0].counters[0], 36);
	ck_assert_uint_eq(f.report.workers[0].counters[1], 7 * 15);
	fixture_close(&f);
}
END_TEST

/* code, constants, relocated data and variables of libraries, and of the C library */
static void use_libraries(struct task *task, void *data)
{
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	json_t *number = json_real(1.5);
	autofree char *text = json_dumps(number, JSON_ENCODE_ANY);
	autofree char *twice = memory_format("%s and %g", text, *(double *)data);
	char *list = NULL;

	hwloc_bitmap_set_range(set, 2, 4);
	hwloc_bitmap_list_asprintf(&list, set);
	if (strcmp(list, "2-4") || strcmp(twice, "1.5 and 2.5") || !strerror(ENOENT))
		task_fail(task, "libraries do not work");
	free(list);
	json_decref(number);
	hwloc_bitmap_free(set);
	task_count(task, 1, 1);
}

static void fork_then_use_libraries(struct task *task, void *data)
{
	spawn_all(task, CHILD_FORK, NULL, NULL, 3);
	use_libraries(task, data);
	spawn_all(task, CHILD_FORK, use_libraries, data, 3);
	spawn_all(task, CHILD_FORK, NULL, NULL, 3);
	spawn_all(task, CHILD_THREAD, use_libraries, data, 3);
	use_libraries(task, data);
}

/* bare forks have the worker merge the memory of its libraries */
START_TEST(libraries_work_in_a_worker_that_has_forked)
{
	struct fixture f = FIXTURE;
	double number = 2.5;

	f.options.runtime_ns = 100000 * MS;
	fixture_open(&f);
	for (int i = 0; i < 2; i++)
		fixture_add(&f, fork_then_use_libraries, &number);
	fixture_run_well(&f);
	for (int i = 0; i < 2; i++) {
		ck_assert_uint_eq(f.report.workers[i].counters[0], 12);
		ck_assert_uint_eq(f.report.workers[i].counters[1], 8);
	}
	fixture_close(&f);
}
END_TEST

START_TEST(threads_of_a_process_can_fork)
{
	struct fixture f = FIXTURE;
	struct worker_spec spec = { .body = spawn_forks, .process = 0 };

	f.options.runtime_ns = 100000 * MS;
	fixture_open(&f);
	for (int i = 0; i < 3; i++)
		team_add(f.team, &spec);
	fixture_run_well(&f);
	for (int i = 0; i < 3; i++)
		ck_assert_uint_eq(fixture_count(&f, i), 100);
	fixture_close(&f);
}
END_TEST

static void burn(struct task *task, void *data)
{
	uint64_t end = task_clock(task) + 30 * MS;

	(void)data;
	while (task_clock(task) < end)
		;
}

static void parent_of_burner(struct task *task, void *data)
{
	int64_t child = task_spawn(task, *(enum child_kind *)data, burn, NULL);

	task_wait(task, child);
	body_busy(task, NULL);
}

/* the parent sleeps while the child works; both are the worker's CPU time, none is counted twice */
START_TEST(the_cpu_time_of_children_is_the_workers)
{
	static enum child_kind kinds[] = { CHILD_FORK, CHILD_THREAD };
	struct fixture f = FIXTURE;

	f.options.runtime_ns = 400 * MS;
	fixture_open(&f);
	for (int i = 0; i < 2; i++)
		fixture_add(&f, parent_of_burner, &kinds[i]);
	fixture_run_well(&f);
	for (int i = 0; i < 2; i++) {
		ck_assert(f.report.workers[i].cpu_seconds > 0);
		ck_assert(f.report.workers[i].cpu_seconds < f.report.seconds * 1.05);
	}
	fixture_close(&f);
}
END_TEST

static void exit_badly(struct task *task, void *data)
{
	(void)task;
	(void)data;
	_exit(3);
}

static void kill_itself(struct task *task, void *data)
{
	(void)task;
	(void)data;
	kill(getpid(), SIGKILL);
}

static void spawn_one(struct task *task, void *data)
{
	task_body body = *(task_body *)data;
	int64_t child = task_spawn(task, CHILD_FORK, body, NULL);

	if (task_wait(task, child))
		task_fail(task, "a child that ended badly looks well");
}

static void check_child_death(task_body body, const char *reason)
{
	struct fixture f = FIXTURE;

	fixture_open(&f);
	fixture_add(&f, spawn_one, &body);
	fixture_run_badly(&f, reason);
	fixture_close(&f);
}

START_TEST(a_child_that_ends_badly_fails_the_trial)
{
	check_child_death(exit_badly, "worker 0: a child ended badly: exit status 3");
	check_child_death(kill_itself, "worker 0: a child ended badly: killed by signal 9");
}
END_TEST

static void wait_for_nobody(struct task *task, void *data)
{
	(void)data;
	task_wait(task, 1);
}

START_TEST(waiting_for_a_child_that_is_none_fails_the_trial)
{
	struct fixture f = FIXTURE;

	fixture_open(&f);
	fixture_add(&f, wait_for_nobody, NULL);
	fixture_run_badly(&f, "worker 0: wait: it has no such child");
	fixture_close(&f);
}
END_TEST

UNIT_TESTS("live_child", children_of_each_kind_run_and_end, what_children_count_is_the_workers,
	   kinds_of_children_can_be_mixed, libraries_work_in_a_worker_that_has_forked,
	   threads_of_a_process_can_fork, the_cpu_time_of_children_is_the_workers,
	   a_child_that_ends_badly_fails_the_trial,
	   waiting_for_a_child_that_is_none_fails_the_trial)
