/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perf.h - perf_event_open(2): counters on a set of CPUs, and single events
 */
#ifndef FT_MONITOR_PERF_H
#define FT_MONITOR_PERF_H

#include <hwloc.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <sys/types.h>

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

/*
 * perf_event_fd - one event, as perf_event_open(2); raises the limit of open files where that helps
 * Returns a descriptor, or -1 with errno.
 */
int perf_event_fd(struct perf_event_attr *attributes, pid_t pid, int cpu, int group);

/*
 * perf_refused - why perf_event_fd() failed, from errno: ERR_PERMISSION or ERR_UNAVAILABLE
 * @what: "counting on CPU 3", for the message
 */
struct error *perf_refused(const char *what);

/*
 * perf_pmu_event - an event that a PMU describes in sysfs, such as "msr", "aperf"
 * @root:  prefix of /sys
 * @scale: of the events's .scale file, 1 if it has none; may be NULL
 *
 * Errors: ERR_UNAVAILABLE if this machine has no such PMU or event, ERR_INPUT for a description that
 * is not of the form event=N.
 */
struct error *perf_pmu_event(const char *root, const char *pmu, const char *event, uint32_t *type,
			     uint64_t *config, double *scale);

#endif
