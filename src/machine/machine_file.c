// SPDX-License-Identifier: GPL-2.0-only
/* machine_file.c - a machine file to a machine: docs/machine-files.md */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "machine/build.h"
#include "machine/description.h"

/* path of @name as seen from the folder of @file */
static char *beside(const char *file, const char *name)
{
	const char *slash = strrchr(file, '/');

	if (*name == '/' || !slash)
		return memory_string(name);
	return memory_format("%.*s/%s", (int)(slash - file), file, name);
}

/* keys that only make sense with a synthetic string */
static struct error *check_synthetic_keys(const struct description *description)
{
	static const char *const keys[] = { "numbering", "node-ids" };

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const struct machine_entry *entry =
			description_find(description, "topology", keys[i]);

		if (entry)
			return error_at(ERR_INPUT, description->file, entry->line,
					"%s needs 'synthetic'", keys[i]);
	}
	return NULL;
}

static struct error *read_shape(const struct description *description, struct machine *machine)
{
	const struct machine_entry *xml = description_find(description, "topology", "xml");
	const struct machine_entry *synthetic =
		description_find(description, "topology", "synthetic");
	struct error *error = NULL;

	if (xml && synthetic)
		return error_at(ERR_INPUT, description->file, synthetic->line,
				"synthetic cannot be combined with the xml of line %d", xml->line);
	if (!synthetic)
		error = check_synthetic_keys(description);
	if (!error && xml) {
		autofree char *path = beside(description->file, xml->value);

		error = description_error(description, xml,
					  topology_load_xml(path, &machine->topology));
	} else if (!error && synthetic) {
		error = description_synthetic(description, &machine->topology);
	}
	if (error)
		return error;
	if (machine->topology)
		topology_read(machine);
	if (synthetic)
		synthetic_forget_defaults(machine, synthetic->value);
	return description_layout(description, machine, !machine->topology);
}

static struct error *read_online(const struct description *description, struct machine *machine)
{
	const struct machine_entry *offline = description_find(description, "topology", "offline");
	const struct machine_entry *possible =
		description_find(description, "topology", "possible");
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	struct error *error = NULL;

	if (possible) {
		error = cpulist_parse(possible->value, set);
		if (!error && !hwloc_bitmap_isincluded(machine->online, set))
			error = error_new(ERR_INPUT, "possible leaves out CPUs of the topology");
		if (!error)
			hwloc_bitmap_copy(machine->possible, set);
		error = description_error(description, possible, error);
	}
	if (!error && offline) {
		error = cpulist_parse(offline->value, set);
		if (!error && !hwloc_bitmap_isincluded(set, machine->possible))
			error = error_new(ERR_INPUT, "offline has CPUs that are not possible");
		if (!error)
			hwloc_bitmap_andnot(machine->online, machine->online, set);
		error = description_error(description, offline, error);
	}
	hwloc_bitmap_free(set);
	hwloc_bitmap_copy(machine->cpuset, machine->online);
	hwloc_bitmap_copy(machine->affinity, machine->online);
	hwloc_bitmap_copy(machine->usable, machine->online);
	return error;
}

static int by_id(const void *a, const void *b)
{
	const struct machine_group *left = *(struct machine_group *const *)a;
	const struct machine_group *right = *(struct machine_group *const *)b;

	return left->id - right->id;
}

/* sizes of all groups of a level: one for all, or one each */
static struct error *read_sizes(const char *value, struct machine_group **groups, int n)
{
	int n_words, found = 0;
	char **words = text_split(value, ' ', &n_words);
	struct error *error = NULL;

	for (int i = 0; i < n_words && !error; i++) {
		uint64_t bytes;

		if (!*words[i])
			continue;
		error = text_size(words[i], &bytes);
		if (!error && found < n)
			groups[found]->bytes = bytes;
		found++;
	}
	text_split_free(words, n_words);
	if (!error && found == 1)
		for (int i = 1; i < n; i++)
			groups[i]->bytes = groups[0]->bytes;
	else if (!error && found != n)
		error = error_new(ERR_INPUT, "%d sizes for %d groups; accepted: one for all, or %d",
				  found, n, n);
	return error;
}

static struct error *read_level_sizes(const struct description *description,
				      struct machine *machine, const char *key,
				      enum machine_level level)
{
	const struct machine_entry *entry = description_find(description, "topology", key);
	int n = machine->n_groups[level];
	autofree struct machine_group **groups = memory_zeroed(n, sizeof(*groups));
	struct error *error;

	if (!entry)
		return NULL;
	if (!n)
		return error_at(ERR_INPUT, description->file, entry->line,
				"%s: the machine has no %s", key, machine_level_name(level));
	for (int i = 0; i < n; i++)
		groups[i] = &machine->groups[level][i];
	if (level == LEVEL_NODE)
		qsort(groups, n, sizeof(struct machine_group *), by_id);
	error = read_sizes(entry->value, groups, n);
	return description_error(description, entry, error_prefix(error, "%s", key));
}

static bool is_ours(const char *section)
{
	static const char *const ours[] = { "topology", "packages", "nodes", "llcs",
					    "clusters", "cores",    "kinds", "distances" };

	for (size_t i = 0; i < ARRAY_SIZE(ours); i++)
		if (!strcmp(section, ours[i]))
			return true;
	return false;
}

/* hands over what the simulator reads */
static void keep_entries(const struct description *description, struct machine *machine)
{
	for (int i = 0; i < description->n_entries; i++) {
		const struct machine_entry *entry = &description->entries[i];
		struct machine_entry *kept;

		if (is_ours(entry->section))
			continue;
		kept = array_append(machine->entries, machine->n_entries);
		kept->section = memory_string(entry->section);
		kept->key = memory_string(entry->key);
		kept->value = memory_string(entry->value);
		kept->line = entry->line;
	}
}

static struct error *build(const struct description *description, struct machine *machine)
{
	const struct machine_entry *text = description_find(description, "topology", "description");
	struct error *error = read_shape(description, machine);

	if (text)
		machine->description = memory_string(text->value);
	if (!error)
		error = description_kinds(description, machine);
	if (!error)
		error = description_check_nesting(description, machine);
	if (!error)
		error = read_online(description, machine);
	if (!error)
		error = machine_index(machine);
	if (!error)
		error = read_level_sizes(description, machine, "memory", LEVEL_NODE);
	if (!error)
		error = read_level_sizes(description, machine, "llc-size", LEVEL_LLC);
	if (!error)
		error = description_distances(description, machine);
	return description_error(description, NULL, error);
}

struct error *machine_read_file(const char *path, struct machine **out)
{
	autofree char *text = NULL;
	size_t length;
	struct error *error = file_read(path, &text, &length);

	return error ? error : machine_read_text(path, text, length, out);
}

struct error *machine_read_text(const char *path, const char *text, size_t length,
				struct machine **out)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	const char *dot = strrchr(base, '.');
	autofree char *name = memory_string_n(base, dot ? (size_t)(dot - base) : strlen(base));
	struct machine *machine = machine_new(name, path);
	struct description description;
	struct error *error = description_read(path, text, length, &description);

	if (!error) {
		error = build(&description, machine);
		if (!error)
			keep_entries(&description, machine);
		description_clear(&description);
	}
	if (error) {
		machine_close(machine);
		return error;
	}
	*out = machine;
	return NULL;
}
