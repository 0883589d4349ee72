/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * map.h - what ran where: for each CPU and interval of time the task that ran most, idle time, waiting tasks
 *
 * The interval must be known before, so a recording is read twice. Memory is that of the cells, not of
 * the recording.
 */
#ifndef FT_EVENTS_MAP_H
#define FT_EVENTS_MAP_H

#include "events/levels.h"

#define MAP_TOP 4 /* tasks that a cell tells apart; of more the ones that came last compete */

struct map_cell {
	double busy_ns, idle_ns; /* of the CPU; what is missing to the width is not known */
	double waiting_ns;	 /* tasks that waited there, times the time */
	struct {
		int32_t pid;
		double ns;
	} top[MAP_TOP];
};

struct map {
	struct event_sink sink; /* first: the sink is the map */
	uint64_t from, to;
	int columns;
	struct levels levels;
	struct map_cell *cells; /* [levels.n_cpus * columns] */
	bool *seen;		/* CPUs that an event named */
	struct event_tasks *tasks;
	/* by CPU: who runs (EVENT_NONE: not known), how many wait, up to when it is accounted */
	int32_t *running;
	int32_t *waiting;
	uint64_t *since;
};

/* map_new - of the time from @from to @to in @columns intervals; it is a sink, which frees nothing */
struct map *map_new(uint64_t from, uint64_t to, int columns);
void map_free(struct map *map);

/* map_cell - of a CPU below map->levels.n_cpus */
const struct map_cell *map_cell(const struct map *map, int cpu, int column);

/* map_task - the task that ran most in a cell: its id, 0 if the CPU was idle for more than half of it,
 * EVENT_NONE if nothing is known */
int32_t map_task(const struct map *map, int cpu, int column);

/* map_waiting - tasks that waited on that CPU, mean over the cell's time */
double map_waiting(const struct map *map, int cpu, int column);

/*
 * map_imbalance - runnable tasks a CPU in a column: of the fullest group of a level minus the emptiest;
 * groups are those of CPUs that were seen. 0 for a single group.
 */
double map_imbalance(const struct map *map, enum levels_group level, int column);

#endif
