// SPDX-License-Identifier: GPL-2.0-only
#include "machine/save.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/ini.h"
#include "base/memory.h"
#include "base/text.h"
#include "machine/build.h"

static const struct {
	const char *section;
	enum machine_level level;
} levels[] = {
	{ "packages", LEVEL_PACKAGE }, { "nodes", LEVEL_NODE }, { "llcs", LEVEL_LLC },
	{ "clusters", LEVEL_CLUSTER }, { "cores", LEVEL_CORE },
};

/* what a reader takes for a core of its own when no section tells */
static bool is_implied(enum machine_level level, const struct machine_group *group)
{
	return level == LEVEL_CORE && group->id < 0 && hwloc_bitmap_weight(group->cpus) == 1;
}

static bool numbers_hold(const struct machine *machine, enum machine_level level)
{
	hwloc_bitmap_t seen = hwloc_bitmap_alloc();
	bool hold = true;

	for (int i = 0; i < machine->n_groups[level] && hold; i++) {
		const struct machine_group *group = &machine->groups[level][i];

		if (is_implied(level, group))
			continue;
		hold = group->id >= 0 && group->id <= 65535 && !hwloc_bitmap_isset(seen, group->id);
		if (hold)
			hwloc_bitmap_set(seen, group->id);
	}
	hwloc_bitmap_free(seen);
	return hold;
}

static char *add_level(char *text, const struct machine *machine, const char *section,
		       enum machine_level level)
{
	bool numbers = numbers_hold(machine, level), begun = false;

	for (int i = 0; i < machine->n_groups[level]; i++) {
		const struct machine_group *group = &machine->groups[level][i];
		autofree char *size = group->bytes ? text_size_format(group->bytes) : NULL;
		autofree char *cpus = cpulist_short(group->cpus);

		if (is_implied(level, group))
			continue;
		if (!begun)
			text = memory_append(text, "\n[%s]\n", section);
		begun = true;
		text = memory_append(text, "%d = %s%s%s\n", numbers ? group->id : i,
				     *cpus ? cpus : "none", size ? " " : "", size ? size : "");
	}
	return text;
}

/* a key of [kinds]: hwloc's name where it has one, and no other kind has it */
static char *kind_key(const struct machine *machine, int index)
{
	const char *name = machine->kinds[index].name;
	char *key = name ? memory_string(name) : memory_format("kind-%d", index);

	for (char *at = key; *at; at++)
		if (!isalnum((unsigned char)*at) && *at != '_')
			*at = '-';
	for (int i = 0; name && i < machine->n_kinds; i++)
		if (i != index && machine->kinds[i].name && !strcmp(machine->kinds[i].name, name))
			return memory_append(key, "-%d", index);
	return key;
}

static char *add_kinds(char *text, const struct machine *machine)
{
	if (machine->n_kinds)
		text = memory_append(text, "\n[kinds]\n");
	for (int i = 0; i < machine->n_kinds; i++) {
		autofree char *key = kind_key(machine, i);
		autofree char *cpus = cpulist_short(machine->kinds[i].cpus);

		text = memory_append(text, "%s = %s ", key, cpus);
		if (machine->kinds[i].capacity)
			text = memory_append(text, "%d\n", machine->kinds[i].capacity);
		else
			text = memory_append(text, "unknown\n");
	}
	return text;
}

static char *add_distances(char *text, const struct machine *machine)
{
	int n = machine->n_groups[LEVEL_NODE];
	autofree int *order = NULL;

	if (!machine->distances)
		return text;
	order = machine_nodes_by_number(machine);
	text = memory_append(text, "\n[distances]\n");
	for (int i = 0; i < n; i++) {
		text = memory_append(text, "%d =", machine->groups[LEVEL_NODE][order[i]].id);
		for (int k = 0; k < n; k++)
			text = memory_append(text, " %u",
					     machine->distances[order[i] * n + order[k]]);
		text = memory_append(text, "\n");
	}
	return text;
}

static char *add_entries(char *text, const struct machine *machine)
{
	const char *section = "";

	for (int i = 0; i < machine->n_entries; i++) {
		const struct machine_entry *entry = &machine->entries[i];

		if (strcmp(entry->section, section) != 0)
			text = memory_append(text, "\n[%s]\n", entry->section);
		section = entry->section;
		text = memory_append(text, "%s = %s\n", entry->key, entry->value);
	}
	return text;
}

bool machine_has_figures(const struct machine *machine)
{
	for (int i = 0; i < machine->n_entries; i++)
		if (!strcmp(machine->entries[i].section, "speed") ||
		    !strcmp(machine->entries[i].section, "cost"))
			return true;
	return false;
}

static char *add_head(char *text, const struct machine *machine)
{
	text = memory_append(text, "# Written by fairtrial topo --save from %s.\n",
			     machine->live ? "the machine that it ran on" : machine->name);
	if (!machine_has_figures(machine))
		text = memory_append(
			text, "# Its speeds and costs are not known: without sections [speed] "
			      "and [cost] (docs/simulator.md)\n"
			      "# the simulator takes its defaults, those of a server of about "
			      "2020.\n");
	text = memory_append(text, "[topology]\n");
	if (machine->description)
		text = memory_append(text, "description = %s\n", machine->description);
	if (!hwloc_bitmap_isequal(machine->possible, machine->online)) {
		autofree char *possible = cpulist_short(machine->possible);

		text = memory_append(text, "possible = %s\n", possible);
	}
	return text;
}

static struct error *check_lines(const char *text, const struct machine *machine)
{
	for (const char *at = text, *end; *at; at = *end ? end + 1 : end) {
		end = strchrnul(at, '\n');
		if (end - at > INI_LINE_LIMIT && *at != '#')
			return error_at(ERR_INPUT, machine->source, 0,
					"a machine file cannot describe it: '%.40s...' would be "
					"%td bytes, and a line holds at most %d",
					at, end - at, INI_LINE_LIMIT);
	}
	return NULL;
}

struct error *machine_file_text(const struct machine *machine, char **out)
{
	char *text = add_head(memory_string(""), machine);
	struct machine *again = NULL;
	struct error *error;

	for (size_t i = 0; i < ARRAY_SIZE(levels); i++)
		text = add_level(text, machine, levels[i].section, levels[i].level);
	text = add_kinds(text, machine);
	text = add_distances(text, machine);
	text = add_entries(text, machine);
	error = check_lines(text, machine);
	/* what a file refuses (a core in two LLCs) is told now, not by who reads it */
	if (!error)
		error = machine_read_text(machine->source, text, strlen(text), &again);
	if (error) {
		free(text);
		return error;
	}
	machine_close(again);
	*out = text;
	return NULL;
}
