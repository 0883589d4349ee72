// SPDX-License-Identifier: GPL-2.0-only
#include "base/progress.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/file.h"
#include "unit.h"

/* what half of the work printed into a file, with that time between lines */
static char *printed(double interval)
{
	char path[] = "/tmp/fairtrial-progress.XXXXXX";
	int fd = mkstemp(path), before = dup(STDERR_FILENO);
	struct progress *progress;
	char *text;

	ck_assert_int_ge(fd, 0);
	fflush(stderr);
	dup2(fd, STDERR_FILENO);
	progress = progress_start(4);
	progress_set_interval(progress, interval);
	progress_show(progress, 2, "trial 2 of 4");
	progress_end(progress);
	fflush(stderr);
	dup2(before, STDERR_FILENO);
	close(before);
	close(fd);
	ck_no_error(file_read(path, &text, NULL));
	unlink(path);
	return text;
}

START_TEST(a_file_gets_whole_lines_with_the_time_left)
{
	autofree char *text = printed(0);

	ck_assert_str_eq(strstr(text, "fairtrial: 50 %") ? "begins" : text, "begins");
	ck_assert_ptr_nonnull(strstr(text, " left  trial 2 of 4\n"));
	ck_assert_ptr_null(strchr(text, '\r'));
}
END_TEST

START_TEST(a_file_gets_no_line_before_its_time)
{
	autofree char *text = printed(3600);

	ck_assert_str_eq(text, "");
}
END_TEST

UNIT_TESTS("base", a_file_gets_whole_lines_with_the_time_left, a_file_gets_no_line_before_its_time)
