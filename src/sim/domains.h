/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * domains.h - the sched domains that a kernel builds on a machine
 */
#ifndef FT_SIM_DOMAINS_H
#define FT_SIM_DOMAINS_H

#include "base/json.h"
#include "sim/sim.h"

/* Domains of one level that are alike in all but their CPUs. */
struct domain_kind {
	int level;	 /* 0 is the lowest that exists for a CPU */
	char *name;	 /* SMT, CLS, MC, PKG, NUMA, NODE; "" where the tree has no names */
	char *flags;	 /* names of the set SD_ flags */
	int n_cpus;	 /* in each span */
	int n_groups;	 /* in each domain */
	int imb_numa_nr; /* -1 where the tree has no such thing */
	unsigned int imbalance_pct;
	hwloc_bitmap_t *spans; /* the different spans, by the CPU that was met first */
	int n_spans;
};

/* domains_read - by rising level; freed with domains_free() */
void domains_read(struct sim *sim, struct domain_kind **out, int *n);
void domains_free(struct domain_kind *kinds, int n);

/* domains_json - an array, a kind an object, with all its spans as CPU lists */
json_t *domains_json(const struct domain_kind *kinds, int n);

#endif
