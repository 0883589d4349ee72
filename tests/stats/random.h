/* SPDX-License-Identifier: GPL-2.0-only */
/* random.h - generated data for calibration: the same numbers from the same seed everywhere */
#ifndef FT_TESTS_RANDOM_H
#define FT_TESTS_RANDOM_H

#include <math.h>
#include <stdint.h>

struct random {
	uint64_t state;
};

/* splitmix64 */
static inline uint64_t random_bits(struct random *random)
{
	uint64_t z = random->state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

/* within (0, 1), never 0 */
static inline double random_uniform(struct random *random)
{
	return ((random_bits(random) >> 11) + 0.5) * 0x1p-53;
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
