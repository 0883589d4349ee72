/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * loop.h - a minimal host for ksched.h: machines, an event loop, hogs
 *
 * For the tests of the shim itself. Interrupts arrive after 1 us, computing takes what the task asks, CPUs do
 * not share anything, kernel paths cost nothing unless a test sets costs.
 */
#ifndef TESTS_KSCHED_LOOP_H
#define TESTS_KSCHED_LOOP_H

#include "ksched/ksched.h"

#define NS_PER_MS  1000000ULL
#define NS_PER_SEC 1000000000ULL

extern const struct ksched_api *ks; /* of loop_open() */
extern struct ksched_shared *sh;    /* of loop_boot() */
extern uint64_t loop_events;	    /* entries of CPUs so far */
extern uint64_t loop_start;	    /* time when boot was over */

/* Called for each event if set before loop_boot(). */
extern void (*loop_on_event)(void *self, const struct ksched_event *ev);

/* ksched_clone.data of a task made without loop_hog(): zeroed memory of this size, freed by the loop. */
#define LOOP_WORK_SIZE 16

/* A regular machine: CPU numbers run over threads last (all first threads of a package, then ...) only if
 * smt_last is set, else siblings are neighbours. */
struct loop_machine {
	int nodes, llcs_per_node, cores_per_llc, smt;
	int nodes_per_package;
	int smt_last;  /* as EPYC: CPU n and n + all cores are siblings */
	int near, far; /* distance inside and between packages */
	int reclaim_distance;
	const char *cmdline;
	int polling;
	uint64_t seed;
};

/* loop_open - load a library; ends the program with a message if that fails */
void loop_open(const char *path);

/* loop_boot - boot, with main(arg) as the code of the first task */
void loop_boot(const struct loop_machine *m, void (*main)(void *arg), void *arg);

/* loop_run - run events up to a time since boot; returns early if main has called loop_stop() */
void loop_run(uint64_t until);
void loop_stop(void);

/* ---- in tasks ---- */

/* Compute for ns of CPU time. */
void loop_compute(uint64_t ns);
/* Compute until that time since boot (wall time). */
void loop_compute_until(uint64_t when);
uint64_t loop_now(void); /* since boot */
/* loop_hog - a task that computes for ever; on the CPUs first..last if first >= 0 */
struct ksched_task *loop_hog(struct ksched_group *group, int first, int last);
uint64_t loop_exec_ns(struct ksched_task *t);
void loop_pin(int first, int last); /* the calling task */

#endif
