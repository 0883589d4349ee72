// SPDX-License-Identifier: GPL-2.0-only
/*
 * The analysis of recordings against what perf says of the same data: `perf sched latency` of one with
 * wakeup events, which it counts by, and `perf sched timehist` of one made with `perf sched record`.
 */
#include "unit.h"

#include <math.h>

#include "base/file.h"
#include "events/analysis.h"
#include "events/import.h"

static struct analysis_task *tasks;
static int n_tasks;

static void analyse(const char *name)
{
	autofree char *path = test_data(name);
	struct analysis_options options = { .keep_tasks = true };
	struct analysis *analysis = analysis_new(&options);

	ck_no_error(event_import(path, NULL, NULL, analysis_sink(analysis)));
	tasks = analysis_tasks(analysis, false, &n_tasks);
	analysis_free(analysis);
}

static const struct analysis_task *find(int pid)
{
	for (int i = 0; i < n_tasks; i++)
		if (tasks[i].pid == pid)
			return &tasks[i];
	return NULL;
}

static char *read_data(const char *name)
{
	autofree char *path = test_data(name);
	char *text;

	ck_no_error(file_read(path, &text, NULL));
	return text;
}

/* did the task go with one of these states at any time? */
static bool went(const char *script, int tid, const char *state)
{
	autofree char *key = memory_format("prev_pid=%d ", tid);

	for (const char *at = script; (at = strstr(at, key)); at++) {
		const char *found = strstr(at, "prev_state=");

		if (found && !strncmp(found + 11, state, strlen(state)))
			return true;
	}
	return false;
}

/*
 * perf counts a wait of no length for a task that it sees for the first time when it is switched to:
 * how long that waited is not in the recording
 */
static int waits_unseen(const char *script, int pid)
{
	autofree char *key = memory_format("pid=%d ", pid), *last = memory_format("pid=%d\n", pid);
	const char *at = strstr(script, key), *end = strstr(script, last);
	const char *first = !at || (end && end < at) ? end : at;

	return first && first - script > 5 && !strncmp(first - 5, "next_", 5);
}

START_TEST(waits_of_each_task_are_those_of_perf_sched_latency)
{
	autofree char *text = read_data("events/data/perf-wakeup.latency-by-pid");
	autofree char *script = read_data("events/data/perf-wakeup.script");
	char *rest = text, *line;
	int compared = 0;

	analyse("events/data/perf-wakeup.script");
	while ((line = strsep(&rest, "\n"))) {
		const char *bar = strchr(line, '|'), *colon = bar;
		double runtime, average, longest;
		int pid, switches, seen;
		const struct analysis_task *task;

		while (colon && colon > line && *colon != ':')
			colon--; /* names have colons, too: the last one before the first bar */
		if (!colon || sscanf(colon, ":%d | %lf ms | %d | avg: %lf ms | max: %lf ms", &pid,
				     &runtime, &switches, &average, &longest) != 5)
			continue;
		/* perf 6.1 takes a task that goes with R+ for one that sleeps */
		if (went(script, pid, "R+"))
			continue;
		task = find(pid);
		ck_assert_msg(task != NULL, "perf knows task %d, we do not", pid);
		seen = switches - waits_unseen(script, pid);
		ck_assert_msg((int)task->switches == seen, "task %d: %d waits, perf has %d", pid,
			      (int)task->switches, seen);
		ck_assert_msg(fabs((double)task->wait_ns / 1e6 - average * switches) <=
				      0.00051 * switches + 0.001,
			      "task %d: waits of %.6f ms, perf has %d of %.3f", pid,
			      (double)task->wait_ns / 1e6, switches, average);
		ck_assert_msg(fabs((double)task->longest_ns / 1e6 - longest) <= 0.00101,
			      "task %d: longest wait %.6f ms, perf has %.3f", pid,
			      (double)task->longest_ns / 1e6, longest);
		compared++;
	}
	ck_assert_int_gt(compared, 20);
	free(tasks);
}
END_TEST

struct run_time {
	int tid, n;
	double ms;
};

/* sums of the column "run time" by task; perf no longer knows the ids of tasks that have ended: -1 */
static struct run_time *run_times(char *text, int *n)
{
	struct run_time *list = NULL;
	char *rest = text, *line;

	*n = 0;
	while ((line = strsep(&rest, "\n"))) {
		const char *bracket = strchr(line, ']') ? strchr(strchr(line, ']'), '[') : NULL;
		const char *end = bracket ? strchr(bracket, ']') : NULL;
		double wait, delay, run;
		int i, tid;

		if (!end || sscanf(bracket, "[%d", &tid) != 1 || tid <= 0 ||
		    sscanf(end, "] %lf %lf %lf", &wait, &delay, &run) != 3)
			continue;
		for (i = 0; i < *n && list[i].tid != tid; i++)
			;
		if (i == *n)
			array_append(list, *n)->tid = tid;
		list[i].n++;
		list[i].ms += run;
	}
	return list;
}

START_TEST(run_time_of_each_task_is_that_of_perf_sched_timehist)
{
	autofree char *text = read_data("events/data/perf-sched.timehist");
	autofree char *script = read_data("events/data/perf-sched.script");
	int n, compared = 0;
	struct run_time *list = run_times(text, &n);

	analyse("events/data/perf-sched.script");
	for (int i = 0; i < n; i++) {
		const struct analysis_task *task = find(list[i].tid);

		ck_assert_msg(task != NULL, "perf knows task %d, we do not", list[i].tid);
		/* perf attributes some stints of a task that ends to -1 */
		if (went(script, list[i].tid, "X") || went(script, list[i].tid, "Z"))
			continue;
		/* each line is rounded to a microsecond */
		ck_assert_msg(fabs((double)task->run_ns / 1e6 - list[i].ms) <=
				      0.0011 * (list[i].n + 1),
			      "task %d: ran %.6f ms, perf has %.3f in %d lines", list[i].tid,
			      (double)task->run_ns / 1e6, list[i].ms, list[i].n);
		compared++;
	}
	ck_assert_int_gt(compared, 5);
	free(list);
	free(tasks);
}
END_TEST

UNIT_TESTS("perf", waits_of_each_task_are_those_of_perf_sched_latency,
	   run_time_of_each_task_is_that_of_perf_sched_timehist)
