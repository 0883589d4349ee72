/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * reference.h - the programs that our workloads are measured against
 */
#ifndef FT_BENCH_REFERENCE_H
#define FT_BENCH_REFERENCE_H

#include <stdbool.h>

enum reference {
	REFERENCE_PERF_PIPE,	  /* `perf bench sched pipe`: two processes, 4 bytes */
	REFERENCE_HACKBENCH_PIPE, /* one group: 20 senders, 20 receivers, 100 bytes */
	REFERENCE_HACKBENCH_SOCKET,
	REFERENCE_HACKBENCH_THREADS, /* with pipes */
	REFERENCE_FORK_LOOP,
	REFERENCE_EXEC_LOOP,
};

/* What one run took. */
struct effort {
	double operations; /* round trips, messages or loops */
	double seconds;
	double cpu_seconds; /* of all its processes, from start to end */
};

/* The two programs of this build that are needed. */
struct reference_programs {
	const char *fork_loop, *exit_program;
};

/*
 * reference_run - a run of about @seconds
 * @rate: operations a second, as far as it is known: some of the programs take a number of loops
 *
 * False, after a line on stderr, when it cannot.
 */
bool reference_run(enum reference reference, const struct reference_programs *programs, int workers,
		   double rate, double seconds, struct effort *out);

/* effort_cpu_seconds - CPU time of all children so far that were waited for, and of theirs */
double effort_cpu_seconds(void);

#endif
