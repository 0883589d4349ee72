// SPDX-License-Identifier: GPL-2.0-only
#include "base/clock.h"

#include <time.h>

double clock_seconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec + time.tv_nsec / 1e9;
}
