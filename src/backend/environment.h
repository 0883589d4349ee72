/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * environment.h - the environment record of a result: what it was measured on
 *
 * Keys are documented in docs/results.md. What cannot be read is a string
 * "not available: reason", never left out.
 */
#ifndef FT_BACKEND_ENVIRONMENT_H
#define FT_BACKEND_ENVIRONMENT_H

#include <hwloc.h>

#include "base/json.h"
#include "machine/machine.h"

/*
 * environment_host - kernel release and version, command line, sched features, sched sysctls and
 * debugfs knobs, SMT, governor and driver, machine (CPU model, counts), microcode, mitigations,
 * tool and workload versions
 * @root: prefix of /proc and /sys, "" live
 */
struct error *environment_host(const char *root, const struct machine *machine, json_t *into);

/* environment_trial - of the calling process: cgroup path, autogroup, cpuset, quota, affinity,
 * nice, load at start */
struct error *environment_trial(const char *root, hwloc_const_bitmap_t cpus, json_t *into);

/* environment_autogroup_note - why an autogroup variant has no effect here (the process is not in
 * the root task group), a new string; NULL if it has */
char *environment_autogroup_note(const char *root);

#endif
