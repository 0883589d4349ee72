/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KSCHED_ASM_SMP_H
#define KSCHED_ASM_SMP_H

#include <linux/cpumask.h>

extern int ks_this_cpu;

#define raw_smp_processor_id()	(ks_this_cpu)
#define hard_smp_processor_id() (ks_this_cpu)

void arch_smp_send_reschedule(int cpu);
void smp_send_reschedule(int cpu); /* trees before 6.4 have no arch_ prefix */
void arch_send_call_function_single_ipi(int cpu);
void arch_send_call_function_ipi_mask(const struct cpumask *mask);

#endif
