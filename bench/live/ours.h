/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ours.h - one trial by `fairtrial run`, as a user would make it, and what it took
 */
#ifndef FT_BENCH_OURS_H
#define FT_BENCH_OURS_H

#include <stdbool.h>

#include "result/result.h"

struct ours {
	double rate;		       /* the workload's main metric */
	double skew_median, skew_most; /* us, over the workers */
	double own_share; /* CPU time of fairtrial's own processes amid the trial, % of one CPU */
};

/*
 * ours_run - runs the program that FAIRTRIAL names
 * @case_lines: the [case] section, "workload = ...\n"
 * @watch:      measure own_share too (NAN otherwise)
 *
 * Returns false, after a line on stderr, when it cannot.
 */
bool ours_run(const char *case_lines, double seconds, bool watch, struct ours *out);

#endif
