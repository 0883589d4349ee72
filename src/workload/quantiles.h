/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * quantiles.h - from the histograms of workers to metrics of a trial
 */
#ifndef FT_WORKLOAD_QUANTILES_H
#define FT_WORKLOAD_QUANTILES_H

#include "result/result.h"
#include "task/team.h"

/*
 * quantiles_add - the metrics NAME_p50, NAME_p90, NAME_p99, NAME_p99.9 and NAME_max of a trial, in
 * us, each with the value of every worker (NAN: it recorded nothing); the first carries the merged
 * histogram. Where no worker recorded anything they are not available.
 * @desc:  name, direction, version and help of all of them
 * @index: of the histogram
 */
void quantiles_add(struct trial *trial, const struct metric_desc *desc,
		   const struct team_report *report, int index);

/* quantiles_has - is @name one of the metrics that quantiles_add() makes of @desc? */
bool quantiles_has(const struct metric_desc *desc, const char *name);

/* quantiles_merged - the histogram of all workers; a new one */
struct histogram *quantiles_merged(const struct team_report *report, int index);

#endif
