/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * conditions.h - what the trials of a variant ran under, as far as it is recorded, and how two differ
 *
 * What is not recorded of both (results of other programs, of older versions) differs in nothing.
 * docs/statistics.md has the table of what a difference leads to.
 */
#ifndef FT_STATS_CONDITIONS_H
#define FT_STATS_CONDITIONS_H

#include "stats/table.h"

/* One condition; a constant description each. */
struct condition {
	const char *what; /* "runtime" */
	/* difference - "100ms, and 300ms", a new string; NULL: none that is recorded */
	char *(*difference)(const struct side_part *a, const struct side_part *b);
	bool refused; /* runs that differ in it are not pooled; else that is noted */
	bool noted;   /* between sides of different runs; else the header names it */
};

const struct condition *const *condition_all(void); /* ends with NULL */

/*
 * same_simulation - would a trial of @case_name with one seed be the same trial in both? Simulated, with
 * equal kernel, machine, case, settings, runtime and warm-up. False where one of these is not recorded.
 */
bool same_simulation(const struct side_part *a, const struct side_part *b, const char *case_name);

/* difference_of_cases - "parameters {...}, and {...}", a new string; NULL: none */
char *difference_of_cases(const struct result_case *a, const struct result_case *b);

#endif
