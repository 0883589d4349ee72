// SPDX-License-Identifier: GPL-2.0-only
/*
 * cpumask.c - which CPUs and nodes there are: the variables of kernel/cpu.c and mm/page_alloc.c
 */
#include "ks.h"

#include <linux/cpumask.h>
#include <linux/nodemask.h>
#include <linux/topology.h>

struct cpumask __cpu_possible_mask, __cpu_online_mask, __cpu_present_mask, __cpu_active_mask,
	__cpu_dying_mask, __cpu_enabled_mask;
atomic_t __num_online_cpus;
unsigned int __num_possible_cpus; /* 7.0: a variable, before the weight of the mask */
unsigned int nr_node_ids = 1;
unsigned int nr_online_nodes = 1;
nodemask_t node_states[NR_NODE_STATES];
int node_reclaim_distance = RECLAIM_DISTANCE;
DEFINE_PER_CPU(int, numa_node);
unsigned long __per_cpu_offset[NR_CPUS];

const unsigned long cpu_all_bits[BITS_TO_LONGS(NR_CPUS)] = {
	[0 ... BITS_TO_LONGS(NR_CPUS) - 1] = ~0UL,
};

/* Row 1 + n % 64 has bit n % 64 in its word 0; cpumask_of(n) points so far before it that this is word
 * n / 64. Filled by ks_boot_cpu_masks(). */
unsigned long ks_bit_rows[BITS_PER_LONG + 1][BITS_TO_LONGS(NR_CPUS)] __asm__("cpu_bit_bitmap");

void ks_boot_cpu_masks(const struct ksched_machine *m)
{
	int i;

	for (i = 0; i < BITS_PER_LONG; i++)
		ks_bit_rows[i + 1][0] = 1UL << i;
	for (i = 0; i < m->nr_cpus; i++) {
		cpumask_set_cpu(i, &__cpu_possible_mask);
		cpumask_set_cpu(i, &__cpu_present_mask);
		cpumask_set_cpu(i, &__cpu_enabled_mask);
		per_cpu(numa_node, i) = m->cpu[i].node;
	}
	__num_possible_cpus = m->nr_cpus;
	setup_nr_cpu_ids();
	nr_node_ids = nr_online_nodes = m->nr_nodes;
	set_cpu_online(0, true);
	cpumask_set_cpu(0, &__cpu_active_mask);
}

/* As in kernel/cpu.c, which is not built. */
void set_cpu_online(unsigned int cpu, bool online)
{
	if (online && !cpumask_test_and_set_cpu(cpu, &__cpu_online_mask))
		atomic_inc(&__num_online_cpus);
	else if (!online && cpumask_test_and_clear_cpu(cpu, &__cpu_online_mask))
		atomic_dec(&__num_online_cpus);
}
