/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KSCHED_ASM_IRQ_WORK_H
#define KSCHED_ASM_IRQ_WORK_H

static inline bool arch_irq_work_has_interrupt(void)
{
	return true;
}

void arch_irq_work_raise(void);

#endif
