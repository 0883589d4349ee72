// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"

#include "base/ordered_json.h"

static struct ojson *parse(const char *text)
{
	struct ojson *value;

	ck_no_error(ojson_parse("t.json", text, strlen(text), &value));
	return value;
}

START_TEST(members_keep_their_order_and_their_doubles)
{
	struct ojson *value = parse("{\n \"run\": 1, \"sleep\": 2,\n  \"run\": 3 }");
	static const char *const keys[] = { "run", "sleep", "run" };

	ck_assert_int_eq(value->type, OJSON_OBJECT);
	ck_assert_int_eq(value->n, 3);
	for (int i = 0; i < 3; i++) {
		ck_assert_str_eq(value->items[i].key, keys[i]);
		ck_assert_int_eq(value->items[i].integer, i + 1);
	}
	ck_assert_int_eq(value->items[2].line, 3);
	ck_assert_int_eq(value->items[2].column, 3);
	ojson_free(value);
}
END_TEST

START_TEST(every_kind_of_value_is_read)
{
	struct ojson *value =
		parse("[null, true, False, -12, 1.5e2, \"a\\n\\u00e4\\ud83d\\ude00\", "
		      "[], {}, 9223372036854775807, 0, -0]");
	static const enum ojson_type types[] = {
		OJSON_NULL,    OJSON_BOOL,    OJSON_BOOL,    OJSON_INTEGER,
		OJSON_REAL,    OJSON_STRING,  OJSON_ARRAY,   OJSON_OBJECT,
		OJSON_INTEGER, OJSON_INTEGER, OJSON_INTEGER,
	};

	ck_assert_int_eq(value->n, ARRAY_SIZE(types));
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		ck_assert_int_eq(value->items[i].type, types[i]);
	ck_assert(value->items[1].boolean && !value->items[2].boolean);
	ck_assert_int_eq(value->items[3].integer, -12);
	ck_assert(value->items[4].real == 150);
	ck_assert_str_eq(value->items[5].string, "a\n\xc3\xa4\xf0\x9f\x98\x80");
	ck_assert(value->items[8].integer == INT64_MAX);
	ojson_free(value);
}
END_TEST

START_TEST(comments_last_commas_and_members_without_value_are_accepted)
{
	struct ojson *value = parse("/* one */ { // two\n \"suspend\", \"a\": [1, 2,], \"yield\" "
				    "/**/ , }\n// end");

	ck_assert_int_eq(value->n, 3);
	ck_assert_int_eq(value->items[0].type, OJSON_NONE);
	ck_assert_int_eq(value->items[1].n, 2);
	ck_assert_int_eq(value->items[2].type, OJSON_NONE);
	ojson_free(value);
}
END_TEST

START_TEST(what_is_wrong_is_told_with_line_and_column)
{
	static const struct {
		const char *text, *part;
	} wrong[] = {
		{ "", "t.json:1: column 1: expected a value, found the end" },
		{ "{\n\t\"a\" : 1\n\t\"b\" : 2\n}",
		  "t.json:3: column 2: expected ',' or '}', found '\"'" },
		{ "[1 2]", "column 4: expected ',' or ']', found '2'" },
		{ "{ \"a\" 1 }", "column 7: expected ':' or ','" },
		{ "{ a : 1 }", "column 3: expected a name in quotes or '}'" },
		{ "{ \"a\" : }", "column 9: expected a value, found '}'" },
		{ "{ \"a\" : nul }", "expected a value, found 'n'" },
		{ "[,]", "expected a value, found ','" },
		{ "{,}", "expected a name in quotes" },
		{ "{}{}", "column 3: expected the end of the file" },
		{ "[\"a", "column 4: a string without a closing" },
		{ "[\"a\nb\"]", "a string without a closing" },
		{ "[\"\\x\"]", "behind '\\'" },
		{ "[\"\\u12g4\"]", "four hexadecimal digits" },
		{ "[\"\\u0000\"]", "\\u0000" },
		{ "[\"\\ud83d\"]", "surrogates" },
		{ "[\"\\ude00\"]", "surrogates" },
		{ "[01]", "column 2: a number does not begin with 0" },
		{ "[-]", "expected a digit" },
		{ "[1.]", "expected a digit behind '.'" },
		{ "[1e]", "a digit of an exponent" },
		{ "[1e999]", "too large" },
		{ "[9223372036854775808]", "an integer that is too large" },
		{ "/* x", "column 1: a comment without an end" },
		{ "[\"\x01\"]", "control character" },
		{ "[\"\xff\"]", "UTF-8" },
		{ "[\x80]", "UTF-8" },
	};
	struct ojson *value;

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		ck_error(ojson_parse("t.json", wrong[i].text, strlen(wrong[i].text), &value),
			 ERR_INPUT, wrong[i].part);
}
END_TEST

START_TEST(depth_has_a_limit)
{
	char text[2 * OJSON_DEPTH + 3];
	struct ojson *value;

	memset(text, '[', OJSON_DEPTH);
	memset(text + OJSON_DEPTH, ']', OJSON_DEPTH);
	ck_no_error(ojson_parse("t.json", text, (size_t)2 * OJSON_DEPTH, &value));
	ojson_free(value);
	memset(text, '[', sizeof(text));
	ck_error(ojson_parse("t.json", text, sizeof(text), &value), ERR_INPUT, "within each other");
}
END_TEST

START_TEST(a_zero_byte_ends_nothing)
{
	struct ojson *value;

	ck_error(ojson_parse("t.json", "[1]\0", 4, &value), ERR_INPUT, "");
}
END_TEST

UNIT_TESTS("ordered_json", members_keep_their_order_and_their_doubles, every_kind_of_value_is_read,
	   comments_last_commas_and_members_without_value_are_accepted,
	   what_is_wrong_is_told_with_line_and_column, depth_has_a_limit, a_zero_byte_ends_nothing)
