/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * unit.h - what every Check program includes: its main, and checks for `struct error *`
 *
 * A test file defines tests with START_TEST(behaviour_that_is_protected), lists them with
 * UNIT_TESTS("room", test, ...) and nothing else. Each test is a process of its own.
 */
#ifndef FT_TESTS_UNIT_H
#define FT_TESTS_UNIT_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* the call succeeds */
#define ck_no_error(call)                                                                          \
	do {                                                                                       \
		struct error *error_ = (call);                                                     \
		ck_assert_msg(!error_, "%s: %s", #call, error_ ? error_->message : "");            \
	} while (0)

/* the call fails with that code and a message that contains @part (file:line: message) */
#define ck_error(call, code_, part)                                                                \
	do {                                                                                       \
		struct error *error_ = (call);                                                     \
		char *text_;                                                                       \
		ck_assert_msg(error_ != NULL, "%s: no error", #call);                              \
		text_ = error_text(error_);                                                        \
		ck_assert_msg(error_->code == (code_) && strstr(text_, part),                      \
			      "%s: code %d, \"%s\"; expected %s with \"%s\"", #call, error_->code, \
			      text_, #code_, part);                                                \
		free(text_);                                                                       \
		error_free(error_);                                                                \
	} while (0)

/* the path of a file below tests/; a new string */
static inline char *test_data(const char *name)
{
	const char *root = getenv("FT_TEST_DATA");

	return memory_format("%s/%s", root ? root : "tests", name);
}

static inline int unit_run(const char *name, const TTest *const *tests, size_t n)
{
	Suite *suite = suite_create(name);
	SRunner *runner = srunner_create(suite);
	int failed;

	for (size_t i = 0; i < n; i++) {
		TCase *tcase = tcase_create(tests[i]->name);

		tcase_set_timeout(tcase, 120);
		tcase_add_test(tcase, tests[i]);
		suite_add_tcase(suite, tcase);
	}
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#define UNIT_TESTS(name, ...)                                                                      \
	int main(void)                                                                             \
	{                                                                                          \
		const TTest *const tests[] = { __VA_ARGS__ };                                      \
                                                                                                   \
		return unit_run(name, tests, ARRAY_SIZE(tests));                                   \
	}

#endif
