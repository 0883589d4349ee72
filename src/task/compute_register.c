// SPDX-License-Identifier: GPL-2.0-only
/* compute_register.c - kernels that stay in registers: 128-bit integers, doubles */
#include "task/compute.h"

typedef unsigned __int128 u128;

#define U128(high, low) ((u128)(high) << 64 | (low))

static u128 rotate(u128 value, int bits)
{
	return value << bits | value >> (128 - bits);
}

void compute_int128_start(struct compute_int128 *state)
{
	state->a = U128(0x243f6a8885a308d3, 0x13198a2e03707344);
	state->b = U128(0xa4093822299f31d0, 0x082efa98ec4e6c89);
}

/*
 * What compilers make of 128-bit arithmetic: carries, double shifts, three-part products and, in
 * one step of eight, a division by the run-time library. Divisor and dividend have fixed widths,
 * so that steps take equal time whatever the data.
 */
void compute_int128_unit(struct compute_int128 *state)
{
	u128 a = state->a, b = state->b;

	for (int i = 0; i < COMPUTE_STEPS; i++) {
		a += b ^ U128(0x452821e638d01377, 0xbe5466cf34e90c6c);
		b = rotate(b, 41) - a;
		a *= b | 1;
		b ^= a >> 59;
		if (i % 8 == 7)
			b += (a | U128((uint64_t)1 << 63, 0)) / ((uint64_t)b | (uint64_t)1 << 63);
	}
	state->a = a;
	state->b = b;
}

void compute_double_start(struct compute_double *state)
{
	state->x = 0.5;
	state->y = 0.25;
	state->z = 0.125;
}

/* x and y turn by the angle of a 3-4-5 triangle and shrink a little, z is pulled into [0, 1] */
void compute_double_unit(struct compute_double *state)
{
	double x = state->x, y = state->y, z = state->z;

	for (int i = 0; i < COMPUTE_STEPS; i++) {
		double turned = 0.6 * x - 0.8 * y;

		y = 0.8 * x + 0.6 * y;
		x = turned * 0.9921875 + z * 0.03125;
		z = 1.0 / (1.0 + x * x + z);
		y = y * 0.9921875 - z * 0.015625;
	}
	state->x = x;
	state->y = y;
	state->z = z;
}
