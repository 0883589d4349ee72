// SPDX-License-Identifier: GPL-2.0-only
/*
 * compute_ep.c - the kernel EP of the NAS Parallel Benchmarks, from its specification (D. Bailey et
 * al., "The NAS Parallel Benchmarks", RNR-94-007, sections 2.2 and 2.3)
 *
 * Numbers are x[k + 1] = 5^13 x[k] mod 2^46, from x[0] = 271828183; a pair of them inside of the
 * unit circle gives two Gaussian deviates by the polar method. A batch begins where powers of
 * the multiplier lead, so that batches may be computed in any order and by anyone.
 */
#include <math.h>

#include "task/compute.h"

#define MULTIPLIER 1220703125 /* 5^13 */
#define SEED	   271828183
#define MASK	   (((uint64_t)1 << 46) - 1)
#define TO_UNIT	   0x1p-46

/* 2^46 divides 2^64, so a product may wrap */
static uint64_t product(uint64_t a, uint64_t b)
{
	return a * b & MASK;
}

static uint64_t power(uint64_t base, uint64_t exponent)
{
	uint64_t result = 1;

	for (; exponent; exponent >>= 1) {
		if (exponent & 1)
			result = product(result, base);
		base = product(base, base);
	}
	return result;
}

void compute_ep_start(struct compute_ep *state)
{
	*state = (struct compute_ep){ 0 };
}

void compute_ep_unit(struct compute_ep *state)
{
	uint64_t x = product(SEED, power(MULTIPLIER, 2 * COMPUTE_EP_PAIRS * state->unit));
	double sum_x = 0, sum_y = 0;

	for (int i = 0; i < COMPUTE_EP_PAIRS; i++) {
		double u, v, t, factor, larger;

		x = product(x, MULTIPLIER);
		u = 2 * (TO_UNIT * (double)x) - 1;
		x = product(x, MULTIPLIER);
		v = 2 * (TO_UNIT * (double)x) - 1;
		t = u * u + v * v;
		if (t > 1)
			continue;
		factor = sqrt(-2 * log(t) / t);
		u *= factor;
		v *= factor;
		larger = fmax(fabs(u), fabs(v));
		/* |X| is at most sqrt(-2 log(2^-90)), about 11; beyond 10 it never comes in a class */
		state->annuli[larger < COMPUTE_EP_ANNULI ? (int)larger : COMPUTE_EP_ANNULI - 1]++;
		sum_x += u;
		sum_y += v;
	}
	state->sum_x += sum_x;
	state->sum_y += sum_y;
	state->unit++;
	state->done++;
}
