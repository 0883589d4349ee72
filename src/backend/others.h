/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * others.h - how much CPU time tasks took that are not of the trial
 *
 * Measured from /proc/stat; the load average counts tasks, not what they take, and lags by minutes. Time
 * stolen by the host of a virtual machine is taken by others too.
 */
#ifndef FT_BACKEND_OTHERS_H
#define FT_BACKEND_OTHERS_H

#include <hwloc.h>

#include "base/error.h"

#define OTHERS_NOTED 5.0 /* per cent from which on it is said */

/* Seconds since boot, summed over CPUs. */
struct others_reading {
	double busy;
	double all;
};

/* others_read - @root: prefix of /proc; offline CPUs of @cpus are passed over */
struct error *others_read(const char *root, hwloc_const_bitmap_t cpus, struct others_reading *out);

/*
 * others_share - of the CPUs between two readings, per cent
 * @own_seconds: CPU time of the trial's workers between them; NAN: unknown
 *
 * NAN if less than a tick passed, or the workers' time is unknown. Not below 0: ticks are coarser.
 */
double others_share(const struct others_reading *before, const struct others_reading *after,
		    double own_seconds);

/* others_now - the share while nothing of ours runs; takes a quarter of a second; NAN: unknown */
double others_now(const char *root, hwloc_const_bitmap_t cpus);

#endif
