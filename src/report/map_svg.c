// SPDX-License-Identifier: GPL-2.0-only
/* map_svg.c - the map as a picture, through gnuplot */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/subprocess.h"
#include "report/map.h"

#define SECONDS_MOST 120

/* files of a drawing, in a folder of their own */
struct drawing {
	char folder[32];
	char *cells, *waiting, *lines, *script, *picture;
};

static const enum levels_group levels[] = { GROUP_CORE, GROUP_LLC, GROUP_NODE, GROUP_PACKAGE };

static FILE *create(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	return fd < 0 ? NULL : fdopen(fd, "w");
}

/* idle is 0, a task one of 12 colours, so that neighbours differ; what is not known is left out */
static int colour(int32_t pid)
{
	return pid ? 1 + (int)((uint32_t)pid % 12) : 0;
}

static bool write_cells(const struct map *map, const char *path, bool waiting)
{
	FILE *stream = create(path);
	double width = (double)(map->to - map->from) / map->columns / 1e9;
	int row = 0;

	if (!stream)
		return false;
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
	return fclose(stream) == 0;
}

static bool write_lines(const struct map *map, const char *path)
{
	FILE *stream = create(path);
	double width = (double)(map->to - map->from) / map->columns / 1e9;

	if (!stream)
		return false;
	for (int column = 0; column < map->columns; column++) {
		fprintf(stream, "%.9f", (column + 0.5) * width);
		for (size_t i = 0; i < ARRAY_SIZE(levels); i++)
			fprintf(stream, " %.6f", map_imbalance(map, levels[i], column));
		putc('\n', stream);
	}
	return fclose(stream) == 0;
}

static bool write_script(const struct map *map, const struct drawing *drawing)
{
	FILE *stream = create(drawing->script);
	double seconds = (double)(map->to - map->from) / 1e9;
	int rows = 0;

	if (!stream)
		return false;
	for (int cpu = 0; cpu < map->levels.n_cpus; cpu++)
		rows += map->seen[cpu];
	fprintf(stream,
		"set terminal svg size 900,640 font 'sans,11' background 'white'\n"
		"set output '%s'\nset multiplot\nset lmargin at screen 0.09\n"
		"set rmargin at screen 0.97\nset xrange [0:%.9f]\n"
		"set tmargin at screen 0.95\nset bmargin at screen 0.38\n"
		"set yrange [-0.5:%g]\nset ylabel 'CPU (in the order of ids)'\n"
		"unset colorbox\nset cbrange [0:12]\n"
		"set palette defined (0 '#f0f0f0', 0.99 '#f0f0f0', 1 '#4477aa', 3 '#66ccee', "
		"5 '#228833', 7 '#ccbb44', 9 '#ee6677', 12 '#aa3377')\n"
		"set title 'what ran where: grey idle, colours tasks, black marks: tasks wait'\n"
		"set format x ''\n",
		drawing->picture, seconds, rows - 0.5);
	fprintf(stream,
		"plot '%s' using 1:2:3 with image pixels notitle, '%s' using 1:2 with points "
		"pointtype 7 pointsize 0.15 linecolor 'black' notitle\n",
		drawing->cells, drawing->waiting);
	fprintf(stream,
		"set tmargin at screen 0.31\nset bmargin at screen 0.09\nset title ''\n"
		"set format x '%%g'\nset xlabel 'time, s'\nset yrange [0:*]\n"
		"set ylabel 'imbalance, tasks a CPU'\n"
		"plot '%s' using 1:2 with lines title 'between cores', '' using 1:3 with lines "
		"title 'LLCs', '' using 1:4 with lines title 'nodes', '' using 1:5 with lines "
		"title 'packages'\n",
		drawing->lines);
	return fclose(stream) == 0;
}

static struct error *draw(const struct map *map, const struct drawing *drawing)
{
	const char *argv[] = { "gnuplot", drawing->script, NULL };
	struct subprocess_output output = { 0 };
	struct error *error;

	if (!write_cells(map, drawing->cells, false) || !write_cells(map, drawing->waiting, true) ||
	    !write_lines(map, drawing->lines) || !write_script(map, drawing))
		return error_errno("cannot write to %s", drawing->folder);
	error = subprocess_check(argv, NULL, SECONDS_MOST, &output);
	subprocess_free(&output);
	return error;
}

static struct error *copy_to(const char *from, const char *path, bool force)
{
	int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (force ? O_TRUNC | O_NOFOLLOW : O_EXCL);
	int in = open(from, O_RDONLY | O_CLOEXEC), out = open(path, flags, 0644);
	char buffer[65536];
	ssize_t n = 0;
	struct error *error = NULL;

	if (in < 0)
		error = error_errno("gnuplot drew nothing: %s", from);
	else if (out < 0)
		error = errno == EEXIST
				? error_new(ERR_INPUT, "%s exists; --force writes over it", path)
				: error_errno("cannot write %s", path);
	while (!error && (n = read(in, buffer, sizeof(buffer))) > 0)
		if (write(out, buffer, (size_t)n) != n)
			error = error_errno("cannot write %s", path);
	if (in >= 0)
		close(in);
	if (out >= 0 && close(out) && !error)
		error = error_errno("cannot write %s", path);
	return error;
}

struct error *map_svg(const struct map *map, const char *path, bool force)
{
	struct drawing drawing = { .folder = "/tmp/fairtrial-map-XXXXXX" };
	autofree char *program = subprocess_find("gnuplot");
	struct error *error;

	if (!program)
		return error_new(ERR_UNAVAILABLE,
				 "a picture needs gnuplot (Debian: gnuplot-nox); --map draws in "
				 "the terminal");
	if (!force && !access(path, F_OK))
		return error_new(ERR_INPUT, "%s exists; --force writes over it", path);
	if (!mkdtemp(drawing.folder))
		return error_errno("cannot make a folder in /tmp");
	drawing.cells = memory_format("%s/cells", drawing.folder);
	drawing.waiting = memory_format("%s/waiting", drawing.folder);
	drawing.lines = memory_format("%s/lines", drawing.folder);
	drawing.script = memory_format("%s/script", drawing.folder);
	drawing.picture = memory_format("%s/map.svg", drawing.folder);
	error = draw(map, &drawing);
	if (!error)
		error = copy_to(drawing.picture, path, force);
	for (int i = 0; i < 5; i++) {
		char *file = (char *[]){ drawing.cells, drawing.waiting, drawing.lines,
					 drawing.script, drawing.picture }[i];

		unlink(file);
		free(file);
	}
	rmdir(drawing.folder);
	return error;
}
