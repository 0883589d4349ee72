// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"

START_TEST(array_append_zeroes_each_new_element)
{
	int *items = NULL, n = 0;

	for (int i = 0; i < 1000; i++) {
		int *item = array_append(items, n);

		ck_assert_int_eq(*item, 0);
		*item = i;
	}
	ck_assert_int_eq(n, 1000);
	for (int i = 0; i < n; i++)
		ck_assert_int_eq(items[i], i);
	free(items);
}
END_TEST

START_TEST(text_grows_at_its_end_from_nothing)
{
	char *text = memory_append(NULL, "%d", 1);

	for (int i = 2; i < 5; i++)
		text = memory_append(text, "%s%d", ", ", i);
	ck_assert_str_eq(text, "1, 2, 3, 4");
	free(text);
}
END_TEST

UNIT_TESTS("memory", array_append_zeroes_each_new_element, text_grows_at_its_end_from_nothing)
