// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"

#include "base/text.h"

START_TEST(parts_are_joined_as_they_were_split)
{
	int n;
	char **parts = text_split("a, b,c", ',', &n);
	char *joined = text_join(parts, n, "; "), *none = text_join(parts, 0, "; ");

	ck_assert_str_eq(joined, "a; b; c");
	ck_assert_str_eq(none, "");
	free(joined);
	free(none);
	text_split_free(parts, n);
}
END_TEST

START_TEST(integers_are_read_whole_or_refused)
{
	int64_t value = 0;

	ck_no_error(text_integer("-7", -10, 10, &value));
	ck_assert_int_eq(value, -7);
	ck_error(text_integer("7x", -10, 10, &value), ERR_INPUT, "not an integer from -10 to 10");
	ck_error(text_integer("", 0, 10, &value), ERR_INPUT, "not an integer");
	ck_error(text_integer(" 7", 0, 10, &value), ERR_INPUT, "not an integer");
	ck_error(text_integer("11", 0, 10, &value), ERR_INPUT, "not an integer");
	ck_error(text_integer("99999999999999999999", 0, INT64_MAX, &value), ERR_INPUT, "99999");
	ck_assert_int_eq(value, -7);
}
END_TEST

START_TEST(numbers_refuse_nan_inf_and_hexadecimal)
{
	double value = 0;

	ck_no_error(text_number("-1.5e3", &value));
	ck_assert_double_eq(value, -1500);
	ck_error(text_number("nan", &value), ERR_INPUT, "not a number");
	ck_error(text_number("inf", &value), ERR_INPUT, "not a number");
	ck_error(text_number("0x10", &value), ERR_INPUT, "not a number");
	ck_error(text_number("1e999", &value), ERR_INPUT, "too large");
	ck_error(text_number("1.2.3", &value), ERR_INPUT, "not a number");
}
END_TEST

START_TEST(durations_need_a_unit_and_round_trip)
{
	static const char *const exact[] = { "10s", "500ms", "20us", "7ns", "2min", "1h", "0ns" };
	uint64_t value = 0;

	for (size_t i = 0; i < ARRAY_SIZE(exact); i++) {
		autofree char *text = NULL;

		ck_no_error(text_duration(exact[i], &value));
		text = text_duration_format(value);
		ck_assert_str_eq(text, exact[i]);
	}
	ck_no_error(text_duration("1.5 s", &value));
	ck_assert_uint_eq(value, 1500000000);
	ck_error(text_duration("10", &value), ERR_INPUT, "not a time");
	ck_error(text_duration("-1s", &value), ERR_INPUT, "not a time");
	ck_error(text_duration("1e30s", &value), ERR_INPUT, "not a time");
	ck_error(text_duration("s", &value), ERR_INPUT, "not a time");
}
END_TEST

START_TEST(sizes_are_powers_of_1024)
{
	uint64_t value = 0;

	ck_no_error(text_size("4K", &value));
	ck_assert_uint_eq(value, 4096);
	ck_no_error(text_size("1.5MiB", &value));
	ck_assert_uint_eq(value, 1572864);
	ck_no_error(text_size("123", &value));
	ck_assert_uint_eq(value, 123);
	ck_error(text_size("4T", &value), ERR_INPUT, "not a size");
}
END_TEST

START_TEST(split_trims_and_keeps_empty_parts)
{
	int n;
	char **parts = text_split(" a, ,b ,", ',', &n);

	ck_assert_int_eq(n, 4);
	ck_assert_str_eq(parts[0], "a");
	ck_assert_str_eq(parts[1], "");
	ck_assert_str_eq(parts[2], "b");
	ck_assert_str_eq(parts[3], "");
	text_split_free(parts, n);
}
END_TEST

START_TEST(letters_that_changed_places_are_one_mistake)
{
	static const char *const words[] = { "cores", "cost", "nodes", NULL };

	ck_assert_str_eq(text_nearest("cots", words), "cost");
	ck_assert_str_eq(text_nearest("csot", words), "cost");
	ck_assert_str_eq(text_nearest("noeds", words), "nodes");
	ck_assert_str_eq(text_nearest("corse", words), "cores");
}
END_TEST

START_TEST(nearest_offers_only_close_words)
{
	static const char *const words[] = { "trials", "runtime", "seed", NULL };

	ck_assert_str_eq(text_nearest("runtmie", words), "runtime");
	ck_assert_str_eq(text_nearest("trial", words), "trials");
	ck_assert_ptr_null(text_nearest("banana", words));
}
END_TEST

START_TEST(booleans_are_words_or_digits)
{
	bool value = false;

	ck_no_error(text_bool("yes", &value));
	ck_assert(value);
	ck_no_error(text_bool("off", &value));
	ck_assert(!value);
	ck_error(text_bool("maybe", &value), ERR_INPUT, "'maybe' is neither 0");
}
END_TEST

START_TEST(sizes_are_written_in_the_shortest_exact_form)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} sizes[] = {
		{ 0, "0" },	   { 1000, "1000" },	 { 1024, "1K" },	 { 1536, "1536" },
		{ 3 << 20, "3M" }, { 5ull << 30, "5G" }, { 1ull << 40, "1024G" }
	};

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		autofree char *text = text_size_format(sizes[i].bytes);
		uint64_t back = 1;

		ck_assert_str_eq(text, sizes[i].text);
		ck_no_error(text_size(text, &back));
		ck_assert_uint_eq(back, sizes[i].bytes);
	}
}
END_TEST

START_TEST(utf8_is_told_from_other_bytes)
{
	static const char *const good[] = { "", "plain", "\xc3\xa9", "\xe2\x82\xac",
					    "\xf0\x9f\x90\xa7 z" };
	static const char *const bad[] = { "\x80",	   "\xc3",	   "\xc0\xaf",
					   "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80",
					   "\xff",	   "a\xe2\x82",	   "\xf0\x80\x80\x80",
					   "caf\xe9" };

	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		ck_assert_msg(text_is_utf8(good[i], strlen(good[i])), "good %zu", i);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		ck_assert_msg(!text_is_utf8(bad[i], strlen(bad[i])), "bad %zu", i);
	ck_assert(!text_is_utf8("a\0b", 3));
}
END_TEST

START_TEST(bytes_that_are_not_utf8_are_replaced_one_by_one)
{
	autofree char *clean = text_to_utf8("caf\xe9 \xed\xa0\x80 \xf0\x9f\x90\xa7 \xc3");

	ck_assert_str_eq(clean, "caf\xef\xbf\xbd \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd "
				"\xf0\x9f\x90\xa7 \xef\xbf\xbd");
}
END_TEST

START_TEST(control_characters_do_not_reach_a_terminal)
{
	char text[] = "a\033[2Jb\n\x7f\xc3\xa9";

	text_printable(text);
	ck_assert_str_eq(text, "a?[2Jb??\xc3\xa9");
}
END_TEST

UNIT_TESTS("text", integers_are_read_whole_or_refused, numbers_refuse_nan_inf_and_hexadecimal,
	   durations_need_a_unit_and_round_trip, sizes_are_powers_of_1024,
	   split_trims_and_keeps_empty_parts, nearest_offers_only_close_words,
	   letters_that_changed_places_are_one_mistake, booleans_are_words_or_digits,
	   sizes_are_written_in_the_shortest_exact_form, utf8_is_told_from_other_bytes,
	   bytes_that_are_not_utf8_are_replaced_one_by_one,
	   control_characters_do_not_reach_a_terminal, parts_are_joined_as_they_were_split)
