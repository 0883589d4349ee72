// SPDX-License-Identifier: GPL-2.0-only
#include "machine/machine.h"
#include "unit.h"

/* what a list looks like after reading and writing */
static char *round_trip(const char *text)
{
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
	char *list;

	ck_no_error(cpulist_parse(text, cpus));
	list = cpulist_format(cpus);
	hwloc_bitmap_free(cpus);
	return list;
}

static void check_equal(const char *text, const char *expected)
{
	autofree char *list = round_trip(text);

	ck_assert_str_eq(list, expected);
}

START_TEST(list_is_written_as_the_kernel_does)
{
	check_equal("0", "0");
	check_equal("0-15,320-335", "0-15,320-335");
	check_equal("0,1,109-127", "0-1,109-127");
	check_equal("3,1,2,1-2", "1-3");
	check_equal("0-4,6", "0-4,6");
	check_equal("65535", "65535");
}
END_TEST

START_TEST(repeated_ranges_are_read_as_the_kernel_does)
{
	check_equal("0-6:1/2", "0,2,4,6");
	check_equal("0-11:2/4,20", "0-1,4-5,8-9,20");
	check_equal("0-2:2/4", "0-1");
	check_equal("0-5:3/3", "0-5");
}
END_TEST

START_TEST(the_short_form_is_the_same_set)
{
	static const char *const lists[][2] = {
		{ "0,2,4,6", "0-6:1/2" }, { "0-1,4-5,8-9,20", "0-9:2/4,20" }, { "0,2", "0,2" },
		{ "0-3", "0-3" },	  { "0,2,4,8-9", "0,2,4,8-9" },	      { "7", "7" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
		autofree char *text = NULL;

		ck_no_error(cpulist_parse(lists[i][0], cpus));
		text = cpulist_short(cpus);
		ck_assert_str_eq(text, lists[i][1]);
		check_equal(text, lists[i][0]);
		hwloc_bitmap_free(cpus);
	}
}
END_TEST

START_TEST(anything_else_is_refused)
{
	static const char *const wrong[] = {
		"",	   " ",	      "a",	 "0-",	  "-1",	   "3-1",	    "0,",
		",0",	   "0 1",     "0--1",	 "1,,2",  "0x3",   "0-3/2",	    "0-3:2",
		"0-3:0/2", "0-3:3/2", "0-3:1/0", "3:1/2", "65536", "0-99999999999", "1\n",
		"+1",	   "0 ",
	};
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();

	hwloc_bitmap_set(cpus, 7);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		ck_error(cpulist_parse(wrong[i], cpus), ERR_INPUT, "is not a CPU list");
		ck_assert_int_eq(hwloc_bitmap_weight(cpus), 1);
	}
	hwloc_bitmap_free(cpus);
}
END_TEST

START_TEST(empty_set_is_an_empty_string)
{
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
	autofree char *list = cpulist_format(cpus);

	ck_assert_str_eq(list, "");
	hwloc_bitmap_free(cpus);
}
END_TEST

UNIT_TESTS("machine", list_is_written_as_the_kernel_does,
	   repeated_ranges_are_read_as_the_kernel_does, the_short_form_is_the_same_set,
	   anything_else_is_refused, empty_set_is_an_empty_string)
