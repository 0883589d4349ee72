// SPDX-License-Identifier: GPL-2.0-only
/*
 * map_text.c - the map as letters: a to z are tasks, a capital says that others wait there
 */
#include <math.h>

#include "base/memory.h"
#include "report/format.h"
#include "report/map_legend.h"

#define MOST_LINES 64

static char cpu_char(const struct map *map, int cpu, int column, const struct map_legend *legend)
{
	char letter = map_legend_letter(legend, cpu, column);

	if (letter == ' ' || map_waiting(map, cpu, column) < 0.5)
		return letter;
	if (letter == '.')
		return '!';
	return letter == '*' ? '#' : (char)(letter - 'a' + 'A');
}

static void print_cpus(FILE *stream, const struct map *map, const struct map_legend *legend)
{
	for (int cpu = 0; cpu < map->levels.n_cpus; cpu++) {
		if (!map->seen[cpu])
			continue;
		fprintf(stream, "  CPU %4d |", cpu);
		for (int column = 0; column < map->columns; column++)
			putc(cpu_char(map, cpu, column, legend), stream);
		fprintf(stream, "|\n");
	}
}

/* ---- groups ---- */

struct group_sum {
	int cpus;
	double busy, waiting, known;
};

static struct group_sum sum_group(const struct map *map, enum levels_group level, int group,
				  int column)
{
	struct group_sum sum = { 0 };
	double width = (double)(map->to - map->from) / map->columns;

	for (int cpu = 0; cpu < map->levels.n_cpus; cpu++) {
		const struct map_cell *cell = map_cell(map, cpu, column);

		if (!map->seen[cpu] || map->levels.group[cpu][level] != group)
			continue;
		sum.cpus++;
		sum.busy += cell->busy_ns / width;
		sum.known += (cell->busy_ns + cell->idle_ns) / width;
		sum.waiting += cell->waiting_ns / width;
	}
	return sum;
}

/* tenths of the CPUs that are busy, 0 to 9 and A for all; with waiting tasks the letters a to k */
static char group_char(const struct group_sum *sum)
{
	int tenths = (int)(10 * sum->busy / sum->cpus + 0.05);

	if (sum->known < sum->cpus / 2.0)
		return ' ';
	if (sum->waiting >= 0.5)
		return (char)('a' + (tenths > 10 ? 10 : tenths));
	return tenths >= 10 ? 'A' : (char)('0' + tenths);
}

static void print_groups(FILE *stream, const struct map *map, enum levels_group level,
			 const char *name)
{
	for (int group = 0; group < map->levels.n_groups[level]; group++) {
		struct group_sum first = sum_group(map, level, group, 0);

		if (!first.cpus)
			continue;
		fprintf(stream, "%5s %4d |", name, group);
		for (int column = 0; column < map->columns; column++) {
			struct group_sum sum = sum_group(map, level, group, column);

			putc(group_char(&sum), stream);
		}
		fprintf(stream, "|\n");
	}
}

static int count_seen(const struct map *map)
{
	int n = 0;

	for (int cpu = 0; cpu < map->levels.n_cpus; cpu++)
		n += map->seen[cpu];
	return n;
}

static const struct {
	enum levels_group level;
	const char *name;
} lines[] = {
	{ GROUP_CORE, "core" },
	{ GROUP_LLC, "LLC" },
	{ GROUP_NODE, "node" },
	{ GROUP_PACKAGE, "pkg" },
};

static void print_scale(FILE *stream, const struct map *map)
{
	double width = (double)(map->to - map->from) / map->columns / 1e6;

	fprintf(stream, "  time      from %.6f s, %.4g ms a column, %.6f s in all\n",
		(double)map->from / 1e9, width, (double)(map->to - map->from) / 1e9);
}

static void print_tasks(FILE *stream, const struct map *map, const struct map_names *names)
{
	struct map_legend *legend = map_legend_new(map, names);

	print_cpus(stream, map, legend);
	print_wrapped(
		stream,
		names->by_name
			? "letter: the name whose tasks ran most; capital: others waited "
			  "there (mean >= 0.5); '*': a name without a letter, '#' others waited; "
			  "'.' idle, '!' idle while a task waited there, blank: not known"
			: "letter: the task that ran most; capital: others waited there (mean "
			  ">= 0.5); '*': a task without a letter, '#' others waited; '.' idle, "
			  "'!' idle while a task waited there, blank: not known",
		0, 2);
	map_legend_print(stream, legend);
	map_legend_free(legend);
}

void map_print(FILE *stream, const struct map *map, const struct map_names *names)
{
	size_t i = 0;

	fprintf(stream, "\nMAP\n");
	print_scale(stream, map);
	if (count_seen(map) <= MOST_LINES) {
		print_tasks(stream, map, names);
		return;
	}
	while (i + 1 < ARRAY_SIZE(lines) && map->levels.n_groups[lines[i].level] > MOST_LINES)
		i++;
	print_groups(stream, map, lines[i].level, lines[i].name);
	print_wrapped(stream,
		      "digit: tenths of the group's CPUs that were busy, A: all; a to k: the same "
		      "(a 0, k all) while tasks waited there (mean >= 0.5); blank: not known",
		      0, 2);
}
