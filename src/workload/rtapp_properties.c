// SPDX-License-Identifier: GPL-2.0-only
/* rtapp_properties.c - scheduling properties of tasks and phases of rt-app files */
#include <sched.h>
#include <string.h>

#include "base/memory.h"
#include "workload/rtapp_read.h"

/* of the kernel's headers, which exclude <sched.h> */
#ifndef SCHED_DEADLINE
#define SCHED_DEADLINE 6
#endif

#define CPUS_MAX 65536

const char *const rtapp_property_names[] = {
	"policy", "priority", "nice", "cpus", "dl-runtime", "dl-deadline", "dl-period", NULL,
};

static const struct refused {
	const char *name, *why;
} refused[] = {
	{ "util_min", "utilization clamping is not supported" },
	{ "util_max", "utilization clamping is not supported" },
	{ "membind_nodes", "binding of memory is not supported; tasks have no memory to speak of" },
	{ "nodes_membind", "binding of memory is not supported; tasks have no memory to speak of" },
	{ "taskgroup", "task groups are not supported; cpu.weight and cpu.max of a variant put all "
		       "workers into one" },
};

static bool is_named(const char *key, const char *const *names)
{
	for (; *names; names++)
		if (!strcmp(key, *names))
			return true;
	return false;
}

static const char *why_refused(const char *key)
{
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
		if (!strcmp(key, refused[i].name))
			return refused[i].why;
	return NULL;
}

bool rtapp_is_property(const char *key)
{
	return is_named(key, rtapp_property_names) || why_refused(key);
}

struct error *rtapp_policy(const struct rtapp_at *at, int *out)
{
	static const struct {
		const char *name;
		int policy;
	} policies[] = {
		{ "SCHED_OTHER", SCHED_OTHER }, { "SCHED_BATCH", SCHED_BATCH },
		{ "SCHED_IDLE", SCHED_IDLE },	{ "SCHED_FIFO", SCHED_FIFO },
		{ "SCHED_RR", SCHED_RR },	{ "SCHED_DEADLINE", SCHED_DEADLINE },
	};
	const char *name;
	struct error *error = rtapp_string(at, &name);

	if (error)
		return error;
	for (size_t i = 0; i < ARRAY_SIZE(policies); i++)
		if (!strcmp(name, policies[i].name)) {
			*out = policies[i].policy;
			return NULL;
		}
	return rtapp_wrong(at,
			   "'%s' is none of SCHED_OTHER, SCHED_BATCH, SCHED_IDLE, SCHED_FIFO, "
			   "SCHED_RR, SCHED_DEADLINE",
			   name);
}

static struct error *read_cpus(const struct rtapp_at *at, hwloc_bitmap_t *out)
{
	if (at->value->type != OJSON_ARRAY)
		return rtapp_wrong(at, "an array of CPU numbers is accepted, not %s",
				   ojson_type_name(at->value->type));
	if (!at->value->n)
		return rtapp_wrong(at, "no CPU at all");
	*out = hwloc_bitmap_alloc();
	for (int i = 0; i < at->value->n; i++) {
		struct rtapp_at item = { at->file, &at->value->items[i], at->path };
		struct error *error;
		int64_t cpu;

		error = rtapp_integer(&item, 0, CPUS_MAX, &cpu);
		if (error)
			return error;
		hwloc_bitmap_set(*out, (unsigned)cpu);
	}
	return NULL;
}

static struct error *read_priority(const struct rtapp_at *at, struct rtapp_properties *into)
{
	int64_t value;
	struct error *error = rtapp_integer(at, -20, 99, &value);

	if (error)
		return error;
	if (into->has_priority)
		return rtapp_wrong(at, "priority and nice are two words for one thing");
	into->has_priority = true;
	into->priority = (int)value;
	return NULL;
}

struct error *rtapp_read_property(const struct rtapp_at *at, struct rtapp_properties *into)
{
	const char *key = at->value->key, *why = why_refused(key);

	/* rt-app takes an empty task group for none */
	if (!strcmp(key, "taskgroup") && at->value->type == OJSON_STRING && !*at->value->string)
		return NULL;
	if (why)
		return rtapp_wrong(at, "%s", why);
	if (!into->path) {
		into->line = at->value->line;
		into->path = memory_string(at->path);
	}
	if (!strcmp(key, "cpus"))
		return read_cpus(at, &into->cpus);
	into->given = true;
	if (!strcmp(key, "policy"))
		return rtapp_policy(at, &into->policy);
	if (!strcmp(key, "dl-runtime"))
		return rtapp_microseconds(at, &into->dl_runtime);
	if (!strcmp(key, "dl-deadline"))
		return rtapp_microseconds(at, &into->dl_deadline);
	if (!strcmp(key, "dl-period"))
		return rtapp_microseconds(at, &into->dl_period);
	return read_priority(at, into);
}

static struct error *contradiction(const struct rtapp_file *file,
				   const struct rtapp_properties *properties, const char *what)
{
	return error_at(ERR_INPUT, file->name, properties->line, "%s: %s", properties->path, what);
}

struct error *rtapp_check_properties(const struct rtapp_file *file,
				     const struct rtapp_properties *properties, int policy)
{
	bool real_time = policy == SCHED_FIFO || policy == SCHED_RR;
	bool deadline = policy == SCHED_DEADLINE;
	int priority = properties->priority;

	if (!properties->given)
		return NULL;
	if (properties->has_priority && real_time && (priority < 1 || priority > 99))
		return contradiction(file, properties, "1 to 99 are priorities of FIFO and RR");
	if (properties->has_priority && !real_time && !deadline && priority > 19)
		return contradiction(file, properties,
				     "-20 to 19 are priorities (nice values) of SCHED_OTHER, "
				     "SCHED_BATCH and SCHED_IDLE");
	if (properties->has_priority && deadline && priority)
		return contradiction(file, properties, "SCHED_DEADLINE has no priority");
	if (!deadline &&
	    (properties->dl_runtime || properties->dl_deadline || properties->dl_period))
		return contradiction(file, properties,
				     "dl-runtime, dl-deadline and dl-period are of SCHED_DEADLINE");
	if (deadline && !properties->dl_runtime)
		return contradiction(file, properties, "SCHED_DEADLINE needs dl-runtime");
	return NULL;
}
