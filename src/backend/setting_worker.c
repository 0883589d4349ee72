// SPDX-License-Identifier: GPL-2.0-only
/* setting_worker.c - settings of the trial's process, which its workers inherit */
#include "backend/setting_internal.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

#define RESET_ON_FORK 1

/* struct sched_attr of the kernel, first version (sched_setattr(2)) */
struct attributes {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

static const struct {
	const char *name;
	unsigned number;
} policies[] = {
	{ "other", SCHED_OTHER },
	{ "batch", SCHED_BATCH },
	{ "idle", SCHED_IDLE },
};

static struct error *attributes_get(struct attributes *out)
{
	*out = (struct attributes){ 0 };
	if (syscall(SYS_sched_getattr, 0, out, sizeof(*out), 0))
		return error_errno("cannot read the scheduling attributes (sched_getattr)");
	return NULL;
}

/* as attributes_get(); false: they cannot be read */
static bool attributes_now(struct attributes *out)
{
	struct error *error = attributes_get(out);

	error_free(error);
	return !error;
}

static struct error *attributes_set(struct attributes *attributes)
{
	attributes->size = sizeof(*attributes);
	attributes->flags &= RESET_ON_FORK;
	if (syscall(SYS_sched_setattr, 0, attributes, 0))
		return error_errno("the kernel refuses it (sched_setattr)");
	return NULL;
}

struct error *setting_enter_nice(const struct setting_host *host, const char *name,
				 const char *value, hwloc_bitmap_t cpus)
{
	int nice = (int)strtol(value, NULL, 10);

	(void)host, (void)name, (void)cpus;
	if (setpriority(PRIO_PROCESS, 0, nice)) {
		if (errno == EACCES || errno == EPERM)
			return error_new(ERR_PERMISSION,
					 "a nice value below the present %d needs root or a higher "
					 "limit (ulimit -e)",
					 getpriority(PRIO_PROCESS, 0));
		return error_errno("cannot set nice");
	}
	return NULL;
}

/* the kernel takes a slice of normal and batch tasks only, and says nothing of one that it ignores */
struct error *setting_slice_of_idle(void)
{
	return error_new(ERR_INPUT,
			 "the kernel ignores the slice of policy idle: with policy other "
			 "or batch it is accepted");
}

struct error *setting_enter_slice(const struct setting_host *host, const char *name,
				  const char *value, hwloc_bitmap_t cpus)
{
	struct attributes attributes;
	uint64_t slice = 0;
	struct error *error = text_duration(value, &slice);

	(void)host, (void)name, (void)cpus;
	if (!error)
		error = attributes_get(&attributes);
	if (error)
		return error;
	if (attributes.policy == SCHED_IDLE)
		return setting_slice_of_idle();
	attributes.runtime = slice;
	error = attributes_set(&attributes);
	if (!error)
		error = attributes_get(&attributes);
	if (!error && attributes.runtime != slice)
		error = error_new(
			ERR_UNAVAILABLE,
			"this kernel takes no slice for a normal task (needs Linux 6.12; it "
			"reads back as %" PRIu64 " ns)",
			attributes.runtime);
	return error;
}

struct error *setting_enter_policy(const struct setting_host *host, const char *name,
				   const char *value, hwloc_bitmap_t cpus)
{
	struct attributes attributes;
	struct error *error = attributes_get(&attributes);

	(void)host, (void)name, (void)cpus;
	if (error)
		return error;
	for (size_t i = 0; i < ARRAY_SIZE(policies); i++)
		if (!strcmp(value, policies[i].name))
			attributes.policy = policies[i].number;
	attributes.priority = 0;
	attributes.runtime = 0; /* the kernel's own slice */
	return attributes_set(&attributes);
}

struct error *setting_enter_affinity(const struct setting_host *host, const char *name,
				     const char *value, hwloc_bitmap_t cpus)
{
	hwloc_bitmap_t wanted = hwloc_bitmap_alloc(), both = hwloc_bitmap_alloc();
	struct error *error = cpulist_parse(value, wanted);

	(void)host, (void)name;
	hwloc_bitmap_and(both, wanted, cpus);
	if (!error && hwloc_bitmap_iszero(both)) {
		autofree char *own = cpulist_format(cpus);

		error = error_new(ERR_INPUT, "none of CPUs %s is among the case's CPUs %s", value,
				  own);
	}
	if (!error)
		hwloc_bitmap_copy(cpus, both);
	hwloc_bitmap_free(wanted);
	hwloc_bitmap_free(both);
	return error;
}

struct error *setting_enter_env(const struct setting_host *host, const char *name,
				const char *value, hwloc_bitmap_t cpus)
{
	(void)host, (void)cpus;
	return setenv(name, value, 1) ? error_errno("cannot set it") : NULL;
}

/* an autogroup belongs to a session: a session of our own leaves the caller's alone */
struct error *setting_enter_autogroup_nice(const struct setting_host *host, const char *name,
					   const char *value, hwloc_bitmap_t cpus)
{
	autofree char *path = memory_format("%s/proc/self/autogroup", host->root);
	FILE *stream;
	bool failed;

	(void)name, (void)cpus;
	if (access(path, F_OK))
		return error_new(ERR_UNAVAILABLE,
				 "this kernel was built without CONFIG_SCHED_AUTOGROUP");
	if (getsid(0) != getpid() && setsid() < 0)
		return error_errno("cannot start a session of its own");
	stream = fopen(path, "we");
	failed = !stream || fputs(value, stream) < 0;
	if (stream)
		failed |= fclose(stream) != 0;
	return failed ? error_errno("%s does not take '%s'", path, value) : NULL;
}

char *setting_now_nice(const struct setting_host *host, const char *name)
{
	(void)host, (void)name;
	return memory_format("%d", getpriority(PRIO_PROCESS, 0));
}

char *setting_now_slice(const struct setting_host *host, const char *name)
{
	struct attributes attributes;

	(void)host, (void)name;
	return attributes_now(&attributes) ? text_duration_format(attributes.runtime) : NULL;
}

char *setting_now_policy(const struct setting_host *host, const char *name)
{
	struct attributes attributes;

	(void)host, (void)name;
	if (!attributes_now(&attributes))
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(policies); i++)
		if (policies[i].number == attributes.policy)
			return memory_string(policies[i].name);
	return memory_format("policy %u", attributes.policy);
}

char *setting_now_env(const struct setting_host *host, const char *name)
{
	const char *value = getenv(name);

	(void)host;
	return value ? memory_string(value) : NULL;
}

char *setting_now_autogroup_nice(const struct setting_host *host, const char *name)
{
	autofree char *path = memory_format("%s/proc/self/autogroup", host->root);
	autofree char *line = file_read_line(path); /* "/autogroup-16 nice 0" */
	const char *nice = line ? strstr(line, " nice ") : NULL;

	(void)name;
	return nice ? memory_string(nice + strlen(" nice ")) : NULL;
}
