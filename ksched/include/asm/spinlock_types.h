/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KSCHED_ASM_SPINLOCK_TYPES_H
#define KSCHED_ASM_SPINLOCK_TYPES_H

typedef struct {
	unsigned int locked;
} arch_spinlock_t;

#define __ARCH_SPIN_LOCK_UNLOCKED                                                                  \
	{                                                                                          \
		0                                                                                  \
	}

typedef struct {
	int count; /* -1: a writer, else readers */
} arch_rwlock_t;

#define __ARCH_RW_LOCK_UNLOCKED                                                                    \
	{                                                                                          \
		0                                                                                  \
	}

#endif
