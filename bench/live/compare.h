/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * compare.h - one row: a workload of ours beside the program that does the same, many times
 *
 * Two figures. The rate is what a user sees, but on a machine that others use too it tells as much
 * of them. The CPU time of an operation is nearly free of that. Both are slopes: a short run, of
 * which start and end are the same as those of a long one, is subtracted from it. So the start of
 * either does not count. (Rates of a program that takes the time itself without its start are not
 * slopes.)
 *
 * One difference stays. hackbench does a fixed number of loops: towards its end, senders that are
 * behind write alone, and each message costs a switch. A trial stops all at once. On 2 CPUs
 * hackbench -p made 10 to 20 % more messages a second with 4000 loops than with 250. So its rows
 * run longer, and a ratio above 1 is to be expected there.
 */
#ifndef FT_BENCH_COMPARE_H
#define FT_BENCH_COMPARE_H

#include "reference.h"

#define COMPARE_REPEATS_MAX 100

struct comparison {
	const char *name, *case_lines;
	const char *reference_name;
	enum reference reference;
	double first_rate; /* of the reference, a rough guess for the first, short run */
	bool one_cpu;	   /* both run on one CPU */
	bool ends;	   /* the reference has ends unlike its middle, see above */
};

/* one side in one repeat */
struct cost {
	double rate;   /* operations a second */
	double cpu_us; /* CPU time of one */
};

struct comparison_state {
	struct cost ours[COMPARE_REPEATS_MAX], theirs[COMPARE_REPEATS_MAX];
	int n;
	double their_rate;	 /* as seen last */
	struct effort our_short; /* of the last short run */
	bool failed;
};

/* compare_repeat - runs both once; @ours_first: which goes first */
void compare_repeat(const struct comparison *comparison, const struct reference_programs *programs,
		    double seconds, bool ours_first, struct comparison_state *state);

/* compare_heading, compare_print - the table */
void compare_heading(void);
void compare_print(const struct comparison *comparison, const struct comparison_state *state);

/* compare_usable_cpus - how many CPUs this process may use */
int compare_usable_cpus(void);

#endif
