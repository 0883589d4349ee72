// SPDX-License-Identifier: GPL-2.0-only
#include "events/put.h"

#include <unistd.h>

#include "events/map.h"
#include "report/map.h"

/* 2 nodes of an LLC of 2 cores: CPUs 0-1 | 2-3; 10 ms in 10 columns */
static struct machine *machine;
static struct map *map;

static void start(void)
{
	ck_no_error(machine_open("pack:2 [numa] l3:1 core:2 pu:1", &machine));
	map = map_new(0, 10 * MS, 10);
	put_begin(&map->sink, machine, 4);
	put_task(0, 11, 0, "a");
	put_task(0, 12, 0, "b");
}

static void done(void)
{
	map_free(map);
	machine_close(machine);
}

START_TEST(a_cell_is_of_the_task_that_ran_most_in_it)
{
	start();
	put_switch(0, 0, 0, 0, 11);
	put_switch(3 * MS + 400 * US, 0, 11, EVENT_STATE_SLEEPS, 12);
	put_switch(6 * MS, 0, 12, EVENT_STATE_SLEEPS, 0);
	put_end(10 * MS);
	for (int column = 0; column < 3; column++)
		ck_assert_int_eq(map_task(map, 0, column), 11);
	for (int column = 3; column < 6; column++)
		ck_assert_int_eq(map_task(map, 0, column), 12);
	for (int column = 6; column < 10; column++)
		ck_assert_int_eq(map_task(map, 0, column), 0);
	ck_assert_int_eq(map_task(map, 1, 0), EVENT_NONE);
	ck_assert_double_eq_tol(map_cell(map, 0, 3)->top[0].ns, 0.4e6, 1);
	ck_assert_double_eq_tol(map_cell(map, 0, 3)->busy_ns, 1e6, 1);
	done();
}
END_TEST

START_TEST(waiting_tasks_are_counted_where_they_are_queued_and_move)
{
	start();
	put_switch(0, 0, 0, 0, 11);
	put_switch(0, 2, 9, EVENT_STATE_SLEEPS, 0);
	put_wake(EVENT_WAKEUP, 1 * MS, 0, 12, 0);
	put_move(4 * MS, 12, 0, 2);
	put_switch(6 * MS, 2, 0, 0, 12);
	put_switch(8 * MS, 2, 12, EVENT_STATE_PREEMPTED, 0);
	put_end(10 * MS);
	ck_assert_double_eq_tol(map_waiting(map, 0, 0), 0, 1e-9);
	ck_assert_double_eq_tol(map_waiting(map, 0, 1), 1, 1e-9);
	ck_assert_double_eq_tol(map_waiting(map, 0, 3), 1, 1e-9);
	ck_assert_double_eq_tol(map_waiting(map, 0, 4), 0, 1e-9);
	ck_assert_double_eq_tol(map_waiting(map, 2, 5), 1, 1e-9);
	ck_assert_double_eq_tol(map_waiting(map, 2, 6), 0, 1e-9);
	ck_assert_double_eq_tol(map_waiting(map, 2, 9), 1, 1e-9);
	/* CPU 0 has two tasks, CPU 2 none; then both have one; CPUs 1 and 3 were not seen */
	ck_assert_double_eq_tol(map_imbalance(map, GROUP_NODE, 2), 2, 1e-9);
	ck_assert_double_eq_tol(map_imbalance(map, GROUP_NODE, 7), 0, 1e-9);
	done();
}
END_TEST

static char *printed(const int32_t *workers, int n)
{
	size_t length;
	char *text;
	FILE *stream = open_memstream(&text, &length);

	map_print(stream, map, workers, n);
	fclose(stream);
	return text;
}

START_TEST(the_text_marks_idle_time_and_waiting_tasks)
{
	static const int32_t workers[] = { 12, 11 };
	char *text;

	start();
	put_switch(0, 0, 0, 0, 11);
	put_switch(0, 2, 9, EVENT_STATE_SLEEPS, 0);
	put_wake(EVENT_WAKEUP, 5 * MS, 0, 12, 0);
	put_switch(8 * MS, 0, 11, EVENT_STATE_SLEEPS, 12);
	put_end(10 * MS);
	text = printed(workers, 2);
	ck_assert_msg(strstr(text, "CPU    0 |bbbbbBBBaa|\n") != NULL, "%s", text);
	ck_assert_msg(strstr(text, "CPU    2 |..........|\n") != NULL, "%s", text);
	ck_assert_msg(strstr(text, "a=12  b=11") != NULL, "%s", text);
	free(text);
	done();
}
END_TEST

START_TEST(a_picture_is_drawn_and_no_file_is_written_over)
{
	char path[] = "/tmp/fairtrial-test-XXXXXX";
	autofree char *file = NULL;
	struct error *error;

	ck_assert_ptr_nonnull(mkdtemp(path));
	file = memory_format("%s/map.svg", path);
	start();
	put_switch(0, 0, 0, 0, 11);
	put_wake(EVENT_WAKEUP, 5 * MS, 0, 12, 0);
	put_end(10 * MS);
	error = map_svg(map, file, false);
	if (error && error->code == ERR_UNAVAILABLE) {
		fprintf(stderr, "skipped: %s\n", error->message);
		error_free(error);
	} else {
		ck_assert_msg(!error, "%s", error ? error->message : "");
		ck_error(map_svg(map, file, false), ERR_INPUT, "exists; --force replaces it");
		ck_no_error(map_svg(map, file, true));
		ck_assert_int_eq(access(file, R_OK), 0);
		unlink(file);
	}
	rmdir(path);
	done();
}
END_TEST

UNIT_TESTS("map", a_cell_is_of_the_task_that_ran_most_in_it,
	   waiting_tasks_are_counted_where_they_are_queued_and_move,
	   the_text_marks_idle_time_and_waiting_tasks,
	   a_picture_is_drawn_and_no_file_is_written_over)
