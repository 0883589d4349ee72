/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * origin.h - what a variant of a run was measured on, as text: from its own entry, else from the
 * environment record of its run (docs/results.md)
 */
#ifndef FT_STATS_ORIGIN_H
#define FT_STATS_ORIGIN_H

#include "stats/table.h"

/* origin_backend - "live" where none is recorded; borrowed */
const char *origin_backend(const struct side_part *part);

/* origin_kernel, origin_machine - new strings; "unknown" if nothing is recorded */
char *origin_kernel(const struct side_part *part);
char *origin_machine(const struct side_part *part);

#endif
