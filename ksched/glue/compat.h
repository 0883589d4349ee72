/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * compat.h - every difference between kernel versions that the glue knows, and why
 *
 * Rules: look at what the tree has (a macro, a weak symbol, a header), not at version numbers, because
 * stable trees take changes back and forth. Each entry names the version where it first appeared.
 */
#ifndef KSCHED_GLUE_COMPAT_H
#define KSCHED_GLUE_COMPAT_H

#include <linux/version.h>

/* 7.3: the CPU's hrtimer base is declared in a header of its own, which hrtimer.h no longer includes. */
#if __has_include(<linux/hrtimer_bases.h>)
#include <linux/hrtimer_bases.h>
#endif

/* 6.13: lazy preemption has its own flag, where the architecture offers it (CONFIG_PREEMPT_LAZY). */
#ifdef _TIF_NEED_RESCHED_LAZY
#define KS_TIF_RESCHED (_TIF_NEED_RESCHED | _TIF_NEED_RESCHED_LAZY)
#else
#define KS_TIF_RESCHED _TIF_NEED_RESCHED
#endif

/*
 * 6.18: the mask functions of sched domain levels take the level, and levels are made by SDTL_INIT().
 * 6.7: the level of a package is called PKG, before DIE.
 */
#ifdef SDTL_INIT
#define KS_LEVEL_MASK_ARGS struct sched_domain_topology_level *tl, int cpu
#else
#define KS_LEVEL_MASK_ARGS int cpu
#endif
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 7, 0)
#define KS_PACKAGE_NAME "PKG"
#else
#define KS_PACKAGE_NAME "DIE"
#endif

/* 6.17: the name of a domain is always there; before, with CONFIG_SCHED_DEBUG, which is always set. */
#define KS_SD_NAME(sd) ((sd)->name)

/* 5.18: sd->imb_numa_nr. KSCHED_HAS_* are found in the tree by the builder. */
#ifdef KSCHED_HAS_IMB_NUMA_NR
#define KS_SD_IMB_NUMA_NR(sd) ((int)(sd)->imb_numa_nr)
#else
#define KS_SD_IMB_NUMA_NR(sd) (-1)
#endif

/* 6.6: EEVDF; an entity has a slice. */
#ifdef KSCHED_HAS_SE_SLICE
#define KS_SLICE(p) ((p)->se.slice)
#else
#define KS_SLICE(p) 0
#endif

/* 6.16: init_timers() is called timers_init(). */
void init_timers(void) __attribute__((weak));
void timers_init(void) __attribute__((weak));

static inline void ks_init_timers(void)
{
	if (timers_init)
		timers_init();
	else
		init_timers();
}

/* The scheduler draws random numbers of its own in trees that have this state. */
static inline void ks_seed_sched(void)
{
#ifdef KSCHED_HAS_RND_STATE
	prandom_seed_full_state(&sched_rnd_state);
#endif
}

#endif
