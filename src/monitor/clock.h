/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * clock.h - from counts of APERF, MPERF and the TSC to a clock
 */
#ifndef FT_MONITOR_CLOCK_H
#define FT_MONITOR_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Sums over CPUs; cpu_seconds is the measured time times the number of CPUs. */
struct clock_counts {
	uint64_t aperf, mperf, tsc;
	double cpu_seconds;
};

/*
 * clock_of - @mhz: mean clock while not halted, weighted by that time; @awake: per cent of the time
 * not halted. False if nothing was counted.
 */
bool clock_of(const struct clock_counts *counts, double *mhz, double *awake);

#endif
