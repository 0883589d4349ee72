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

START_TEST(no_column_is_left_out_where_borders_are_rounded)
{
	start();
	map_free(map);
	map = map_new(12132892624357, 12133021912411, 792);
	put_begin(&map->sink, machine, 4);
	put_switch(12132892624000, 0, 0, 0, 11);
	put_end(12133021912411);
	for (int column = 0; column < 792; column++) {
		ck_assert_int_eq(map_task(map, 0, column), 11);
		ck_assert_double_eq_tol(map_cell(map, 0, column)->busy_ns, 129288054.0 / 792, 1);
	}
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

static char *printed(const struct map_names *names)
{
	size_t length;
	char *text;
	FILE *stream = open_memstream(&text, &length);

	map_print(stream, map, names);
	fclose(stream);
	return text;
}

START_TEST(the_text_marks_idle_time_and_waiting_tasks)
{
	static const int32_t workers[] = { 12, 11 };
	static const struct analysis_task tasks[] = { { "a", 11 }, { "b", 12 } };
	struct map_names names = { tasks, 2, workers, 2, false };
	char *text;

	start();
	put_switch(0, 0, 0, 0, 11);
	put_switch(0, 2, 9, EVENT_STATE_SLEEPS, 0);
	put_wake(EVENT_WAKEUP, 5 * MS, 0, 12, 0);
	put_switch(8 * MS, 0, 11, EVENT_STATE_SLEEPS, 12);
	put_end(10 * MS);
	text = printed(&names);
	ck_assert_msg(strstr(text, "CPU    0 |bbbbbBBBaa|\n") != NULL, "%s", text);
	ck_assert_msg(strstr(text, "CPU    2 |..........|\n") != NULL, "%s", text);
	ck_assert_msg(strstr(text, "  a  b                 PID 12, worker\n"
				   "  b  a                 PID 11, worker\n") != NULL,
		      "%s", text);
	free(text);
	done();
}
END_TEST

/* a column for each of 30 tasks, of three names; the first one has two columns */
static void run_many(void)
{
	map_free(map);
	map = map_new(0, 31 * MS, 31);
	put_begin(&map->sink, machine, 4);
	put_switch(0, 0, 0, 0, 100);
	for (int i = 1; i < 30; i++)
		put_switch((uint64_t)(i + 1) * MS, 0, 99 + i, EVENT_STATE_SLEEPS, 100 + i);
	put_end(31 * MS);
}

START_TEST(a_task_without_a_letter_is_counted_in_the_legend)
{
	struct analysis_task tasks[30] = { 0 };
	struct map_names names = { tasks, 30, NULL, 0, false };
	char *text;

	start();
	run_many();
	for (int i = 0; i < 30; i++) {
		tasks[i].pid = 100 + i;
		snprintf(tasks[i].name, sizeof(tasks[i].name), "name%d", i % 3);
	}
	text = printed(&names);
	ck_assert_msg(strstr(text, "|aabcdefghijklmnopqrstuvwxyz****|\n") != NULL, "%s", text);
	ck_assert_msg(strstr(text, "  z  name1             PID 125\n"
				   "  *  and 4 more tasks; --by-name gives a name one letter\n"),
		      "%s", text);
	free(text);

	names.by_name = true;
	text = printed(&names);
	ck_assert_msg(strstr(text, "|aabcabc") != NULL, "%s", text);
	ck_assert_msg(strstr(text, "  a  name0             10 tasks, PID 100 to 127\n"
				   "  b  name1             10 tasks, PID 101 to 128\n"
				   "  c  name2             10 tasks, PID 102 to 129\n"),
		      "%s", text);
	ck_assert_msg(!strstr(text, "more"), "%s", text);
	free(text);
	done();
}
END_TEST

START_TEST(tasks_of_a_name_share_their_time_in_a_cell)
{
	static const struct analysis_task tasks[] = { { "x", 12 }, { "y", 11 }, { "y", 13 } };
	struct map_names names = { tasks, 3, NULL, 0, true };
	char *text;

	start();
	/* 0.3 ms + 0.3 ms of y against 0.4 ms of x, in each column */
	for (int i = 0; i < 10; i++) {
		uint64_t at = (uint64_t)i * MS;

		put_switch(at, 0, i ? 13 : 0, i ? EVENT_STATE_SLEEPS : 0, 11);
		put_switch(at + 300 * US, 0, 11, EVENT_STATE_SLEEPS, 12);
		put_switch(at + 700 * US, 0, 12, EVENT_STATE_SLEEPS, 13);
	}
	put_end(10 * MS);
	text = printed(&names);
	ck_assert_msg(strstr(text, "|aaaaaaaaaa|\n") != NULL, "%s", text);
	ck_assert_msg(strstr(text, "  a  y                 2 tasks, PID 11 to 13\n") != NULL, "%s",
		      text);
	ck_assert_msg(!strstr(text, "  x  "), "%s", text);
	free(text);
	names.by_name = false;
	text = printed(&names);
	ck_assert_msg(strstr(text, "  a  x                 PID 12\n") != NULL, "%s", text);
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
	   no_column_is_left_out_where_borders_are_rounded,
	   waiting_tasks_are_counted_where_they_are_queued_and_move,
	   the_text_marks_idle_time_and_waiting_tasks,
	   a_task_without_a_letter_is_counted_in_the_legend,
	   tasks_of_a_name_share_their_time_in_a_cell,
	   a_picture_is_drawn_and_no_file_is_written_over)
