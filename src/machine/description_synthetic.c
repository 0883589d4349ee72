// SPDX-License-Identifier: GPL-2.0-only
/*
 * description_synthetic.c - CPU and node numbers of a synthetic machine
 *
 * hwloc numbers synthetic objects itself or by lists in the string ("pu:2(indexes=0,4,1,5)"). The
 * keys `numbering` and `node-ids` are turned into such lists, so that hwloc's own drawings and
 * exports show the numbers too.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "machine/build.h"
#include "machine/description.h"

/* does the last level of the string have attributes of its own */
static bool ends_with_attributes(const char *synthetic)
{
	size_t length = strlen(synthetic);

	return length && synthetic[length - 1] == ')';
}

/* The number of each CPU in hwloc's order: the first threads of all cores, then the second ... */
static char *threads_last(hwloc_topology_t topology)
{
	int n = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
	autofree int *ids = memory_zeroed(n, sizeof(*ids));
	char *list, *at;
	int next = 0;

	for (unsigned thread = 0; next < n; thread++) {
		for (int i = 0; i < n; i++) {
			hwloc_obj_t pu = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PU, i);
			bool alone = !pu->parent || pu->parent->type != HWLOC_OBJ_CORE;

			if ((alone ? 0 : pu->sibling_rank) == thread)
				ids[i] = next++;
		}
	}
	list = at = memory_zeroed(n, sizeof("2147483647,"));
	for (int i = 0; i < n; i++)
		at += sprintf(at, "%s%d", i ? "," : "", ids[i]);
	return list;
}

static struct error *add_numbering(const struct description *description,
				   const struct machine_entry *entry, hwloc_topology_t topology,
				   char **synthetic)
{
	autofree char *list = NULL;
	autofree char *before = *synthetic;

	*synthetic = NULL;
	if (!strcmp(entry->value, "threads-adjacent")) {
		*synthetic = memory_string(before);
		return NULL;
	}
	if (strcmp(entry->value, "threads-last"))
		return error_at(ERR_INPUT, description->file, entry->line,
				"numbering is '%s'; accepted: threads-adjacent, threads-last",
				entry->value);
	if (ends_with_attributes(before))
		return error_at(ERR_INPUT, description->file, entry->line,
				"numbering cannot be combined with attributes of the last level of "
				"'synthetic'");
	list = threads_last(topology);
	*synthetic = memory_format("%s(indexes=%s)", before, list);
	return NULL;
}

/* "0 1 3 2" to "0,1,3,2", each an integer and given once */
static struct error *read_ids(const char *value, char **out)
{
	int n;
	char **words = text_split(value, ' ', &n);
	char *list = memory_string("");
	hwloc_bitmap_t seen = hwloc_bitmap_alloc();
	struct error *error = NULL;

	for (int i = 0; i < n && !error; i++) {
		int64_t id;

		if (!*words[i])
			continue;
		error = text_integer(words[i], 0, 65535, &id);
		if (!error && hwloc_bitmap_isset(seen, id))
			error = error_new(ERR_INPUT, "%s is given twice", words[i]);
		if (error)
			break;
		hwloc_bitmap_set(seen, id);
		list = memory_append(list, "%s%d", *list ? "," : "", (int)id);
	}
	hwloc_bitmap_free(seen);
	text_split_free(words, n);
	if (error) {
		free(list);
		return error;
	}
	*out = list;
	return NULL;
}

/* the end of "numa:2", "[numa" or "NUMANode:2" in the string: where attributes go; or NULL */
static const char *node_level_end(const char *synthetic)
{
	const char *at = strcasestr(synthetic, "numa");

	while (at && (isalnum((unsigned char)*at) || *at == ':'))
		at++;
	return at;
}

static struct error *add_node_ids(const struct description *description,
				  const struct machine_entry *entry, char **synthetic)
{
	autofree char *ids = NULL;
	autofree char *before = *synthetic;
	const char *end = node_level_end(before);
	struct error *error = read_ids(entry->value, &ids);

	*synthetic = NULL;
	if (error)
		return description_error(description, entry, error_prefix(error, "node-ids"));
	if (!end)
		return error_at(ERR_INPUT, description->file, entry->line,
				"node-ids needs a numa level in 'synthetic'");
	if (*end == '(')
		*synthetic = memory_format("%.*s(indexes=%s %s", (int)(end - before), before, ids,
					   end + 1);
	else
		*synthetic =
			memory_format("%.*s(indexes=%s)%s", (int)(end - before), before, ids, end);
	return NULL;
}

/* hwloc falls back to its own numbers when a list does not fit */
static struct error *check_node_ids(const struct description *description,
				    const struct machine_entry *entry, hwloc_topology_t topology)
{
	int n = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE), n_words, n_ids = 0;
	char **words = text_split(entry->value, ' ', &n_words);

	for (int i = 0; i < n_words; i++)
		n_ids += *words[i] != '\0';
	text_split_free(words, n_words);
	if (n_ids == n)
		return NULL;
	return error_at(ERR_INPUT, description->file, entry->line,
			"node-ids has %d numbers; 'synthetic' has %d nodes", n_ids, n);
}

struct error *description_synthetic(const struct description *description, hwloc_topology_t *out)
{
	const struct machine_entry *shape = description_find(description, "topology", "synthetic");
	const struct machine_entry *numbering =
		description_find(description, "topology", "numbering");
	const struct machine_entry *ids = description_find(description, "topology", "node-ids");
	char *synthetic = memory_string(shape->value);
	hwloc_topology_t plain;
	struct error *error;

	error = topology_load_synthetic(synthetic, description->file, shape->line, &plain);
	if (!error && !numbering && !ids) {
		*out = plain;
	} else if (!error) {
		if (numbering)
			error = add_numbering(description, numbering, plain, &synthetic);
		if (!error && ids)
			error = check_node_ids(description, ids, plain);
		if (!error && ids)
			error = add_node_ids(description, ids, &synthetic);
		hwloc_topology_destroy(plain);
		if (!error)
			error = topology_load_synthetic(synthetic, description->file, shape->line,
							out);
	}
	free(synthetic);
	return error;
}
