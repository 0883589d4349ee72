/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * verdict.h - regression, improvement, equivalent, or undecided and how many more trials decide
 *
 * The rule, in this order:
 *   1. the interval lies within the margin on both sides: equivalent, also where it excludes "no
 *      effect" (it is real, but too small to matter);
 *   2. the p-value, adjusted over the table, is <= 1 - level: regression or improvement;
 *   3. else undecided.
 * An effect without spread is judged from the number of blocks on at which the sign test of so many
 * equal signs is significant, 2^(1-n) <= 1 - level: 6 at 95 %.
 */
#ifndef FT_STATS_VERDICT_H
#define FT_STATS_VERDICT_H

#include "result/metric.h"
#include "stats/effect.h"

enum verdict {
	VERDICT_NONE,	     /* no values, or not judged and no difference seen */
	VERDICT_REGRESSION,  /* R */
	VERDICT_IMPROVEMENT, /* I */
	VERDICT_EQUIVALENT,  /* = */
	VERDICT_UNDECIDED,   /* ? */
	VERDICT_DIFFERS,     /* d: a metric that has no better or worse differs */
};

/* verdict_letter - "R" "I" "=" "?" "d", "" for none; verdict_name - "regression" ... "none" */
const char *verdict_letter(enum verdict verdict);
const char *verdict_name(enum verdict verdict);

/*
 * verdict_of - the rule above
 * @adjusted: p-value after adjust_p_values()
 * @alpha:    1 - level
 * @margin:   on the scale of the test (margin_of_ratio(), or in the metric's unit), >= 0
 */
enum verdict verdict_of(const struct effect *effect, enum better better, double adjusted,
			double alpha, double margin);

/* margin_of_ratio - log(1 + margin): the interval must lie within [1/(1+margin), 1+margin] */
double margin_of_ratio(double margin);

#define FURTHER_MOST 1000

/* What further trials of each variant would show, if estimate and spread stay as they are. */
struct further {
	int trials;	/* of each variant, 1 to FURTHER_MOST; FURTHER_MOST + 1: more than that */
	bool no_change; /* they would show "equivalent"; else that there is an effect */
};

/*
 * further_trials - the smallest number after which the interval (at @row_alpha) would exclude "no
 * effect", or the interval (at @alpha) would fit inside the margin, whichever comes first
 * @row_alpha: next_row_alpha() of the table
 *
 * At that number the chance of a decision is about one half.
 */
struct further further_trials(const struct effect *effect, double row_alpha, double alpha,
			      double margin);

#endif
