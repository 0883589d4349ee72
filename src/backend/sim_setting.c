// SPDX-License-Identifier: GPL-2.0-only
#include "backend/sim_setting.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "backend/setting_internal.h"
#include "base/memory.h"
#include "base/text.h"

#define DEBUG_FOLDER "/sys/kernel/debug/sched/"

/* Settings of NUMA balancing, which the simulated kernel is built without. */
static bool is_numa_balancing(const char *key)
{
	return !strncmp(key, "sysctl.kernel.numa_balancing", 28) ||
	       !strncmp(key, "sched.numa_balancing", 20) || !strcmp(key, "feature.NUMA") ||
	       !strncmp(key, "feature.NUMA_", 13);
}

/* as of a real host: only CPUs that the machine has can be given to workers */
static struct error *check_affinity(const struct machine *machine, const char *value)
{
	hwloc_bitmap_t wanted = hwloc_bitmap_alloc();
	struct error *error = cpulist_parse(value, wanted);

	if (!error && !hwloc_bitmap_isincluded(wanted, machine->usable)) {
		autofree char *usable = cpulist_format(machine->usable);

		error = error_new(ERR_INPUT,
				  "'%s' has CPUs that machine %s does not have: usable "
				  "are %s",
				  value, machine->name, usable);
	}
	hwloc_bitmap_free(wanted);
	return error;
}

struct error *sim_setting_check(const struct plan *plan, const struct plan_variant *variant,
				const struct machine *machine)
{
	for (int i = 0; i < variant->n_settings; i++) {
		const struct plan_entry *entry = &variant->settings[i];
		const struct setting_kind *kind = NULL;
		const char *name = NULL;
		struct error *error = setting_kind_find(entry->key, &kind, &name), *at;

		if (!error)
			error = kind->check(name, entry->value);
		if (!error && !strcmp(kind->key, "affinity"))
			error = check_affinity(machine, entry->value);
		if (!error && is_numa_balancing(entry->key))
			error = error_new(
				ERR_UNAVAILABLE,
				"NUMA balancing is not modelled by the simulator; simulated "
				"memory stays on its node");
		if (!error && !strcmp(kind->key, "env."))
			error = error_new(ERR_UNAVAILABLE,
					  "simulated workers have no environment variables");
		if (!error)
			continue;
		at = error_at(error->code, plan->file, entry->line, "variant %s: %s: %s",
			      variant->name, entry->key, error->message);
		error_free(error);
		return at;
	}
	return NULL;
}

struct error *sim_setting_narrow(const struct plan_variant *variant, hwloc_bitmap_t cpus)
{
	for (int i = 0; i < variant->n_settings; i++) {
		struct error *error;

		if (strcmp(variant->settings[i].key, "affinity") != 0)
			continue;
		error = setting_enter_affinity(NULL, "", variant->settings[i].value, cpus);
		if (error)
			return error_prefix(error, "affinity");
	}
	return NULL;
}

/* ---- files of the simulated kernel ---- */

struct file_list {
	const char *folder;
	char *text;
};

static void list_file(void *data, const char *path)
{
	struct file_list *list = data;
	char *longer;

	if (strncmp(path, list->folder, strlen(list->folder)) != 0)
		return;
	longer = memory_format("%s%s%s", list->text, *list->text ? " " : "",
			       path + strlen(list->folder));
	free(list->text);
	list->text = longer;
}

static struct error *refused(struct sim *sim, const char *path, const char *value, int result)
{
	struct file_list list = { .folder = strncmp(path, "/proc", 5) ? DEBUG_FOLDER
								      : "/proc/sys/kernel/" };
	struct error *error;

	if (result != -ENOENT)
		return error_new(ERR_INPUT, "the kernel refuses '%s' for %s: %s", value, path,
				 strerror(-result));
	list.text = memory_string("");
	sim_kernel(sim)->files(list_file, &list);
	error = error_new(ERR_UNAVAILABLE, "this kernel has no %s; in that folder it has: %s", path,
			  list.text);
	free(list.text);
	return error;
}

static struct error *write_file(struct sim *sim, const char *path, const char *value)
{
	int result = sim_kernel(sim)->write(path, value);

	return result < 0 ? refused(sim, path, value, result) : NULL;
}

static struct error *write_below(struct sim *sim, const char *folder, const char *name,
				 const char *value)
{
	autofree char *path = memory_format("%s%s", folder, name);

	for (char *at = path + strlen(folder); *at; at++)
		if (*at == '.')
			*at = '/';
	return write_file(sim, path, value);
}

static struct error *write_feature(struct sim *sim, const char *name, const char *value)
{
	bool on = false;
	struct error *error = text_bool(value, &on);
	autofree char *word = memory_format("%s%s", on ? "" : "NO_", name);
	autofree char *known = memory_zeroed(1, 4096);
	int result;

	if (error)
		return error;
	result = sim_kernel(sim)->write(DEBUG_FOLDER "features", word);
	if (result >= 0)
		return NULL;
	if (sim_kernel(sim)->read(DEBUG_FOLDER "features", known, 4096) < 0)
		strcpy(known, "none");
	return error_new(ERR_UNAVAILABLE, "this kernel has no feature %s; it has: %s", name,
			 text_trim(known));
}

struct error *sim_setting_system(const struct plan_variant *variant, struct sim *sim)
{
	struct error *error = NULL;

	for (int i = 0; i < variant->n_settings && !error; i++) {
		const char *key = variant->settings[i].key, *value = variant->settings[i].value;
		bool on = false;

		if (!strncmp(key, "sysctl.", 7))
			error = write_below(sim, "/proc/sys/", key + 7, value);
		else if (!strncmp(key, "feature.", 8))
			error = write_feature(sim, key + 8, value);
		else if (!strncmp(key, "sched.", 6))
			error = write_below(sim, DEBUG_FOLDER, key + 6, value);
		else if (!strcmp(key, "autogroup") && !(error = text_bool(value, &on)))
			error = write_file(sim, "/proc/sys/kernel/sched_autogroup_enabled",
					   on ? "1" : "0");
		error = error_prefix(error, "%s", key);
	}
	return error;
}

/* ---- the calling task ---- */

static struct error *kernel_says(int result)
{
	return result ? error_new(ERR_UNAVAILABLE, "the kernel refuses it: %s", strerror(-result))
		      : NULL;
}

static struct error *enter_group(struct sim *sim, const char *file, const char *value,
				 struct ksched_group **group)
{
	const struct ksched_api *kernel = sim_kernel(sim);
	struct error *error = NULL;

	if (!*group) {
		error = kernel_says(kernel->group_new(NULL, group));
		if (!error)
			error = kernel_says(kernel->group_move(*group, 0));
	}
	return error ? error : kernel_says(kernel->group_write(*group, file, value));
}

static struct error *set_slice(struct sim *sim, const char *value)
{
	const struct ksched_api *kernel = sim_kernel(sim);
	struct ksched_task_stat stat = { 0 };
	struct ksched_attr attr = { 0 };
	uint64_t slice = 0;
	struct error *error = text_duration(value, &slice);

	if (error)
		return error;
	kernel->task_stat(kernel->current(), &stat);
	if (stat.policy == SCHED_IDLE)
		return setting_slice_of_idle();
	attr.policy = (uint32_t)stat.policy;
	attr.nice = stat.nice;
	attr.runtime = slice;
	error = kernel_says(kernel->set_attr(0, &attr));
	if (error)
		return error;
	kernel->task_stat(kernel->current(), &stat);
	if (stat.slice_ns != slice)
		return error_new(ERR_UNAVAILABLE,
				 "this kernel takes no slice for a normal task (needs Linux 6.12; "
				 "it has %" PRIu64 " ns)",
				 stat.slice_ns);
	return NULL;
}

static struct error *set_policy(struct sim *sim, const char *value)
{
	const struct ksched_api *kernel = sim_kernel(sim);
	struct ksched_task_stat stat = { 0 };
	struct ksched_attr attr = { 0 };

	kernel->task_stat(kernel->current(), &stat);
	attr.nice = stat.nice;
	attr.policy = !strcmp(value, "batch")  ? SCHED_BATCH
		      : !strcmp(value, "idle") ? SCHED_IDLE
					       : SCHED_OTHER;
	return kernel_says(kernel->set_attr(0, &attr));
}

static struct error *set_worker(struct sim *sim, const char *key, const char *value,
				struct ksched_group **group)
{
	const struct ksched_api *kernel = sim_kernel(sim);

	if (!strcmp(key, "cpu.weight") || !strcmp(key, "cpu.max"))
		return enter_group(sim, key, value, group);
	if (!strcmp(key, "nice"))
		return kernel_says(kernel->set_nice(0, (int)strtol(value, NULL, 10)));
	if (!strcmp(key, "autogroup.nice"))
		return kernel_says(kernel->autogroup_nice(0, (int)strtol(value, NULL, 10)));
	if (!strcmp(key, "slice"))
		return set_slice(sim, value);
	if (!strcmp(key, "policy"))
		return set_policy(sim, value);
	return NULL; /* of the system, or affinity */
}

struct error *sim_setting_workers(const struct plan_variant *variant, struct sim *sim)
{
	struct ksched_group *group = NULL;
	struct error *error = NULL;

	/* a change of policy gives the task the kernel's own slice, so it comes before the others */
	for (int policy = 1; policy >= 0; policy--)
		for (int i = 0; i < variant->n_settings && !error; i++) {
			const struct plan_entry *setting = &variant->settings[i];

			if (policy == !strcmp(setting->key, "policy"))
				error = error_prefix(set_worker(sim, setting->key, setting->value,
								&group),
						     "%s", setting->key);
		}
	return error;
}

/* ---- the record ---- */

#define SYSCTL_FOLDER "/proc/sys/"
#define FEATURES_FILE DEBUG_FOLDER "features"
#define FILE_MOST     4096

struct file_record {
	const struct ksched_api *kernel;
	json_t *knobs, *sysctls;
};

static json_t *file_text(const struct ksched_api *kernel, const char *path)
{
	autofree char *text = memory_zeroed(1, FILE_MOST);
	long length = kernel->read(path, text, FILE_MOST);

	if (length < 0)
		return json_sprintf("not available: %s", strerror((int)-length));
	return json_string(text_trim(text));
}

/* a value that is a line: not what prints the scheduler's state, nor the switch for printing more,
 * which the simulated kernel can only write, nor folders with a file for each CPU */
static bool is_knob(const char *name)
{
	return strcmp(name, "features") != 0 && strcmp(name, "debug") != 0 &&
	       strcmp(name, "verbose") != 0 && !strchr(name, '/');
}

/* the names that a variant calls them by: "kernel.sched_...", "migration_cost_ns" */
static void record_file(void *data, const char *path)
{
	const struct file_record *record = data;

	if (!strncmp(path, SYSCTL_FOLDER, strlen(SYSCTL_FOLDER))) {
		autofree char *name = memory_string(path + strlen(SYSCTL_FOLDER));

		for (char *at = name; *at; at++)
			if (*at == '/')
				*at = '.';
		json_object_set_new(record->sysctls, name, file_text(record->kernel, path));
	} else if (!strncmp(path, DEBUG_FOLDER, strlen(DEBUG_FOLDER)) &&
		   is_knob(path + strlen(DEBUG_FOLDER))) {
		json_object_set_new(record->knobs, path + strlen(DEBUG_FOLDER),
				    file_text(record->kernel, path));
	}
}

void sim_setting_record(struct sim *sim, json_t *into)
{
	struct file_record record = { sim_kernel(sim), json_object(), json_object() };

	record.kernel->files(record_file, &record);
	json_object_set_new(into, "features", file_text(record.kernel, FEATURES_FILE));
	json_object_set_new(into, "knobs", record.knobs);
	json_object_set_new(into, "sysctls", record.sysctls);
}
