// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"

#include "events/tasks.h"

static struct event_task task_of(int pid, const char *name, enum event_task_reason reason)
{
	struct event_task task = { .pid = pid, .tgid = pid, .parent = 1, .reason = reason };

	snprintf(task.name, sizeof(task.name), "%s", name);
	return task;
}

static void tell(struct event_tasks *tasks, int pid, const char *name,
		 enum event_task_reason reason)
{
	struct event_task task = task_of(pid, name, reason);

	event_tasks_tell(tasks, &task);
}

START_TEST(the_idle_task_has_a_name_and_unknown_tasks_are_a_question_mark)
{
	struct event_tasks *tasks = event_tasks_new(0);

	ck_assert_str_eq(event_tasks_name(tasks, 0), "swapper");
	ck_assert_str_eq(event_tasks_name(tasks, 17), "?");
	tell(tasks, 17, "make", EVENT_TASK_FOUND);
	ck_assert_str_eq(event_tasks_name(tasks, 17), "make");
	event_tasks_free(tasks);
}
END_TEST

START_TEST(a_task_that_changes_its_name_keeps_the_data_and_one_forked_anew_does_not)
{
	struct event_tasks *tasks = event_tasks_new(sizeof(int));

	tell(tasks, 5, "sh", EVENT_TASK_FORKED);
	*(int *)event_tasks_data(event_tasks_find(tasks, 5)) = 42;
	tell(tasks, 5, "ls", EVENT_TASK_NAMED);
	ck_assert_str_eq(event_tasks_name(tasks, 5), "ls");
	ck_assert_int_eq(*(int *)event_tasks_data(event_tasks_find(tasks, 5)), 42);
	tell(tasks, 5, "cat", EVENT_TASK_FORKED);
	ck_assert_int_eq(*(int *)event_tasks_data(event_tasks_find(tasks, 5)), 0);
	ck_assert_int_eq(event_tasks_count(tasks), 1);
	event_tasks_free(tasks);
}
END_TEST

START_TEST(a_task_leaves_the_table_after_its_last_switch_and_no_other_does)
{
	struct event_tasks *tasks = event_tasks_new(0);
	struct event event = event_blank(EVENT_SWITCH, 1, 0);

	/* enough that neighbours collide and the table grows */
	for (int pid = 1; pid <= 3000; pid++)
		tell(tasks, pid * 7, "task", EVENT_TASK_FORKED);
	for (int pid = 1; pid <= 3000; pid++) {
		event.pid = pid * 7;
		event.state = pid % 3 ? EVENT_STATE_ZOMBIE : EVENT_STATE_SLEEPS;
		event_tasks_passed(tasks, &event);
	}
	ck_assert_int_eq(event_tasks_count(tasks), 1000);
	for (int pid = 1; pid <= 3000; pid++)
		ck_assert_int_eq(event_tasks_find(tasks, pid * 7) != NULL, pid % 3 == 0);
	event_tasks_free(tasks);
}
END_TEST

START_TEST(states_read_back_as_they_are_printed)
{
	const char *const wrong[] = { "", "+", "Q", "SD", "S||D", "|S", "S|" };
	uint16_t state;
	char text[16];

	for (unsigned int bits = 0; bits < 0x200; bits++) {
		/* no kernel reports more than three at once, and the text is as short */
		if (__builtin_popcount(bits & 0xff) > 3)
			continue;
		event_state_text(bits, text);
		ck_assert_msg(event_state_parse(text, strlen(text), &state), "%s", text);
		ck_assert_uint_eq(state, bits);
	}
	ck_assert(event_state_parse("R+", 2, &state));
	ck_assert_uint_eq(state, EVENT_STATE_PREEMPTED);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		ck_assert_msg(!event_state_parse(wrong[i], strlen(wrong[i]), &state), "%s",
			      wrong[i]);
}
END_TEST

UNIT_TESTS("events", the_idle_task_has_a_name_and_unknown_tasks_are_a_question_mark,
	   a_task_that_changes_its_name_keeps_the_data_and_one_forked_anew_does_not,
	   a_task_leaves_the_table_after_its_last_switch_and_no_other_does,
	   states_read_back_as_they_are_printed)
