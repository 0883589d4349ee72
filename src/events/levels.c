// SPDX-License-Identifier: GPL-2.0-only
#include "events/levels.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static const enum machine_level machine_levels[N_LEVELS_GROUPS] = {
	[GROUP_CORE] = LEVEL_CORE, [GROUP_CLUSTER] = LEVEL_CLUSTER, [GROUP_LLC] = LEVEL_LLC,
	[GROUP_NODE] = LEVEL_NODE, [GROUP_PACKAGE] = LEVEL_PACKAGE,
};

static bool of_machine(int group)
{
	return group != GROUP_CPU && group != GROUP_ALL;
}

/*
 * A CPU outside of all groups of a level is alone up to its LLC and with all others from the node up;
 * on a machine that has no LLC at all, a node is one.
 */
static void place(struct levels *levels, const struct machine_cpu *cpu, int id, int group)
{
	int index = cpu ? cpu->group[machine_levels[group]] : -1;

	if (index >= 0)
		levels->group[id][group] = index;
	else if (group >= GROUP_NODE || !levels->known)
		levels->group[id][group] = 0;
	else
		levels->group[id][group] = levels->n_groups[group]++;
}

static void nodes_are_llcs(struct levels *levels)
{
	for (int id = 0; id < levels->n_cpus; id++)
		levels->group[id][GROUP_LLC] = levels->group[id][GROUP_NODE];
	levels->n_groups[GROUP_LLC] = levels->n_groups[GROUP_NODE];
}

void levels_init(struct levels *levels, const struct machine *machine, int nr_cpus)
{
	memset(levels, 0, sizeof(*levels));
	levels->known = machine != NULL;
	levels->n_cpus = nr_cpus;
	for (int i = 0; machine && i < machine->n_cpus; i++)
		if (machine->cpus[i].id >= levels->n_cpus)
			levels->n_cpus = machine->cpus[i].id + 1;
	levels->group = memory_zeroed((size_t)levels->n_cpus, sizeof(*levels->group));
	for (int group = 0; group < N_LEVELS_GROUPS; group++)
		levels->n_groups[group] = machine && of_machine(group)
						  ? machine->n_groups[machine_levels[group]]
					  : group == GROUP_CPU ? levels->n_cpus
							       : 0;
	for (int id = 0; id < levels->n_cpus; id++) {
		const struct machine_cpu *cpu = machine ? machine_cpu(machine, id) : NULL;

		levels->group[id][GROUP_CPU] = id;
		levels->group[id][GROUP_ALL] = 0;
		for (int group = GROUP_CORE; group <= GROUP_PACKAGE; group++)
			place(levels, cpu, id, group);
	}
	for (int group = GROUP_CORE; group < N_LEVELS_GROUPS; group++)
		if (!levels->n_groups[group])
			levels->n_groups[group] = 1;
	if (machine && !machine->n_groups[LEVEL_LLC])
		nodes_are_llcs(levels);
}

void levels_clear(struct levels *levels)
{
	free(levels->group);
	memset(levels, 0, sizeof(*levels));
}

enum event_level levels_between(const struct levels *levels, int a, int b)
{
	static const struct {
		enum levels_group group;
		enum event_level level;
	} steps[] = {
		{ GROUP_CORE, EVENT_LEVEL_SMT },
		{ GROUP_CLUSTER, EVENT_LEVEL_CLUSTER },
		{ GROUP_LLC, EVENT_LEVEL_LLC },
		{ GROUP_NODE, EVENT_LEVEL_NODE },
	};

	if (a == b)
		return EVENT_LEVEL_SAME;
	for (size_t i = 0; i < ARRAY_SIZE(steps) && levels->known; i++)
		if (levels->group[a][steps[i].group] == levels->group[b][steps[i].group])
			return steps[i].level;
	return levels->known ? EVENT_LEVEL_REMOTE : EVENT_LEVEL_NODE;
}
