// SPDX-License-Identifier: GPL-2.0-only
#include "base/clock.h"

#include <time.h>

uint64_t clock_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

double clock_seconds(void)
{
	return (double)clock_ns() / 1e9;
}
