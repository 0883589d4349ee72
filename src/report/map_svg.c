// SPDX-License-Identifier: GPL-2.0-only
/*
 * map_svg.c - the map as a picture, through gnuplot
 *
 * The map is an image of one point a pixel inside the SVG, so that the size of the file depends on
 * the pixels and not on how long or how busy the recording was.
 */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/subprocess.h"
#include "report/map.h"

#define SECONDS_MOST 120

/* of the picture: its height grows with the CPUs, so that each has a row, up to MOST_ROWS of them */
#define WIDTH	   900
#define MAP_TOP_PX 32  /* above the map */
#define MAP_LEAST  365 /* height of the map */
#define BELOW_PX   243 /* the imbalance and the axes */
#define MOST_ROWS  2048

/* what gnuplot reads */
enum drawing_file {
	CELLS,
	LINES,
	SCRIPT,
	N_FILES
};

struct drawing {
	FILE *streams[N_FILES];
	char *paths[N_FILES];
};

static const enum levels_group levels[] = { GROUP_CORE, GROUP_LLC, GROUP_NODE, GROUP_PACKAGE };

struct rgb {
	int red, green, blue;
};

static const struct rgb not_known = { 255, 255, 255 }, idle = { 232, 232, 232 },
			idle_while_waiting = { 0, 0, 0 };

/* of tasks, by id, so that neighbours differ */
static const struct rgb colours[] = {
	{ 68, 119, 170 },  { 102, 204, 238 }, { 34, 136, 51 },	 { 204, 187, 68 },
	{ 238, 102, 119 }, { 170, 51, 119 },  { 136, 204, 238 }, { 221, 119, 51 },
	{ 68, 170, 153 },  { 153, 153, 51 },  { 204, 102, 204 }, { 119, 119, 221 },
};

struct rows {
	int *cpus; /* that are drawn, in the order of ids */
	int n_cpus;
	/* of the image: a CPU has as many as fit, since viewers blur what they enlarge, and gnuplot
	 * wants two; on a machine of more than MOST_ROWS a row has several CPUs */
	int n;
};

static struct rows rows_of(const struct map *map)
{
	struct rows rows = { 0 };

	for (int cpu = 0; cpu < map->levels.n_cpus; cpu++)
		if (map->seen[cpu])
			*array_append(rows.cpus, rows.n_cpus) = cpu;
	rows.n = rows.n_cpus < MOST_ROWS ? rows.n_cpus : MOST_ROWS;
	if (rows.n && rows.n < MAP_LEAST)
		rows.n *= MAP_LEAST / rows.n;
	return rows;
}

/* of the CPUs of a row: one that is idle while a task waits there, else the busiest */
static int cpu_drawn(const struct map *map, const struct rows *rows, int row, int column)
{
	int first = (int)((long)row * rows->n_cpus / rows->n);
	int end = (int)((long)(row + 1) * rows->n_cpus / rows->n), drawn = rows->cpus[first];

	for (int i = first; i < end; i++) {
		int cpu = rows->cpus[i];

		if (map_task(map, cpu, column) == 0 && map_waiting(map, cpu, column) >= 0.5)
			return cpu;
		if (map_cell(map, cpu, column)->busy_ns > map_cell(map, drawn, column)->busy_ns)
			drawn = cpu;
	}
	return drawn;
}

static struct rgb colour(const struct map *map, int cpu, int column)
{
	int32_t pid = map_task(map, cpu, column);
	bool waits = map_waiting(map, cpu, column) >= 0.5;
	struct rgb rgb;

	if (pid == EVENT_NONE)
		return not_known;
	if (pid == 0)
		return waits ? idle_while_waiting : idle;
	rgb = colours[(uint32_t)pid % ARRAY_SIZE(colours)];
	if (waits)
		rgb = (struct rgb){ rgb.red / 2, rgb.green / 2, rgb.blue / 2 };
	return rgb;
}

static void write_cells(const struct map *map, const struct rows *rows, FILE *stream)
{
	double width = (double)(map->to - map->from) / map->columns / 1e9;

	for (int row = 0; row < rows->n; row++)
		for (int column = 0; column < map->columns; column++) {
			int cpu = cpu_drawn(map, rows, row, column);
			struct rgb rgb = colour(map, cpu, column);

			fprintf(stream, "%.9f %.9g %d %d %d\n", (column + 0.5) * width,
				(row + 0.5) * rows->n_cpus / rows->n - 0.5, rgb.red, rgb.green,
				rgb.blue);
		}
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

static void write_script(const struct map *map, const struct rows *rows,
			 const struct drawing *drawing)
{
	FILE *stream = drawing->streams[SCRIPT];
	double seconds = (double)(map->to - map->from) / 1e9;
	double map_height = rows->n > MAP_LEAST ? rows->n : MAP_LEAST;
	double height = MAP_TOP_PX + map_height + BELOW_PX;

	fprintf(stream,
		"set terminal svg size %d,%.0f font 'sans,11' background 'white'\n"
		"set multiplot\nset lmargin at screen 0.09\n"
		"set rmargin at screen 0.97\nset xrange [0:%.9f]\n"
		"set tmargin at screen %.9f\nset bmargin at screen %.9f\n"
		"set yrange [-0.5:%g]\nset ylabel 'CPU (in the order of ids)'\n"
		"set title 'what ran where: grey idle, colours tasks, dark: others wait there, "
		"black: idle while a task waits'\n"
		"set format x ''\n%s",
		WIDTH, height, seconds, 1 - MAP_TOP_PX / height, BELOW_PX / height,
		rows->n_cpus - 0.5, rows->n_cpus <= 16 ? "set ytics 1\n" : "");
	fprintf(stream, "plot '%s' using 1:2:3:4:5 with rgbimage notitle\n", drawing->paths[CELLS]);
	fprintf(stream,
		"set tmargin at screen %.9f\nset bmargin at screen %.9f\nset title ''\n"
		"set format x '%%g'\nset xlabel 'time, s'\nset yrange [0:*]\nset ytics auto\n"
		"set ylabel 'imbalance, tasks a CPU'\n"
		"plot '%s' using 1:2 with lines title 'between cores', '' using 1:3 with lines "
		"title 'LLCs', '' using 1:4 with lines title 'nodes', '' using 1:5 with lines "
		"title 'packages'\n",
		198 / height, 58 / height, drawing->paths[LINES]);
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
	struct rows rows = rows_of(map);
	struct drawing drawing = { 0 };
	struct error *error =
		rows.n ? open_files(&drawing)
		       : error_new(ERR_INPUT, "no event names a CPU: nothing to draw");

	if (!error) {
		write_cells(map, &rows, drawing.streams[CELLS]);
		write_lines(map, drawing.streams[LINES]);
		write_script(map, &rows, &drawing);
	}
	free(rows.cpus);
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

/* the pixels of the map stay sharp where a viewer enlarges it: gnuplot leaves that to the viewer */
static struct error *write_picture(const struct subprocess_output *picture, const char *path,
				   bool force)
{
	static const char tag[] = "<image ", sharp[] = "style='image-rendering:pixelated' ";
	const char *image = memmem(picture->out, picture->out_length, tag, strlen(tag));
	autofree char *text = NULL;
	size_t before;

	if (!picture->out_length)
		return error_new(ERR_INPUT, "gnuplot drew nothing");
	if (!image || !memmem(picture->out, picture->out_length, "data:image/png", 14))
		return error_new(
			ERR_UNAVAILABLE,
			"this gnuplot does not put images into an SVG (it is built without "
			"PNG); --map draws in the terminal");
	before = (size_t)(image - picture->out) + strlen(tag);
	text = memory_zeroed(picture->out_length + sizeof(sharp), 1);
	memcpy(text, picture->out, before);
	memcpy(text + before, sharp, strlen(sharp));
	memcpy(text + before + strlen(sharp), picture->out + before, picture->out_length - before);
	return file_write(path, text, picture->out_length + strlen(sharp), force, 0666);
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
	error = write_picture(&picture, path, force);
	subprocess_free(&picture);
	return error;
}
