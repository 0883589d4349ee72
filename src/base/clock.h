/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * clock.h - the time that limits and progress go by
 */
#ifndef FT_BASE_CLOCK_H
#define FT_BASE_CLOCK_H

/* clock_seconds - seconds of CLOCK_MONOTONIC: for differences, not a date */
double clock_seconds(void);

#endif
