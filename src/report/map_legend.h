/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * map_legend.h - which task, or which name, a letter of the map stands for
 *
 * Workers come first, in their order, then whoever is drawn most. What has no letter left is '*'.
 */
#ifndef FT_REPORT_MAP_LEGEND_H
#define FT_REPORT_MAP_LEGEND_H

#include <stdio.h>

#include "report/map.h"

#define MAP_LETTERS 26

struct map_legend;

/* map_legend_new - of the tasks that the map draws; @names and what it points to outlive it */
struct map_legend *map_legend_new(const struct map *map, const struct map_names *names);
void map_legend_free(struct map_legend *legend);

/* map_legend_letter - 'a' to 'z' or '*'; '.' idle, ' ' nothing is known; others waiting are not told */
char map_legend_letter(const struct map_legend *legend, int cpu, int column);

/* map_legend_print - a line a letter, then how many have none */
void map_legend_print(FILE *stream, const struct map_legend *legend);

#endif
