/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * effect.h - the effect of a variant on a metric: a ratio or a difference, with its interval
 *
 * The unit of inference is the trial. Blocks are trials of all variants that ran next to each
 * other; a drift of the machine cancels within a block, so values of one run are compared in pairs.
 *
 * Methods (docs/statistics.md):
 *   ratio_paired          paired differences of logarithms, Student's t; exact for log-normal trials
 *                         (Kalibera and Jones, Rigorous Benchmarking in Reasonable Time, ISMM 2013)
 *   ratio_unpaired        difference of the means of logarithms, Welch's t (Biometrika 34, 1947)
 *   difference_paired     paired differences, Student's t: for values that can be 0 or negative
 *   difference_unpaired   difference of the means, Welch's t
 */
#ifndef FT_STATS_EFFECT_H
#define FT_STATS_EFFECT_H

#include <stdbool.h>

#include "base/error.h"

enum effect_scale {
	EFFECT_RATIO,	   /* test / base, dimensionless; 1 is "no effect" */
	EFFECT_DIFFERENCE, /* test - base, in the metric's unit; 0 is "no effect" */
};

struct effect {
	enum effect_scale scale;
	bool paired;
	/*
	 * Not a single bit of spread: the test on spread has no meaning, the interval has zero width,
	 * and the p-value is that of the sign test of n equal signs, 2^(1-n) (1 for no effect).
	 */
	bool no_spread;
	double point;	  /* low <= point <= high */
	double low, high; /* limits of the interval at the asked level; may be 0 or infinite */
	double p_value;	  /* two-sided, against "no effect" */
	int n_base;	  /* values used; paired: blocks with a value of both, n_test is equal */
	int n_test;

	/* on the scale of the test: logarithms for a ratio, the unit for a difference */
	double centre;	       /* log(point), or point */
	double standard_error; /* of the centre */
	double df;	       /* degrees of freedom of t */
	double variance_base;  /* paired: of the differences; else of the values of each */
	double variance_test;
};

/*
 * ratio_paired, difference_paired - over blocks
 * @base, @test: one value a block, in the metric's unit; a NAN drops the block
 * @n:           number of blocks
 * @level:       level of the interval, 0.5 <= level < 1
 * @out:         filled on success, untouched on error
 *
 * Errors: ERR_DOMAIN for a value that is infinite, or for a ratio <= 0 (the message names the block,
 * counted from 1), or a level out of range; ERR_TOO_FEW if fewer than two blocks are left.
 */
struct error *ratio_paired(const double *base, const double *test, int n, double level,
			   struct effect *out);
struct error *difference_paired(const double *base, const double *test, int n, double level,
				struct effect *out);

/*
 * ratio_unpaired, difference_unpaired - of two independent sets of trials
 * Errors: as above; ERR_TOO_FEW if either has fewer than two values.
 */
struct error *ratio_unpaired(const double *base, int n_base, const double *test, int n_test,
			     double level, struct effect *out);
struct error *difference_unpaired(const double *base, int n_base, const double *test, int n_test,
				  double level, struct effect *out);

/*
 * effect_half_width - what half the interval (on the scale of the test) would be after @further
 * more trials of each variant, if spread stays as it is
 * @alpha: 1 - level
 */
double effect_half_width(const struct effect *effect, int further, double alpha);

#endif
