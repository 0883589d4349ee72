/* SPDX-License-Identifier: GPL-2.0-only */
/* capture.h - what a style prints of a run, as text */
#ifndef FT_TESTS_CAPTURE_H
#define FT_TESTS_CAPTURE_H

#include "../stats/fixture.h"
#include "report/style.h"

/* the report of sides; a new string */
static inline char *captured_sides(const struct fixture_sides *sides, const char *style,
				   const struct table_options *options, bool colour)
{
	struct report_options report = { colour };
	struct table *table;
	char *text;
	size_t length;
	FILE *stream = open_memstream(&text, &length);

	ck_no_error(table_new(sides->sides, sides->n, options, &table));
	ck_assert_ptr_nonnull(style_find(style));
	style_find(style)->print(stream, table, &report);
	fclose(stream);
	table_free(table);
	return text;
}

/* the report of all variants of a run, the first is base; frees the run */
static inline char *captured(struct run *run, const char *style)
{
	struct table_options options = fixture_options();
	struct fixture_sides sides;
	char *text;

	fixture_sides_of(&sides, run);
	text = captured_sides(&sides, style, &options, false);
	run_free(run);
	return text;
}

#define ck_contains(text, part)                                                                    \
	ck_assert_msg(strstr(text, part) != NULL, "no \"%s\" in:\n%s", part, text)
#define ck_lacks(text, part) ck_assert_msg(strstr(text, part) == NULL, "\"%s\" in:\n%s", part, text)

/* no line is longer than that of a table for people, and none ends with a blank */
static inline void ck_fits(const char *text)
{
	for (const char *line = text; *line;) {
		size_t length = strcspn(line, "\n");

		ck_assert_msg(length <= REPORT_COLUMNS, "%zu columns: %.*s", length, (int)length,
			      line);
		ck_assert_msg(!length || line[length - 1] != ' ', "blank at the end: '%.*s'",
			      (int)length, line);
		line += length + (line[length] == '\n');
	}
}

#endif
