// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "events/file.h"
#include "stream.h"

#define N_EVENTS 30000

/* a file with a made-up stream; a new string */
static char *written(int n)
{
	char *path = memory_format("events-%d.fttrace", getpid());
	struct event_sink *writer;
	int fd;

	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	writer = event_writer_new(fd, path);
	ck_no_error(made_up_stream(writer, n, 1));
	event_sink_free(writer);
	close(fd);
	return path;
}

static void put(const char *path, const char *bytes, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	ck_assert_int_eq(write(fd, bytes, n), (ssize_t)n);
	close(fd);
}

static size_t line_length(const char *line)
{
	return strcspn(line, "\n");
}

/* what is read from a file must be lines of the stream that was written, in their order */
static void check_is_part(const char *part, const char *whole)
{
	while (*part) {
		size_t length = line_length(part);

		while (*whole && strncmp(part, "lost", 4) != 0 &&
		       (line_length(whole) != length || memcmp(whole, part, length) != 0))
			whole += line_length(whole) + 1;
		ck_assert_msg(*whole, "not in the original, or in another order: %.*s", (int)length,
			      part);
		part += length + 1;
	}
}

START_TEST(a_stream_reads_back_as_it_was_written)
{
	struct transcript before, after;
	char *path = written(N_EVENTS);

	transcript_open(&before);
	transcript_open(&after);
	ck_no_error(made_up_stream(&before.sink, N_EVENTS, 1));
	ck_no_error(event_file_read_path(path, NULL, &after.sink));
	ck_assert_str_eq(before.text, after.text);
	ck_assert_uint_eq(after.totals.events, N_EVENTS);
	ck_assert_uint_eq(after.totals.lost, N_EVENTS / 1000 * 7);
	ck_assert_ptr_null(after.totals.damage);
	transcript_clear(&before);
	transcript_clear(&after);
	unlink(path);
	free(path);
}
END_TEST

START_TEST(an_event_takes_about_ten_bytes)
{
	char *path = written(N_EVENTS);
	struct stat status;

	ck_assert_int_eq(stat(path, &status), 0);
	ck_assert_int_lt(status.st_size, N_EVENTS * 12);
	ck_assert_uint_eq(status.st_mode & 0777, 0600);
	unlink(path);
	free(path);
}
END_TEST

START_TEST(a_file_cut_anywhere_delivers_what_is_whole_and_says_that_it_is_cut)
{
	char *path = written(N_EVENTS), *bytes;
	struct transcript whole;
	size_t n;

	transcript_open(&whole);
	ck_no_error(event_file_read_path(path, NULL, &whole.sink));
	ck_no_error(file_read(path, &bytes, &n));
	for (size_t cut = n - 1; cut > n / 12; cut -= n / 11 - 7) {
		struct transcript part;

		transcript_open(&part);
		put(path, bytes, cut);
		ck_error(event_file_read_path(path, NULL, &part.sink), ERR_INPUT, "byte");
		ck_assert_int_eq(part.ended, 1);
		ck_assert_ptr_nonnull(part.totals.damage);
		ck_assert(part.totals.lost_unknown || part.totals.lost);
		if (cut > n / 2)
			ck_assert_uint_gt(part.totals.events, N_EVENTS / 5);
		check_is_part(part.text, whole.text);
		transcript_clear(&part);
	}
	transcript_clear(&whole);
	unlink(path);
	free(bytes);
	free(path);
}
END_TEST

START_TEST(a_damaged_block_costs_only_its_own_events_and_they_are_counted)
{
	char *path = written(N_EVENTS), *bytes;
	struct transcript whole, part;
	size_t n;

	transcript_open(&whole);
	transcript_open(&part);
	ck_no_error(event_file_read_path(path, NULL, &whole.sink));
	ck_no_error(file_read(path, &bytes, &n));
	bytes[n / 2] ^= 0x10;
	put(path, bytes, n);
	ck_error(event_file_read_path(path, NULL, &part.sink), ERR_INPUT, "checksum");
	ck_assert_uint_gt(part.totals.events, N_EVENTS / 2);
	ck_assert_uint_lt(part.totals.events, N_EVENTS);
	ck_assert(!part.totals.lost_unknown);
	/* lost that the stream itself told in the damaged block is gone with it */
	ck_assert_uint_le(N_EVENTS - part.totals.events, part.totals.lost);
	check_is_part(part.text, whole.text);
	transcript_clear(&whole);
	transcript_clear(&part);
	unlink(path);
	free(bytes);
	free(path);
}
END_TEST

START_TEST(a_damaged_head_of_a_block_is_passed_over)
{
	char *path = written(N_EVENTS), *bytes, *at;
	struct transcript part;
	size_t n;

	transcript_open(&part);
	ck_no_error(file_read(path, &bytes, &n));
	/* the second block of items */
	at = memmem(bytes + 20000, n - 20000, "fblk", 4);
	ck_assert_ptr_nonnull(at);
	at[9] ^= 1;
	put(path, bytes, n);
	ck_error(event_file_read_path(path, NULL, &part.sink), ERR_INPUT, "no whole block");
	ck_assert(part.totals.lost_unknown);
	ck_assert_uint_gt(part.totals.events, N_EVENTS / 4);
	transcript_clear(&part);
	unlink(path);
	free(bytes);
	free(path);
}
END_TEST

START_TEST(files_of_others_and_newer_ones_are_refused_before_anything_is_delivered)
{
	static const char newer[32] = EVENT_FILE_SIGNATURE "\x02";
	char *path = memory_format("other-%d", getpid());
	struct transcript part;

	transcript_open(&part);
	put(path, "PERFILE2 and so on, long enough to hold a signature", 50);
	ck_error(event_file_read_path(path, NULL, &part.sink), ERR_INPUT, "not a recording");
	put(path, "", 0);
	ck_error(event_file_read_path(path, NULL, &part.sink), ERR_INPUT, "not a recording");
	put(path, newer, sizeof(newer));
	ck_error(event_file_read_path(path, NULL, &part.sink), ERR_INPUT, "version 2");
	put(path, EVENT_FILE_SIGNATURE "\1\0\0\0\0\0\0\0", 16);
	ck_error(event_file_read_path(path, NULL, &part.sink), ERR_INPUT, "first block");
	fflush(part.stream);
	ck_assert_uint_eq(part.n, 0);
	ck_assert_int_eq(part.ended, 0);
	transcript_clear(&part);
	unlink(path);
	free(path);
}
END_TEST

START_TEST(a_recording_that_was_killed_has_no_end_and_keeps_what_was_written)
{
	char *path = memory_format("killed-%d.fttrace", getpid());
	struct event_info info = { .source = "live", .clock = "mono", .nr_cpus = 1 };
	struct event event = event_blank(EVENT_IDLE_EXIT, 5, 0);
	struct event_sink *writer;
	struct transcript part;
	int fd;

	transcript_open(&part);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	writer = event_writer_new(fd, path);
	ck_no_error(event_sink_begin(writer, &info));
	for (int i = 0; i < 100000; i++) {
		event.time += 5;
		ck_no_error(event_sink_event(writer, &event));
	}
	event_sink_free(writer);
	close(fd);
	ck_error(event_file_read_path(path, NULL, &part.sink), ERR_INPUT, "has no end");
	ck_assert_uint_gt(part.totals.events, 50000);
	transcript_clear(&part);
	unlink(path);
	free(path);
}
END_TEST

UNIT_TESTS("events", a_stream_reads_back_as_it_was_written, an_event_takes_about_ten_bytes,
	   a_file_cut_anywhere_delivers_what_is_whole_and_says_that_it_is_cut,
	   a_damaged_block_costs_only_its_own_events_and_they_are_counted,
	   a_damaged_head_of_a_block_is_passed_over,
	   files_of_others_and_newer_ones_are_refused_before_anything_is_delivered,
	   a_recording_that_was_killed_has_no_end_and_keeps_what_was_written)
