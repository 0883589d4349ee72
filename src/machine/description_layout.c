// SPDX-License-Identifier: GPL-2.0-only
/* description_layout.c - the sections of a machine file that list CPUs */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "machine/build.h"
#include "machine/description.h"

static const struct {
	const char *section;
	enum machine_level level;
	bool sized; /* a size may follow the CPUs */
} layouts[] = {
	{ "packages", LEVEL_PACKAGE, false }, { "nodes", LEVEL_NODE, true },
	{ "llcs", LEVEL_LLC, true },	      { "clusters", LEVEL_CLUSTER, true },
	{ "cores", LEVEL_CORE, false },
};

/* "0-3,8 16G": CPUs, or "none" for a node, then what follows, NULL if nothing does */
static struct error *read_cpus(const struct machine_entry *entry, bool none_allowed,
			       hwloc_bitmap_t cpus, char **rest)
{
	size_t length = strcspn(entry->value, " \t");
	autofree char *list = memory_string_n(entry->value, length);
	const char *after = entry->value + length;

	after += strspn(after, " \t");
	*rest = *after ? memory_string(after) : NULL;
	if (none_allowed && !strcmp(list, "none")) {
		hwloc_bitmap_zero(cpus);
		return NULL;
	}
	return cpulist_parse(list, cpus);
}

static struct error *check_overlap(const struct machine *machine, enum machine_level level,
				   hwloc_const_bitmap_t cpus)
{
	for (int i = 0; i < machine->n_groups[level]; i++)
		if (hwloc_bitmap_intersects(machine->groups[level][i].cpus, cpus))
			return error_new(ERR_INPUT, "it has CPUs that are also in %s %d",
					 machine_level_name(level), machine->groups[level][i].id);
	return NULL;
}

static struct error *add_row(const struct machine_entry *entry, struct machine *machine,
			     size_t layout, bool alone, hwloc_bitmap_t cpus)
{
	enum machine_level level = layouts[layout].level;
	autofree char *rest = NULL;
	struct error *error;
	uint64_t bytes = 0;
	int64_t id;

	error = text_integer(entry->key, 0, 65535, &id);
	if (error)
		return error_prefix(error, "number of a %s", machine_level_name(level));
	error = read_cpus(entry, level == LEVEL_NODE, cpus, &rest);
	if (!error && rest && !layouts[layout].sized)
		error = error_new(ERR_INPUT, "'%s' after the CPUs; a %s has no size", rest,
				  machine_level_name(level));
	if (!error && rest)
		error = text_size(rest, &bytes);
	if (!error)
		error = check_overlap(machine, level, cpus);
	if (!error && !alone && !hwloc_bitmap_isincluded(cpus, machine->online))
		error = error_new(ERR_INPUT, "'%s' has CPUs that the topology does not have",
				  entry->value);
	if (error)
		return error_prefix(error, "%s %s", machine_level_name(level), entry->key);
	machine_add_group(machine, level, id, cpus, bytes);
	return NULL;
}

static struct error *read_section(const struct description *description, struct machine *machine,
				  size_t layout, bool alone)
{
	const char *section = layouts[layout].section;
	const struct machine_entry *entry = description_next(description, section, NULL);
	hwloc_bitmap_t cpus;
	struct error *error = NULL;

	if (!entry)
		return NULL;
	machine_clear_groups(machine, layouts[layout].level);
	cpus = hwloc_bitmap_alloc();
	for (; entry && !error; entry = description_next(description, section, entry)) {
		error = add_row(entry, machine, layout, alone, cpus);
		error = description_error(description, entry, error);
	}
	hwloc_bitmap_free(cpus);
	return error;
}

/* A flat topology of just these CPUs, so that a machine of lists has one for hwloc's functions. */
static struct error *flat_topology(struct machine *machine)
{
	int n = hwloc_bitmap_weight(machine->online), cpu;
	autofree char *text = memory_zeroed(n + 4, sizeof("2147483647,"));
	char *at = text + sprintf(text, "[numa(memory=0)] pu:%d(indexes=", n);

	hwloc_bitmap_foreach_begin(cpu, machine->online) at += sprintf(at, "%d,", cpu);
	hwloc_bitmap_foreach_end();
	strcpy(at - 1, ")");
	return topology_load_synthetic(text, machine->source, 0, &machine->topology);
}

static struct error *shape_from_lists(const struct description *description,
				      struct machine *machine)
{
	struct error *error;

	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		hwloc_bitmap_t cpus = machine_level_cpus(machine, layouts[i].level);

		hwloc_bitmap_or(machine->online, machine->online, cpus);
		hwloc_bitmap_free(cpus);
	}
	if (hwloc_bitmap_iszero(machine->online))
		return error_at(ERR_INPUT, description->file, 0,
				"the machine has no CPU: give xml or synthetic in [topology], or "
				"CPU lists in [packages], [nodes], [llcs], [clusters] or [cores]");
	if (hwloc_bitmap_weight(machine->online) > MACHINE_MOST_CPUS)
		return error_at(ERR_INPUT, description->file, 0,
				"the machine has %d CPUs; Linux can have %d",
				hwloc_bitmap_weight(machine->online), MACHINE_MOST_CPUS);
	error = flat_topology(machine);
	if (error)
		return error;
	hwloc_bitmap_copy(machine->possible, machine->online);
	if (!machine->n_groups[LEVEL_NODE])
		machine_add_group(machine, LEVEL_NODE, 0, machine->online, 0);
	return NULL;
}

static bool exists(hwloc_topology_t topology, hwloc_const_bitmap_t cpus)
{
	hwloc_obj_t object;

	if (hwloc_bitmap_iszero(cpus))
		return true;
	object = hwloc_get_obj_covering_cpuset(topology, cpus);
	return object && hwloc_bitmap_isequal(object->cpuset, cpus);
}

/*
 * hwloc cannot be told of a package or a cache afterwards; a group with a name at least shows in
 * drawings which CPUs belong together. One that crosses others stays out of the drawing, and of groups
 * of the same CPUs the outermost level is drawn.
 */
static void draw_level(struct machine *machine, enum machine_level level)
{
	for (int i = 0; i < machine->n_groups[level]; i++) {
		const struct machine_group *group = &machine->groups[level][i];
		autofree char *name = memory_format("%s %d", machine_level_name(level), group->id);
		hwloc_obj_t object;

		/* such a group tells nothing, and hwloc 2.9 would lose its memory */
		if (exists(machine->topology, group->cpus))
			continue;
		object = hwloc_topology_alloc_group_object(machine->topology);
		if (!object)
			return;
		object->cpuset = hwloc_bitmap_dup(group->cpus);
		object->subtype = strdup(name); /* hwloc frees it */
		object->attr->group.dont_merge = 1;
		hwloc_topology_insert_group_object(machine->topology, object);
	}
}

static void draw_layout(const struct description *description, struct machine *machine)
{
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++)
		if (description_next(description, layouts[i].section, NULL))
			draw_level(machine, layouts[i].level);
}

struct error *description_layout(const struct description *description, struct machine *machine,
				 bool alone)
{
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		struct error *error = read_section(description, machine, i, alone);

		if (error)
			return error;
	}
	if (alone) {
		struct error *error = shape_from_lists(description, machine);

		if (error)
			return error;
	}
	draw_layout(description, machine);
	return NULL;
}

/* the line that gives a group of just these CPUs; 0: they come from elsewhere (XML, synthetic) */
static int line_of(const struct description *description, enum machine_level level,
		   hwloc_const_bitmap_t cpus)
{
	hwloc_bitmap_t own = hwloc_bitmap_alloc();
	int line = 0;

	for (size_t i = 0; i < ARRAY_SIZE(layouts) && !line; i++) {
		const struct machine_entry *entry = NULL;

		if (layouts[i].level != level)
			continue;
		while (!line &&
		       (entry = description_next(description, layouts[i].section, entry))) {
			autofree char *rest = NULL;
			struct error *error = read_cpus(entry, true, own, &rest);

			if (!error && hwloc_bitmap_isequal(own, cpus))
				line = entry->line;
			error_free(error);
		}
	}
	hwloc_bitmap_free(own);
	return line;
}

static struct error *check_within(const struct description *description,
				  const struct machine *machine, enum machine_level inner,
				  enum machine_level outer)
{
	for (int i = 0; i < machine->n_groups[inner]; i++) {
		const struct machine_group *group = &machine->groups[inner][i];

		for (int k = 0; k < machine->n_groups[outer]; k++) {
			const struct machine_group *around = &machine->groups[outer][k];
			autofree char *cpus = NULL;
			int line;

			if (!hwloc_bitmap_intersects(around->cpus, group->cpus) ||
			    hwloc_bitmap_isincluded(group->cpus, around->cpus))
				continue;
			cpus = cpulist_format(group->cpus);
			line = line_of(description, inner, group->cpus);
			if (!line)
				line = line_of(description, outer, around->cpus);
			return error_at(ERR_INPUT, machine->source, line,
					"the %s with CPUs %.60s is only partly in %s %d",
					machine_level_name(inner), cpus, machine_level_name(outer),
					around->id);
		}
	}
	return NULL;
}

struct error *description_check_nesting(const struct description *description,
					const struct machine *machine)
{
	static const struct {
		enum machine_level inner, outer;
	} pairs[] = {
		{ LEVEL_CORE, LEVEL_CLUSTER }, { LEVEL_CORE, LEVEL_LLC },
		{ LEVEL_CORE, LEVEL_NODE },    { LEVEL_CORE, LEVEL_PACKAGE },
		{ LEVEL_CLUSTER, LEVEL_LLC },
	};
	struct error *error = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(pairs) && !error; i++)
		error = check_within(description, machine, pairs[i].inner, pairs[i].outer);
	return error;
}

static struct error *add_kind(const struct machine_entry *entry, struct machine *machine,
			      hwloc_bitmap_t cpus, hwloc_bitmap_t seen)
{
	autofree char *rest = NULL;
	struct error *error = read_cpus(entry, false, cpus, &rest);
	struct machine_kind *kind;
	int64_t capacity = 0;

	if (!error && !rest)
		error = error_new(
			ERR_INPUT,
			"CPUs and a capacity are needed, such as '0-3 1024' or '0-3 unknown'");
	if (!error && strcmp(rest, "unknown") != 0)
		error = text_integer(rest, 1, 1024, &capacity);
	if (!error && hwloc_bitmap_intersects(cpus, seen))
		error = error_new(ERR_INPUT, "it has CPUs that are also in another kind");
	if (!error && !hwloc_bitmap_isincluded(cpus, machine->online))
		error = error_new(ERR_INPUT, "it has CPUs that the topology does not have");
	if (error)
		return error_prefix(error, "kind %s", entry->key);
	hwloc_bitmap_or(seen, seen, cpus);
	kind = array_append(machine->kinds, machine->n_kinds);
	kind->cpus = hwloc_bitmap_dup(cpus);
	kind->capacity = capacity;
	kind->name = memory_string(entry->key);
	return NULL;
}

/* slowest first; kinds of one or no known capacity keep their order, which qsort() does not promise */
static void sort_kinds(struct machine *machine)
{
	for (int i = 1; i < machine->n_kinds; i++) {
		struct machine_kind kind = machine->kinds[i];
		int at = i;

		for (; at && machine->kinds[at - 1].capacity > kind.capacity; at--)
			machine->kinds[at] = machine->kinds[at - 1];
		machine->kinds[at] = kind;
	}
}

struct error *description_kinds(const struct description *description, struct machine *machine)
{
	const struct machine_entry *entry = description_next(description, "kinds", NULL);
	hwloc_bitmap_t cpus, seen;
	struct error *error = NULL;

	if (!entry)
		return NULL;
	machine_clear_kinds(machine);
	cpus = hwloc_bitmap_alloc();
	seen = hwloc_bitmap_alloc();
	for (; entry && !error; entry = description_next(description, "kinds", entry))
		error = description_error(description, entry, add_kind(entry, machine, cpus, seen));
	if (!error && !hwloc_bitmap_isincluded(machine->online, seen))
		error = error_at(ERR_INPUT, description->file, 0,
				 "[kinds] leaves CPUs out; each CPU is of one kind");
	hwloc_bitmap_free(cpus);
	hwloc_bitmap_free(seen);
	if (!error)
		sort_kinds(machine);
	return error;
}
