// SPDX-License-Identifier: GPL-2.0-only
#include "sim/shape.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define DISTANCE_LOCAL 10

/* the simulated number of each node of the machine, -1 for a node without CPUs */
static int *number_nodes(const struct machine *machine, int *n_nodes)
{
	int n = machine->n_groups[LEVEL_NODE];
	int *number = memory_zeroed(n, sizeof(*number));

	*n_nodes = 0;
	for (int i = 0; i < n; i++) {
		bool empty = hwloc_bitmap_iszero(machine->groups[LEVEL_NODE][i].cpus);

		number[i] = empty ? -1 : (*n_nodes)++;
	}
	return number;
}

static struct error *distances(const struct machine *machine, const int *number,
			       struct shape *shape)
{
	int n = shape->kernel.nr_nodes;

	shape->distance = memory_zeroed((size_t)n * n, sizeof(*shape->distance));
	if (n == 1) {
		shape->distance[0] = DISTANCE_LOCAL;
		return NULL;
	}
	for (int from = 0; from < machine->n_groups[LEVEL_NODE]; from++)
		for (int to = 0; to < machine->n_groups[LEVEL_NODE]; to++) {
			unsigned there = machine_distance(machine, from, to);
			unsigned back = machine_distance(machine, to, from);

			if (number[from] < 0 || number[to] < 0)
				continue;
			if (there != back)
				return error_at(ERR_INPUT, machine->source, machine->distances_line,
						"nodes %d and %d: distance %u one way and %u back",
						from, to, there, back);
			if (from == to ? there != DISTANCE_LOCAL : there < DISTANCE_LOCAL)
				return error_at(ERR_INPUT, machine->source, machine->distances_line,
						"nodes %d and %d: distance %u; a node has 10 to "
						"itself and at least that to others",
						from, to, there);
			shape->distance[number[from] * n + number[to]] = (int)there;
		}
	return NULL;
}

/* CPUs that know no group of a level are alone there (core) or share one (the others) */
static int group_of(const struct machine_cpu *cpu, enum machine_level level, int otherwise)
{
	return cpu->group[level] >= 0 ? cpu->group[level] : otherwise;
}

static void describe_cpu(const struct machine *machine, const struct sim_model *model,
			 const int *number, int index, struct ksched_cpu_desc *desc)
{
	const struct machine_cpu *cpu = &machine->cpus[index];
	int node = cpu->group[LEVEL_NODE];
	int capacity = cpu->kind >= 0 ? machine->kinds[cpu->kind].capacity : 0;

	desc->core = group_of(cpu, LEVEL_CORE, machine->n_groups[LEVEL_CORE] + index);
	desc->cluster = group_of(cpu, LEVEL_CLUSTER, KSCHED_NO_ID);
	/* without a last-level cache a CPU's LLC is its core, as the kernel has it */
	desc->llc = group_of(cpu, LEVEL_LLC, machine->n_groups[LEVEL_LLC] + desc->core);
	desc->node = node >= 0 ? number[node] : 0;
	desc->package = group_of(cpu, LEVEL_PACKAGE, 0);
	desc->capacity = capacity > 0 ? capacity : 1024;
	desc->prio = (int)desc->capacity;
	desc->polling = model->polling_idle;
}

/* x86 drops the package level where a package has several nodes */
static int several_nodes_a_package(const struct shape *shape)
{
	for (int i = 0; i < shape->kernel.nr_cpus; i++)
		for (int j = 0; j < i; j++)
			if (shape->cpus[i].package == shape->cpus[j].package &&
			    shape->cpus[i].node != shape->cpus[j].node)
				return 1;
	return 0;
}

static unsigned asym_levels(const struct sim_model *model)
{
	return (model->asym_smt ? KSCHED_ASYM_SMT : 0) | (model->asym_mc ? KSCHED_ASYM_MC : 0) |
	       (model->asym_package ? KSCHED_ASYM_PKG : 0);
}

struct error *shape_new(const struct machine *machine, const struct sim_model *model, int max_cpus,
			int max_nodes, struct shape **out)
{
	struct shape *shape;
	struct error *error;
	int *number, n_nodes;

	if (machine->n_cpus < 1)
		return error_at(ERR_INPUT, machine->source, 0, "the machine has no CPUs");
	if (machine->n_cpus > max_cpus)
		return error_at(ERR_INPUT, machine->source, 0,
				"the machine has %d CPUs, the kernel was built for %d; add it with "
				"--config NR_CPUS=%d",
				machine->n_cpus, max_cpus, machine->n_cpus);
	number = number_nodes(machine, &n_nodes);
	if (n_nodes > max_nodes) {
		int shift = 0;

		while (1 << shift < n_nodes)
			shift++;
		free(number);
		return error_at(
			ERR_INPUT, machine->source, 0,
			"the machine has %d nodes, the kernel was built for %d; add it with "
			"--config NODES_SHIFT=%d",
			n_nodes, max_nodes, shift);
	}
	shape = memory_zeroed(1, sizeof(*shape));
	shape->kernel.nr_cpus = machine->n_cpus;
	shape->kernel.nr_nodes = n_nodes ? n_nodes : 1;
	shape->kernel.node_reclaim_distance = (int)model->node_reclaim_distance;
	shape->kernel.asym_levels = asym_levels(model);
	shape->kernel.cmdline = model->cmdline;
	shape->cpus = memory_zeroed(machine->n_cpus, sizeof(*shape->cpus));
	shape->cpu_id = memory_zeroed(machine->n_cpus, sizeof(*shape->cpu_id));
	for (int i = 0; i < machine->n_cpus; i++) {
		describe_cpu(machine, model, number, i, &shape->cpus[i]);
		shape->cpu_id[i] = machine->cpus[i].id;
	}
	error = distances(machine, number, shape);
	free(number);
	if (error) {
		shape_free(shape);
		return error;
	}
	shape->kernel.cpu = shape->cpus;
	shape->kernel.distance = shape->distance;
	shape->kernel.numa_in_package = several_nodes_a_package(shape);
	*out = shape;
	return NULL;
}

void shape_free(struct shape *shape)
{
	if (!shape)
		return;
	free(shape->cpus);
	free(shape->distance);
	free(shape->cpu_id);
	free(shape);
}

int shape_cpu(const struct shape *shape, int id)
{
	int low = 0, high = shape->kernel.nr_cpus - 1;

	while (low <= high) {
		int middle = (low + high) / 2;

		if (shape->cpu_id[middle] == id)
			return middle;
		if (shape->cpu_id[middle] < id)
			low = middle + 1;
		else
			high = middle - 1;
	}
	return -1;
}

void shape_mask(const struct shape *shape, hwloc_const_bitmap_t cpus, uint64_t *mask)
{
	memset(mask, 0, (size_t)(shape->kernel.nr_cpus + 63) / 64 * sizeof(*mask));
	for (int i = 0; i < shape->kernel.nr_cpus; i++)
		if (hwloc_bitmap_isset(cpus, shape->cpu_id[i]))
			mask[i / 64] |= 1ull << (i % 64);
}

void shape_set(const struct shape *shape, const uint64_t *mask, hwloc_bitmap_t cpus)
{
	hwloc_bitmap_zero(cpus);
	for (int i = 0; i < shape->kernel.nr_cpus; i++)
		if (mask[i / 64] >> (i % 64) & 1)
			hwloc_bitmap_set(cpus, shape->cpu_id[i]);
}
