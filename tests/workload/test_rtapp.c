// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"

#include <sched.h>

#include "base/memory.h"
#include "workload/rtapp_file.h"

static struct rtapp_file *parse(const char *text)
{
	struct rtapp_file *file;

	ck_no_error(rtapp_parse("t.json", text, strlen(text), &file));
	return file;
}

START_TEST(the_order_of_events_is_the_program)
{
	struct rtapp_file *file =
		parse("{ \"tasks\" : { \"a\" : { \"run\" : 1, \"sleep\" : 2, "
		      "\"run\" : 3, \"run2\" : 4, \"runtime\" : 5, \"yield\" } } }");
	static const enum rtapp_event_kind kinds[] = { RTAPP_RUN, RTAPP_SLEEP,	 RTAPP_RUN,
						       RTAPP_RUN, RTAPP_RUNTIME, RTAPP_YIELD };
	const struct rtapp_task *task = &file->tasks[0];

	ck_assert_int_eq(task->n_phases, 1);
	ck_assert_int_eq(task->loop, -1);
	ck_assert_int_eq(task->instances, 1);
	ck_assert_int_eq(task->phases[0].loop, 1);
	ck_assert_int_eq(task->phases[0].n_events, ARRAY_SIZE(kinds));
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		ck_assert_int_eq(task->phases[0].events[i].kind, kinds[i]);
		if (kinds[i] != RTAPP_YIELD)
			ck_assert_uint_eq(task->phases[0].events[i].ns, (i + 1) * 1000);
	}
	rtapp_free(file);
}
END_TEST

START_TEST(properties_are_of_task_and_phase)
{
	struct rtapp_file *file = parse(
		"{ \"global\" : { \"duration\" : 3, \"calibration\" : \"CPU2\", "
		"\"default_policy\" : \"SCHED_RR\", \"logdir\" : \"./\" },\n"
		"\"tasks\" : { \"a\" : { \"instance\" : 2, \"delay\" : 7, \"loop\" : 5, \"cpus\" : [1, 3], "
		"\"phases\" : { \"p\" : { \"loop\" : 4, \"run\" : 1, \"policy\" : \"SCHED_OTHER\", "
		"\"priority\" : -3 }, \"q\" : { \"sleep\" : 1 } } },\n"
		"\"d\" : { \"policy\" : \"SCHED_DEADLINE\", \"runtime\" : 10, \"period\" : 20, "
		"\"phases\" : { \"p\" : { \"run\" : 1 } } } } }");
	const struct rtapp_task *a = &file->tasks[0], *d = &file->tasks[1];

	ck_assert_uint_eq(file->duration_ns, UINT64_C(3000000000));
	ck_assert_int_eq(file->calibration_cpu, 2);
	ck_assert_int_eq(file->default_policy, SCHED_RR);
	ck_assert_int_eq(file->n_without_effect, 1);
	ck_assert_str_eq(file->without_effect[0], "global/logdir");
	ck_assert_int_eq(a->instances, 2);
	ck_assert_uint_eq(a->delay_ns, 7000);
	ck_assert_int_eq(a->loop, 5);
	ck_assert(hwloc_bitmap_isset(a->properties.cpus, 3) &&
		  !hwloc_bitmap_isset(a->properties.cpus, 2));
	ck_assert_int_eq(a->phases[0].loop, 4);
	ck_assert_int_eq(a->phases[0].properties.policy, SCHED_OTHER);
	ck_assert_int_eq(a->phases[0].properties.priority, -3);
	ck_assert(!a->phases[1].properties.given);
	ck_assert_uint_eq(d->properties.dl_runtime, 10000);
	ck_assert_uint_eq(d->properties.dl_period, 20000);
	ck_assert_int_eq(rtapp_threads(file), 3);
	rtapp_free(file);
}
END_TEST

START_TEST(names_mean_objects_by_their_kind)
{
	struct rtapp_file *file = parse(
		"{ \"tasks\" : { \"a\" : { \"instance\" : 3, \"lock\" : \"x\", \"wait\" : { \"ref\" : "
		"\"x\", \"mutex\" : \"x\" }, \"unlock\" : \"x\", \"suspend\" : \"\", \"resume\" : \"a\", "
		"\"barrier\" : \"x\", \"timer\" : { \"ref\" : \"unique1\", \"period\" : 5, "
		"\"mode\" : \"absolute\" } }, \"b\" : { \"barrier\" : \"x\", \"broad\" : \"x\" } } }");
	const struct rtapp_event *events = file->tasks[0].phases[0].events;

	ck_assert_int_eq(events[0].object, events[1].mutex);
	ck_assert_int_eq(events[0].object, events[2].object);
	ck_assert_int_ne(events[0].object, events[1].object);
	ck_assert_int_eq(events[3].object, events[4].object);
	ck_assert_int_eq(file->objects[events[5].object].users, 4);
	ck_assert(file->objects[events[6].object].unique && events[6].absolute);
	ck_assert_uint_eq(events[6].ns, 5000);
	rtapp_free(file);
}
END_TEST

START_TEST(locks_that_are_taken_and_given_back_over_phases_are_accepted)
{
	static const char *const right[] = {
		"\"a\" : { \"phases\" : { \"p\" : { \"lock\" : \"m\" }, \"q\" : { \"loop\" : 3, \"run\" : 1 }, "
		"\"r\" : { \"unlock\" : \"m\" } } }",
		/* nobody else wants it */
		"\"a\" : { \"loop\" : 1, \"lock\" : \"m\", \"run\" : 1 }",
		/* given back while it waits */
		"\"a\" : { \"phases\" : { \"p\" : { \"lock\" : \"m\" }, \"q\" : { \"loop\" : -1, \"wait\" : { "
		"\"ref\" : \"c\", \"mutex\" : \"m\" } } } }, \"b\" : { \"lock\" : \"m\", \"signal\" : \"c\", "
		"\"unlock\" : \"m\" }",
		/* never reached */
		"\"a\" : { \"phases\" : { \"p\" : { \"loop\" : -1, \"run\" : 1 }, \"q\" : { \"unlock\" : "
		"\"m\" } } }",
		/* one instance wakes the other */
		"\"a\" : { \"instance\" : 2, \"resume\" : \"a\", \"suspend\" }",
	};

	for (size_t i = 0; i < ARRAY_SIZE(right); i++) {
		autofree char *text = memory_format("{ \"tasks\" : { %s } }", right[i]);

		rtapp_free(parse(text));
	}
}
END_TEST

#define TASK(events) "{ \"tasks\" : {\n\"a\" : { " events " } } }"

START_TEST(what_is_wrong_or_not_supported_is_told_with_place_and_path)
{
	static const struct {
		const char *text, *part;
	} wrong[] = {
		{ "[]", "t.json:1: column 1: an object is accepted here, not an array" },
		{ "{}", "there is no task" },
		{ "{ \"task\" : {} }",
		  "column 3: task: there is no such key here (did you mean 'tasks'?)" },
		{ "{ \"tasks\" : {} }", "there is no task" },
		{ TASK(""), "t.json:2: column 1: tasks/a: a task without an event" },
		{ TASK("\"instance\" : 0, \"run\" : 1"), "there is no task with an instance" },
		{ TASK("\"mem\" : 1"),
		  "t.json:2: column 9: tasks/a/mem: writing to memory is not" },
		{ TASK("\"iorun\" : 1"), "tasks/a/iorun: writing to a device is not supported" },
		{ TASK("\"fork\" : \"b\""), "tasks/a/fork: tasks that are started by others" },
		{ TASK("\"util_min\" : 1"), "tasks/a/util_min: utilization clamping" },
		{ TASK("\"taskgroup\" : \"/tg\""), "tasks/a/taskgroup: task groups are not" },
		{ TASK("\"membind_nodes\" : [0]"), "tasks/a/membind_nodes: " },
		{ TASK("\"rum\" : 1"),
		  "tasks/a/rum: there is no such key here (did you mean 'run'?)" },
		{ TASK("\"running\" : 1"), "tasks/a/running: there is no such key" },
		{ TASK("\"run\" : \"1\""),
		  "tasks/a/run: an integer is accepted here, not a string" },
		{ TASK("\"run\" : -1"), "tasks/a/run: -1: from 0 to" },
		{ TASK("\"run\" : 1.5"), "not a number with a fraction" },
		{ TASK("\"run\""), "tasks/a/run: an integer is accepted here, not nothing" },
		{ TASK("\"timer\" : 5"), "tasks/a/timer: an object is accepted here" },
		{ TASK("\"timer\" : { \"ref\" : \"x\" }"), "tasks/a/timer: \"period\" is missing" },
		{ TASK("\"timer\" : { \"period\" : 5 }"), "tasks/a/timer: \"ref\" is missing" },
		{ TASK("\"timer\" : { \"ref\" : \"x\", \"period\" : 5, \"mode\" : \"abs\" }"),
		  "tasks/a/timer/mode: 'abs': relative or absolute" },
		{ TASK("\"timer\" : { \"ref\" : \"x\", \"period\" : 5, \"perriod\" : 6 }"),
		  "tasks/a/timer/perriod: there is no such key here (did you mean 'period'?)" },
		{ TASK("\"wait\" : { \"ref\" : \"x\" }"), "tasks/a/wait: \"mutex\" is missing" },
		{ TASK("\"unlock\" : \"m\""),
		  "t.json:2: tasks/a/unlock: the task does not hold mutex 'm' here" },
		{ TASK("\"lock\" : \"m\", \"run\" : 1"),
		  "tasks/a/lock: the task holds mutex 'm' already" },
		{ TASK("\"loop\" : 1, \"lock\" : \"m\" },\n\"b\" : { \"lock\" : \"m\", \"unlock\" : \"m\""),
		  "t.json:2: tasks/a/lock: mutex 'm' is never unlocked before the task ends" },
		{ TASK("\"phases\" : { \"p\" : { \"lock\" : \"m\" },\n\"q\" : { \"loop\" : -1, \"run\" : 1 } "
		       "} },\n\"b\" : { \"lock\" : \"m\", \"unlock\" : \"m\""),
		  "t.json:2: tasks/a/phases/p/lock: mutex 'm' is never unlocked: others" },
		{ TASK("\"phases\" : { \"p\" : { \"loop\" : 2, \"lock\" : \"m\", \"run\" : 1 },\n\"q\" : { "
		       "\"unlock\" : \"m\" } }"),
		  "t.json:2: tasks/a/phases/p/lock: the task holds mutex 'm' already" },
		{ TASK("\"wait\" : { \"ref\" : \"c\", \"mutex\" : \"m\" } },\n\"b\" : { \"broad\" : \"c\""),
		  "t.json:2: tasks/a/wait: the task does not hold mutex 'm'" },
		{ TASK("\"sync\" : { \"ref\" : \"c\", \"mutex\" : \"m\" }"),
		  "tasks/a/sync: no other thread signals 'c'" },
		{ TASK("\"suspend\""), "tasks/a/suspend: no other thread resumes 'a'" },
		{ TASK("\"resume\" : \"z\", \"run\" : 1"),
		  "tasks/a/resume: no other thread is suspended as 'z'" },
		{ TASK("\"lock\" : \"\""), "tasks/a/lock: a name is missing" },
		{ TASK("\"barrier\" : \"x\", \"barrier\" : \"x\""), "has this barrier in line 2" },
		{ TASK("\"run\" : 1, \"loop\" : 1, \"loop\" : 2"),
		  "tasks/a/loop: it is given twice, first in line 2" },
		{ TASK("\"run\" : 1, \"loop\" : -2"), "tasks/a/loop: -2: from -1" },
		{ TASK("\"run\" : 1, \"cpus\" : []"), "tasks/a/cpus: no CPU at all" },
		{ TASK("\"run\" : 1, \"cpus\" : [\"0\"]"), "tasks/a/cpus: an integer" },
		{ TASK("\"run\" : 1, \"policy\" : \"SCHED_FOO\""), "'SCHED_FOO' is none of" },
		{ TASK("\"run\" : 1, \"priority\" : 50"), "nice values" },
		{ TASK("\"run\" : 1, \"priority\" : 5, \"nice\" : 5"), "two words for one thing" },
		{ TASK("\"run\" : 1, \"policy\" : \"SCHED_FIFO\", \"priority\" : 0"), "1 to 99" },
		{ TASK("\"run\" : 1, \"policy\" : \"SCHED_DEADLINE\""), "needs dl-runtime" },
		{ TASK("\"run\" : 1, \"dl-period\" : 5"), "are of SCHED_DEADLINE" },
		{ TASK("\"phases\" : { \"p\" : { \"loop\" : 2 } }"),
		  "tasks/a/phases/p: a phase without" },
		{ TASK("\"phases\" : { \"p\" : { \"run\" : 1, \"sleeep\" : 1 } }"),
		  "tasks/a/phases/p/sleeep: there is no such key here (did you mean 'sleep'?)" },
		{ TASK("\"run\" : 1, \"phases\" : { \"p\" : { \"run\" : 1 } }"),
		  "tasks/a/run: an event beside \"phases\"" },
		{ "{ \"global\" : { \"pi_enabled\" : true } }",
		  "global/pi_enabled: priority inherit" },
		{ "{ \"global\" : { \"duration\" : 0 } }", "global/duration: 0: seconds" },
		{ "{ \"global\" : { \"calibration\" : \"cpu0\" } }", "a name as CPU0 is accepted" },
		{ "{ \"global\" : { \"calibration\" : \"CPUx\" } }", "a name as CPU0 is accepted" },
		{ "{ \"global\" : { \"calibration\" : 12 } }",
		  "global/calibration: 12: a number is the ns of a loop of rt-app's own" },
		{ "{ \"global\" : { \"durration\" : 1 } }", "(did you mean 'duration'?)" },
		{ "{ \"tasks\" : { \"a\" : { \"run\" : 1 },\n\"a\" : { \"run\" : 1 } } }",
		  "t.json:2: column 1: tasks/a: it is given twice, first in line 1" },
		{ "{ \"tasks\" : { \"a\" : { \"run\" : 1 \"sleep\" : 2 } } }",
		  "column 33: expected ','" },
	};
	struct rtapp_file *file;

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		ck_error(rtapp_parse("t.json", wrong[i].text, strlen(wrong[i].text), &file),
			 ERR_INPUT, wrong[i].part);
}
END_TEST

START_TEST(cpus_outside_of_the_case_are_named)
{
	struct rtapp_file *file = parse(TASK("\"run\" : 1, \"cpus\" : [1, 9]"));
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();

	hwloc_bitmap_set_range(cpus, 0, 9);
	ck_no_error(rtapp_check_cpus(file, cpus));
	hwloc_bitmap_clr(cpus, 9);
	ck_error(rtapp_check_cpus(file, cpus), ERR_INPUT,
		 "t.json:2: tasks/a/cpus: the case has the CPUs 0-8");
	hwloc_bitmap_free(cpus);
	rtapp_free(file);
}
END_TEST

START_TEST(the_file_that_is_built_in_is_accepted)
{
	struct rtapp_file *file;

	ck_no_error(rtapp_open("periodic", &file));
	ck_assert_int_eq(rtapp_threads(file), 3);
	rtapp_free(file);
}
END_TEST

UNIT_TESTS("rtapp", the_order_of_events_is_the_program, properties_are_of_task_and_phase,
	   names_mean_objects_by_their_kind,
	   locks_that_are_taken_and_given_back_over_phases_are_accepted,
	   what_is_wrong_or_not_supported_is_told_with_place_and_path,
	   cpus_outside_of_the_case_are_named, the_file_that_is_built_in_is_accepted)
