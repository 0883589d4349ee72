// SPDX-License-Identifier: GPL-2.0-only
/*
 * random.c - the kernel's random numbers, from the machine's seed
 */
#include <stddef.h>
#include <stdint.h>

#include "ksched.h"
#include "state.h"

#define WEAK __attribute__((weak))

static uint64_t state = 1;

void ks_random_seed(uint64_t seed)
{
	state = seed;
}

/* splitmix64 (Steele, Lea, Flood 2014) */
static uint64_t next(void)
{
	uint64_t z = state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

WEAK uint32_t get_random_u32(void)
{
	return next() >> 32;
}

WEAK uint64_t get_random_u64(void)
{
	return next();
}

WEAK uint32_t __get_random_u32_below(uint32_t ceiling)
{
	return (next() >> 32) * ceiling >> 32;
}

WEAK void get_random_bytes(void *buf, size_t len)
{
	unsigned char *p = buf;

	while (len--)
		*p++ = next();
}

WEAK void add_device_randomness(const void *buf, size_t len)
{
	(void)buf;
	(void)len;
}
