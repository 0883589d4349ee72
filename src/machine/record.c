// SPDX-License-Identifier: GPL-2.0-only
/* record.c - a machine as JSON: {"name", "possible", "online", "core": [[id, cpus, bytes], ...], ...} */
#include "machine/record.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "machine/build.h"

static json_t *cpus_to_json(hwloc_const_bitmap_t cpus)
{
	autofree char *list = cpulist_format(cpus);

	return json_string(list);
}

json_t *machine_to_json(const struct machine *machine)
{
	json_t *json = json_object();
	int n = machine->n_groups[LEVEL_NODE];

	json_object_set_new(json, "name", json_string(machine->name));
	json_object_set_new(json, "possible", cpus_to_json(machine->possible));
	json_object_set_new(json, "online", cpus_to_json(machine->online));
	for (enum machine_level level = 0; level < N_MACHINE_LEVELS; level++) {
		json_t *groups = json_array();

		for (int i = 0; i < machine->n_groups[level]; i++) {
			const struct machine_group *group = &machine->groups[level][i];

			json_array_append_new(groups, json_pack("[i, o, I]", group->id,
								cpus_to_json(group->cpus),
								(json_int_t)group->bytes));
		}
		json_object_set_new(json, machine_level_name(level), groups);
	}
	if (machine->distances) {
		json_t *distances = json_array();

		for (int i = 0; i < n * n; i++)
			json_array_append_new(distances, json_integer(machine->distances[i]));
		json_object_set_new(json, "distances", distances);
	}
	if (machine->n_kinds) {
		json_t *kinds = json_array();

		for (int i = 0; i < machine->n_kinds; i++)
			json_array_append_new(kinds, json_pack("[s, o, i]",
							       machine->kinds[i].name
								       ? machine->kinds[i].name
								       : "",
							       cpus_to_json(machine->kinds[i].cpus),
							       machine->kinds[i].capacity));
		json_object_set_new(json, "kinds", kinds);
	}
	return json;
}

static struct error *wrong(const char *file, const char *what)
{
	return error_at(ERR_INPUT, file, 0, "machine: '%s' is missing or not as expected", what);
}

/* a CPU list, "" for none */
static struct error *read_cpus(const char *list, hwloc_bitmap_t out)
{
	hwloc_bitmap_zero(out);
	return *list ? cpulist_parse(list, out) : NULL;
}

static struct error *read_groups(const json_t *json, const char *file, struct machine *machine,
				 enum machine_level level, hwloc_bitmap_t cpus)
{
	const json_t *groups = json_object_get(json, machine_level_name(level));
	hwloc_bitmap_t seen = hwloc_bitmap_alloc();
	struct error *error = json_is_array(groups) ? NULL : wrong(file, machine_level_name(level));

	for (size_t i = 0; !error && i < json_array_size(groups); i++) {
		const char *list;
		json_int_t bytes;
		int id;

		if (json_unpack((json_t *)json_array_get(groups, i), "[i, s, I!]", &id, &list,
				&bytes) ||
		    bytes < 0) {
			error = wrong(file, machine_level_name(level));
			break;
		}
		error = read_cpus(list, cpus);
		if (!error && (!hwloc_bitmap_isincluded(cpus, machine->online) ||
			       hwloc_bitmap_intersects(cpus, seen)))
			error = wrong(file, machine_level_name(level));
		if (!error) {
			hwloc_bitmap_or(seen, seen, cpus);
			machine_add_group(machine, level, id, cpus, (uint64_t)bytes);
		}
	}
	hwloc_bitmap_free(seen);
	return error;
}

static struct error *read_kinds(const json_t *json, const char *file, struct machine *machine,
				hwloc_bitmap_t cpus)
{
	const json_t *kinds = json_object_get(json, "kinds");

	for (size_t i = 0; i < json_array_size(kinds); i++) {
		struct machine_kind *kind;
		const char *name, *list;
		struct error *error;
		int capacity;

		if (json_unpack((json_t *)json_array_get(kinds, i), "[s, s, i!]", &name, &list,
				&capacity))
			return wrong(file, "kinds");
		error = read_cpus(list, cpus);
		if (error)
			return error;
		kind = array_append(machine->kinds, machine->n_kinds);
		kind->cpus = hwloc_bitmap_dup(cpus);
		kind->capacity = capacity;
		kind->name = *name ? memory_string(name) : NULL;
	}
	return NULL;
}

static struct error *read_distances(const json_t *json, const char *file, struct machine *machine)
{
	const json_t *distances = json_object_get(json, "distances");
	size_t n = (size_t)machine->n_groups[LEVEL_NODE];

	if (!distances)
		return NULL;
	if (json_array_size(distances) != n * n)
		return wrong(file, "distances");
	machine->distances = memory_zeroed(n * n, sizeof(*machine->distances));
	for (size_t i = 0; i < n * n; i++) {
		json_int_t value = json_integer_value(json_array_get(distances, i));

		if (value < 0 || value > 255)
			return wrong(file, "distances");
		machine->distances[i] = (unsigned)value;
	}
	return distances_check(machine->distances, machine, "distances");
}

static struct error *read_machine(const json_t *json, const char *file, struct machine *machine,
				  hwloc_bitmap_t cpus)
{
	const char *possible = json_string_value(json_object_get(json, "possible"));
	const char *online = json_string_value(json_object_get(json, "online"));
	struct error *error;

	if (!possible || !online)
		return wrong(file, possible ? "online" : "possible");
	error = read_cpus(possible, machine->possible);
	if (!error)
		error = read_cpus(online, machine->online);
	for (enum machine_level level = 0; !error && level < N_MACHINE_LEVELS; level++)
		error = read_groups(json, file, machine, level, cpus);
	if (!error)
		error = read_kinds(json, file, machine, cpus);
	if (!error)
		error = machine_index(machine);
	if (!error)
		error = read_distances(json, file, machine);
	if (error)
		return error;
	hwloc_bitmap_copy(machine->cpuset, machine->online);
	hwloc_bitmap_copy(machine->affinity, machine->online);
	hwloc_bitmap_copy(machine->usable, machine->online);
	return NULL;
}

struct error *machine_from_json(const json_t *json, const char *file, struct machine **out)
{
	const char *name = json_string_value(json_object_get(json, "name"));
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
	struct machine *machine = machine_new(name ? name : "unknown", file);
	struct error *error = read_machine(json, file, machine, cpus);

	hwloc_bitmap_free(cpus);
	if (error) {
		machine_close(machine);
		return error->file ? error : error_prefix(error, "%s: machine", file);
	}
	*out = machine;
	return NULL;
}
