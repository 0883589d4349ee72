// SPDX-License-Identifier: GPL-2.0-only
/* setting_table.c - the table of all settings, and what each accepts */
#include "backend/setting_internal.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "monitor/cgroup.h"

#define FEATURES     "/sys/kernel/debug/sched/features"
#define FEATURES_OLD "/sys/kernel/debug/sched_features" /* before Linux 5.13 */

/* limits that the kernel clamps a slice to (__setparam_fair()) */
#define SLICE_MIN_NS 100000
#define SLICE_MAX_NS 100000000

/* ---- names and values that are right anywhere ---- */

static struct error *check_line(const char *value)
{
	if (!*value || strpbrk(value, "\n\r"))
		return error_new(ERR_INPUT, "the value must be one line");
	return NULL;
}

/* components separated by '/': none empty, "." or ".." */
static bool is_below(const char *path)
{
	int n;
	char **parts = text_split(path, '/', &n);
	bool good = true;

	for (int i = 0; i < n; i++)
		if (!*parts[i] || !strcmp(parts[i], ".") || !strcmp(parts[i], ".."))
			good = false;
	text_split_free(parts, n);
	return good;
}

/*
 * The path of a name as sysctl(8) reads it: dots separate, and a slash stands for a dot within a
 * part; where the first separator is a slash, the name is a path already.
 */
static char *sysctl_path(const char *name)
{
	char *path = memory_string(name);

	if (name[strcspn(name, "./")] != '/')
		for (char *at = path; *at; at++)
			*at = *at == '.' ? '/' : *at == '/' ? '.' : *at;
	return path;
}

static struct error *check_sysctl(const char *name, const char *value)
{
	autofree char *path = sysctl_path(name);

	if (!strchr(path, '/') || !is_below(path))
		return error_new(
			ERR_INPUT,
			"'%s' is no name of a sysctl, such as kernel.sched_rr_timeslice_ms", name);
	return check_line(value);
}

static struct error *check_bool(const char *name, const char *value)
{
	bool on;

	(void)name;
	return text_bool(value, &on);
}

static struct error *check_feature(const char *name, const char *value)
{
	bool good = *name != '\0';

	for (const char *at = name; *at; at++)
		good &= isupper((unsigned char)*at) || isdigit((unsigned char)*at) || *at == '_';
	if (!good)
		return error_new(ERR_INPUT,
				 "'%s' is no name of a feature: capital letters, as NEXT_BUDDY",
				 name);
	if (!strncmp(name, "NO_", 3))
		return error_new(ERR_INPUT, "a feature is switched off with feature.%s = 0",
				 name + 3);
	return check_bool(name, value);
}

static struct error *check_knob(const char *name, const char *value)
{
	bool good = *name && *name != '.' && !strstr(name, "..") && name[strlen(name) - 1] != '.';

	for (const char *at = name; *at; at++)
		good &= islower((unsigned char)*at) || isdigit((unsigned char)*at) || *at == '_' ||
			*at == '.';
	if (!good || !strcmp(name, "features") || !strcmp(name, "debug"))
		return error_new(ERR_INPUT,
				 "'%s' is no knob of debugfs sched, such as base_slice_ns", name);
	return check_line(value);
}

static struct error *check_nice(const char *name, const char *value)
{
	int64_t nice;

	(void)name;
	return text_integer(value, -20, 19, &nice);
}

static struct error *check_slice(const char *name, const char *value)
{
	uint64_t slice;
	struct error *error = text_duration(value, &slice);

	(void)name;
	if (!error && (slice < SLICE_MIN_NS || slice > SLICE_MAX_NS))
		error = error_new(ERR_INPUT, "'%s' is not from 100us to 100ms", value);
	return error;
}

static struct error *check_policy(const char *name, const char *value)
{
	(void)name;
	if (strcmp(value, "other") != 0 && strcmp(value, "batch") != 0 &&
	    strcmp(value, "idle") != 0)
		return error_new(ERR_INPUT, "'%s' is none of other, batch, idle", value);
	return NULL;
}

static struct error *check_weight(const char *name, const char *value)
{
	int64_t weight;

	(void)name;
	return text_integer(value, 1, 10000, &weight);
}

/* limits of the kernel: a period from 1 ms to 1 s, a quota from 1 ms */
static struct error *check_max(const char *name, const char *value)
{
	int n;
	char **words = text_split(value, ' ', &n);
	int64_t number;
	struct error *error = NULL;

	(void)name;
	if (strcmp(words[0], "max") != 0)
		error = text_integer(words[0], 1000, INT64_C(1) << 44, &number);
	if (!error && n > 1)
		error = text_integer(words[1], 1000, 1000000, &number);
	if (error || n > 2) {
		error_free(error);
		error = error_new(ERR_INPUT,
				  "'%s' is not QUOTA PERIOD in us or max, as in '150000 100000'",
				  value);
	}
	text_split_free(words, n);
	return error;
}

static struct error *check_affinity(const char *name, const char *value)
{
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
	struct error *error = cpulist_parse(value, cpus);

	(void)name;
	hwloc_bitmap_free(cpus);
	return error;
}

static struct error *check_env(const char *name, const char *value)
{
	bool good = *name && !isdigit((unsigned char)*name);

	(void)value;
	for (const char *at = name; *at; at++)
		good &= isalnum((unsigned char)*at) || *at == '_';
	return good ? NULL
		    : error_new(ERR_INPUT, "'%s' is no name of an environment variable", name);
}

/* ---- changes of the system ---- */

static struct error *change_sysctl(const struct setting_host *host, const char *name,
				   const char *value, struct setting_change *out)
{
	autofree char *path = sysctl_path(name);

	out->kind = CHANGE_VALUE;
	out->path = memory_format("%s/proc/sys/%s", host->root, path);
	out->new = memory_string(value);
	return NULL;
}

static struct error *change_feature(const struct setting_host *host, const char *name,
				    const char *value, struct setting_change *out)
{
	bool on = false;
	struct error *error = text_bool(value, &on);
	autofree char *old = memory_format("%s" FEATURES_OLD, host->root);

	out->kind = CHANGE_FEATURE;
	out->path =
		access(old, F_OK) ? memory_format("%s" FEATURES, host->root) : memory_string(old);
	out->new = memory_format("%s%s", on ? "" : "NO_", name);
	return error;
}

static struct error *change_knob(const struct setting_host *host, const char *name,
				 const char *value, struct setting_change *out)
{
	autofree char *path = memory_string(name);

	for (char *at = path; *at; at++)
		if (*at == '.')
			*at = '/';
	out->kind = !strcmp(name, "preempt") ? CHANGE_CHOICE : CHANGE_VALUE;
	out->path = memory_format("%s/sys/kernel/debug/sched/%s", host->root, path);
	out->new = memory_string(value);
	return NULL;
}

static struct error *change_autogroup(const struct setting_host *host, const char *name,
				      const char *value, struct setting_change *out)
{
	bool on = false;
	struct error *error = text_bool(value, &on);

	(void)name;
	out->kind = CHANGE_VALUE;
	out->path = memory_format("%s/proc/sys/kernel/sched_autogroup_enabled", host->root);
	out->new = memory_string(on ? "1" : "0");
	return error;
}

/* ---- the value in force of a cgroup file of the calling process ---- */

static char *own_cgroup_line(const struct setting_host *host, const char *v2, const char *v1)
{
	struct cgroup cgroup;
	struct error *error = cgroup_of(host->root, "self", "cpu", &cgroup);
	autofree char *path = NULL;

	if (error) {
		error_free(error);
		return NULL;
	}
	path = memory_format("%s/%s", cgroup.folder, cgroup.unified ? v2 : v1);
	cgroup_clear(&cgroup);
	return file_read_line(path);
}

static char *now_weight(const struct setting_host *host, const char *name)
{
	autofree char *line = own_cgroup_line(host, "cpu.weight", "cpu.shares");
	autofree char *v2 = own_cgroup_line(host, "cpu.weight", "cpu.weight");

	(void)name;
	if (!line || v2)
		return line ? memory_string(line) : NULL;
	return memory_format("%s shares", line);
}

static char *now_max(const struct setting_host *host, const char *name)
{
	autofree char *line = own_cgroup_line(host, "cpu.max", "cpu.cfs_quota_us");
	autofree char *period = own_cgroup_line(host, "none", "cpu.cfs_period_us");

	(void)name;
	if (!line || !period)
		return line ? memory_string(line) : NULL;
	return memory_format("%s %s", line, period);
}

/* docs/plan-files.md says of each what it is and accepts */
const struct setting_kind setting_kinds[] = {
	{ "sysctl.", SCOPE_SYSTEM, .check = check_sysctl, .change = change_sysctl },
	{ "feature.", SCOPE_SYSTEM, .check = check_feature, .change = change_feature },
	{ "sched.", SCOPE_SYSTEM, .check = check_knob, .change = change_knob },
	{ "autogroup", SCOPE_SYSTEM, .check = check_bool, .change = change_autogroup },
	{ "cpu.weight", SCOPE_CGROUP, .check = check_weight, .now = now_weight },
	{ "cpu.max", SCOPE_CGROUP, .check = check_max, .now = now_max },
	{ "autogroup.nice", SCOPE_WORKER, .check = check_nice,
	  .enter = setting_enter_autogroup_nice, .now = setting_now_autogroup_nice },
	{ "policy", SCOPE_WORKER, .check = check_policy, .enter = setting_enter_policy,
	  .now = setting_now_policy },
	{ "nice", SCOPE_WORKER, .check = check_nice, .enter = setting_enter_nice,
	  .now = setting_now_nice },
	{ "slice", SCOPE_WORKER, .check = check_slice, .enter = setting_enter_slice,
	  .now = setting_now_slice },
	{ "affinity", SCOPE_WORKER, .check = check_affinity, .enter = setting_enter_affinity },
	{ "env.", SCOPE_WORKER, .check = check_env, .enter = setting_enter_env,
	  .now = setting_now_env },
	{ NULL },
};

static bool is_prefix(const struct setting_kind *kind)
{
	return kind->key[strlen(kind->key) - 1] == '.';
}

static char *list_kinds(void)
{
	char *list = memory_string("");

	for (const struct setting_kind *kind = setting_kinds; kind->key; kind++) {
		list = memory_append(list, "%s%s%s", *list ? ", " : "", kind->key,
				     is_prefix(kind) ? "NAME" : "");
	}
	return list;
}

/* "features.X" is near to "feature." + "X"; "nise" to "nice" */
static char *meant(const char *key)
{
	const char *dot = strchr(key, '.');
	autofree char *head = memory_string_n(key, dot ? (size_t)(dot + 1 - key) : strlen(key));
	const char **prefixes = NULL, **whole = NULL, *nearest;
	int n_prefixes = 0, n_whole = 0;
	char *result = NULL;

	for (const struct setting_kind *kind = setting_kinds; kind->key; kind++) {
		if (is_prefix(kind))
			*array_append(prefixes, n_prefixes) = kind->key;
		else
			*array_append(whole, n_whole) = kind->key;
	}
	*array_append(prefixes, n_prefixes) = NULL;
	*array_append(whole, n_whole) = NULL;
	nearest = text_nearest(key, whole);
	if (nearest)
		result = memory_string(nearest);
	else if (dot && dot[1] && (nearest = text_nearest(head, prefixes)))
		result = memory_format("%s%s", nearest, dot + 1);
	free(prefixes);
	free(whole);
	return result;
}

struct error *setting_kind_find(const char *key, const struct setting_kind **kind,
				const char **name)
{
	autofree char *list = NULL, *nearest = NULL;

	for (const struct setting_kind *at = setting_kinds; at->key; at++) {
		size_t length = strlen(at->key);

		if (is_prefix(at) ? strncmp(key, at->key, length) || !key[length]
				  : strcmp(key, at->key))
			continue;
		*kind = at;
		*name = key + length;
		return NULL;
	}
	list = list_kinds();
	nearest = meant(key);
	return error_new(ERR_INPUT, "unknown setting '%s'%s%s; there are: %s", key,
			 nearest ? ", did you mean " : "", nearest ? nearest : "", list);
}
