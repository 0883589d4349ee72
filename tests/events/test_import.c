// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"

#include <unistd.h>

#include "base/file.h"
#include "events/import.h"
#include "stream.h"

/* the stream that a text gives, which must be read without an error */
static void read_text(const char *text, struct transcript *transcript)
{
	FILE *stream = fmemopen((void *)text, strlen(text), "r");

	transcript_open(transcript);
	ck_no_error(event_import_text(stream, "text", "text", 0, NULL, &transcript->sink));
	fclose(stream);
}

static void check_line(const struct transcript *transcript, const char *line)
{
	ck_assert_msg(strstr(transcript->text, line), "expected\n%s\nin\n%s", line,
		      transcript->text);
}

START_TEST(lines_of_trace_pipe_are_read)
{
	static const char text[] =
		"# tracer: nop\n"
		"            bash-16423   [001] d..2. 12197.107442: sched_switch: prev_comm=bash prev_pid=16423 prev_prio=120 prev_state=S ==> next_comm=cat next_pid=16429 next_prio=110\n"
		"             cat-16429   [001] d..2. 12197.107639: sched_switch: prev_comm=cat prev_pid=16429 prev_prio=120 prev_state=R+ ==> next_comm=swapper/1 next_pid=0 next_prio=120\n"
		"          <idle>-0       [000] dNh4. 12197.107700: sched_waking: comm=a b pid=7 prio=120 target_cpu=003\n"
		"     kworker/0:1-10538   (    -1) [000] 12197.107701123: sched_wakeup: comm=x pid=8 prio=-1 target_cpu=000\n"
		"            x y-z-12 (12) [002] .... 12197.107702: sched_process_wait: comm=x y-z pid=0 prio=120\n"
		"          <idle>-0       [003] .... 12197.107703: cpu_idle: state=2 cpu_id=3\n"
		"          <idle>-0       [003] .... 12197.107704: cpu_idle: state=4294967295 cpu_id=3\n"
		"CPU:2 [LOST 37 EVENTS]\n";
	struct transcript got;

	read_text(text, &got);
	check_line(&got, "12197107442000 [1] 16423: switch 16423 16429 state 1 cpus");
	check_line(&got, "prio 120 110");
	check_line(&got, "12197107639000 [1] 16429: switch 16429 0 state 100");
	check_line(&got, "task 7 tgid");
	check_line(&got, " a b\n");
	check_line(&got, "12197107700000 [0] 0: waking 7 ");
	check_line(&got, " 3 prio 120");
	check_line(&got, "12197107701123 [0] 10538: wakeup 8 ");
	check_line(&got, "12197107702000 [2] 12: wait 12 0");
	check_line(&got, "12197107703000 [3] 0: idle_enter");
	check_line(&got, "12197107704000 [3] 0: idle_exit");
	check_line(&got, "lost 37 on 2");
	ck_assert_uint_eq(got.totals.events, 7);
	ck_assert_uint_eq(got.totals.lost, 37);
	transcript_clear(&got);
}
END_TEST

START_TEST(lines_of_perf_script_are_read_with_process_ids)
{
	static const char text[] =
		"            perf 100/101 [000] 12.892616735: sched:sched_stat_runtime: comm=perf pid=101 runtime=41058 [ns]\n"
		"  my [1] program 100/101 [000] 12.892624429:       sched:sched_waking: comm=migration/0 pid=18 prio=0 target_cpu=000\n"
		"             :-1    -1/-1    [000] 13.018107815:       sched:sched_switch: prev_comm=worker prev_pid=30177 prev_prio=120 prev_state=X ==> next_comm=worker next_pid=30176 next_prio=120\n"
		"          worker 30176 [000] 13.0191: sched:sched_process_fork: comm=worker pid=30176 child_comm=worker child_pid=30178\n"
		"          worker 30176 [000] 13.02: sched:sched_process_exec: filename=/usr/bin/a file pid=30178 old_pid=30178\n";
	struct transcript got;

	read_text(text, &got);
	ck_assert_uint_eq(got.totals.events, 4);
	check_line(&got, "task 101 tgid 100");
	check_line(&got, "my [1] program\n");
	check_line(&got, "13018107815 [0] 30177: switch 30177 30176 state 10");
	check_line(&got, "13019100000 [0] 30176: fork 30176 30178");
	check_line(&got, "how 1 kernel 0 worker\n");
	check_line(&got, "how 2 kernel 0 a file\n");
	transcript_clear(&got);
}
END_TEST

START_TEST(a_name_that_changes_and_an_id_that_is_used_again_are_told)
{
	static const char text[] =
		"a-1 [0] 1.000001: task_newtask: pid=5 comm=a clone_flags=10f00 oom_score_adj=0\n"
		"a-1 [0] 1.000002: sched_process_fork: comm=a pid=1 child_comm=a child_pid=5\n"
		"a-5 [0] 1.000003: task_rename: pid=5 oldcomm=a newcomm=thread oom_score_adj=0\n"
		"a-5 [0] 1.000004: sched_process_exit: comm=thread pid=5 prio=120\n"
		"a-5 [0] 1.000005: sched_switch: prev_comm=thread prev_pid=5 prev_prio=120 prev_state=X ==> next_comm=a next_pid=1 next_prio=120\n"
		"a-1 [0] 1.000006: task_newtask: pid=5 comm=a clone_flags=1200000 oom_score_adj=0\n"
		"a-1 [0] 1.000007: sched_process_fork: comm=a pid=1 child_comm=a child_pid=5\n"
		"b-1 [0] 1.000008: sched_switch: prev_comm=b prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=a next_pid=5 next_prio=120\n";
	struct transcript got;

	read_text(text, &got);
	check_line(&got, "1000001000 task 5 tgid -2147483648 parent 1 how 1 kernel 0 a\n");
	check_line(&got, "1000003000 task 5 tgid -2147483648 parent 1 how 2 kernel 0 thread\n");
	check_line(&got, "1000006000 task 5 tgid 5 parent 1 how 1 kernel 0 a\n");
	check_line(&got,
		   "1000008000 task 1 tgid -2147483648 parent -2147483648 how 2 kernel 0 b\n");
	transcript_clear(&got);
}
END_TEST

START_TEST(a_cpu_that_goes_and_comes_is_told_once_each)
{
	static const char text[] =
		"sh-9 [0] 1.1: cpuhp_enter: cpu: 0003 target:   0 step: 236 (sched_cpu_wait_empty)\n"
		"sh-9 [0] 1.2: cpuhp_enter: cpu: 0003 target:   0 step: 235 (x)\n"
		"sh-9 [0] 1.3: cpuhp_enter: cpu: 0002 target: 238 step: 200 (module)\n"
		"sh-9 [0] 1.4: cpuhp_enter: cpu: 0003 target: 238 step:   1 (x)\n"
		"sh-9 [0] 1.5: cpuhp_enter: cpu: 0003 target: 238 step:   2 (x)\n";
	struct transcript got;

	read_text(text, &got);
	check_line(&got, "1100000000 [0] 9: cpu_offline");
	check_line(&got, "1400000000 [0] 9: cpu_online");
	ck_assert_uint_eq(got.totals.events, 2);
	transcript_clear(&got);
}
END_TEST

START_TEST(lines_out_of_order_are_sorted_and_what_comes_too_late_is_counted)
{
	struct transcript got;
	char *text;
	size_t n;
	FILE *stream = open_memstream(&text, &n);

	/* CPU 0's buffer was read before that of CPU 1, as trace_pipe may do */
	for (int i = 0; i < 1000; i++)
		fprintf(stream, "a-1 [0] 1.%06d: cpu_idle: state=1 cpu_id=0\n", i);
	for (int i = 0; i < 1000; i++)
		fprintf(stream, "a-1 [1] 1.%06d: cpu_idle: state=1 cpu_id=1\n", i);
	fclose(stream);
	read_text(text, &got);
	ck_assert_uint_eq(got.totals.late, 0);
	check_line(&got, "1000998000 [1] 1: idle_enter");
	ck_assert_ptr_nonnull(strstr(strstr(got.text, "1000500000 [0]"), "1000500000 [1]"));
	ck_assert_ptr_nonnull(strstr(strstr(got.text, "1000500000 [1]"), "1000501000 [0]"));
	transcript_clear(&got);
	free(text);

	/* further apart than the window */
	stream = open_memstream(&text, &n);
	for (int i = 0; i < 40000; i++)
		fprintf(stream, "a-1 [0] 1.%06d: cpu_idle: state=1 cpu_id=0\n", i);
	fprintf(stream, "a-1 [1] 1.000000: cpu_idle: state=1 cpu_id=1\n");
	fclose(stream);
	read_text(text, &got);
	ck_assert_uint_eq(got.totals.events, 40001);
	ck_assert_uint_eq(got.totals.late, 1);
	ck_assert_uint_gt(got.totals.late_most_ns, 10000000);
	transcript_clear(&got);
	free(text);
}
END_TEST

START_TEST(lines_that_cannot_be_read_are_counted_and_the_first_is_named)
{
	static const char text[] = "a-1 [0] 1.1: cpu_idle: state=1 cpu_id=0\n"
				   "a-1 [0] 1.2: sched_switch: prev_comm=a prev_pid=x\n"
				   "cut off in the midd\n"
				   "a-1 [0] 1.3: cpu_idle: state=4294967295 cpu_id=0\n"
				   "a-1 [0] 1.4: sched_wa";
	FILE *stream = fmemopen((void *)text, strlen(text), "r");
	struct transcript got;

	transcript_open(&got);
	ck_error(event_import_text(stream, "file", "text", 0, NULL, &got.sink), ERR_INPUT,
		 "file:2: expected prev_comm= prev_pid= prev_prio= prev_state=; 3 of 5 lines");
	fclose(stream);
	ck_assert_int_eq(got.ended, 1);
	ck_assert_uint_eq(got.totals.events, 2);
	ck_assert_uint_eq(got.totals.lost, 3);
	ck_assert_ptr_nonnull(got.totals.damage);
	transcript_clear(&got);
}
END_TEST

START_TEST(a_text_that_is_no_trace_is_refused_before_anything_is_delivered)
{
	static const char *const texts[] = { "hello\nworld\n", "\x01\x02\x03", "# nothing\n" };
	struct transcript got;

	transcript_open(&got);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		FILE *stream = fmemopen((void *)texts[i], strlen(texts[i]), "r");

		ck_error(event_import_text(stream, "file", "text", 0, NULL, &got.sink), ERR_INPUT,
			 "file");
		fclose(stream);
	}
	fflush(got.stream);
	ck_assert_uint_eq(got.n, 0);
	transcript_clear(&got);
}
END_TEST

START_TEST(a_recording_of_perf_sched_is_read_whole)
{
	char *path = test_data("events/data/perf-sched.script");
	struct transcript got;
	size_t n;
	char *text;
	int lines = 0;

	ck_no_error(file_read(path, &text, &n));
	for (char *at = text; (at = strchr(at, '\n')); at++)
		lines++;
	for (char *at = text; (at = strstr(at, "sched_stat_runtime")); at++)
		lines--;
	transcript_open(&got);
	ck_no_error(event_import(path, NULL, NULL, &got.sink));
	ck_assert_uint_eq(got.totals.events, lines);
	ck_assert_uint_eq(got.totals.late, 0);
	transcript_clear(&got);
	free(text);
	free(path);
}
END_TEST

/* without the head, whose source differs, and names that only come with some forms */
static char *events_only(const struct transcript *transcript)
{
	char *copy = memory_string(transcript->text), *out = memory_zeroed(transcript->n + 1, 1);

	for (char *line = strtok(copy, "\n"); line; line = strtok(NULL, "\n"))
		if (strchr(line, '['))
			strcat(strcat(out, line), "\n");
	free(copy);
	return out;
}

/* long texts: Check itself fails on messages of their size */
static void check_same(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	ck_assert_msg(*a == *b, "%.100s\nand %.100s", a, b);
}

START_TEST(trace_dat_and_the_text_of_trace_cmd_report_are_the_same_stream)
{
	static const char *const names[] = { "trace.dat", "trace.report", "trace.report-plugin" };
	char *events[3];

	for (int i = 0; i < 3; i++) {
		char *name = memory_format("events/data/%s", names[i]);
		char *path = test_data(name);
		struct transcript got;

		transcript_open(&got);
		ck_no_error(event_import(path, NULL, NULL, &got.sink));
		ck_assert_uint_gt(got.totals.events, 90);
		events[i] = events_only(&got);
		transcript_clear(&got);
		free(path);
		free(name);
	}
	check_same(events[0], events[1]);
	/* libtraceevent's plugin prints R for R+, and so loses that a task was preempted; and X for Z */
	for (char *at = events[0]; (at = strstr(at, "state 20"));)
		at[6] = '1';
	for (char *at = events[0]; (at = strstr(at, "state 100"));) {
		memmove(at + 7, at + 9, strlen(at + 9) + 1);
		at[6] = '0';
	}
	check_same(events[0], events[2]);
	for (int i = 0; i < 3; i++)
		free(events[i]);
}
END_TEST

START_TEST(a_damaged_trace_dat_is_an_error_and_no_crash)
{
	char *whole = test_data("events/data/trace.dat"), *bytes;
	char *path = memory_format("damaged-%d.dat", getpid());
	size_t n;

	ck_no_error(file_read(whole, &bytes, &n));
	for (size_t cut = 20; cut < n; cut += 1800) {
		struct transcript got;
		FILE *file = fopen(path, "w");
		struct error *error;

		fwrite(bytes, 1, cut, file);
		fclose(file);
		transcript_open(&got);
		error = event_import(path, NULL, NULL, &got.sink);
		if (error)
			ck_assert_int_eq(error->code, ERR_INPUT);
		else
			ck_assert_int_eq(got.ended, 1);
		ck_assert(error || cut > n / 2);
		error_free(error);
		transcript_clear(&got);
	}
	unlink(path);
	free(bytes);
	free(path);
	free(whole);
}
END_TEST

START_TEST(an_unknown_format_and_a_missing_or_empty_file_are_named)
{
	char *path = memory_format("empty-%d", getpid());
	struct transcript got;

	transcript_open(&got);
	ck_error(event_import("x", "prf", NULL, &got.sink), ERR_INPUT, "did you mean 'perf'");
	ck_error(event_import("no-such-file", NULL, NULL, &got.sink), ERR_SYSTEM, "no-such-file");
	ck_error(event_import("-", "perf", NULL, &got.sink), ERR_INPUT, "must be a file");
	fclose(fopen(path, "w"));
	ck_error(event_import(path, NULL, NULL, &got.sink), ERR_INPUT, "is empty");
	unlink(path);
	transcript_clear(&got);
	free(path);
}
END_TEST

UNIT_TESTS("events", lines_of_trace_pipe_are_read, lines_of_perf_script_are_read_with_process_ids,
	   a_name_that_changes_and_an_id_that_is_used_again_are_told,
	   a_cpu_that_goes_and_comes_is_told_once_each,
	   lines_out_of_order_are_sorted_and_what_comes_too_late_is_counted,
	   lines_that_cannot_be_read_are_counted_and_the_first_is_named,
	   a_text_that_is_no_trace_is_refused_before_anything_is_delivered,
	   a_recording_of_perf_sched_is_read_whole,
	   trace_dat_and_the_text_of_trace_cmd_report_are_the_same_stream,
	   a_damaged_trace_dat_is_an_error_and_no_crash,
	   an_unknown_format_and_a_missing_or_empty_file_are_named)
