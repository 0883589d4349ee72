/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * grid.h - a table of text whose columns are as wide as what is in them
 *
 * Cells are filled row by row. Columns are split into several tables below each other when they do
 * not fit into the width; the first columns are repeated then. Control characters are printed as
 * '?'; the width of a cell is counted in UTF-8 characters.
 */
#ifndef FT_REPORT_GRID_H
#define FT_REPORT_GRID_H

#include <stdio.h>

#define GRID_WIDTH 78

struct grid;

/*
 * grid_new - @heads: "<NAME" for a column set to the left, ">NAME" to the right; ends with NULL
 * @repeated: how many of the first columns each of the split tables shows
 */
struct grid *grid_new(const char *const *heads, int repeated);

/* grid_add - one more cell (printf-style): the next of the row, or the first of a new row */
void grid_add(struct grid *grid, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* grid_note - a line below the last row, indented; not part of a column. Wrapped at the width. */
void grid_note(struct grid *grid, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* grid_width - of the whole table, if it were not split */
int grid_width(const struct grid *grid);

/* grid_end - prints the table, each line @indent blanks from the left, and frees it. @stream NULL: only frees */
void grid_end(struct grid *grid, FILE *stream, int indent);

/* grid_wrap - @text over lines of at most GRID_WIDTH columns, each @indent blanks from the left,
 * ending with a newline; broken at blanks only */
void grid_wrap(FILE *stream, const char *text, int indent);

#endif
