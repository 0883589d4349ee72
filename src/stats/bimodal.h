/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bimodal.h - do the trials fall into two groups?
 *
 * Hartigan's dip (Annals of Statistics 13, 1985): the largest distance between the values'
 * distribution and the nearest one with a single peak. For any distribution with a single peak the
 * test calls at most BIMODAL_ALPHA of the samples bimodal (the uniform distribution is the worst
 * case; of normal samples it calls far fewer). Values that take few steps (a latency of 3 or 4 us)
 * are groups in this sense too.
 */
#ifndef FT_STATS_BIMODAL_H
#define FT_STATS_BIMODAL_H

#include <stdbool.h>

#define BIMODAL_ALPHA 0.05
#define BIMODAL_LEAST 8 /* values below which nothing can be said */

/* The two groups: those with the least sum of squares within them. */
struct bimodal {
	bool found;
	int n_low, n_high;
	double low, high; /* means of the groups */
};

/* bimodal_of - @values: NAN is passed over; not changed */
struct bimodal bimodal_of(const double *values, int n);

/* dip_of - the dip of n sorted values without NAN, 1/(2n) to 1/4; 0 if all are equal or n < 2 */
double dip_of(const double *sorted, int n);

/* dip_critical - the dip that samples of n uniform values exceed with BIMODAL_ALPHA */
double dip_critical(int n);

#endif
