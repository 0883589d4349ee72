/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * clock.h - the time that goes on evenly: of trials, limits and progress
 */
#ifndef FT_BASE_CLOCK_H
#define FT_BASE_CLOCK_H

#include <stdint.h>

/* clock_ns, clock_seconds - CLOCK_MONOTONIC in that unit: for differences, not a date */
uint64_t clock_ns(void);
double clock_seconds(void);

#endif
