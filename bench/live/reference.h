/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * reference.h - the programs that our workloads are measured against, as rates in 1/s
 *
 * Each runs once for about @seconds and returns NAN, after a line on stderr, when it cannot.
 */
#ifndef FT_BENCH_REFERENCE_H
#define FT_BENCH_REFERENCE_H

/* reference_perf_pipe - round trips of `perf bench sched pipe` (two processes, 4 bytes) */
double reference_perf_pipe(double seconds);

/* reference_hackbench_* - messages of one group: 20 senders, 20 receivers, 100 bytes */
double reference_hackbench_pipe(double seconds);
double reference_hackbench_socket(double seconds);
double reference_hackbench_threads(double seconds);

/* reference_fork_loop - loops of fork-loop.c, whose path is @program */
double reference_fork_loop(const char *program, int workers, double seconds);

#endif
