// SPDX-License-Identifier: GPL-2.0-only
/* map_svg.c - the map as a picture, through gnuplot */
#include <stdlib.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/subprocess.h"
#include "report/map.h"

#define SECONDS_MOST 120

/* what gnuplot reads */
enum drawing_file {
	CELLS,
	WAITING,
	LINES,
	SCRIPT,
	N_FILES
};

struct drawing {
	FILE *streams[N_FILES];
	char *paths[N_FILES];
};

static const enum levels_group levels[] = { GROUP_CORE, GROUP_LLC, GROUP_NODE, GROUP_PACKAGE };

/* idle is 0, a task one of 12 colours, so that neighbours differ; what is not known is left out */
static int colour(int32_t pid)
{
	return pid ? 1 + (int)((uint32_t)pid % 12) : 0;
}

static void write_cells(const struct map *map, FILE *stream, bool waiting)
{
	double width = (double)(map->to - map->from) / map->columns / 1e9;
	int row = 0;

	for (int cpu = 0; cpu < map->levels.n_cpus; cpu++) {
		if (!map->seen[cpu])
			continue;
		for (int column = 0; column < map->columns; column++) {
			int32_t pid = map_task(map, cpu, column);

			if (waiting ? map_waiting(map, cpu, column) >= 0.5 : pid != EVENT_NONE)
				fprintf(stream, "%.9f %d %d\n", (column + 0.5) * width, row,
					colour(pid));
		}
		row++;
	}
	/* gnuplot draws nothing, and says so, of a file without points */
	if (!row || waiting)
		fprintf(stream, "0 -1 0\n");
}

static void write_lines(const struct map *map, FILE *stream)
{
	double width = (double)(map->to - map->from) / map->columns / 1e9;

	for (int column = 0; column < map->columns; column++) {
		fprintf(stream, "%.9f", (column + 0.5) * width);
		for (size_t i = 0; i < ARRAY_SIZE(levels); i++)
			fprintf(stream, " %.6f", map_imbalance(map, levels[i], column));
		putc('\n', stream);
	}
}

static void write_script(const struct map *map, const struct drawing *drawing)
{
	FILE *stream = drawing->streams[SCRIPT];
	double seconds = (double)(map->to - map->from) / 1e9;
	int rows = 0;

	for (int cpu = 0; cpu < map->levels.n_cpus; cpu++)
		rows += map->seen[cpu];
	fprintf(stream,
		"set terminal svg size 900,640 font 'sans,11' background 'white'\n"
		"set multiplot\nset lmargin at screen 0.09\n"
		"set rmargin at screen 0.97\nset xrange [0:%.9f]\n"
		"set tmargin at screen 0.95\nset bmargin at screen 0.38\n"
		"set yrange [-0.5:%g]\nset ylabel 'CPU (in the order of ids)'\n"
		"unset colorbox\nset cbrange [0:12]\n"
		"set palette defined (0 '#f0f0f0', 0.99 '#f0f0f0', 1 '#4477aa', 3 '#66ccee', "
		"5 '#228833', 7 '#ccbb44', 9 '#ee6677', 12 '#aa3377')\n"
		"set title 'what ran where: grey idle, colours tasks, black marks: tasks wait'\n"
		"set format x ''\n",
		seconds, rows - 0.5);
	fprintf(stream,
		"plot '%s' using 1:2:3 with image pixels notitle, '%s' using 1:2 with points "
		"pointtype 7 pointsize 0.15 linecolor 'black' notitle\n",
		drawing->paths[CELLS], drawing->paths[WAITING]);
	fprintf(stream,
		"set tmargin at screen 0.31\nset bmargin at screen 0.09\nset title ''\n"
		"set format x '%%g'\nset xlabel 'time, s'\nset yrange [0:*]\n"
		"set ylabel 'imbalance, tasks a CPU'\n"
		"plot '%s' using 1:2 with lines title 'between cores', '' using 1:3 with lines "
		"title 'LLCs', '' using 1:4 with lines title 'nodes', '' using 1:5 with lines "
		"title 'packages'\n",
		drawing->paths[LINES]);
}

static struct error *open_files(struct drawing *drawing)
{
	for (int i = 0; i < N_FILES; i++) {
		int fd;
		struct error *error = file_unnamed(&fd, &drawing->paths[i]);

		if (error)
			return error;
		drawing->streams[i] = fdopen(fd, "w");
	}
	return NULL;
}

static void close_files(struct drawing *drawing)
{
	for (int i = 0; i < N_FILES; i++) {
		if (drawing->streams[i])
			fclose(drawing->streams[i]);
		free(drawing->paths[i]);
	}
}

static struct error *draw(const struct map *map, struct subprocess_output *picture)
{
	struct drawing drawing = { 0 };
	struct error *error = open_files(&drawing);

	if (!error) {
		write_cells(map, drawing.streams[CELLS], false);
		write_cells(map, drawing.streams[WAITING], true);
		write_lines(map, drawing.streams[LINES]);
		write_script(map, &drawing);
	}
	for (int i = 0; !error && i < N_FILES; i++)
		if (fflush(drawing.streams[i]))
			error = error_errno("cannot write what gnuplot draws");
	if (!error)
		error = subprocess_check((const char *const[]){ "gnuplot", drawing.paths[SCRIPT],
								NULL },
					 NULL, SECONDS_MOST, picture);
	close_files(&drawing);
	return error;
}

struct error *map_svg(const struct map *map, const char *path, bool force)
{
	autofree char *program = subprocess_find("gnuplot");
	struct subprocess_output picture;
	struct error *error;

	if (!program)
		return error_new(ERR_UNAVAILABLE,
				 "a picture needs gnuplot (Debian: gnuplot-nox); --map draws in "
				 "the terminal");
	error = output_check(path, force);
	if (!error)
		error = draw(map, &picture);
	if (error)
		return error;
	if (picture.out_length)
		error = file_write(path, picture.out, picture.out_length, force, 0666);
	else
		error = error_new(ERR_INPUT, "gnuplot drew nothing");
	subprocess_free(&picture);
	return error;
}
