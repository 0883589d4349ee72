/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * crowd.h - where tasks run, wait and CPUs idle at the same time: work conservation and imbalance
 *
 * Tasks with the same allowed CPUs are one class. For a class the number of idle CPUs that it may use
 * and of its waiting tasks is kept for every group of every level. In a group,
 * min(idle, waiting) tasks could run at once; summed over the groups of a level and
 * integrated over time this is work that was not conserved within that level. What is matched within a
 * CPU itself (a task queued on an idle CPU that has not yet switched) is a wakeup under way, not
 * a failure, and is taken off.
 */
#ifndef FT_EVENTS_CROWD_H
#define FT_EVENTS_CROWD_H

#include "events/levels.h"

/* most sets of allowed CPUs that are told apart; tasks of further sets are not counted */
#define CROWD_CLASSES 64

struct crowd;

/* crowd_new - of that topology, at a time; @starts_idle: CPUs are idle until they are told busy */
struct crowd *crowd_new(const struct levels *levels, hwloc_const_bitmap_t cpus, uint64_t now,
			bool starts_idle);
void crowd_free(struct crowd *crowd);

/* crowd_class - the class of tasks that may run on @cpus; NULL: on those of crowd_new(). -1: too many */
int crowd_class(struct crowd *crowd, hwloc_const_bitmap_t cpus);

/* A CPU idles or not; a task of a class (-1: none) waits on a CPU (+1, -1); a task runs there. Times
 * never fall. */
void crowd_idle(struct crowd *crowd, uint64_t now, int cpu, bool idle);
void crowd_waiting(struct crowd *crowd, uint64_t now, int class, int cpu, int change);
void crowd_running(struct crowd *crowd, uint64_t now, int cpu, int change);

/* crowd_advance - time passes; crowd_restart - forget the integrals, keep the state */
void crowd_advance(struct crowd *crowd, uint64_t now);
void crowd_restart(struct crowd *crowd, uint64_t now);

/* What was integrated since crowd_restart(), after crowd_advance() to the end. */
struct crowd_sums {
	double seconds;
	double idle; /* CPU-seconds, of the CPUs of crowd_new() */
	int n_cpus;
	double unconserved[N_EVENT_LEVELS]; /* CPU-seconds, that level alone; SAME is 0 */
	double sharing[N_LEVELS_GROUPS];    /* tasks x seconds: core, LLC, node */
	double imbalance[N_LEVELS_GROUPS];  /* tasks a CPU x seconds: LLC, node, package */
};

void crowd_sums(const struct crowd *crowd, struct crowd_sums *out);

/* Of one group: mean numbers of tasks that run and wait in it, and of its CPUs that idle. */
struct crowd_place {
	int n_cpus; /* of those of crowd_new(); 0: none of them is in the group */
	double running, waiting, idle;
};

void crowd_place(const struct crowd *crowd, enum levels_group level, int group,
		 struct crowd_place *out);

#endif
