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

static void put_bytes(const char *path, const void *bytes, size_t n)
{
	FILE *file = fopen(path, "w");

	fwrite(bytes, 1, n, file);
	fclose(file);
}

START_TEST(a_trace_dat_that_is_cut_off_is_named_with_the_byte_where_it_shows_and_no_crash)
{
	char *whole = test_data("events/data/trace.dat"), *bytes;
	char *path = memory_format("damaged-%d.dat", getpid());
	size_t n;

	ck_no_error(file_read(whole, &bytes, &n));
	for (size_t cut = 5; cut < n; cut += 1800) {
		autofree char *end = memory_format("the file ends at byte %zu", cut);
		struct transcript got;

		put_bytes(path, bytes, cut);
		transcript_open(&got);
		ck_error(event_import(path, NULL, NULL, &got.sink), ERR_INPUT,
			 "this trace.dat (trace-cmd) is cut off");
		ck_error(event_import(path, "trace-cmd", NULL, &got.sink), ERR_INPUT, end);
		transcript_clear(&got);
	}
	unlink(path);
	free(bytes);
	free(path);
	free(whole);
}
END_TEST

/* a number as perf writes it */
static void put_number(unsigned char *at, uint64_t number, bool big)
{
	for (int i = 0; i < 8; i++)
		at[big ? 7 - i : i] = (unsigned char)(number >> 8 * i);
}

START_TEST(a_perf_data_that_is_cut_off_is_named_with_the_byte_where_it_shows)
{
	static const struct {
		size_t length;
		const char *part;
	} cuts[] = {
		{ 6, "byte 0: this perf.data is cut off or damaged: its signature" },
		{ 90, "its head should be 104 bytes from byte 0 on, and the file ends at byte 90" },
		{ 200, "byte 40: this perf.data is cut off or damaged: its table of events should "
		       "be 144 bytes from byte 104 on" },
		{ 1000,
		  "byte 56: this perf.data is cut off or damaged: its record of events should "
		  "be 1000 bytes from byte 248 on" },
		{ 1260, "its table of descriptions should be 8 bytes from byte 1256 on" },
		{ 1300, "its description should be 100 bytes from byte 1264 on, and the file ends "
			"at byte 1300" },
	};
	char *path = memory_format("cut-%d.data", getpid());

	for (int big = 0; big < 2; big++) {
		unsigned char bytes[1364] = "";

		memcpy(bytes, big ? "2ELIFREP" : "PERFILE2", 8);
		put_number(bytes + 8, 104, big);
		put_number(bytes + 24, 104, big); /* table of events */
		put_number(bytes + 32, 144, big);
		put_number(bytes + 40, 248, big); /* events */
		put_number(bytes + 48, 1000, big);
		put_number(bytes + 72, 4, big); /* one feature */
		put_number(bytes + 1248, 1264, big);
		put_number(bytes + 1256, 100, big);
		for (size_t i = 0; i < ARRAY_SIZE(cuts); i++) {
			struct event_source source;

			put_bytes(path, bytes, cuts[i].length);
			ck_no_error(event_source_open(path, &source));
			ck_error(event_check_perf(&source), ERR_INPUT, cuts[i].part);
			event_source_close(&source);
		}
		put_bytes(path, bytes, sizeof(bytes));
		for (int killed = 0; killed < 2; killed++) {
			struct event_source source;

			ck_no_error(event_source_open(path, &source));
			if (killed)
				ck_error(event_check_perf(&source), ERR_INPUT, "which was killed");
			else
				ck_no_error(event_check_perf(&source));
			event_source_close(&source);
			put_number(bytes + 48, 0, big);
			put_bytes(path, bytes, sizeof(bytes));
		}
	}
	unlink(path);
	free(path);
}
END_TEST

START_TEST(a_recording_of_ours_that_is_cut_off_in_its_first_bytes_is_named)
{
	char *path = memory_format("cut-%d.fttrace", getpid());
	struct transcript got;

	transcript_open(&got);
	put_bytes(path, "fttra", 5);
	ck_error(event_import(path, NULL, NULL, &got.sink), ERR_INPUT,
		 "byte 5: a recording of fairtrial (fttrace) that is cut off");
	put_bytes(path, "fttrace\n\1\0\0\0\0\0\0\0fblk", 20);
	ck_error(event_import(path, NULL, NULL, &got.sink), ERR_INPUT,
		 "byte 16: the first block of a recording of fairtrial (fttrace) is damaged");
	transcript_clear(&got);
	unlink(path);
	free(path);
}
END_TEST

START_TEST(a_pipe_is_read_as_what_it_begins_with)
{
	static const char text[] =
		"  a-1 [000] d..2. 1.000000: sched_waking: comm=b pid=7 prio=120 "
		"target_cpu=000\n";
	autofree char *name = NULL;
	struct transcript got;
	int ends[2];

	ck_assert_int_eq(pipe(ends), 0);
	name = memory_format("/dev/fd/%d", ends[0]);
	ck_assert_int_eq(write(ends[1], text, strlen(text)), (ssize_t)strlen(text));
	close(ends[1]);
	transcript_open(&got);
	ck_no_error(event_import(name, NULL, NULL, &got.sink));
	ck_assert_uint_eq(got.totals.events, 1);
	transcript_clear(&got);
	ck_assert_int_eq(pipe(ends), 0);
	ck_assert_int_eq(write(ends[1], "PERFILE2........", 16), 16);
	close(ends[1]);
	free(name);
	name = memory_format("/dev/fd/%d", ends[0]);
	transcript_open(&got);
	ck_error(event_import(name, NULL, NULL, &got.sink), ERR_INPUT,
		 "a recording of format perf must be a file, not a pipe");
	transcript_clear(&got);
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
	   a_trace_dat_that_is_cut_off_is_named_with_the_byte_where_it_shows_and_no_crash,
	   a_perf_data_that_is_cut_off_is_named_with_the_byte_where_it_shows,
	   a_recording_of_ours_that_is_cut_off_in_its_first_bytes_is_named,
	   a_pipe_is_read_as_what_it_begins_with,
	   an_unknown_format_and_a_missing_or_empty_file_are_named)
