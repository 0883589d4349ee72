// SPDX-License-Identifier: GPL-2.0-only
#include "events/map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "events/tasks.h"

/* Of a task: is it counted among those that wait, and where? */
struct waiter {
	bool waits;
	int32_t cpu;
};

static struct map *of_sink(struct event_sink *sink)
{
	return (struct map *)sink;
}

static double width(const struct map *map)
{
	return (double)(map->to - map->from) / map->columns;
}

/* adds to the task that holds a place in the cell, or takes the place of the least */
static void add_task(struct map_cell *cell, int32_t pid, double ns)
{
	int least = 0;

	for (int i = 0; i < MAP_TOP; i++) {
		if (cell->top[i].pid == pid || !cell->top[i].pid) {
			cell->top[i].pid = pid;
			cell->top[i].ns += ns;
			return;
		}
		if (cell->top[i].ns < cell->top[least].ns)
			least = i;
	}
	if (cell->top[least].ns < ns) {
		cell->top[least].pid = pid;
		cell->top[least].ns = ns;
	}
}

static void add_time(struct map *map, int cpu, int column, double ns)
{
	struct map_cell *cell = &map->cells[(size_t)cpu * map->columns + column];

	cell->waiting_ns += map->waiting[cpu] * ns;
	if (map->running[cpu] == EVENT_NONE)
		return;
	if (map->running[cpu] == 0) {
		cell->idle_ns += ns;
		return;
	}
	cell->busy_ns += ns;
	add_task(cell, map->running[cpu], ns);
}

/* the state of a CPU has been the same since its last event: put it into the cells of that time */
static void account(struct map *map, int cpu, uint64_t now)
{
	double at = (double)(fmax(map->since[cpu], map->from) - (double)map->from);
	double end = (double)(fmin(now, map->to) - (double)map->from), step = width(map);

	map->since[cpu] = now;
	while (at < end) {
		int column = (int)(at / step);
		double next = fmin(end, (column + 1) * step);

		if (!(next >
		      at)) /* a border that rounding puts behind us: the next column begins */
			next = fmin(end, (++column + 1) * step);
		if (column >= map->columns || !(next > at))
			return;
		add_time(map, cpu, column, next - at);
		at = next;
	}
}

static bool has(const struct map *map, int cpu)
{
	return cpu >= 0 && cpu < map->levels.n_cpus;
}

static struct waiter *waiter_of(struct map *map, int32_t pid)
{
	struct event_task unknown = { .pid = pid, .reason = EVENT_TASK_FOUND };
	struct event_task *task;

	if (pid <= 0)
		return NULL;
	task = event_tasks_find(map->tasks, pid);
	return event_tasks_data(task ? task : event_tasks_tell(map->tasks, &unknown));
}

static void waits(struct map *map, struct waiter *waiter, int cpu, uint64_t now)
{
	if (!waiter || !has(map, cpu) || waiter->waits)
		return;
	account(map, cpu, now);
	map->waiting[cpu]++;
	*waiter = (struct waiter){ true, cpu };
}

static void waits_no_more(struct map *map, struct waiter *waiter, uint64_t now)
{
	if (!waiter || !waiter->waits)
		return;
	account(map, waiter->cpu, now);
	map->waiting[waiter->cpu]--;
	waiter->waits = false;
}

static void on_switch(struct map *map, const struct event *event)
{
	account(map, event->cpu, event->time);
	map->running[event->cpu] = event->other;
	if (!(event->state & EVENT_STATE_BLOCKED))
		waits(map, waiter_of(map, event->pid), event->cpu, event->time);
	waits_no_more(map, waiter_of(map, event->other), event->time);
}

static void on_migrate(struct map *map, const struct event *event)
{
	struct waiter *waiter = waiter_of(map, event->pid);

	if (!waiter || !waiter->waits || !has(map, event->target))
		return;
	waits_no_more(map, waiter, event->time);
	waits(map, waiter, event->target, event->time);
}

static struct error *map_begin(struct event_sink *sink, const struct event_info *info)
{
	struct map *map = of_sink(sink);
	size_t n;

	levels_init(&map->levels, info->machine, info->nr_cpus > 0 ? info->nr_cpus : 1);
	n = (size_t)map->levels.n_cpus;
	map->cells = memory_zeroed(n * (size_t)map->columns, sizeof(*map->cells));
	map->seen = memory_zeroed(n, sizeof(*map->seen));
	map->running = memory_zeroed(n, sizeof(*map->running));
	map->waiting = memory_zeroed(n, sizeof(*map->waiting));
	map->since = memory_zeroed(n, sizeof(*map->since));
	/* a simulated recording begins with the machine: what no event names was idle */
	for (size_t i = 0; i < n; i++) {
		map->seen[i] = !strcmp(info->source, "sim") && info->online &&
			       hwloc_bitmap_isset(info->online, (unsigned)i);
		map->running[i] = map->seen[i] ? 0 : EVENT_NONE;
	}
	return NULL;
}

static struct error *map_told(struct event_sink *sink, const struct event_task *task)
{
	struct map *map = of_sink(sink);
	struct event_task *before = event_tasks_find(map->tasks, task->pid);

	if (before && task->reason == EVENT_TASK_FORKED)
		waits_no_more(map, event_tasks_data(before), task->time);
	event_tasks_tell(map->tasks, task);
	return NULL;
}

static struct error *map_event(struct event_sink *sink, const struct event *event)
{
	struct map *map = of_sink(sink);

	if (!has(map, event->cpu))
		return NULL; /* the analysis beside it refuses such a stream */
	map->seen[event->cpu] = true;
	if (event->kind == EVENT_SWITCH)
		on_switch(map, event);
	else if (event->kind == EVENT_WAKEUP || event->kind == EVENT_WAKEUP_NEW)
		waits(map, waiter_of(map, event->pid),
		      has(map, event->target) ? event->target : event->cpu, event->time);
	else if (event->kind == EVENT_MIGRATE)
		on_migrate(map, event);
	event_tasks_passed(map->tasks, event);
	return NULL;
}

static struct error *map_end(struct event_sink *sink, const struct event_totals *totals)
{
	struct map *map = of_sink(sink);

	for (int cpu = 0; cpu < map->levels.n_cpus; cpu++)
		account(map, cpu, totals->last > map->to ? map->to : totals->last);
	return NULL;
}

struct map *map_new(uint64_t from, uint64_t to, int columns)
{
	struct map *map = memory_zeroed(1, sizeof(*map));

	map->sink = (struct event_sink){
		.begin = map_begin,
		.task = map_told,
		.event = map_event,
		.end = map_end,
	};
	map->from = from;
	map->to = to > from ? to : from + 1;
	map->columns = columns;
	map->tasks = event_tasks_new(sizeof(struct waiter));
	return map;
}

void map_free(struct map *map)
{
	if (!map)
		return;
	event_tasks_free(map->tasks);
	levels_clear(&map->levels);
	free(map->cells);
	free(map->seen);
	free(map->running);
	free(map->waiting);
	free(map->since);
	free(map);
}

const struct map_cell *map_cell(const struct map *map, int cpu, int column)
{
	return &map->cells[(size_t)cpu * map->columns + column];
}

int32_t map_task(const struct map *map, int cpu, int column)
{
	const struct map_cell *cell = map_cell(map, cpu, column);
	int most = 0;

	if (cell->busy_ns + cell->idle_ns < width(map) / 2)
		return EVENT_NONE;
	if (cell->idle_ns >= cell->busy_ns)
		return 0;
	for (int i = 1; i < MAP_TOP; i++)
		if (cell->top[i].ns > cell->top[most].ns)
			most = i;
	return cell->top[most].pid;
}

double map_waiting(const struct map *map, int cpu, int column)
{
	return map_cell(map, cpu, column)->waiting_ns / width(map);
}

double map_imbalance(const struct map *map, enum levels_group level, int column)
{
	int n = map->levels.n_groups[level];
	autofree double *tasks = memory_zeroed((size_t)n, sizeof(*tasks));
	autofree int *cpus = memory_zeroed((size_t)n, sizeof(*cpus));
	double most = -INFINITY, fewest = INFINITY;

	for (int cpu = 0; cpu < map->levels.n_cpus; cpu++) {
		const struct map_cell *cell = map_cell(map, cpu, column);
		int group = map->levels.group[cpu][level];

		if (!map->seen[cpu])
			continue;
		tasks[group] += (cell->busy_ns + cell->waiting_ns) / width(map);
		cpus[group]++;
	}
	for (int i = 0; i < n; i++) {
		if (!cpus[i])
			continue;
		most = fmax(most, tasks[i] / cpus[i]);
		fewest = fmin(fewest, tasks[i] / cpus[i]);
	}
	return most > fewest ? most - fewest : 0;
}
