// SPDX-License-Identifier: GPL-2.0-only
#include "base/random.h"

uint64_t random_next(struct random *random)
{
	uint64_t value = random->state += 0x9e3779b97f4a7c15;

	value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
	value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
	return value ^ (value >> 31);
}

uint64_t random_below(struct random *random, uint64_t limit)
{
	/* values below 2^64 mod limit are drawn again: the rest is a multiple of limit */
	uint64_t lowest = -limit % limit, value;

	do
		value = random_next(random);
	while (value < lowest);
	return value % limit;
}

uint64_t random_mixed(uint64_t seed, uint64_t number)
{
	struct random random = { seed };

	random.state = random_next(&random) ^ number;
	return random_next(&random);
}
