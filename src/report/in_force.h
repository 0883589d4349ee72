/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * in_force.h - which settings a side of a comparison ran under, as its trials and runs recorded them
 *
 * Keys are those of a [variant]: "feature.NEXT_BUDDY", "autogroup". The value is the one that the kernel
 * told, else the one that the variant asked for, else that of the host before the run.
 */
#ifndef FT_REPORT_IN_FORCE_H
#define FT_REPORT_IN_FORCE_H

#include "stats/table.h"

/* in_force_value - a new string; NULL: not recorded, or not the same in all runs of the side */
char *in_force_value(const struct side *side, const char *key);

/* in_force_asked - the value that the variant itself sets, also under another name; NULL: none; borrowed */
const char *in_force_asked(const struct result_variant *variant, const char *key);

/* in_force_same_key - do both set the same? "autogroup" has a sysctl's name too */
bool in_force_same_key(const char *a, const char *b);

/* in_force_equal - do both values of that key mean the same? NULL equals nothing */
bool in_force_equal(const char *key, const char *a, const char *b);

/*
 * in_force_lacking - why that key cannot be set where the side ran, as far as is recorded: its kernel
 * has no such feature or knob, or the host did not let it be read; a new string, or NULL
 */
char *in_force_lacking(const struct side *side, const char *key);

/* in_force_grouped - are the workers in a task group of their own, where autogroup does not act? */
bool in_force_grouped(const struct side *side);

#endif
