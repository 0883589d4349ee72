/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * recorded.h - were scheduling events recorded while trials were measured, and at what cost?
 *
 * Recording slows a trial down, so what it measured is not what a trial without would have.
 */
#ifndef FT_REPORT_RECORDED_H
#define FT_REPORT_RECORDED_H

#include "stats/table.h"

/*
 * recorded_text - a sentence about the trials of the table; a new string
 * Returns NULL if none was recorded, or none at a cost (simulated ones).
 */
char *recorded_text(const struct table *table);

#endif
