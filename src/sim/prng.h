/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * prng.h - the simulator's own random numbers: integers only, so that one seed gives the same bytes
 * on every host and compiler
 *
 * SplitMix64 (Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators").
 */
#ifndef FT_SIM_PRNG_H
#define FT_SIM_PRNG_H

#include <stdint.h>

struct prng {
	uint64_t state;
};

static inline uint64_t prng_next(struct prng *prng)
{
	uint64_t z = prng->state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* prng_split - a generator whose numbers are independent of the parent's later ones */
static inline struct prng prng_split(struct prng *prng)
{
	return (struct prng){ prng_next(prng) };
}

/* prng_below - uniform in [0, limit), with a bias of at most limit / 2^64; 0 for limit 0 */
static inline uint64_t prng_below(struct prng *prng, uint64_t limit)
{
	return (uint64_t)(((unsigned __int128)prng_next(prng) * limit) >> 64);
}

/* prng_around - uniform in @value plus or minus @permille thousandths of it */
static inline uint64_t prng_around(struct prng *prng, uint64_t value, unsigned permille)
{
	uint64_t width = value < (uint64_t)1 << 32
				 ? /* 128 bits: a call */
				 value * permille / 1000
				 : (uint64_t)((unsigned __int128)value * permille / 1000);

	return value - width + prng_below(prng, 2 * width + 1);
}

#endif
