// SPDX-License-Identifier: GPL-2.0-only
#include "live_fixture.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/memory.h"
#include "files.h"

/* how many entries a directory has, counted by the shell's find */
static int entries(const char *directory)
{
	autofree char *command = memory_format("find '%s' -mindepth 1 | wc -l", directory);
	FILE *stream = popen(command, "r");
	int n = -1;

	ck_assert_int_eq(fscanf(stream, "%d", &n), 1);
	pclose(stream);
	return n;
}

static char *directory_new(void)
{
	char *name = memory_string("/tmp/fairtrial-test-XXXXXX");

	ck_assert_ptr_nonnull(mkdtemp(name));
	return name;
}

START_TEST(operations_do_what_the_kernel_says)
{
	autofree char *below = directory_new();
	struct fixture f = FIXTURE;

	f.options.runtime_ns = 100000 * MS; /* it ends when the worker returns */
	fixture_open(&f);
	fixture_add(&f, files_body, team_folder(f.team, below));
	fixture_run_well(&f);
	ck_assert_uint_eq(fixture_count(&f, 0), ARRAY_SIZE(file_expectations));
	fixture_close(&f);
	ck_assert_int_eq(rmdir(below), 0);
}
END_TEST

static void leave_files(struct task *task, void *data)
{
	static const char *const folders[] = { "a", "a/b", "c" };

	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		struct file_request request = { FILE_MKDIR, .path = folders[i] };
		autofree char *file = memory_format("%s/file", folders[i]);

		if (task_file(task, data, &request))
			task_fail(task, "mkdir");
		request = (struct file_request){ FILE_CREATE, .path = file };
		if (task_file(task, data, &request) < 0)
			task_fail(task, "create");
	}
}

START_TEST(a_folder_goes_with_its_team_and_all_that_is_in_it)
{
	autofree char *below = directory_new();
	struct fixture f = FIXTURE;

	f.options.runtime_ns = 100000 * MS; /* it ends when the worker returns */
	fixture_open(&f);
	fixture_add(&f, leave_files, team_folder(f.team, below));
	fixture_run_well(&f);
	ck_assert_int_eq(entries(below), 1 + 3 + 3);
	fixture_close(&f);
	ck_assert_int_eq(rmdir(below), 0);
}
END_TEST

/* a trial whose process is killed when its workers have made files */
static void run_killed(const char *below)
{
	int pid = fork(), status;

	ck_assert_int_ge(pid, 0);
	if (!pid) {
		struct fixture f = FIXTURE;

		f.options.runtime_ns = 100000 * MS;
		fixture_open(&f);
		fixture_add(&f, leave_files, team_folder(f.team, below));
		fixture_run(&f);
		kill(getpid(), SIGKILL);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFSIGNALED(status));
}

START_TEST(what_a_killed_trial_left_is_removed_by_the_next)
{
	autofree char *below = directory_new();
	struct fixture f = FIXTURE;

	run_killed(below);
	ck_assert_int_eq(entries(below), 1 + 3 + 3);
	fixture_open(&f);
	team_folder(f.team, below);
	ck_assert_int_eq(entries(below), 1);
	live_team_free(f.team);
	ck_assert_int_eq(rmdir(below), 0);
}
END_TEST

START_TEST(a_folder_in_use_and_files_of_others_are_left_alone)
{
	autofree char *below = directory_new();
	autofree char *other = memory_format("%s/fairtrial-files-mine", below);
	struct fixture f = FIXTURE, g = FIXTURE;

	ck_assert_int_ge(close(open(other, O_CREAT | O_WRONLY, 0600)), 0);
	fixture_open(&f);
	fixture_open(&g);
	team_folder(f.team, below);
	team_folder(g.team, below);
	ck_assert_int_eq(entries(below), 3);
	live_team_free(f.team);
	ck_assert_int_eq(entries(below), 2);
	live_team_free(g.team);
	ck_assert_int_eq(unlink(other), 0);
	ck_assert_int_eq(rmdir(below), 0);
}
END_TEST

static void check_refused(const char *below, const char *part)
{
	struct fixture f = FIXTURE;
	struct error *error;

	fixture_open(&f);
	fixture_add(&f, leave_files, team_folder(f.team, below));
	error = live_team_run(f.team, &f.report);
	ck_assert_ptr_nonnull(error);
	ck_assert_msg(strstr(error->message, below) && strstr(error->message, part), "%s",
		      error->message);
	error_free(error);
	fixture_close(&f);
}

START_TEST(a_directory_that_cannot_be_used_is_named_with_the_reason)
{
	check_refused("/nowhere/at/all", "No such file");
	check_refused("/dev/null", "Not a directory");
	/* nobody may make files in /proc, not even root */
	check_refused("/proc", "cannot make a folder");
}
END_TEST

UNIT_TESTS("live_file", operations_do_what_the_kernel_says,
	   a_folder_goes_with_its_team_and_all_that_is_in_it,
	   what_a_killed_trial_left_is_removed_by_the_next,
	   a_folder_in_use_and_files_of_others_are_left_alone,
	   a_directory_that_cannot_be_used_is_named_with_the_reason)
