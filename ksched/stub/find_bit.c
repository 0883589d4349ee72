// SPDX-License-Identifier: GPL-2.0-only
/*
 * find_bit.c - the three hot walks over CPU masks, which count what they find
 *
 * Walking CPUs is where the scheduler's time goes on large machines, so it is where time is charged
 * (KSCHED_COST_SCAN). lib/find_bit.c of the tree is built too; there these three names are replaced on
 * the compiler's command line.
 */
#include <stdint.h>

#include "ksched.h"
#include "state.h"

#define BITS 64UL

static inline unsigned long found(unsigned long word, unsigned long base, unsigned long size)
{
	unsigned long bit = base + __builtin_ctzl(word);

	ks_scanned++;
	return bit < size ? bit : size;
}

unsigned long _find_first_bit(const unsigned long *a, unsigned long size)
{
	unsigned long i;

	for (i = 0; i * BITS < size; i++)
		if (a[i])
			return found(a[i], i * BITS, size);
	return size;
}

unsigned long _find_next_bit(const unsigned long *a, unsigned long size, unsigned long start)
{
	unsigned long i = start / BITS, word;

	if (start >= size)
		return size;
	word = a[i] & ~0UL << start % BITS;
	for (;;) {
		if (word)
			return found(word, i * BITS, size);
		if (++i * BITS >= size)
			return size;
		word = a[i];
	}
}

unsigned long _find_next_and_bit(const unsigned long *a, const unsigned long *b, unsigned long size,
				 unsigned long start)
{
	unsigned long i = start / BITS, word;

	if (start >= size)
		return size;
	word = a[i] & b[i] & ~0UL << start % BITS;
	for (;;) {
		if (word)
			return found(word, i * BITS, size);
		if (++i * BITS >= size)
			return size;
		word = a[i] & b[i];
	}
}
