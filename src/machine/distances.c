// SPDX-License-Identifier: GPL-2.0-only
/* distances.c - NUMA distances: what makes sense, and which nodes are close to each other */
#include <stdlib.h>

#include "base/memory.h"
#include "machine/build.h"
#include "machine/distances.h"

struct error *distances_check(const unsigned *table, const struct machine *machine,
			      const char *what)
{
	const struct machine_group *nodes = machine->groups[LEVEL_NODE];
	int n = machine->n_groups[LEVEL_NODE];

	for (int i = 0; i < n; i++) {
		for (int k = 0; k < n; k++) {
			unsigned value = table[i * n + k];

			if (!value || value > 255)
				return error_new(ERR_INPUT,
						 "%s has %u from node %d to node %d; accepted: 1 "
						 "to 255",
						 what, value, nodes[i].id, nodes[k].id);
			if (i != k && value <= table[i * n + i])
				return error_new(ERR_INPUT,
						 "%s contradicts itself: from node %d it is %u to "
						 "itself and %u to node %d; the distance to itself "
						 "must be the smallest",
						 what, nodes[i].id, table[i * n + i], value,
						 nodes[k].id);
		}
	}
	return NULL;
}

unsigned machine_distance(const struct machine *machine, int from, int to)
{
	if (!machine->distances)
		return from == to ? 10 : 20;
	return machine->distances[from * machine->n_groups[LEVEL_NODE] + to];
}

bool distances_asymmetric(const struct machine *machine, int *from, int *to)
{
	int n = machine->n_groups[LEVEL_NODE];

	for (int i = 0; i < n; i++) {
		for (int k = i + 1; k < n; k++) {
			if (machine_distance(machine, i, k) != machine_distance(machine, k, i)) {
				*from = i;
				*to = k;
				return true;
			}
		}
	}
	return false;
}

/* the longer way of the two, so that a group is close in both directions */
static unsigned both_ways(const struct machine *machine, int a, int b)
{
	unsigned there = machine_distance(machine, a, b);
	unsigned back = machine_distance(machine, b, a);

	return there > back ? there : back;
}

/* the joined group keeps the lower number, so that it is always that of its lowest node */
static void join(int *group, int n, int a, int b)
{
	int into = a < b ? a : b, from = a < b ? b : a;

	for (int i = 0; i < n; i++)
		if (group[i] == from)
			group[i] = into;
}

/* groups of nodes that are connected by steps of at most @within; returns their number */
static int connect(const struct machine *machine, unsigned within, int *group)
{
	int n = machine->n_groups[LEVEL_NODE], count = 0;

	for (int i = 0; i < n; i++)
		group[i] = i;
	for (int i = 0; i < n; i++)
		for (int k = i + 1; k < n; k++)
			if (group[i] != group[k] && both_ways(machine, i, k) <= within)
				join(group, n, group[i], group[k]);
	/* renumber from 0; a group's number so far is its lowest node */
	for (int i = 0; i < n; i++) {
		if (group[i] == i) {
			for (int k = i; k < n; k++)
				if (group[k] == i)
					group[k] = count;
			count++;
		}
	}
	return count;
}

static unsigned next_distance(const struct machine *machine, unsigned after)
{
	int n = machine->n_groups[LEVEL_NODE];
	unsigned next = 0;

	for (int i = 0; i < n; i++) {
		for (int k = i + 1; k < n; k++) {
			unsigned value = both_ways(machine, i, k);

			if (value > after && (!next || value < next))
				next = value;
		}
	}
	return next;
}

static unsigned longest_inside(const struct machine *machine, const int *group)
{
	int n = machine->n_groups[LEVEL_NODE];
	unsigned longest = 0;

	for (int i = 0; i < n; i++)
		for (int k = i + 1; k < n; k++)
			if (group[i] == group[k] && both_ways(machine, i, k) > longest)
				longest = both_ways(machine, i, k);
	return longest;
}

int distances_groups(const struct machine *machine, struct distance_grouping **out)
{
	int n = machine->n_groups[LEVEL_NODE], n_groupings = 0, last = n;
	struct distance_grouping *groupings = NULL;

	for (unsigned within = next_distance(machine, 0); within && machine->distances;
	     within = next_distance(machine, within)) {
		int *group = memory_zeroed(n, sizeof(*group));
		int count = connect(machine, within, group);
		struct distance_grouping *grouping;

		if (count == last || count == 1) {
			free(group);
			continue;
		}
		grouping = array_append(groupings, n_groupings);
		grouping->n_groups = last = count;
		grouping->group = group;
		grouping->longest = longest_inside(machine, group);
	}
	*out = groupings;
	return n_groupings;
}

void distances_groups_free(struct distance_grouping *groupings, int n)
{
	for (int i = 0; i < n; i++)
		free(groupings[i].group);
	free(groupings);
}
