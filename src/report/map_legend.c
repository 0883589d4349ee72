// SPDX-License-Identifier: GPL-2.0-only
#include "report/map_legend.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/format.h"

/* What one letter stands for: a task, or all tasks of a name that are drawn. */
struct entry {
	const char *name; /* NULL: not known */
	int32_t *pids;	  /* those that are drawn, in the order they are seen */
	int n_pids;
	int worker; /* its place among the workers, or their number */
	int cells;
	char letter;
};

struct map_legend {
	const struct map *map;
	const struct map_names *names;
	struct entry *entries; /* once sorted, the first ones have the letters */
	int n_entries;
};

/* the name of the task of that id that ran longest: an id that is used again has several */
static const char *name_of(const struct map_names *names, int32_t pid)
{
	for (int i = 0; i < names->n_tasks; i++)
		if (names->tasks[i].pid == pid)
			return names->tasks[i].name;
	return NULL;
}

static int worker_of(const struct map_names *names, int32_t pid)
{
	int i = 0;

	while (i < names->n_workers && names->workers[i] != pid)
		i++;
	return i;
}

static bool has_pid(const struct entry *entry, int32_t pid)
{
	for (int i = 0; i < entry->n_pids; i++)
		if (entry->pids[i] == pid)
			return true;
	return false;
}

static struct entry *entry_of(const struct map_legend *legend, int32_t pid)
{
	const char *name = legend->names->by_name ? name_of(legend->names, pid) : NULL;

	for (int i = 0; i < legend->n_entries; i++) {
		struct entry *entry = &legend->entries[i];

		if (name ? entry->name && !strcmp(entry->name, name) : has_pid(entry, pid))
			return entry;
	}
	return NULL;
}

static struct entry *entry_made(struct map_legend *legend, int32_t pid)
{
	struct entry *entry = entry_of(legend, pid);
	int worker = worker_of(legend->names, pid);

	if (!entry) {
		entry = array_append(legend->entries, legend->n_entries);
		*entry = (struct entry){ .name = name_of(legend->names, pid),
					 .worker = worker,
					 .letter = '*' };
	}
	if (!has_pid(entry, pid))
		*array_append(entry->pids, entry->n_pids) = pid;
	if (worker < entry->worker)
		entry->worker = worker;
	return entry;
}

/* of the tasks that a cell tells apart, the one (or the name) with the most time there */
static struct entry *entry_in(struct map_legend *legend, const struct map_cell *cell)
{
	struct entry *found[MAP_TOP], *most = NULL;
	double most_ns = 0;

	/* all are made first: making one moves the others */
	for (int i = 0; i < MAP_TOP; i++)
		if (cell->top[i].pid)
			entry_made(legend, cell->top[i].pid);
	for (int i = 0; i < MAP_TOP; i++)
		found[i] = cell->top[i].pid ? entry_of(legend, cell->top[i].pid) : NULL;
	for (int i = 0; i < MAP_TOP; i++) {
		double ns = 0;

		for (int j = 0; found[i] && j < MAP_TOP; j++)
			ns += found[j] == found[i] ? cell->top[j].ns : 0;
		if (ns > most_ns) {
			most_ns = ns;
			most = found[i];
		}
	}
	return most;
}

static int workers_then_most_drawn(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (!x->cells != !y->cells) /* what no cell is of is last, and not part of the legend */
		return x->cells ? -1 : 1;
	if (x->worker != y->worker)
		return x->worker < y->worker ? -1 : 1;
	if (x->cells != y->cells)
		return x->cells > y->cells ? -1 : 1;
	return (x->pids[0] > y->pids[0]) - (x->pids[0] < y->pids[0]);
}

struct map_legend *map_legend_new(const struct map *map, const struct map_names *names)
{
	struct map_legend *legend = memory_zeroed(1, sizeof(*legend));

	legend->map = map;
	legend->names = names;
	for (int cpu = 0; cpu < map->levels.n_cpus; cpu++)
		for (int column = 0; map->seen[cpu] && column < map->columns; column++)
			if (map_task(map, cpu, column) > 0)
				entry_in(legend, map_cell(map, cpu, column))->cells++;
	if (legend->n_entries)
		qsort(legend->entries, (size_t)legend->n_entries, sizeof(*legend->entries),
		      workers_then_most_drawn);
	for (int i = 0; i < legend->n_entries && i < MAP_LETTERS; i++)
		legend->entries[i].letter = (char)('a' + i);
	return legend;
}

void map_legend_free(struct map_legend *legend)
{
	if (!legend)
		return;
	for (int i = 0; i < legend->n_entries; i++)
		free(legend->entries[i].pids);
	free(legend->entries);
	free(legend);
}

char map_legend_letter(const struct map_legend *legend, int cpu, int column)
{
	int32_t pid = map_task(legend->map, cpu, column);

	if (pid == EVENT_NONE)
		return ' ';
	if (pid == 0)
		return '.';
	/* its entries are all made: nothing changes */
	return entry_in((struct map_legend *)legend, map_cell(legend->map, cpu, column))->letter;
}

static int by_id(const void *a, const void *b)
{
	const int32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void print_entry(FILE *stream, const struct entry *entry, int n_workers)
{
	autofree char *name = format_name(entry->name ? entry->name : "(name not known)");
	int32_t first, last;

	qsort(entry->pids, (size_t)entry->n_pids, sizeof(*entry->pids), by_id);
	first = entry->pids[0];
	last = entry->pids[entry->n_pids - 1];
	fprintf(stream, "  %c  %-16s  ", entry->letter, name);
	if (entry->n_pids == 1)
		fprintf(stream, "PID %d", first);
	else
		fprintf(stream, "%d tasks, PID %d to %d", entry->n_pids, first, last);
	fprintf(stream, "%s\n", entry->worker < n_workers ? ", worker" : "");
}

void map_legend_print(FILE *stream, const struct map_legend *legend)
{
	int drawn = 0;

	while (drawn < legend->n_entries && legend->entries[drawn].cells)
		drawn++;
	for (int i = 0; i < drawn && i < MAP_LETTERS; i++)
		print_entry(stream, &legend->entries[i], legend->names->n_workers);
	if (drawn > MAP_LETTERS)
		fprintf(stream, "  *  and %d more %s%s%s\n", drawn - MAP_LETTERS,
			legend->names->by_name ? "name" : "task",
			drawn - MAP_LETTERS > 1 ? "s" : "",
			legend->names->by_name ? "" : "; --by-name gives a name one letter");
}
