// SPDX-License-Identifier: GPL-2.0-only
#include "report/grid.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

#define GAP 2

struct note {
	int row; /* it stands below */
	char *text;
};

struct grid {
	const char *const *heads;
	int n_columns, repeated;
	char **cells;
	int n_cells;
	struct note *notes;
	int n_notes;
	int *widths;
};

/* characters, not bytes; every cell is UTF-8 */
static int width_of(const char *text)
{
	int width = 0;

	for (; *text; text++)
		width += (*text & 0xc0) != 0x80;
	return width;
}

static char *clean_format(const char *format, va_list args)
{
	autofree char *text = memory_vformat(format, args);
	char *clean = text_to_utf8(text);

	text_printable(clean);
	return clean;
}

struct grid *grid_new(const char *const *heads, int repeated)
{
	struct grid *grid = memory_zeroed(1, sizeof(*grid));

	grid->heads = heads;
	grid->repeated = repeated;
	while (heads[grid->n_columns])
		grid->n_columns++;
	grid->widths = memory_zeroed(grid->n_columns, sizeof(*grid->widths));
	for (int i = 0; i < grid->n_columns; i++)
		grid->widths[i] = width_of(heads[i] + 1);
	return grid;
}

void grid_add(struct grid *grid, const char *format, ...)
{
	int column = grid->n_cells % grid->n_columns;
	va_list args;
	char *text;

	va_start(args, format);
	text = clean_format(format, args);
	va_end(args);
	*array_append(grid->cells, grid->n_cells) = text;
	if (width_of(text) > grid->widths[column])
		grid->widths[column] = width_of(text);
}

void grid_note(struct grid *grid, const char *format, ...)
{
	struct note *note = array_append(grid->notes, grid->n_notes);
	va_list args;

	va_start(args, format);
	note->text = clean_format(format, args);
	va_end(args);
	note->row = (grid->n_cells - 1) / grid->n_columns;
}

static void pad(FILE *stream, int n)
{
	fprintf(stream, "%*s", n > 0 ? n : 0, "");
}

/* no blanks at the end of a line: *owed are printed before the next text */
static void print_cell(const struct grid *grid, FILE *stream, int column, const char *text,
		       int *owed)
{
	int space = grid->widths[column] - width_of(text);
	bool right = grid->heads[column][0] == '>';

	if (*text) {
		pad(stream, *owed + (right ? space : 0));
		fputs(text, stream);
		*owed = right ? 0 : space;
	} else {
		*owed += space;
	}
	*owed += GAP;
}

/* @row -1: the heads */
static void print_row(const struct grid *grid, FILE *stream, int row, int first, int end,
		      int indent)
{
	int owed = indent;

	for (int column = 0; column < end; column++) {
		if (column >= grid->repeated && column < first)
			continue;
		print_cell(grid, stream, column,
			   row < 0 ? grid->heads[column] + 1
				   : grid->cells[row * grid->n_columns + column],
			   &owed);
	}
	fputc('\n', stream);
}

/* the column after the last one that fits beside the repeated ones, at least one more than @first */
static int fitting(const struct grid *grid, int first, int indent)
{
	int used = indent, column;

	for (int i = 0; i < grid->repeated && i < first; i++)
		used += grid->widths[i] + GAP;
	for (column = first; column < grid->n_columns; column++) {
		used += grid->widths[column];
		if (used > GRID_WIDTH && column > first && column >= grid->repeated)
			break;
		used += GAP;
	}
	return column;
}

static void print_part(const struct grid *grid, FILE *stream, int first, int end, int indent)
{
	int n_rows = grid->n_cells / grid->n_columns, note = 0;

	print_row(grid, stream, -1, first, end, indent);
	for (int row = 0; row < n_rows; row++) {
		print_row(grid, stream, row, first, end, indent);
		for (; note < grid->n_notes && grid->notes[note].row == row; note++)
			if (!first)
				grid_wrap(stream, grid->notes[note].text, indent + 6);
	}
}

int grid_width(const struct grid *grid)
{
	int width = -GAP;

	for (int i = 0; i < grid->n_columns; i++)
		width += grid->widths[i] + GAP;
	return width;
}

void grid_end(struct grid *grid, FILE *stream, int indent)
{
	for (int first = 0, end; stream && first < grid->n_columns; first = end) {
		end = fitting(grid, first, indent);
		if (first)
			fputc('\n', stream);
		print_part(grid, stream, first, end, indent);
	}
	for (int i = 0; i < grid->n_cells; i++)
		free(grid->cells[i]);
	for (int i = 0; i < grid->n_notes; i++)
		free(grid->notes[i].text);
	free(grid->cells);
	free(grid->notes);
	free(grid->widths);
	free(grid);
}

void grid_wrap(FILE *stream, const char *text, int indent)
{
	autofree char *copy = text_to_utf8(text);
	char *rest = copy, *word;
	int used = 0;

	text_printable(copy);
	while ((word = strsep(&rest, " "))) {
		int width = width_of(word);

		if (!*word)
			continue;
		if (used && used + 1 + width > GRID_WIDTH) {
			fputc('\n', stream);
			used = 0;
		}
		pad(stream, used ? 1 : indent);
		fputs(word, stream);
		used += (used ? 1 : indent) + width;
	}
	fputc('\n', stream);
}
