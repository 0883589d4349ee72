/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ours.h - one trial by `fairtrial run`, as a user would make it, and what it took
 */
#ifndef FT_BENCH_OURS_H
#define FT_BENCH_OURS_H

#include <stdbool.h>

#include "result/result.h"

/* Workers run so long before the measured time begins: pipes are full, caches are warm. */
#define OURS_WARMUP_SECONDS 0.1

struct ours {
	double rate;		       /* the workload's main metric */
	double cpu_seconds;	       /* of all processes of the program, from start to end */
	double skew_median, skew_most; /* us, over the workers */
	double own_share; /* CPU time of fairtrial's own processes amid the trial, % of one CPU */
};

/*
 * ours_run - runs the program that FAIRTRIAL names
 * @case_lines: the [case] section, "workload = ...\n"
 * @seconds:    measured time, after the warm-up
 * @watch:      measure own_share too (NAN otherwise)
 *
 * Returns false, after a line on stderr, when it cannot.
 */
bool ours_run(const char *case_lines, double seconds, bool watch, struct ours *out);

#endif
