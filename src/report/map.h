/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * map.h - a map of what ran where, as text for a terminal and as a picture
 */
#ifndef FT_REPORT_MAP_H
#define FT_REPORT_MAP_H

#include <stdio.h>

#include "events/map.h"

/* columns of a map that fits a terminal's 78 columns */
#define MAP_TEXT_COLUMNS 64
/* columns of a picture */
#define MAP_PICTURE_COLUMNS 500

/*
 * map_print - a line a CPU, at most 64 lines: of a larger machine a line a core, LLC or node
 * @workers: ids that have letters of their own, in their order; may be NULL with 0
 */
void map_print(FILE *stream, const struct map *map, const int32_t *workers, int n_workers);

/*
 * map_svg - the map and the imbalance between LLCs, nodes and packages beneath it, drawn by gnuplot
 * @path: a new file, or an old one with @force
 *
 * Errors: ERR_UNAVAILABLE without gnuplot; ERR_INPUT if the file exists; what gnuplot says.
 */
struct error *map_svg(const struct map *map, const char *path, bool force);

#endif
