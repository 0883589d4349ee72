// SPDX-License-Identifier: GPL-2.0-only
#include "workload/parts.h"

#include <stdlib.h>

#include "base/memory.h"

/* what CPUs of one part have in common; -1: in no group */
static int group_of(const struct machine_cpu *cpu, int index, enum part_kind kind)
{
	switch (kind) {
	case PART_NODE:
		return cpu->group[LEVEL_NODE];
	case PART_LLC:
		return cpu->group[LEVEL_LLC];
	case PART_CPU:
		return index;
	case PART_MACHINE:
		break;
	}
	return 0;
}

static bool is_in(const struct machine_cpu *cpu, hwloc_const_bitmap_t cpus)
{
	return hwloc_bitmap_isset(cpus, (unsigned)cpu->id);
}

/* how many of @cpus are in an LLC */
static int users_of(const struct machine *machine, hwloc_const_bitmap_t cpus, int llc)
{
	int n = 0;

	for (int i = 0; i < machine->n_cpus; i++)
		n += machine->cpus[i].group[LEVEL_LLC] == llc && is_in(&machine->cpus[i], cpus);
	return n;
}

/* those of the part, by position among siblings, then by id */
static void take_cpus(const struct machine *machine, hwloc_const_bitmap_t cpus, enum part_kind kind,
		      int group, struct part *part)
{
	int most = 0;

	part->cpus = memory_zeroed(machine->n_cpus, sizeof(*part->cpus));
	for (int thread = 0; thread <= most; thread++)
		for (int i = 0; i < machine->n_cpus; i++) {
			const struct machine_cpu *cpu = &machine->cpus[i];

			if (!is_in(cpu, cpus) || group_of(cpu, i, kind) != group)
				continue;
			most = cpu->thread > most ? cpu->thread : most;
			if (cpu->thread == thread)
				part->cpus[part->n_cpus++] = cpu->id;
		}
}

static uint64_t cache_of(const struct machine *machine, hwloc_const_bitmap_t cpus,
			 const struct part *part)
{
	autofree int *inside = memory_zeroed(machine->n_groups[LEVEL_LLC] + 1, sizeof(*inside));
	uint64_t bytes = 0;

	for (int i = 0; i < part->n_cpus; i++) {
		int llc = machine_cpu(machine, part->cpus[i])->group[LEVEL_LLC];

		if (llc < 0 || !machine->groups[LEVEL_LLC][llc].bytes)
			return 0;
		inside[llc]++;
	}
	for (int llc = 0; llc < machine->n_groups[LEVEL_LLC]; llc++)
		if (inside[llc])
			bytes += machine->groups[LEVEL_LLC][llc].bytes * (uint64_t)inside[llc] /
				 (uint64_t)users_of(machine, cpus, llc);
	return bytes;
}

int parts_of(const struct machine *machine, hwloc_const_bitmap_t cpus, enum part_kind kind,
	     struct part **out)
{
	int most = machine->n_cpus + machine->n_groups[LEVEL_NODE] + machine->n_groups[LEVEL_LLC];
	/* from group -1 */
	autofree bool *seen = memory_zeroed(most + 1, sizeof(*seen));
	int n = 0;

	*out = NULL;
	for (int i = 0; i < machine->n_cpus; i++) {
		int group = group_of(&machine->cpus[i], i, kind);
		struct part *part;

		if (!is_in(&machine->cpus[i], cpus) || seen[group + 1])
			continue;
		seen[group + 1] = true;
		part = array_append(*out, n);
		take_cpus(machine, cpus, kind, group, part);
		part->cache = cache_of(machine, cpus, part);
	}
	return n;
}

void parts_free(struct part *parts, int n)
{
	for (int i = 0; i < n; i++)
		free(parts[i].cpus);
	free(parts);
}
