/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * shape.h - a machine of the machine room as the simulated kernel gets it
 *
 * The simulated kernel numbers CPUs from 0 without holes, by rising id; the machine's own ids are
 * kept for everything the user sees. Nodes without online CPUs are left out, because a simulated
 * task's memory is where its CPUs are.
 */
#ifndef FT_SIM_SHAPE_H
#define FT_SIM_SHAPE_H

#include "machine/machine.h"
#include "ksched/ksched.h"
#include "sim/model.h"

struct shape {
	struct ksched_machine kernel; /* what boot() gets; points into this structure */
	struct ksched_cpu_desc *cpus;
	int *distance;
	int *cpu_id; /* [nr_cpus]: the machine's id of a simulated CPU */
};

/*
 * shape_new - translates
 * @max_cpus, @max_nodes: what the kernel was built for
 *
 * Errors: ERR_INPUT: no CPUs, more CPUs or nodes than the build allows, a distance table that is
 * not symmetric, a diagonal that is not 10 or a remote distance below it, each with the nodes'
 * names.
 */
struct error *shape_new(const struct machine *machine, const struct sim_model *model, int max_cpus,
			int max_nodes, struct shape **out);
void shape_free(struct shape *shape);

/* shape_cpu - the simulated CPU of a machine's id, -1 if it is not online */
int shape_cpu(const struct shape *shape, int id);

/* shape_mask - a set of ids as a CPU mask of ksched.h; @mask has (nr_cpus + 63) / 64 words */
void shape_mask(const struct shape *shape, hwloc_const_bitmap_t cpus, uint64_t *mask);

/* shape_set - the reverse: the machine's ids of a mask; @cpus is overwritten */
void shape_set(const struct shape *shape, const uint64_t *mask, hwloc_bitmap_t cpus);

#endif
