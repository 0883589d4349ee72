/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sample.h - what is shown of the values of one variant: location and spread over trials
 *
 * NAN marks a trial without value and is passed over by all functions here. Formulas: docs/statistics.md.
 */
#ifndef FT_STATS_SAMPLE_H
#define FT_STATS_SAMPLE_H

struct sample {
	int n;		  /* values that are not NAN */
	double mean;	  /* arithmetic; NAN if n is 0, and so are all below */
	double geometric; /* geometric mean; NAN if a value is <= 0 */
	double stddev;	  /* divided by n - 1; NAN if n < 2 */
	double cov;	  /* 100 * stddev / |mean| in per cent; NAN if n < 2 or the mean is 0 */
	double min, max;
};

/* sample_of - of n values in any unit */
struct sample sample_of(const double *values, int n);

/*
 * sample_half_width - of the interval of the arithmetic mean at @level: Student's t with n - 1 degrees
 * of freedom, times stddev / sqrt(n); NAN if n < 2
 */
double sample_half_width(const struct sample *sample, double level);

#endif
