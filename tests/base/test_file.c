// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/file.h"
#include "base/subprocess.h"

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
	ck_error(file_read("/", &text, NULL), ERR_INPUT, "/ is a folder");
}
END_TEST

START_TEST(devices_without_end_and_sockets_are_no_input)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	char *text;

	snprintf(address.sun_path, sizeof(address.sun_path), "/tmp/ft-test-%d", getpid());
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	ck_error(file_read(address.sun_path, &text, NULL), ERR_INPUT, "is a socket");
	ck_error(file_read("/dev/zero", &text, NULL), ERR_INPUT,
		 "/dev/zero is a character device; a file or a pipe is needed");
	ck_error(file_read("/dev/null", &text, NULL), ERR_INPUT, "is a character device");
	unlink(address.sun_path);
	close(fd);
}
END_TEST

START_TEST(a_pipe_is_read_to_its_end)
{
	autofree char *text = NULL, *name = NULL;
	int ends[2];

	ck_assert_int_eq(pipe(ends), 0);
	ck_assert_int_eq(write(ends[1], "one\n", 4), 4);
	close(ends[1]);
	name = memory_format("/dev/fd/%d", ends[0]);
	ck_no_error(file_read(name, &text, NULL));
	ck_assert_str_eq(text, "one\n");
	close(ends[0]);
}
END_TEST

START_TEST(an_unnamed_file_is_read_by_another_program)
{
	autofree char *path = NULL;
	struct subprocess_output output;
	int fd;

	ck_no_error(file_unnamed(&fd, &path));
	ck_assert_int_eq(write(fd, "content", 7), 7);
	ck_no_error(
		subprocess_check((const char *const[]){ "cat", path, NULL }, NULL, 10, &output));
	ck_assert_str_eq(output.out, "content");
	subprocess_free(&output);
	close(fd);
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

UNIT_TESTS("file", devices_without_end_and_sockets_are_no_input, a_pipe_is_read_to_its_end,
	   an_unnamed_file_is_read_by_another_program, an_empty_path_has_no_folders_to_make,
	   replace_puts_whole_content_with_a_tight_mode, a_file_that_cannot_be_read_is_named,
	   files_of_proc_are_read_whole)
