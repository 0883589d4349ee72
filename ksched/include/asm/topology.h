/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KSCHED_ASM_TOPOLOGY_H
#define KSCHED_ASM_TOPOLOGY_H

/* Masks and distances of the machine that the host described, made by glue/topology.c. */
#ifndef __ASSEMBLY__
#include <linux/cpumask.h>

struct ks_topology_cpu {
	int core_id, cluster_id, package_id, node;
	unsigned long capacity;
	struct cpumask smt, cluster, llc;
};

extern struct ks_topology_cpu *ks_topology;
extern struct cpumask *ks_node_mask;

int ks_node_distance(int a, int b);
unsigned long ks_freq_capacity(int cpu);

#define topology_physical_package_id(cpu) (ks_topology[cpu].package_id)
#define topology_core_id(cpu)		  (ks_topology[cpu].core_id)
#define topology_cluster_id(cpu)	  (ks_topology[cpu].cluster_id)
#define topology_sibling_cpumask(cpu)	  (&ks_topology[cpu].smt)
#define topology_core_cpumask(cpu)	  (&ks_topology[cpu].llc)
#define topology_cluster_cpumask(cpu)	  (&ks_topology[cpu].cluster)

static inline const struct cpumask *cpu_coregroup_mask(int cpu)
{
	return &ks_topology[cpu].llc;
}

static inline const struct cpumask *cpu_clustergroup_mask(int cpu)
{
	return &ks_topology[cpu].cluster;
}

#define cpu_to_node(cpu)       (ks_topology[cpu].node)
#define early_cpu_to_node(cpu) cpu_to_node(cpu)
#define cpumask_of_node(n)     ((const struct cpumask *)&ks_node_mask[n])
#define node_distance(a, b)    ks_node_distance(a, b)
#define cpumask_of_pcibus(bus) cpu_all_mask

#define arch_scale_cpu_capacity(cpu)  (ks_topology[cpu].capacity)
#define arch_scale_freq_capacity(cpu) ks_freq_capacity(cpu)
#define arch_scale_freq_tick()                                                                     \
	do {                                                                                       \
	} while (0)
#endif

#include <asm-generic/topology.h>

#endif
