// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"

#include <sys/wait.h>

#include "base/subprocess.h"

START_TEST(both_streams_and_the_status_are_returned)
{
	const char *const argv[] = { "sh", "-c", "echo out; echo err >&2; exit 3", NULL };
	struct subprocess_output output;

	ck_no_error(subprocess_run(argv, "/", 10, &output));
	ck_assert_str_eq(output.out, "out\n");
	ck_assert_str_eq(output.err, "err\n");
	ck_assert_int_eq(WEXITSTATUS(output.status), 3);
	subprocess_free(&output);
	ck_error(subprocess_check(argv, NULL, 10, &output), ERR_INPUT, "status 3: err");
}
END_TEST

START_TEST(more_output_than_a_pipe_holds_is_read)
{
	const char *const argv[] = { "head", "-c", "3000000", "/dev/zero", NULL };
	struct subprocess_output output;

	ck_no_error(subprocess_check(argv, NULL, 30, &output));
	ck_assert_uint_eq(output.out_length, 3000000);
	subprocess_free(&output);
}
END_TEST

START_TEST(a_missing_program_is_named)
{
	const char *const argv[] = { "no-such-program-here", NULL };
	struct subprocess_output output;

	ck_error(subprocess_run(argv, NULL, 10, &output), ERR_UNAVAILABLE, "no-such-program-here");
	ck_assert_ptr_null(subprocess_find("no-such-program-here"));
}
END_TEST

START_TEST(a_program_that_hangs_is_killed_with_its_children)
{
	const char *const argv[] = { "sh", "-c", "sleep 1000 & wait", NULL };
	struct subprocess_output output;

	ck_error(subprocess_run(argv, NULL, 0.2, &output), ERR_INPUT, "did not end within 0.2 s");
}
END_TEST

UNIT_TESTS("subprocess", both_streams_and_the_status_are_returned,
	   more_output_than_a_pipe_holds_is_read, a_missing_program_is_named,
	   a_program_that_hangs_is_killed_with_its_children)
