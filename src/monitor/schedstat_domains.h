/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * schedstat_domains.h - what load balancing did on each level, from the domain lines of /proc/schedstat
 *
 * Format: Documentation/scheduler/sched-stats.rst of the kernel; version 15 has the counts of idle
 * CPUs before those of busy ones, 16 and 17 after them; 17 gives a domain its name and counts
 * four kinds of imbalance.
 */
#ifndef FT_MONITOR_SCHEDSTAT_DOMAINS_H
#define FT_MONITOR_SCHEDSTAT_DOMAINS_H

#include "machine/machine.h"
#include "result/result.h"

/* A domain is of the smallest level of the machine whose groups hold its span. */
#define SCHEDSTAT_LEVELS (N_MACHINE_LEVELS + 1) /* the last one: above packages */

enum balance_kind {
	BALANCE_BUSY,
	BALANCE_IDLE,
	BALANCE_NEWIDLE,
	N_BALANCE_KINDS
};

/* Sums over the domains of a level, and over CPUs. */
struct level_balance {
	int n_domains;
	uint64_t calls[N_BALANCE_KINDS];  /* balancing was tried (lb_count) */
	uint64_t pulled[N_BALANCE_KINDS]; /* tasks moved (lb_gained) */
	uint64_t failed
		[N_BALANCE_KINDS]; /* calls that found a busier group, moved none (lb_failed) */
	/* calls that moved tasks: lb_count - lb_balanced - lb_failed; one under way counts for the time */
	uint64_t success[N_BALANCE_KINDS];
	uint64_t active;      /* running tasks pushed (alb_pushed) */
	uint64_t wake_remote; /* wakeups on another CPU of the domain (ttwu_wake_remote) */
	uint64_t wake_affine; /* wakeups that preferred the waker's CPU (ttwu_move_affine) */
};

struct balance_counts {
	struct level_balance levels[SCHEDSTAT_LEVELS];
};

/*
 * balance_counts_parse - sums the domain lines of those CPUs
 * @cpu_ids: the machine's id of CPU n of the text; NULL: they are the same (@n_ids 0)
 * @file:    for messages
 *
 * Errors: ERR_UNAVAILABLE for another version than 15 to 17; ERR_INPUT with the line.
 */
struct error *balance_counts_parse(const char *text, const char *file,
				   const struct machine *machine, hwloc_const_bitmap_t cpus,
				   const int *cpu_ids, int n_ids, struct balance_counts *out);

/* The metrics of monitor `schedstat`; ends with name == NULL. */
extern const struct metric_desc schedstat_metrics[];

/* balance_report - adds the difference of two readings as rates; a level without domains says so */
void balance_report(const struct balance_counts *before, const struct balance_counts *after,
		    double seconds, struct trial *trial);

#endif
