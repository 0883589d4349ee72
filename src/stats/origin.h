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

#define ORIGIN_KEY_SHOWN 8 /* characters of the key of a simulated kernel that are shown */

/*
 * origin_kernel_key - what tells two kernels of one name apart: the key of a simulated one, the build of
 *                     the running one ("#1 SMP ..."); a new string, or NULL where it is not recorded
 */
char *origin_kernel_key(const struct side_part *part);

#endif
