// SPDX-License-Identifier: GPL-2.0-only
#include "machine/asymmetry.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "machine/distances.h"

/* firmware and kernel take some memory of a node away before it is counted */
#define MEMORY_TOLERANCE 0.1

struct lines {
	char **text;
	int n;
};

char *machine_size_format(uint64_t bytes)
{
	static const char *const units[] = { "bytes", "KiB", "MiB", "GiB", "TiB" };
	double value = bytes;
	size_t unit = 0;

	while (value >= 1024 && unit + 1 < ARRAY_SIZE(units)) {
		value /= 1024;
		unit++;
	}
	return memory_format("%.*f %s", value < 10 && value != (uint64_t)value ? 1 : 0, value,
			     units[unit]);
}

char *machine_group_name(const struct machine *machine, enum machine_level level, int index)
{
	int id = machine->groups[level][index].id;

	return memory_format("%s %d", machine_level_name(level), id < 0 ? index : id);
}

/* what is compared between the groups of a level */
typedef uint64_t (*measure_fn)(const struct machine_group *group);

static uint64_t count_cpus(const struct machine_group *group)
{
	return hwloc_bitmap_weight(group->cpus);
}

static uint64_t count_bytes(const struct machine_group *group)
{
	return group->bytes;
}

static char *cpus_text(uint64_t value)
{
	return memory_format("%" PRIu64 " CPU%s", value, value == 1 ? "" : "s");
}

/* "3 with 32 MiB, 1 with 96 MiB": how many groups have each value */
static char *values_text(const struct machine *machine, enum machine_level level,
			 measure_fn measure, char *(*format)(uint64_t))
{
	int n = machine->n_groups[level];
	autofree char **values = memory_zeroed(n, sizeof(*values));
	char *text = memory_string("");

	for (int i = 0; i < n; i++)
		values[i] = format(measure(&machine->groups[level][i]));
	for (int i = 0; i < n; i++) {
		int same = 0, before = 0;
		for (int k = 0; k < n; k++) {
			same += !strcmp(values[k], values[i]);
			before += k < i && !strcmp(values[k], values[i]);
		}
		if (before)
			continue;
		text = memory_append(text, "%s%d with %s", *text ? ", " : "", same, values[i]);
	}
	for (int i = 0; i < n; i++)
		free(values[i]);
	return text;
}

/* @tolerance: the part of the largest by which values may differ and still pass as equal */
static void compare_level(const struct machine *machine, enum machine_level level,
			  measure_fn measure, double tolerance, const char *what,
			  char *(*format)(uint64_t), struct lines *lines)
{
	uint64_t least = UINT64_MAX, most = 0;
	autofree char *values = NULL;

	for (int i = 0; i < machine->n_groups[level]; i++) {
		uint64_t value = measure(&machine->groups[level][i]);

		least = value < least ? value : least;
		most = value > most ? value : most;
	}
	if ((double)least >= (double)most * (1 - tolerance))
		return;
	values = values_text(machine, level, measure, format);
	*array_append(lines->text, lines->n) =
		memory_format("%ss differ in %s: %s", machine_level_name(level), what, values);
}

static void compare_smt(const struct machine *machine, struct lines *lines)
{
	hwloc_bitmap_t alone = hwloc_bitmap_alloc();
	autofree char *list = NULL;
	bool siblings = false;

	for (int i = 0; i < machine->n_groups[LEVEL_CORE]; i++) {
		const struct machine_group *core = &machine->groups[LEVEL_CORE][i];

		if (hwloc_bitmap_weight(core->cpus) > 1)
			siblings = true;
		else
			hwloc_bitmap_or(alone, alone, core->cpus);
	}
	list = cpulist_format(alone);
	if (siblings && *list)
		*array_append(lines->text, lines->n) =
			memory_format("SMT on some cores only: no sibling for CPUs %s", list);
	hwloc_bitmap_free(alone);
}

/* CPUs that are in no group of a level that other CPUs have */
static void compare_presence(const struct machine *machine, enum machine_level level,
			     struct lines *lines)
{
	hwloc_bitmap_t without = hwloc_bitmap_alloc();
	autofree char *list = NULL;

	for (int i = 0; i < machine->n_cpus; i++)
		if (machine->cpus[i].group[level] < 0)
			hwloc_bitmap_set(without, machine->cpus[i].id);
	list = cpulist_format(without);
	if (machine->n_groups[level] && *list)
		*array_append(lines->text, lines->n) = memory_format(
			"%ss of some CPUs only: none for CPUs %s", machine_level_name(level), list);
	hwloc_bitmap_free(without);
}

static void describe_kinds(const struct machine *machine, struct lines *lines)
{
	for (int i = machine->n_kinds - 1; i >= 0; i--) {
		const struct machine_kind *kind = &machine->kinds[i];
		autofree char *list = cpulist_format(kind->cpus);
		autofree char *capacity = kind->capacity
						  ? memory_format(", capacity %d", kind->capacity)
						  : memory_string(", capacity unknown");

		*array_append(lines->text, lines->n) = memory_format(
			"kind %s: CPUs %s%s", kind->name ? kind->name : "?", list, capacity);
	}
}

static void describe_empty_nodes(const struct machine *machine, struct lines *lines)
{
	bool memory_known = false;

	for (int i = 0; i < machine->n_groups[LEVEL_NODE]; i++)
		memory_known = memory_known || machine->groups[LEVEL_NODE][i].bytes;
	for (int i = 0; i < machine->n_groups[LEVEL_NODE]; i++) {
		const struct machine_group *node = &machine->groups[LEVEL_NODE][i];

		if (hwloc_bitmap_iszero(node->cpus))
			*array_append(lines->text, lines->n) =
				memory_format("node %d has no CPUs", node->id);
		if (memory_known && !node->bytes)
			*array_append(lines->text, lines->n) =
				memory_format("node %d has no memory", node->id);
	}
}

static void describe_distances(const struct machine *machine, struct lines *lines)
{
	const struct machine_group *nodes = machine->groups[LEVEL_NODE];
	int from, to;

	if (!machine->distances || !distances_asymmetric(machine, &from, &to))
		return;
	*array_append(lines->text, lines->n) =
		memory_format("distances differ by direction: %u from node %d to %d, %u back",
			      machine_distance(machine, from, to), nodes[from].id, nodes[to].id,
			      machine_distance(machine, to, from));
}

char **machine_asymmetries(const struct machine *machine, int *n)
{
	struct lines lines = { NULL, 0 };

	for (enum machine_level level = LEVEL_CLUSTER; level < N_MACHINE_LEVELS; level++)
		compare_level(machine, level, count_cpus, 0, "CPUs", cpus_text, &lines);
	compare_level(machine, LEVEL_CLUSTER, count_bytes, 0, "size", machine_size_format, &lines);
	compare_level(machine, LEVEL_LLC, count_bytes, 0, "size", machine_size_format, &lines);
	compare_level(machine, LEVEL_NODE, count_bytes, MEMORY_TOLERANCE, "memory",
		      machine_size_format, &lines);
	compare_smt(machine, &lines);
	for (enum machine_level level = LEVEL_CLUSTER; level < N_MACHINE_LEVELS; level++)
		compare_presence(machine, level, &lines);
	describe_kinds(machine, &lines);
	describe_empty_nodes(machine, &lines);
	describe_distances(machine, &lines);
	*n = lines.n;
	return lines.text;
}
