/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * distances.h - which nodes are close to each other, and where the table is not symmetric
 */
#ifndef FT_MACHINE_DISTANCES_H
#define FT_MACHINE_DISTANCES_H

#include "machine/machine.h"

/* One way to divide the nodes into groups that are closer inside than to each other. */
struct distance_grouping {
	int n_groups;	  /* at least 2, fewer than nodes */
	int *group;	  /* of each node by index, from 0, by rising lowest node */
	unsigned longest; /* the longest distance inside a group */
};

/*
 * distances_groups - the divisions that the table shows, finest first
 *
 * Single linkage: two nodes are in a group if steps of at most some distance, in both directions,
 * lead from one to the other; each distance of the table that gives another division is one.
 * Returns their number, 0 without a table; freed with distances_groups_free().
 */
int distances_groups(const struct machine *machine, struct distance_grouping **out);
void distances_groups_free(struct distance_grouping *groupings, int n);

/* distances_asymmetric - the first pair of nodes, by index, whose two directions differ */
bool distances_asymmetric(const struct machine *machine, int *from, int *to);

#endif
