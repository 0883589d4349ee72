// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"

#include "base/ini.h"

/* collects what is read as "LINE[SECTION]" and "LINE:KEY=VALUE" words */
static struct error *collect(void *data, int line, const char *section, const char *key,
			     const char *value)
{
	char **seen = data;
	char *before = *seen;

	if (key && !strcmp(key, "refuse"))
		return error_at(ERR_INPUT, "f", line, "refused by the callback");
	if (key)
		*seen = memory_format("%s%d:%s=%s|", before ? before : "", line, key, value);
	else
		*seen = memory_format("%s%d[%s]|", before ? before : "", line, section);
	free(before);
	return NULL;
}

static char *read_all(const char *text)
{
	char *seen = NULL;

	ck_no_error(ini_read("f", text, strlen(text), collect, &seen));
	return seen;
}

#define ck_refused(text, length, part)                                                             \
	do {                                                                                       \
		char *seen_ = NULL;                                                                \
		ck_error(ini_read("f", text, length, collect, &seen_), ERR_INPUT, part);           \
		free(seen_);                                                                       \
	} while (0)

START_TEST(lines_are_numbered_over_comments_and_empty_lines)
{
	autofree char *seen =
		read_all("; comment\n\n[a]\n# comment\nx = 1 ; why\n\n[empty]\n[b c]\ny=2");

	ck_assert_str_eq(seen, "3[a]|5:x=1|7[empty]|8[b c]|9:y=2|");
}
END_TEST

START_TEST(crlf_byte_order_mark_and_indentation_are_accepted)
{
	autofree char *seen = read_all("\xEF\xBB\xBF[a]\r\nx = 1\r\n\ty = 2\r\n  z=3");

	ck_assert_str_eq(seen, "1[a]|2:x=1|3:y=2|4:z=3|");
}
END_TEST

START_TEST(only_the_first_equals_sign_and_a_spaced_semicolon_split)
{
	autofree char *seen = read_all("[a]\nenv.X = a=b:c;d ; e\n");

	ck_assert_str_eq(seen, "1[a]|2:env.X=a=b:c;d|");
}
END_TEST

START_TEST(what_is_no_ini_is_refused_with_its_line)
{
	static const struct {
		const char *text, *part;
	} bad[] = {
		{ "[a]\n\nhello\n", "f:3: neither a '[section]' nor 'key = value'" },
		{ "[a]\nhello ; x = 1\n", "f:2: neither a '[section]' nor 'key = value'" },
		{ "[a\n", "f:1: a section header needs a closing ']'" },
		{ "[a] b = 1\n", "f:1: text after a section header" },
		{ "[ ]\n", "f:1: a section header without a name" },
		{ "x = 1\n", "f:1: a key before the first '[section]'" },
		{ "[a]\nx =\n", "f:2: key 'x' has no value" },
		{ "[a]\nx = ; comment\n", "f:2: key 'x' has no value" },
		{ "[a]\n= 1\n", "f:2: a value without a key" },
		{ "[a]\nx: 1\n", "f:2: a key ends with '=', not with ':'" },
		{ "[a]\nrefuse = 1\nz\n", "f:2: refused by the callback" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		ck_refused(bad[i].text, strlen(bad[i].text), bad[i].part);
}
END_TEST

START_TEST(what_is_no_text_is_refused)
{
	ck_refused("[a]\n; \xff\nx = 1\n", 13, "f:2: bytes that are not UTF-8");
	ck_refused("[a]\nx = \x1b[1m\n", 12, "f:2: a control character");
	ck_refused("[a]\nx = 1\0 2\n", 13, "f:2: a NUL byte");
}
END_TEST

START_TEST(lines_are_never_cut)
{
	char value[400], *seen;

	for (size_t length = 150; length < 300; length++) {
		size_t used;
		autofree char *text = NULL;

		memset(value, 'v', sizeof(value));
		value[length] = '\0';
		text = memory_format("[a]\nx = %s\n", value);
		used = length + strlen("x = ");
		if (used > INI_LINE_LIMIT) {
			autofree char *part = memory_format("f:2: a line of %zu bytes", used);

			ck_refused(text, strlen(text), part);
			continue;
		}
		seen = read_all(text);
		ck_assert_uint_eq(strlen(seen), strlen("1[a]|2:x=|") + length);
		free(seen);
	}
}
END_TEST

START_TEST(long_section_names_and_comments_are_kept_whole)
{
	char name[150], comment[5000];
	autofree char *text = NULL, *seen = NULL, *expected = NULL;

	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	memset(comment, 'c', sizeof(comment) - 1);
	comment[sizeof(comment) - 1] = '\0';
	text = memory_format("[%s]\n;%s\nx = 1\n", name, comment);
	expected = memory_format("1[%s]|3:x=1|", name);
	seen = read_all(text);
	ck_assert_str_eq(seen, expected);
}
END_TEST

UNIT_TESTS("ini", lines_are_numbered_over_comments_and_empty_lines,
	   crlf_byte_order_mark_and_indentation_are_accepted,
	   only_the_first_equals_sign_and_a_spaced_semicolon_split,
	   what_is_no_ini_is_refused_with_its_line, what_is_no_text_is_refused, lines_are_never_cut,
	   long_section_names_and_comments_are_kept_whole)
