// SPDX-License-Identifier: GPL-2.0-only
/* machine.c - building, indexing and counting */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "machine/build.h"

const char *machine_level_name(enum machine_level level)
{
	static const char *const names[N_MACHINE_LEVELS] = {
		[LEVEL_CORE] = "core", [LEVEL_CLUSTER] = "cluster", [LEVEL_LLC] = "LLC",
		[LEVEL_NODE] = "node", [LEVEL_PACKAGE] = "package",
	};

	return names[level];
}

struct machine *machine_new(const char *name, const char *source)
{
	struct machine *machine = memory_zeroed(1, sizeof(*machine));

	machine->name = memory_string(name);
	machine->source = memory_string(source);
	machine->possible = hwloc_bitmap_alloc();
	machine->online = hwloc_bitmap_alloc();
	machine->cpuset = hwloc_bitmap_alloc();
	machine->affinity = hwloc_bitmap_alloc();
	machine->usable = hwloc_bitmap_alloc();
	return machine;
}

void machine_clear_groups(struct machine *machine, enum machine_level level)
{
	for (int i = 0; i < machine->n_groups[level]; i++)
		hwloc_bitmap_free(machine->groups[level][i].cpus);
	free(machine->groups[level]);
	machine->groups[level] = NULL;
	machine->n_groups[level] = 0;
}

void machine_clear_kinds(struct machine *machine)
{
	for (int i = 0; i < machine->n_kinds; i++) {
		hwloc_bitmap_free(machine->kinds[i].cpus);
		free(machine->kinds[i].name);
	}
	free(machine->kinds);
	machine->kinds = NULL;
	machine->n_kinds = 0;
}

void machine_close(struct machine *machine)
{
	if (!machine)
		return;
	for (enum machine_level level = 0; level < N_MACHINE_LEVELS; level++)
		machine_clear_groups(machine, level);
	machine_clear_kinds(machine);
	for (int i = 0; i < machine->n_entries; i++) {
		free(machine->entries[i].section);
		free(machine->entries[i].key);
		free(machine->entries[i].value);
	}
	free(machine->entries);
	free(machine->cpus);
	free(machine->distances);
	free(machine->quota.path);
	hwloc_bitmap_free(machine->possible);
	hwloc_bitmap_free(machine->online);
	hwloc_bitmap_free(machine->cpuset);
	hwloc_bitmap_free(machine->affinity);
	hwloc_bitmap_free(machine->usable);
	if (machine->topology)
		hwloc_topology_destroy(machine->topology);
	free(machine->description);
	free(machine->source);
	free(machine->name);
	free(machine);
}

void machine_add_group(struct machine *machine, enum machine_level level, int id,
		       hwloc_const_bitmap_t cpus, uint64_t bytes)
{
	struct machine_group *group =
		array_append(machine->groups[level], machine->n_groups[level]);

	group->id = id;
	group->cpus = hwloc_bitmap_dup(cpus);
	group->bytes = bytes;
}

hwloc_bitmap_t machine_level_cpus(const struct machine *machine, enum machine_level level)
{
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();

	for (int i = 0; i < machine->n_groups[level]; i++)
		hwloc_bitmap_or(cpus, cpus, machine->groups[level][i].cpus);
	return cpus;
}

static void add_lone_cores(struct machine *machine)
{
	hwloc_bitmap_t rest = machine_level_cpus(machine, LEVEL_CORE);
	hwloc_bitmap_t one = hwloc_bitmap_alloc();
	int cpu;

	hwloc_bitmap_andnot(rest, machine->online, rest);
	hwloc_bitmap_foreach_begin(cpu, rest)
	{
		hwloc_bitmap_only(one, cpu);
		machine_add_group(machine, LEVEL_CORE, -1, one, 0);
	}
	hwloc_bitmap_foreach_end();
	hwloc_bitmap_free(one);
	hwloc_bitmap_free(rest);
}

static int compare_groups(const void *a, const void *b)
{
	const struct machine_group *left = a, *right = b;
	int first = hwloc_bitmap_first(left->cpus), second = hwloc_bitmap_first(right->cpus);

	/* -1 is "no CPU": nodes without CPUs come last */
	if (first != second)
		return (first < 0 ? INT_MAX : first) < (second < 0 ? INT_MAX : second) ? -1 : 1;
	return left->id < right->id ? -1 : left->id > right->id;
}

static void settle_groups(struct machine *machine, enum machine_level level)
{
	struct machine_group *groups = machine->groups[level];
	int kept = 0;

	for (int i = 0; i < machine->n_groups[level]; i++) {
		hwloc_bitmap_and(groups[i].cpus, groups[i].cpus, machine->online);
		if (level != LEVEL_NODE && hwloc_bitmap_iszero(groups[i].cpus))
			hwloc_bitmap_free(groups[i].cpus);
		else
			groups[kept++] = groups[i];
	}
	machine->n_groups[level] = kept;
	if (kept)
		qsort(groups, kept, sizeof(*groups), compare_groups);
}

static void point_into_groups(struct machine *machine, enum machine_level level)
{
	for (int i = 0; i < machine->n_cpus; i++)
		machine->cpus[i].group[level] = -1;
	for (int g = 0; g < machine->n_groups[level]; g++) {
		int id, position = 0;

		hwloc_bitmap_foreach_begin(id, machine->groups[level][g].cpus)
		{
			struct machine_cpu *cpu = (struct machine_cpu *)machine_cpu(machine, id);

			cpu->group[level] = g;
			if (level == LEVEL_CORE)
				cpu->thread = position++;
		}
		hwloc_bitmap_foreach_end();
	}
}

static void point_into_kinds(struct machine *machine)
{
	for (int i = 0; i < machine->n_cpus; i++) {
		machine->cpus[i].kind = -1;
		for (int k = 0; k < machine->n_kinds; k++)
			if (hwloc_bitmap_isset(machine->kinds[k].cpus, machine->cpus[i].id))
				machine->cpus[i].kind = k;
	}
}

/* a kind none of whose CPUs is online is no difference between CPUs, and one kind is none */
static void settle_kinds(struct machine *machine)
{
	int kept = 0;

	for (int i = 0; i < machine->n_kinds; i++) {
		struct machine_kind *kind = &machine->kinds[i];

		hwloc_bitmap_and(kind->cpus, kind->cpus, machine->online);
		if (hwloc_bitmap_iszero(kind->cpus)) {
			hwloc_bitmap_free(kind->cpus);
			free(kind->name);
		} else {
			machine->kinds[kept++] = *kind;
		}
	}
	machine->n_kinds = kept;
	if (kept == 1)
		machine_clear_kinds(machine);
}

struct error *machine_index(struct machine *machine)
{
	int id, n = 0;

	if (hwloc_bitmap_weight(machine->online) < 1)
		return error_at(ERR_INPUT, machine->source, 0,
				"the machine has no CPU that is online");
	if (hwloc_bitmap_weight(machine->online) > MACHINE_MOST_CPUS ||
	    machine->n_groups[LEVEL_NODE] > MACHINE_MOST_NODES)
		return error_at(ERR_INPUT, machine->source, 0,
				"the machine has %d CPUs and %d nodes; Linux can have %d and %d",
				hwloc_bitmap_weight(machine->online), machine->n_groups[LEVEL_NODE],
				MACHINE_MOST_CPUS, MACHINE_MOST_NODES);
	add_lone_cores(machine);
	for (enum machine_level level = 0; level < N_MACHINE_LEVELS; level++)
		settle_groups(machine, level);
	settle_kinds(machine);
	machine->n_cpus = hwloc_bitmap_weight(machine->online);
	machine->cpus = memory_zeroed(machine->n_cpus, sizeof(*machine->cpus));
	hwloc_bitmap_foreach_begin(id, machine->online) machine->cpus[n++].id = id;
	hwloc_bitmap_foreach_end();
	for (enum machine_level level = 0; level < N_MACHINE_LEVELS; level++)
		point_into_groups(machine, level);
	point_into_kinds(machine);
	return NULL;
}

static int compare_cpus(const void *id, const void *cpu)
{
	return *(const int *)id - ((const struct machine_cpu *)cpu)->id;
}

const struct machine_cpu *machine_cpu(const struct machine *machine, int id)
{
	return bsearch(&id, machine->cpus, machine->n_cpus, sizeof(*machine->cpus), compare_cpus);
}

static int count_level(const struct machine *machine, enum machine_level level,
		       hwloc_const_bitmap_t cpus)
{
	int count = 0;

	for (int i = 0; i < machine->n_groups[level]; i++)
		count += hwloc_bitmap_intersects(machine->groups[level][i].cpus, cpus);
	return count ? count : 1;
}

static int count_siblings(const struct machine *machine, hwloc_const_bitmap_t cpus)
{
	hwloc_bitmap_t both = hwloc_bitmap_alloc();
	int most = 1;

	for (int i = 0; i < machine->n_groups[LEVEL_CORE]; i++) {
		int weight;

		hwloc_bitmap_and(both, machine->groups[LEVEL_CORE][i].cpus, cpus);
		weight = hwloc_bitmap_weight(both);
		if (weight > most)
			most = weight;
	}
	hwloc_bitmap_free(both);
	return most;
}

struct machine_counts machine_counts(const struct machine *machine, hwloc_const_bitmap_t cpus)
{
	struct machine_counts counts = { 0 };
	hwloc_bitmap_t set = hwloc_bitmap_dup(cpus);

	hwloc_bitmap_and(set, set, machine->online);
	counts.nr_cpus = hwloc_bitmap_weight(set);
	if (counts.nr_cpus) {
		counts.nr_cores = count_level(machine, LEVEL_CORE, set);
		counts.nr_llcs = count_level(machine, LEVEL_LLC, set);
		counts.nr_nodes = count_level(machine, LEVEL_NODE, set);
		counts.nr_sockets = count_level(machine, LEVEL_PACKAGE, set);
		counts.cpus_per_llc = counts.nr_cpus / counts.nr_llcs;
		counts.cpus_per_node = counts.nr_cpus / counts.nr_nodes;
		counts.smt = count_siblings(machine, set);
	}
	hwloc_bitmap_free(set);
	return counts;
}

int machine_quota_cpus(const struct machine *machine, int n)
{
	double limit = ceil(machine->quota.cpus);

	if (machine->quota.cpus <= 0 || limit >= n)
		return n > 1 ? n : 1;
	return limit > 1 ? (int)limit : 1;
}
