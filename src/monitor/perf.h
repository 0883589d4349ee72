/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perf.h - counters of perf_event_open(2) on a set of CPUs, all tasks
 */
#ifndef FT_MONITOR_PERF_H
#define FT_MONITOR_PERF_H

#include <hwloc.h>
#include <stdint.h>

#include "base/error.h"

struct perf_counters;

/*
 * perf_open - one counter a CPU, counting from now on
 * @type, @config: as in struct perf_event_attr
 *
 * Errors: ERR_PERMISSION (says which sysctl forbids it), ERR_UNAVAILABLE.
 */
struct error *perf_open(uint32_t type, uint64_t config, hwloc_const_bitmap_t cpus,
			struct perf_counters **out);

/* perf_sum - the sum over the CPUs since perf_open() */
struct error *perf_sum(const struct perf_counters *counters, uint64_t *sum);

/* perf_close - NULL is allowed */
void perf_close(struct perf_counters *counters);

#endif
