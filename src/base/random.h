/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * random.h - random numbers that are the same on every machine for the same seed
 *
 * Generator: SplitMix64 (Steele, Lea, Flood 2014): 64 bits of state, every seed is a good one, each
 * value comes up once in 2^64. For orders and resampling, not for secrets.
 */
#ifndef FT_BASE_RANDOM_H
#define FT_BASE_RANDOM_H

#include <stdint.h>

struct random {
	uint64_t state;
};

static inline struct random random_seeded(uint64_t seed)
{
	return (struct random){ seed };
}

/* random_next - 64 uniform bits */
uint64_t random_next(struct random *random);

/* random_below - uniform in [0, limit), without bias; limit > 0 */
uint64_t random_below(struct random *random, uint64_t limit);

/* random_mixed - a seed made of a seed and a number, so that nearby numbers give unlike seeds */
uint64_t random_mixed(uint64_t seed, uint64_t number);

#endif
