// SPDX-License-Identifier: GPL-2.0-only
#include "machine/description.h"

#include <stdlib.h>
#include <string.h>

#include "base/ini.h"
#include "base/memory.h"
#include "base/text.h"

static const char *const topology_keys[] = {
	"description", "xml",	    "synthetic", "numbering", "node-ids", "memory",
	"llc-size",    "distances", "offline",	 "possible",  NULL,
};

/* ours, and those of the simulator (sim/model.c), whose keys are its own business */
static const char *const sections[] = {
	"topology",  "packages", "nodes", "llcs",  "clusters", "cores", "kinds",
	"distances", "speed",	 "cost",  "noise", "kernel",   NULL,
};

static bool is_one_of(const char *word, const char *const *words)
{
	for (; *words; words++)
		if (!strcmp(word, *words))
			return true;
	return false;
}

static struct error *check_section(const struct description *description, int line,
				   const char *section)
{
	const char *nearest = text_nearest(section, sections);

	if (!nearest || is_one_of(section, sections))
		return NULL;
	return error_at(ERR_INPUT, description->file, line,
			"unknown section [%s]; did you mean [%s]?", section, nearest);
}

static struct error *check_key(const struct description *description, int line, const char *key)
{
	const char *nearest = text_nearest(key, topology_keys);

	if (is_one_of(key, topology_keys))
		return NULL;
	if (nearest)
		return error_at(ERR_INPUT, description->file, line,
				"unknown key '%s' in [topology]; did you mean '%s'?", key, nearest);
	return error_at(ERR_INPUT, description->file, line,
			"unknown key '%s' in [topology]; accepted: description, xml, synthetic, "
			"numbering, node-ids, memory, llc-size, distances, offline, possible",
			key);
}

static struct error *add_entry(void *data, int line, const char *section, const char *key,
			       const char *value)
{
	struct description *description = data;
	struct machine_entry *entry;
	struct error *error;

	if (!key)
		return check_section(description, line, section);
	if (!strcmp(section, "topology")) {
		error = check_key(description, line, key);
		if (error)
			return error;
	}
	entry = array_append(description->entries, description->n_entries);
	entry->section = memory_string(section);
	entry->key = memory_string(key);
	entry->value = memory_string(value);
	entry->line = line;
	return NULL;
}

static int compare_entries(const void *a, const void *b)
{
	const struct machine_entry *left = *(const struct machine_entry *const *)a;
	const struct machine_entry *right = *(const struct machine_entry *const *)b;
	int order = strcmp(left->section, right->section);

	if (!order)
		order = strcmp(left->key, right->key);
	return order ? order : left->line - right->line;
}

static struct error *check_twice(const struct description *description)
{
	int n = description->n_entries;
	autofree const struct machine_entry **sorted = memory_zeroed(n, sizeof(*sorted));

	for (int i = 0; i < n; i++)
		sorted[i] = &description->entries[i];
	if (n)
		qsort(sorted, n, sizeof(*sorted), compare_entries);
	for (int i = 1; i < n; i++)
		if (!strcmp(sorted[i]->section, sorted[i - 1]->section) &&
		    !strcmp(sorted[i]->key, sorted[i - 1]->key))
			return error_at(ERR_INPUT, description->file, sorted[i]->line,
					"'%s' of [%s] is given twice, first in line %d",
					sorted[i]->key, sorted[i]->section, sorted[i - 1]->line);
	return NULL;
}

struct error *description_read(const char *file, const char *text, size_t length,
			       struct description *out)
{
	struct description description = { .file = file };
	struct error *error = ini_read(file, text, length, add_entry, &description);

	if (!error)
		error = check_twice(&description);
	if (error) {
		description_clear(&description);
		return error;
	}
	*out = description;
	return NULL;
}

void description_clear(struct description *description)
{
	for (int i = 0; i < description->n_entries; i++) {
		free(description->entries[i].section);
		free(description->entries[i].key);
		free(description->entries[i].value);
	}
	free(description->entries);
	description->entries = NULL;
	description->n_entries = 0;
}

const struct machine_entry *description_find(const struct description *description,
					     const char *section, const char *key)
{
	for (int i = 0; i < description->n_entries; i++)
		if (!strcmp(description->entries[i].section, section) &&
		    !strcmp(description->entries[i].key, key))
			return &description->entries[i];
	return NULL;
}

const struct machine_entry *description_next(const struct description *description,
					     const char *section,
					     const struct machine_entry *previous)
{
	int i = previous ? (int)(previous - description->entries) + 1 : 0;

	for (; i < description->n_entries; i++)
		if (!strcmp(description->entries[i].section, section))
			return &description->entries[i];
	return NULL;
}

struct error *description_error(const struct description *description,
				const struct machine_entry *entry, struct error *error)
{
	if (error && !error->file) {
		error->file = memory_string(description->file);
		error->line = entry ? entry->line : 0;
	}
	return error;
}
