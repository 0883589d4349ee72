/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * description.h - private to the machine room: a machine file as text, before it is a machine
 *
 * The file is read whole into entries in their order; keys given twice and sections whose name is
 * nearly that of one of ours are refused. What the shape needs is then taken by section and key.
 */
#ifndef FT_MACHINE_DESCRIPTION_H
#define FT_MACHINE_DESCRIPTION_H

#include "machine/machine.h"

struct description {
	const char *file;
	struct machine_entry *entries;
	int n_entries;
};

/* description_read - @file is kept, for messages. Errors: of ini_read(); ERR_INPUT with the line */
struct error *description_read(const char *file, const char *text, size_t length,
			       struct description *out);
void description_clear(struct description *description);

/* description_find - the entry, or NULL */
const struct machine_entry *description_find(const struct description *description,
					     const char *section, const char *key);

/* description_next - the entry of @section after @previous (NULL: the first), or NULL */
const struct machine_entry *description_next(const struct description *description,
					     const char *section,
					     const struct machine_entry *previous);

/* description_error - makes an error point at an entry; NULL stays NULL */
struct error *description_error(const struct description *description,
				const struct machine_entry *entry, struct error *error);

/* description_layout - the sections of CPU lists, onto the machine that the shape made. If @alone,
 * they are the shape: the CPUs are those that they name. */
struct error *description_layout(const struct description *description, struct machine *machine,
				 bool alone);

/* description_check_nesting - cores within clusters, LLCs, nodes and packages; errors with the line of the
 * inner group, or of the outer one where the inner comes from XML or a synthetic string */
struct error *description_check_nesting(const struct description *description,
					const struct machine *machine);

/* description_kinds, description_distances - the latter after machine_index() */
struct error *description_kinds(const struct description *description, struct machine *machine);
struct error *description_distances(const struct description *description, struct machine *machine);

/* description_synthetic - the topology of `synthetic`, `numbering` and `node-ids` */
struct error *description_synthetic(const struct description *description, hwloc_topology_t *out);

#endif
