/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KSCHED_ASM_SPINLOCK_H
#define KSCHED_ASM_SPINLOCK_H

#include <asm/processor.h>
#include <asm/spinlock_types.h>

/*
 * A lock is only found taken where its holder pauses in a loop of cpu_relax(); then the
 * waiter pauses too.
 */
#define arch_spin_is_locked(l)	    ((l)->locked != 0)
#define arch_spin_is_contended(l)   (0)
#define arch_spin_value_unlocked(l) ((l).locked == 0)

static __always_inline void arch_spin_lock(arch_spinlock_t *l)
{
	while (l->locked)
		cpu_relax();
	l->locked = 1;
}

static __always_inline int arch_spin_trylock(arch_spinlock_t *l)
{
	if (l->locked)
		return 0;
	l->locked = 1;
	return 1;
}

static __always_inline void arch_spin_unlock(arch_spinlock_t *l)
{
	barrier();
	l->locked = 0;
}

static __always_inline void arch_read_lock(arch_rwlock_t *l)
{
	while (l->count < 0)
		cpu_relax();
	l->count++;
}

static __always_inline int arch_read_trylock(arch_rwlock_t *l)
{
	if (l->count < 0)
		return 0;
	l->count++;
	return 1;
}

static __always_inline void arch_read_unlock(arch_rwlock_t *l)
{
	l->count--;
}

static __always_inline void arch_write_lock(arch_rwlock_t *l)
{
	while (l->count)
		cpu_relax();
	l->count = -1;
}

static __always_inline int arch_write_trylock(arch_rwlock_t *l)
{
	if (l->count)
		return 0;
	l->count = -1;
	return 1;
}

static __always_inline void arch_write_unlock(arch_rwlock_t *l)
{
	l->count = 0;
}

#endif
