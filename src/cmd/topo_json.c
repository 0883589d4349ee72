// SPDX-License-Identifier: GPL-2.0-only
/* topo_json.c - a machine as one JSON object; sets of CPUs are lists as the kernel writes them */
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "cmd/topo.h"
#include "machine/asymmetry.h"
#include "machine/distances.h"
#include "plan/plan.h"

static json_t *text_or_null(const char *text)
{
	return text ? json_string(text) : json_null();
}

static void set_cpus(json_t *object, const char *name, hwloc_const_bitmap_t cpus)
{
	autofree char *list = cpulist_format(cpus);

	json_object_set_new(object, name, json_string(list));
}

static json_t *level_json(const struct machine *machine, enum machine_level level)
{
	json_t *groups = json_array();

	for (int i = 0; i < machine->n_groups[level]; i++) {
		const struct machine_group *group = &machine->groups[level][i];
		json_t *object = json_object();

		json_object_set_new(object, "id", json_integer(group->id));
		set_cpus(object, "cpus", group->cpus);
		json_object_set_new(object, "bytes", json_integer((json_int_t)group->bytes));
		json_array_append_new(groups, object);
	}
	return groups;
}

static json_t *cpus_json(const struct machine *machine)
{
	static const char *const names[N_MACHINE_LEVELS] = {
		[LEVEL_CORE] = "core", [LEVEL_CLUSTER] = "cluster", [LEVEL_LLC] = "llc",
		[LEVEL_NODE] = "node", [LEVEL_PACKAGE] = "package",
	};
	json_t *cpus = json_array();

	for (int i = 0; i < machine->n_cpus; i++) {
		const struct machine_cpu *cpu = &machine->cpus[i];
		json_t *object = json_object();

		json_object_set_new(object, "id", json_integer(cpu->id));
		json_object_set_new(object, "thread", json_integer(cpu->thread));
		json_object_set_new(object, "kind", json_integer(cpu->kind));
		for (enum machine_level level = 0; level < N_MACHINE_LEVELS; level++)
			json_object_set_new(object, names[level], json_integer(cpu->group[level]));
		json_array_append_new(cpus, object);
	}
	return cpus;
}

static json_t *distances_json(const struct machine *machine)
{
	int n = machine->n_groups[LEVEL_NODE];
	json_t *rows;

	if (!machine->distances)
		return json_null();
	rows = json_array();
	for (int i = 0; i < n; i++) {
		json_t *row = json_array();

		for (int k = 0; k < n; k++)
			json_array_append_new(row, json_integer(machine_distance(machine, i, k)));
		json_array_append_new(rows, row);
	}
	return rows;
}

static json_t *node_groups_json(const struct machine *machine)
{
	struct distance_grouping *groupings;
	int n = distances_groups(machine, &groupings);
	json_t *array = json_array();

	for (int i = 0; i < n; i++) {
		json_t *object = json_object(), *groups = json_array();

		for (int g = 0; g < groupings[i].n_groups; g++) {
			json_t *ids = json_array();

			for (int k = 0; k < machine->n_groups[LEVEL_NODE]; k++)
				if (groupings[i].group[k] == g)
					json_array_append_new(
						ids,
						json_integer(machine->groups[LEVEL_NODE][k].id));
			json_array_append_new(groups, ids);
		}
		json_object_set_new(object, "distance", json_integer(groupings[i].longest));
		json_object_set_new(object, "nodes", groups);
		json_array_append_new(array, object);
	}
	distances_groups_free(groupings, n);
	return array;
}

static json_t *kinds_json(const struct machine *machine)
{
	json_t *kinds = json_array();

	for (int i = 0; i < machine->n_kinds; i++) {
		const struct machine_kind *kind = &machine->kinds[i];
		json_t *object = json_object();

		json_object_set_new(object, "name", text_or_null(kind->name));
		set_cpus(object, "cpus", kind->cpus);
		json_object_set_new(object, "capacity",
				    kind->capacity ? json_integer(kind->capacity) : json_null());
		json_array_append_new(kinds, object);
	}
	return kinds;
}

static json_t *quota_json(const struct machine *machine)
{
	json_t *object;

	if (machine->quota.cpus <= 0)
		return json_null();
	object = json_object();
	json_object_set_new(object, "cpus", json_real(machine->quota.cpus));
	json_object_set_new(object, "nr_throttled",
			    json_integer((json_int_t)machine->quota.throttled));
	json_object_set_new(object, "cgroup", text_or_null(machine->quota.path));
	return object;
}

static json_t *asymmetries_json(const struct machine *machine)
{
	int n;
	char **lines = machine_asymmetries(machine, &n);
	json_t *array = json_array();

	for (int i = 0; i < n; i++)
		json_array_append_new(array, json_string(lines[i]));
	text_split_free(lines, n);
	return array;
}

static json_t *values_json(const struct machine *machine)
{
	struct machine_counts counts = plan_counts(machine, machine->usable);
	const struct {
		const char *name;
		int value;
	} values[] = {
		{ "nr_cpus", counts.nr_cpus },
		{ "nr_cores", counts.nr_cores },
		{ "nr_llcs", counts.nr_llcs },
		{ "nr_nodes", counts.nr_nodes },
		{ "nr_sockets", counts.nr_sockets },
		{ "cpus_per_llc", counts.cpus_per_llc },
		{ "cpus_per_node", counts.cpus_per_node },
		{ "smt", counts.smt },
	};
	json_t *object = json_object();

	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		json_object_set_new(object, values[i].name, json_integer(values[i].value));
	return object;
}

void topo_print_json(const struct machine *machine, json_t *domains)
{
	static const char *const names[N_MACHINE_LEVELS] = {
		[LEVEL_CORE] = "cores", [LEVEL_CLUSTER] = "clusters", [LEVEL_LLC] = "llcs",
		[LEVEL_NODE] = "nodes", [LEVEL_PACKAGE] = "packages",
	};
	json_t *object = json_object();
	autofree char *text = NULL;

	json_object_set_new(object, "name", json_string(machine->name));
	json_object_set_new(object, "source", json_string(machine->source));
	json_object_set_new(object, "description", text_or_null(machine->description));
	json_object_set_new(object, "live", json_boolean(machine->live));
	set_cpus(object, "possible", machine->possible);
	set_cpus(object, "online", machine->online);
	set_cpus(object, "cpuset", machine->cpuset);
	set_cpus(object, "affinity", machine->affinity);
	set_cpus(object, "usable", machine->usable);
	for (enum machine_level level = 0; level < N_MACHINE_LEVELS; level++)
		json_object_set_new(object, names[level], level_json(machine, level));
	json_object_set_new(object, "cpus", cpus_json(machine));
	json_object_set_new(object, "distances", distances_json(machine));
	json_object_set_new(object, "node_groups", node_groups_json(machine));
	json_object_set_new(object, "kinds", kinds_json(machine));
	json_object_set_new(object, "quota", quota_json(machine));
	json_object_set_new(object, "uneven", asymmetries_json(machine));
	json_object_set_new(object, "values", values_json(machine));
	if (domains)
		json_object_set_new(object, "sched_domains", domains);
	text = json_text(object);
	puts(text);
	json_decref(object);
}
