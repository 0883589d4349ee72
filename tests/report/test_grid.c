// SPDX-License-Identifier: GPL-2.0-only
#include "report/grid.h"

#include "unit.h"

static char *printed(struct grid *grid, int indent)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	grid_end(grid, stream, indent);
	fclose(stream);
	return text;
}

static int widest(const char *text)
{
	int most = 0;

	while (*text) {
		int width = strcspn(text, "\n");

		most = width > most ? width : most;
		text += width + (text[width] == '\n');
	}
	return most;
}

START_TEST(columns_are_as_wide_as_their_cells)
{
	static const char *const heads[] = { ">ID", "<NAME", ">N", NULL };
	struct grid *grid = grid_new(heads, 1);
	char *text;

	grid_add(grid, "%d", 7);
	grid_add(grid, "h\xc3\xa9llo world");
	grid_add(grid, "1000");
	grid_add(grid, "12");
	grid_add(grid, "x");
	grid_add(grid, "5");
	text = printed(grid, 0);
	ck_assert_str_eq(text, "ID  NAME            N\n"
			       " 7  h\xc3\xa9llo world  1000\n"
			       "12  x               5\n");
	free(text);
}
END_TEST

START_TEST(wide_table_is_split_and_repeats_its_first_columns)
{
	static const char *const heads[] = { ">ID", "<A", "<B", "<C", NULL };
	struct grid *grid = grid_new(heads, 1);
	char *text;

	grid_add(grid, "1");
	for (int i = 0; i < 3; i++)
		grid_add(grid, "%030d", i);
	text = printed(grid, 2);
	ck_assert_int_le(widest(text), GRID_WIDTH);
	ck_assert_ptr_nonnull(strstr(text, "\n\n  ID  C\n   1  000"));
	free(text);
}
END_TEST

START_TEST(cell_wider_than_the_table_is_not_cut)
{
	static const char *const heads[] = { ">ID", "<A", NULL };
	struct grid *grid = grid_new(heads, 1);
	char *text;

	grid_add(grid, "1");
	grid_add(grid, "%0100d", 5);
	text = printed(grid, 0);
	ck_assert_int_ge(widest(text), 100);
	free(text);
}
END_TEST

START_TEST(note_stands_below_its_row)
{
	static const char *const heads[] = { "<A", "<B", NULL };
	struct grid *grid = grid_new(heads, 1);
	char *text;

	grid_add(grid, "1");
	grid_add(grid, "failed");
	grid_note(grid, "worker 2 died");
	grid_add(grid, "2");
	grid_add(grid, "ok");
	text = printed(grid, 0);
	ck_assert_str_eq(text, "A  B\n1  failed\n      worker 2 died\n2  ok\n");
	free(text);
}
END_TEST

START_TEST(no_rows_leave_the_heads)
{
	static const char *const heads[] = { "<A", "<B", NULL };
	char *text = printed(grid_new(heads, 1), 0);

	ck_assert_str_eq(text, "A  B\n");
	free(text);
}
END_TEST

START_TEST(text_wraps_at_blanks)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	for (int i = 0; i < 3; i++)
		grid_wrap(stream,
			  "the quick brown fox jumps over the lazy dog and then it jumps "
			  "over it again",
			  6);
	fclose(stream);
	ck_assert_int_le(widest(text), GRID_WIDTH);
	ck_assert_ptr_nonnull(strstr(text, "over it\n      again\n"));
	free(text);
}
END_TEST

UNIT_TESTS("grid", columns_are_as_wide_as_their_cells,
	   wide_table_is_split_and_repeats_its_first_columns, cell_wider_than_the_table_is_not_cut,
	   note_stands_below_its_row, no_rows_leave_the_heads, text_wraps_at_blanks)
