/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * provenance.h - what a reader needs to get the same results again: which kernels, by what, how long
 *
 * All functions return new strings, or NULL where nothing is recorded.
 */
#ifndef FT_REPORT_PROVENANCE_H
#define FT_REPORT_PROVENANCE_H

#include "stats/table.h"

/*
 * provenance_kernel - of a simulated kernel its version, what it was built from (a commit, the SHA-256 of a
 *                     tarball, a hash of a folder's content), configuration and patches; of a
 *                     running one the build
 *
 * Hashes are cut to 12 digits; `fairtrial show --json` has them whole.
 */
char *provenance_kernel(const struct side_part *part);

/* provenance_kernels - of each side, or once if it is the same of all */
char *provenance_kernels(const struct table *table);

/* provenance_measured - the fairtrial, the measured time of a trial (the median), seeds of the runs */
char *provenance_measured(const struct table *table);

#endif
