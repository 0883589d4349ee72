/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cgroup.h - where a process is in the cgroup hierarchies, v1, v2 and mixed
 *
 * A controller lives either in a v1 hierarchy of its own or in the unified (v2) one; which, and
 * where it is mounted, is read from /proc/PID/cgroup and /proc/self/mountinfo (cgroups(7)).
 * @root is everywhere the prefix of /proc and of mount points: "" live, a folder in tests.
 */
#ifndef FT_MONITOR_CGROUP_H
#define FT_MONITOR_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct cgroup {
	bool unified; /* v2 */
	char *path;   /* in its hierarchy, "/" for the root */
	char *mount;  /* folder of the hierarchy's visible root, with @root before it */
	char *folder; /* of the cgroup, with @root before it */
};

/*
 * cgroup_of - the cgroup of a process for a controller ("cpu", "cpuset")
 * @process: "self" or a number
 *
 * Errors: ERR_UNAVAILABLE, saying what is missing.
 */
struct error *cgroup_of(const char *root, const char *process, const char *controller,
			struct cgroup *out);
void cgroup_clear(struct cgroup *cgroup);

/* cgroup_parent - the folder above, a new string; NULL at the hierarchy's visible root */
char *cgroup_parent(const struct cgroup *cgroup, const char *folder);

/*
 * cgroup_field - a number from a file of "NAME VALUE" lines, such as cpu.stat
 * Returns false if @text has no such line or its value is no number.
 */
bool cgroup_field(const char *text, const char *name, uint64_t *value);

#endif
