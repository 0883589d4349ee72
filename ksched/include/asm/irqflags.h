/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KSCHED_ASM_IRQFLAGS_H
#define KSCHED_ASM_IRQFLAGS_H

/*
 * The interrupt flag of the simulated CPU that runs. A coroutine that pauses keeps it on its stack,
 * so it need not be per CPU.
 */
#define ARCH_IRQ_DISABLED 1UL
#define ARCH_IRQ_ENABLED  0UL

#ifndef __ASSEMBLY__
extern unsigned long ks_irqs_off;

static __always_inline unsigned long arch_local_save_flags(void)
{
	return ks_irqs_off;
}

static __always_inline void arch_local_irq_restore(unsigned long flags)
{
	ks_irqs_off = flags;
}

static __always_inline void arch_local_irq_enable(void)
{
	ks_irqs_off = ARCH_IRQ_ENABLED;
}

static __always_inline void arch_local_irq_disable(void)
{
	ks_irqs_off = ARCH_IRQ_DISABLED;
}

static __always_inline unsigned long arch_local_irq_save(void)
{
	unsigned long flags = ks_irqs_off;

	ks_irqs_off = ARCH_IRQ_DISABLED;
	return flags;
}

static __always_inline int arch_irqs_disabled_flags(unsigned long flags)
{
	return flags != ARCH_IRQ_ENABLED;
}

static __always_inline int arch_irqs_disabled(void)
{
	return ks_irqs_off != ARCH_IRQ_ENABLED;
}
#endif

#endif
