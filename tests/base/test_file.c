// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

START_TEST(replace_puts_whole_content_with_a_tight_mode)
{
	char folder[] = "/tmp/ft-test-XXXXXX";
	autofree char *path = NULL, *text = NULL;
	struct stat status;
	size_t length;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	path = memory_format("%s/a/b/file", folder);
	ck_error(file_replace(path, "x", 1, 0600), ERR_SYSTEM, "cannot create");
	ck_no_error(file_make_folders(path));
	ck_no_error(file_replace(path, "one", 3, 0600));
	ck_no_error(file_replace(path, "two\nlines", 9, 0600));
	ck_no_error(file_read(path, &text, &length));
	ck_assert_uint_eq(length, 9);
	ck_assert_str_eq(text, "two\nlines");
	ck_assert_int_eq(stat(path, &status), 0);
	ck_assert_int_eq(status.st_mode & 0777, 0600);
	unlink(path);
}
END_TEST

START_TEST(a_file_that_cannot_be_read_is_named)
{
	char *text;

	ck_error(file_read("/nonexistent/x", &text, NULL), ERR_SYSTEM, "/nonexistent/x");
	ck_assert_ptr_null(file_read_line("/nonexistent/x"));
	ck_error(file_read("/", &text, NULL), ERR_SYSTEM, "Is a directory");
}
END_TEST

START_TEST(files_of_proc_are_read_whole)
{
	autofree char *text = NULL;
	size_t length;

	ck_no_error(file_read("/proc/self/status", &text, &length));
	ck_assert_uint_gt(length, 100);
	ck_assert_ptr_nonnull(strstr(text, "Pid:"));
}
END_TEST

START_TEST(an_empty_path_has_no_folders_to_make)
{
	autofree char *empty = memory_string("");

	ck_no_error(file_make_folders(empty));
}
END_TEST

UNIT_TESTS("file", an_empty_path_has_no_folders_to_make,
	   replace_puts_whole_content_with_a_tight_mode, a_file_that_cannot_be_read_is_named,
	   files_of_proc_are_read_whole)
