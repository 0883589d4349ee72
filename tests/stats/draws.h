/* SPDX-License-Identifier: GPL-2.0-only */
/* draws.h - generated data for calibration: the same numbers from the same seed everywhere */
#ifndef FT_TESTS_DRAWS_H
#define FT_TESTS_DRAWS_H

#include <math.h>

#include "base/random.h"

/* within (0, 1), never 0 */
static inline double random_uniform(struct random *random)
{
	return ((random_next(random) >> 11) + 0.5) * 0x1p-53;
}

/* Box and Muller */
static inline double random_normal(struct random *random)
{
	double radius = sqrt(-2 * log(random_uniform(random)));

	return radius * cos(2 * M_PI * random_uniform(random));
}

static inline double random_log_normal(struct random *random, double median, double sigma)
{
	return median * exp(sigma * random_normal(random));
}

#endif
