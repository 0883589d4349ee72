/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * build.h - private to the machine room: the steps from a source to a struct machine
 *
 * A machine is built in this order: a topology is loaded, topology_read() takes sets, groups and
 * kinds from it, a machine file may replace some, machine_index() points the CPUs into the groups,
 * and the distances come last because they go by the groups' order.
 */
#ifndef FT_MACHINE_BUILD_H
#define FT_MACHINE_BUILD_H

#include "machine/machine.h"

/* machine_new - an empty machine; @name and @source are copied */
struct machine *machine_new(const char *name, const char *source);

/*
 * topology_load_xml, _synthetic, _live - an hwloc topology with the CPUs that this process may not
 * use; it belongs to the caller. hwloc's own messages are kept off stderr.
 * @file, @line: where a synthetic string stands, for the message; NULL, 0 for the command line
 */
struct error *topology_load_xml(const char *path, hwloc_topology_t *out);
struct error *topology_load_synthetic(const char *text, const char *file, int line,
				      hwloc_topology_t *out);
struct error *topology_load_live(const char *root, hwloc_topology_t *out);

/* topology_read - CPU sets, groups and kinds of @machine from its topology */
void topology_read(struct machine *machine);

/* synthetic_forget_defaults - hwloc makes up cache and memory sizes that a synthetic string does not
 * tell; they are unknown */
void synthetic_forget_defaults(struct machine *machine, const char *synthetic);

/*
 * topology_read_distances - the table of NUMA distances that came with the topology, if there is one
 * for all nodes. After machine_index(). Errors: those of distances_check().
 */
struct error *topology_read_distances(struct machine *machine);

/* machine_add_group - @cpus is copied; the group is appended, machine_index() puts it in its place */
void machine_add_group(struct machine *machine, enum machine_level level, int id,
		       hwloc_const_bitmap_t cpus, uint64_t bytes);

/* machine_clear_groups, machine_clear_kinds - drops what the topology told of it */
void machine_clear_groups(struct machine *machine, enum machine_level level);
void machine_clear_kinds(struct machine *machine);

/*
 * machine_index - reduces groups to the online CPUs, drops empty ones (not nodes), sorts them, and
 * fills machine.cpus. Errors: ERR_INPUT when no CPU is online.
 */
struct error *machine_index(struct machine *machine);

/*
 * distances_check - an n x n table: no value is 0 or above 255, and the diagonal is the smallest of
 * its row. @what names it in the message.
 */
struct error *distances_check(const unsigned *table, const struct machine *machine,
			      const char *what);

/* machine_read_file - reads a machine file into a new machine */
struct error *machine_read_file(const char *path, struct machine **out);

/* machine_read_text - the same of @length bytes of @text, as if they were the file at @path */
struct error *machine_read_text(const char *path, const char *text, size_t length,
				struct machine **out);

/* machine_nodes_by_number - the indexes of the nodes by rising number, the order of a table's rows and
 * columns; freed by the caller */
int *machine_nodes_by_number(const struct machine *machine);

/* machine_level_cpus - a new set of all CPUs in @machine's groups of a level */
hwloc_bitmap_t machine_level_cpus(const struct machine *machine, enum machine_level level);

#endif
