// SPDX-License-Identifier: GPL-2.0-only
/* environment_trial.c - of the process that runs a trial: cgroup, autogroup, CPUs, priority, load */
#include "backend/environment.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/environment_internal.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "machine/cgroup.h"
#include "monitor/cgroup.h"

static bool has_file(const char *folder, const char *name)
{
	autofree char *path = memory_format("%s/%s", folder, name);

	return !access(path, F_OK);
}

/*
 * Is the cgroup, or one above it, a task group other than the root's? v1: each cgroup is; the real
 * root is known by cgroup.sane_behavior, since a cgroup namespace calls its own root "/" too. v2: a
 * cgroup whose parent gives it the cpu controller, which shows as cpu.weight; the real root has none.
 * Returns the cgroup's path in the file system, a new string, or NULL.
 */
static char *task_group(const struct cgroup *cgroup)
{
	char *folder, *above;

	if (!cgroup->unified)
		return strcmp(cgroup->folder, cgroup->mount) != 0 ||
				       !has_file(cgroup->folder, "cgroup.sane_behavior")
			       ? memory_string(cgroup->folder)
			       : NULL;
	for (folder = memory_string(cgroup->folder); folder; folder = above) {
		if (has_file(folder, "cpu.weight"))
			return folder;
		above = cgroup_parent(cgroup, folder);
		free(folder);
	}
	return NULL;
}

char *environment_autogroup_note(const char *root)
{
	autofree char *sysctl = memory_format("%s/proc/sys/kernel/sched_autogroup_enabled", root);
	autofree char *group = NULL;
	struct cgroup cgroup;
	struct error *error;
	char *note = NULL;

	if (access(sysctl, F_OK))
		return memory_string("autogroup has no effect here: this kernel was built without "
				     "CONFIG_SCHED_AUTOGROUP");
	error = cgroup_of(root, "self", "cpu", &cgroup);
	if (error) {
		/* without a cpu controller all tasks are in the root task group */
		error_free(error);
		return NULL;
	}
	group = task_group(&cgroup);
	if (group)
		note = memory_format("autogroup has no effect here: this process is in the cgroup "
				     "%s, and autogroups are for tasks of the root task group only",
				     cgroup.path);
	cgroup_clear(&cgroup);
	return note;
}

static json_t *autogroup_object(const char *root)
{
	autofree char *note = environment_autogroup_note(root);
	json_t *object = json_object();

	json_object_set_new(object, "enabled",
			    environment_file(root, "/proc/sys/kernel/sched_autogroup_enabled"));
	json_object_set_new(object, "group", environment_file(root, "/proc/self/autogroup"));
	json_object_set_new(object, "effect", environment_text(note ? note : "as enabled"));
	return object;
}

static json_t *quota_value(const char *root)
{
	struct machine_quota quota = { 0 };
	json_t *value;

	machine_quota_read(root, &quota);
	value = quota.path ? json_pack("{s:f, s:I, s:s}", "cpus", quota.cpus, "throttled",
				       (json_int_t)quota.throttled, "cgroup", quota.path)
			   : json_string("none");
	free(quota.path);
	return value;
}

static json_t *cpuset_value(const char *root)
{
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
	json_t *value;

	if (cgroup_cpuset_read(root, cpus)) {
		autofree char *list = cpulist_format(cpus);

		value = json_string(list);
	} else {
		value = json_string("not available: no cpuset above this process");
	}
	hwloc_bitmap_free(cpus);
	return value;
}

/* "key:\tvalue" of /proc/self/status */
static json_t *status_value(const char *root, const char *key)
{
	autofree char *path = memory_format("%s/proc/self/status", root);
	autofree char *text = NULL;
	struct error *error = file_read(path, &text, NULL);
	char *value;

	if (error)
		return environment_unavailable(error);
	value = strstr(text, key);
	if (!value)
		return json_sprintf("not available: %s has no %s", path, key);
	value += strlen(key);
	value[strcspn(value, "\n")] = '\0';
	return environment_text(text_trim(value));
}

/* nice (field 19) and policy (field 41) of /proc/self/stat; the name in field 2 may hold spaces */
static void add_priority(const char *root, json_t *into)
{
	static const char *const policies[] = { "other", "fifo", "rr",	     "batch",
						NULL,	 "idle", "deadline", "ext" };
	autofree char *path = memory_format("%s/proc/self/stat", root);
	autofree char *line = file_read_line(path);
	const char *end = line ? strrchr(line, ')') : NULL;
	int nice = 0, policy = -1, n = 0;
	char **fields = end ? text_split(text_trim((char *)end + 1), ' ', &n) : NULL;

	/* fields[0] is field 3 */
	if (n > 38) {
		nice = (int)strtol(fields[16], NULL, 10);
		policy = (int)strtol(fields[38], NULL, 10);
	}
	text_split_free(fields, n);
	if (policy < 0) {
		json_object_set_new(into, "nice",
				    json_sprintf("not available: cannot read %s", path));
		json_object_set_new(into, "policy",
				    json_sprintf("not available: cannot read %s", path));
		return;
	}
	json_object_set_new(into, "nice", json_integer(nice));
	json_object_set_new(into, "policy",
			    policy < (int)ARRAY_SIZE(policies) && policies[policy]
				    ? json_string(policies[policy])
				    : json_sprintf("%d", policy));
}

struct error *environment_trial(const char *root, hwloc_const_bitmap_t cpus, json_t *into)
{
	autofree char *list = cpulist_format(cpus);
	struct cgroup cgroup;
	struct error *error = cgroup_of(root, "self", "cpu", &cgroup);

	json_object_set_new(into, "cgroups", environment_file(root, "/proc/self/cgroup"));
	if (error) {
		json_object_set_new(into, "cgroup", environment_unavailable(error));
	} else {
		json_object_set_new(into, "cgroup", environment_text(cgroup.path));
		cgroup_clear(&cgroup);
	}
	json_object_set_new(into, "autogroup", autogroup_object(root));
	json_object_set_new(into, "quota", quota_value(root));
	json_object_set_new(into, "cpuset", cpuset_value(root));
	json_object_set_new(into, "affinity", status_value(root, "Cpus_allowed_list:"));
	json_object_set_new(into, "cpus", json_string(list));
	add_priority(root, into);
	json_object_set_new(into, "load", environment_file(root, "/proc/loadavg"));
	return NULL;
}
