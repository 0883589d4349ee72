// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"

#include <errno.h>

START_TEST(text_names_file_and_line)
{
	struct error *error = error_at(ERR_INPUT, "a.plan", 7, "unknown key '%s'", "x");
	autofree char *text = NULL;

	error = error_prefix(error, "case %d", 3);
	text = error_text(error);
	ck_assert_str_eq(text, "a.plan:7: case 3: unknown key 'x'");
	error_free(error);
}
END_TEST

START_TEST(errno_of_a_missing_right_is_a_permission_error)
{
	struct error *error;

	errno = EACCES;
	error = error_errno("cannot open x");
	ck_assert_int_eq(error->code, ERR_PERMISSION);
	ck_assert_str_eq(error->message, "cannot open x: Permission denied");
	error_free(error);
	errno = ENOENT;
	error = error_errno("cannot open x");
	ck_assert_int_eq(error->code, ERR_SYSTEM);
	error_free(error);
}
END_TEST

START_TEST(only_usage_exits_with_2)
{
	struct error *usage = error_new(ERR_USAGE, "u"), *input = error_new(ERR_INPUT, "i");

	ck_assert_int_eq(error_exit_status(NULL), 0);
	ck_assert_int_eq(error_exit_status(usage), 2);
	ck_assert_int_eq(error_exit_status(input), 1);
	ck_assert_ptr_null(error_prefix(NULL, "nothing"));
	error_free(usage);
	error_free(input);
}
END_TEST

START_TEST(report_is_one_line_whatever_the_message_quotes)
{
	struct error *error = error_at(ERR_INPUT, "a\nb", 3, "unknown key '%s'", "x\ny\033[1m");
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	error_report(stream, error);
	fclose(stream);
	ck_assert_str_eq(text, "fairtrial: a?b:3: unknown key 'x?y?[1m'\n");
	free(text);
	error_free(error);
}
END_TEST

UNIT_TESTS("error", text_names_file_and_line, errno_of_a_missing_right_is_a_permission_error,
	   only_usage_exits_with_2, report_is_one_line_whatever_the_message_quotes)
