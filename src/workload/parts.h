/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * parts.h - the parts of a machine that instances of a workload sit on, and the cache they have
 */
#ifndef FT_WORKLOAD_PARTS_H
#define FT_WORKLOAD_PARTS_H

#include "machine/machine.h"

enum part_kind {
	PART_MACHINE,
	PART_NODE,
	PART_LLC,
	PART_CPU,
};

struct part {
	int *cpus; /* ids: first threads of all cores by rising id, then second threads, and so on */
	int n_cpus;
	/*
	 * Bytes of last-level caches: of each its share by CPUs, where others of the case's CPUs lie
	 * outside of the part. 0: the machine does not tell it for all of the CPUs.
	 */
	uint64_t cache;
};

/*
 * parts_of - the parts that have some of @cpus, by rising lowest CPU; CPUs that are in no node or LLC
 * make up one more
 * @out: an array, freed with parts_free()
 */
int parts_of(const struct machine *machine, hwloc_const_bitmap_t cpus, enum part_kind kind,
	     struct part **out);
void parts_free(struct part *parts, int n);

#endif
