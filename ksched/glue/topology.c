// SPDX-License-Identifier: GPL-2.0-only
/*
 * topology.c - the machine that the host described, as an architecture tells it to the scheduler
 *
 * Only masks and distances are given; the domains, groups and flags are the kernel's own doing.
 */
#include "ks.h"

#include <linux/nodemask.h>

struct ks_topology_cpu *ks_topology;
struct cpumask *ks_node_mask;

static int *distance;
static int nr_nodes;
static unsigned char *polls;
static int *cpu_prio;
static unsigned int asym_levels;
static int numa_in_package;

int ks_node_distance(int a, int b)
{
	return distance[a * nr_nodes + b];
}

unsigned long ks_freq_capacity(int cpu)
{
	return ks_cpus[cpu].freq_scale;
}

int ks_machine_polls(int cpu)
{
	return polls[cpu];
}

/* Weak in the kernel: asks the architecture which of two CPUs to prefer. */
int arch_asym_cpu_priority(int cpu)
{
	return cpu_prio[cpu];
}

static const char *check(const struct ksched_machine *m)
{
	int i, j, d;

	if (m->nr_cpus < 1 || m->nr_cpus > NR_CPUS)
		return "number of CPUs out of range";
	if (m->nr_nodes < 1 || m->nr_nodes > MAX_NUMNODES)
		return "number of NUMA nodes out of range";
	for (i = 0; i < m->nr_nodes; i++)
		for (j = 0; j < m->nr_nodes; j++) {
			d = m->distance[i * m->nr_nodes + j];
			if (i == j ? d != LOCAL_DISTANCE : d <= LOCAL_DISTANCE || d > 255)
				return "node distance: 10 to itself, 11 to 255 to others";
			if (d != m->distance[j * m->nr_nodes + i])
				return "node distances are not symmetric";
		}
	for (i = 0; i < m->nr_cpus; i++) {
		const struct ksched_cpu_desc *c = &m->cpu[i];

		if (c->node < 0 || c->node >= m->nr_nodes)
			return "CPU of a node that does not exist";
		if (c->core < 0 || c->llc < 0 || c->package < 0)
			return "CPU without core, LLC or package";
		if (c->capacity < 1 || c->capacity > SCHED_CAPACITY_SCALE)
			return "CPU capacity: 1 to 1024";
	}
	return NULL;
}

/* CPUs that share a core share the rest, and so on upwards; the kernel relies on it. */
static const char *check_nesting(const struct ksched_machine *m)
{
	const struct ksched_cpu_desc *a, *b;
	int i, j;

	for (i = 0; i < m->nr_cpus; i++)
		for (j = 0; j < i; j++) {
			a = &m->cpu[i];
			b = &m->cpu[j];
			if (a->core == b->core &&
			    (a->llc != b->llc || a->node != b->node || a->cluster != b->cluster))
				return "a core lies in two clusters, LLCs or nodes";
			if (a->cluster >= 0 && a->cluster == b->cluster && a->llc != b->llc)
				return "a cluster lies in two LLCs";
			if (a->core == b->core && a->package != b->package)
				return "a core lies in two packages";
		}
	return NULL;
}

static void make_masks(const struct ksched_machine *m)
{
	int i, j;

	for (i = 0; i < m->nr_cpus; i++) {
		const struct ksched_cpu_desc *a = &m->cpu[i];
		struct ks_topology_cpu *t = &ks_topology[i];

		t->core_id = a->core;
		t->cluster_id = a->cluster;
		t->package_id = a->package;
		t->node = a->node;
		t->capacity = a->capacity;
		polls[i] = !!a->polling;
		cpu_prio[i] = a->prio;
		cpumask_set_cpu(i, &ks_node_mask[a->node]);
		for (j = 0; j < m->nr_cpus; j++) {
			const struct ksched_cpu_desc *b = &m->cpu[j];

			if (a->core == b->core)
				cpumask_set_cpu(j, &t->smt);
			if (a->cluster >= 0 ? a->cluster == b->cluster : a->core == b->core)
				cpumask_set_cpu(j, &t->cluster);
			/* A level must not leave its node: with two nodes on one LLC (sub-NUMA
			 * clustering) the architectures cut the LLC at the node. */
			if (a->llc == b->llc && a->node == b->node)
				cpumask_set_cpu(j, &t->llc);
		}
	}
}

const char *ks_topology_check(const struct ksched_machine *m)
{
	return check(m) ?: check_nesting(m);
}

const char *ks_topology_init(const struct ksched_machine *m)
{
	int i, cpus_in_node;

	nr_nodes = m->nr_nodes;
	ks_topology = kzalloc(m->nr_cpus * sizeof(*ks_topology), GFP_KERNEL);
	ks_node_mask = kzalloc(MAX_NUMNODES * sizeof(*ks_node_mask), GFP_KERNEL);
	distance = kzalloc(nr_nodes * nr_nodes * sizeof(*distance), GFP_KERNEL);
	polls = kzalloc(m->nr_cpus, GFP_KERNEL);
	cpu_prio = kzalloc(m->nr_cpus * sizeof(*cpu_prio), GFP_KERNEL);
	if (!ks_topology || !ks_node_mask || !distance || !polls || !cpu_prio)
		return "out of memory";
	memcpy(distance, m->distance, nr_nodes * nr_nodes * sizeof(*distance));
	make_masks(m);
	for (i = 0; i < nr_nodes; i++) {
		cpus_in_node = cpumask_weight(&ks_node_mask[i]);
		if (!cpus_in_node)
			return "a NUMA node has no CPU";
		node_set_state(i, N_POSSIBLE);
		node_set_state(i, N_ONLINE);
		node_set_state(i, N_CPU);
		node_set_state(i, N_MEMORY);
		node_set_state(i, N_NORMAL_MEMORY);
	}
	asym_levels = m->asym_levels;
	numa_in_package = m->numa_in_package;
	if (m->node_reclaim_distance)
		node_reclaim_distance = m->node_reclaim_distance;
	return NULL;
}

/* ---- levels other than the kernel's default ------------------------------------------------------ */

static int smt_flags(void)
{
	return cpu_smt_flags() | (asym_levels & KSCHED_ASYM_SMT ? SD_ASYM_PACKING : 0);
}

static int cluster_flags(void)
{
	return cpu_cluster_flags() | (asym_levels & KSCHED_ASYM_CLUSTER ? SD_ASYM_PACKING : 0);
}

static int core_flags(void)
{
	return cpu_core_flags() | (asym_levels & KSCHED_ASYM_MC ? SD_ASYM_PACKING : 0);
}

static int package_flags(void)
{
	return asym_levels & KSCHED_ASYM_PKG ? SD_ASYM_PACKING : 0;
}

static const struct cpumask *smt_mask(KS_LEVEL_MASK_ARGS)
{
	return cpu_smt_mask(cpu);
}

static const struct cpumask *cluster_mask(KS_LEVEL_MASK_ARGS)
{
	return cpu_clustergroup_mask(cpu);
}

static const struct cpumask *core_mask(KS_LEVEL_MASK_ARGS)
{
	return cpu_coregroup_mask(cpu);
}

static const struct cpumask *package_mask(KS_LEVEL_MASK_ARGS)
{
	return cpumask_of_node(cpu_to_node(cpu));
}

static struct sched_domain_topology_level levels[] = {
	{ .mask = smt_mask, .sd_flags = smt_flags, .name = "SMT" },
	{ .mask = cluster_mask, .sd_flags = cluster_flags, .name = "CLS" },
	{ .mask = core_mask, .sd_flags = core_flags, .name = "MC" },
	{ .mask = package_mask, .sd_flags = package_flags, .name = KS_PACKAGE_NAME },
	{},
};

/*
 * As x86 does: own flags where the machine prefers some CPUs, and no package level where a package has
 * several nodes. Otherwise the levels are the kernel's default.
 */
void ks_topology_levels(void)
{
	if (!asym_levels && !numa_in_package)
		return;
	if (numa_in_package)
		memset(&levels[3], 0, sizeof(levels[3]));
	set_sched_topology(levels);
}
