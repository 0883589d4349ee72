// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/output.h"

/* an empty folder that is the working directory */
static char folder[] = "/tmp/ft-output-XXXXXX";

static void start(void)
{
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
	umask(022);
}

/* how many files there are */
static int count_files(void)
{
	DIR *here = opendir(".");
	int n = 0;

	while (readdir(here))
		n++;
	closedir(here);
	return n - 2;
}

static void done(void)
{
	DIR *here = opendir(".");
	struct dirent *entry;

	while ((entry = readdir(here)))
		remove(entry->d_name);
	closedir(here);
	ck_assert_int_eq(rmdir(folder), 0);
}

static void put(const char *path, const char *text, mode_t mode)
{
	FILE *stream = fopen(path, "w");

	fputs(text, stream);
	fclose(stream);
	chmod(path, mode);
}

static void check_is(const char *path, const char *text)
{
	autofree char *got = NULL;

	ck_no_error(file_read(path, &got, NULL));
	ck_assert_str_eq(got, text);
}

static mode_t mode_of(const char *path)
{
	struct stat status;

	ck_assert_int_eq(stat(path, &status), 0);
	return status.st_mode & 07777;
}

START_TEST(a_file_is_there_when_it_is_whole_and_not_before)
{
	struct output *output;

	start();
	ck_no_error(output_open("x", false, 0600, &output));
	fputs("one", output_stream(output));
	fflush(output_stream(output));
	ck_assert_int_ne(access("x", F_OK), 0);
	ck_assert_int_eq(output_replaces(output), 0);
	ck_no_error(output_close(output, NULL));
	check_is("x", "one");
	ck_assert_uint_eq(mode_of("x"), 0600);
	ck_assert_int_eq(count_files(), 1);
	done();
}
END_TEST

START_TEST(what_fails_leaves_the_old_file_untouched_and_nothing_beside_it)
{
	struct output *output;

	start();
	put("x", "old", 0644);
	ck_no_error(output_open("x", true, 0600, &output));
	ck_assert_int_eq(output_replaces(output), 1);
	fputs("new", output_stream(output));
	ck_error(output_close(output, error_new(ERR_INPUT, "bad input")), ERR_INPUT, "bad input");
	check_is("x", "old");
	ck_assert_int_eq(count_files(), 1);
	done();
}
END_TEST

START_TEST(a_full_disk_is_an_error_that_leaves_the_old_file)
{
	struct rlimit little = { 4096, 4096 };
	struct output *output;

	start();
	put("x", "old", 0600);
	signal(SIGXFSZ, SIG_IGN);
	ck_no_error(output_open("x", true, 0600, &output));
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &little), 0);
	for (int i = 0; i < 10000; i++)
		fputs("much ", output_stream(output));
	ck_error(output_close(output, NULL), ERR_SYSTEM, "cannot write x: File too large");
	check_is("x", "old");
	ck_assert_int_eq(count_files(), 1);
	done();
}
END_TEST

START_TEST(an_old_file_is_replaced_by_force_alone_and_its_rights_do_not_widen)
{
	struct output *output;

	start();
	put("x", "old", 0640);
	ck_error(output_open("x", false, 0666, &output), ERR_INPUT, "x exists; --force");
	ck_no_error(file_write("x", "new", 3, true, 0666));
	check_is("x", "new");
	ck_assert_uint_eq(mode_of("x"), 0640);
	done();
}
END_TEST

START_TEST(a_file_that_comes_meanwhile_is_not_replaced)
{
	struct output *output;

	start();
	ck_no_error(output_open("x", false, 0600, &output));
	put("x", "other", 0600);
	ck_error(output_close(output, NULL), ERR_INPUT, "x has appeared meanwhile");
	check_is("x", "other");
	ck_assert_int_eq(count_files(), 1);
	done();
}
END_TEST

START_TEST(folders_links_sockets_and_an_empty_name_are_refused)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = "socket" };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	struct output *output;

	start();
	put("target", "old", 0600);
	ck_assert_int_eq(symlink("target", "link"), 0);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	ck_error(output_open("", true, 0600, &output), ERR_INPUT, "empty");
	ck_error(output_open(".", true, 0600, &output), ERR_INPUT, "folder");
	ck_error(output_open("socket", true, 0600, &output), ERR_INPUT, "socket");
	ck_error(output_open("link", false, 0600, &output), ERR_INPUT, "exists");
	ck_error(output_open("link", true, 0600, &output), ERR_INPUT, "symbolic link");
	ck_error(output_open("no/x", true, 0600, &output), ERR_SYSTEM, "cannot create no/x");
	check_is("target", "old");
	close(fd);
	done();
}
END_TEST

START_TEST(pipes_devices_and_descriptors_are_written_directly)
{
	char got[16] = "";
	struct output *output;
	autofree char *name = NULL;
	int ends[2];

	start();
	ck_no_error(file_write("/dev/null", "x", 1, false, 0600));
	ck_error(file_write("/dev/full", "x", 1, false, 0600), ERR_SYSTEM, "No space left");
	ck_assert_int_eq(pipe(ends), 0);
	name = memory_format("/dev/fd/%d", ends[1]);
	ck_no_error(output_open(name, false, 0600, &output));
	fputs("through", output_stream(output));
	ck_no_error(output_close(output, NULL));
	ck_assert_int_eq(read(ends[0], got, sizeof(got)), 7);
	ck_assert_str_eq(got, "through");
	ck_assert_int_eq(count_files(), 0);
	done();
}
END_TEST

START_TEST(a_descriptor_for_reading_alone_is_an_error_when_it_is_opened)
{
	struct output *output;
	autofree char *name = NULL;
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC), old = dup(STDOUT_FILENO);

	start();
	ck_assert_int_ge(fd, 0);
	name = memory_format("/dev/fd/%d", fd);
	ck_error(output_open(name, false, 0600, &output), ERR_SYSTEM, "Bad file descriptor");
	fflush(stdout);
	ck_assert_int_eq(dup2(fd, STDOUT_FILENO), STDOUT_FILENO);
	ck_error(output_open("-", false, 0600, &output), ERR_SYSTEM, "standard output");
	ck_assert_int_eq(dup2(old, STDOUT_FILENO), STDOUT_FILENO);
	close(old);
	close(fd);
	done();
}
END_TEST

/* a process that writes x and ends by @signal_number while it does */
static void write_and_die(int signal_number)
{
	struct output *output;
	int status;
	pid_t pid = fork();

	if (!pid) {
		ck_no_error(output_open("x", true, 0600, &output));
		fputs("half", output_stream(output));
		fflush(output_stream(output));
		if (signal_number != SIGKILL) {
			if (!fork()) { /* another one's unfinished output is not its own */
				output_remove_unfinished();
				_exit(0);
			}
			wait(NULL);
			ck_assert_int_eq(count_files(), 2);
			output_remove_unfinished();
		}
		signal(signal_number, SIG_DFL);
		raise(signal_number);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	ck_assert(WIFSIGNALED(status));
}

START_TEST(a_signal_handler_removes_what_is_unfinished_of_its_own_process)
{
	start();
	put("x", "old", 0600);
	write_and_die(SIGTERM);
	check_is("x", "old");
	ck_assert_int_eq(count_files(), 1);
	done();
}
END_TEST

START_TEST(what_a_killed_process_left_goes_with_the_next_output_of_that_name_and_nothing_else)
{
	struct output *output;

	start();
	write_and_die(SIGKILL);
	ck_assert_int_eq(count_files(), 1);
	put("x.new", "mine", 0600);
	put("x.unfinished", "mine", 0600);
	put("x.12.unfinished.1", "mine", 0600);
	put("x.a.unfinished", "mine", 0600);
	put("xy.12.unfinished", "mine", 0600);
	put("x.12.3.unfinished", "left", 0600);
	ck_no_error(output_open("x", false, 0600, &output));
	ck_assert_int_eq(count_files(), 6);
	ck_no_error(output_close(output, NULL));
	ck_assert_int_eq(count_files(), 6);
	ck_assert_int_eq(access("x.12.3.unfinished", F_OK), -1);
	done();
}
END_TEST

START_TEST(what_another_process_writes_at_the_moment_is_kept)
{
	struct output *output;
	int fd;

	start();
	put("x.12.unfinished", "half", 0600);
	fd = open("x.12.unfinished", O_WRONLY);
	ck_assert_int_eq(flock(fd, LOCK_EX), 0);
	ck_no_error(output_open("x", false, 0600, &output));
	ck_no_error(output_close(output, NULL));
	check_is("x.12.unfinished", "half");
	close(fd);
	done();
}
END_TEST

UNIT_TESTS("output", a_file_is_there_when_it_is_whole_and_not_before,
	   what_fails_leaves_the_old_file_untouched_and_nothing_beside_it,
	   a_full_disk_is_an_error_that_leaves_the_old_file,
	   an_old_file_is_replaced_by_force_alone_and_its_rights_do_not_widen,
	   a_file_that_comes_meanwhile_is_not_replaced,
	   folders_links_sockets_and_an_empty_name_are_refused,
	   pipes_devices_and_descriptors_are_written_directly,
	   a_descriptor_for_reading_alone_is_an_error_when_it_is_opened,
	   a_signal_handler_removes_what_is_unfinished_of_its_own_process,
	   what_a_killed_process_left_goes_with_the_next_output_of_that_name_and_nothing_else,
	   what_another_process_writes_at_the_moment_is_kept)
