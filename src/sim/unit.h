/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * unit.h - numbers with units as machine files have them, to and from integers
 */
#ifndef FT_SIM_UNIT_H
#define FT_SIM_UNIT_H

#include "sim/model.h"

/*
 * unit_parse - times to ps, clocks to kHz, shares to 1/1000, rates to 1/1000 a second, bandwidths
 * to bytes/s, sizes to bytes, counts as they are; FIGURE_BOOL and FIGURE_TEXT are not numbers
 *
 * Errors: ERR_INPUT says which units are accepted. A value that is no whole number of the smallest
 * unit is rounded to it.
 */
struct error *unit_parse(enum figure_unit unit, const char *text, int64_t *out);

/* unit_format - the shortest form that unit_parse() reads; a new string */
char *unit_format(enum figure_unit unit, int64_t value);

#endif
