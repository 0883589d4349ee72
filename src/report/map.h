/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * map.h - a map of what ran where, as text for a terminal and as a picture
 */
#ifndef FT_REPORT_MAP_H
#define FT_REPORT_MAP_H

#include <stdio.h>

#include "events/analysis.h"
#include "events/map.h"

/* columns of a map that fits a terminal's 78 columns */
#define MAP_TEXT_COLUMNS 64
/* columns of a picture: its pixels, so that no idle time wider than one is lost */
#define MAP_PICTURE_COLUMNS 792

/* Who the tasks of a map are. All pointers are the caller's. */
struct map_names {
	const struct analysis_task *tasks; /* one a task, the longest CPU time first */
	int n_tasks;
	const int32_t *workers; /* the first letters are theirs, in their order */
	int n_workers;
	bool by_name; /* tasks of one name have one letter */
};

/*
 * map_print - a line a CPU, at most 64 lines: of a larger machine a line a core, LLC or node
 * Beneath it what each letter stands for: 26 lines, then how many tasks have no letter.
 */
void map_print(FILE *stream, const struct map *map, const struct map_names *names);

/*
 * map_svg - the map and the imbalance between LLCs, nodes and packages beneath it, drawn by gnuplot
 * A pixel is a CPU's column: the task that ran most there, or idle if it was for half of it. The size of
 * the file depends on the CPUs (a row each, of more than 2048 several share one) and not on the
 * recording's length.
 * @path: a new file, or an old one with @force
 *
 * Errors: ERR_UNAVAILABLE without gnuplot; ERR_INPUT if the file exists; what gnuplot says.
 */
struct error *map_svg(const struct map *map, const char *path, bool force);

#endif
