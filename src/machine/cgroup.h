/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cgroup.h - what the cgroups of this process allow: CPU quota, cpuset, memory, of version 1 and 2
 *
 * Where the cgroups are is read from /proc/self/cgroup and /proc/self/mountinfo, since both
 * versions may be mounted, anywhere, and a container sees a part of the tree. @root is put before
 * every path that is read, so that a recorded tree can stand for a machine; "" is the real one.
 */
#ifndef FT_MACHINE_CGROUP_H
#define FT_MACHINE_CGROUP_H

#include "machine/machine.h"

/*
 * machine_quota_read - the smallest quota on the way from the process's cgroup to the top
 *
 * Version 2: cpu.max; version 1: cpu.cfs_quota_us over cpu.cfs_period_us; nr_throttled is of the
 * cpu.stat next to it. Without a readable limit @out tells of none; that is no error. @out->path is
 * without @root and is freed by the caller.
 */
void machine_quota_read(const char *root, struct machine_quota *out);

/*
 * cgroup_memory_left - bytes that the tightest limit of memory on the way to the top leaves, what can be
 * dropped of the page cache counted in; false without a limit
 * @path: of that cgroup, without @root; a new string
 */
bool cgroup_memory_left(const char *root, uint64_t *left, char **path);

/* cgroup_cpuset_read - the CPUs of the cpuset in effect; false, and @out untouched, if not known */
bool cgroup_cpuset_read(const char *root, hwloc_bitmap_t out);

#endif
