// SPDX-License-Identifier: GPL-2.0-only
/* environment.c - of the host: kernel, scheduler settings, CPUs and what sets their speed */
#include "backend/environment.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "backend/environment_internal.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/release.h"
#include "workload/workload.h"

json_t *environment_unavailable(struct error *error)
{
	json_t *value = json_sprintf("not available: %s", error->message);

	error_free(error);
	return value;
}

json_t *environment_text(const char *text)
{
	json_t *value = json_string(text);

	return value ? value : json_string("not available: not UTF-8");
}

json_t *environment_file(const char *root, const char *path)
{
	autofree char *whole = memory_format("%s%s", root, path);
	autofree char *text = NULL;
	struct error *error = file_read(whole, &text, NULL);

	return error ? environment_unavailable(error) : environment_text(text_trim(text));
}

/* an object of nothing but reasons is one reason, the first */
static json_t *collapsed(json_t *object)
{
	json_t *value, *first = NULL;
	const char *key;

	json_object_foreach(object, key, value)
	{
		const char *text = json_string_value(value);

		if (!text || strncmp(text, "not available: ", strlen("not available: ")) != 0)
			return object;
		if (!first)
			first = value;
	}
	if (!first)
		return object;
	json_incref(first);
	json_decref(object);
	return first;
}

/* Which names of a folder are recorded. */
typedef bool (*name_filter)(const char *name);

/*
 * The files of a folder, not of folders below it, as an object of name and content, the names after
 * @prefix. A folder that cannot be listed is a string that says why.
 */
static json_t *folder_object(const char *root, const char *path, name_filter wanted,
			     const char *prefix)
{
	autofree char *whole = memory_format("%s%s", root, path);
	struct dirent **entries;
	json_t *object;
	int n = scandir(whole, &entries, NULL, alphasort);

	if (n < 0)
		return environment_unavailable(error_errno("cannot list %s", path));
	object = json_object();
	for (int i = 0; i < n; i++) {
		const char *name = entries[i]->d_name;
		autofree char *key = memory_format("%s%s", prefix, name);
		autofree char *file = memory_format("%s/%s", path, name);

		if (*name != '.' && entries[i]->d_type != DT_DIR && (!wanted || wanted(name)))
			json_object_set_new(object, key, environment_file(root, file));
		free(entries[i]);
	}
	free(entries);
	return collapsed(object);
}

/* of debugfs sched: not the features, which have a key of their own, nor the big dump */
static bool is_knob(const char *name)
{
	return strcmp(name, "features") != 0 && strcmp(name, "debug") != 0;
}

static bool is_sched_sysctl(const char *name)
{
	return !strncmp(name, "sched_", 6) || !strncmp(name, "numa_balancing", 14) ||
	       !strcmp(name, "timer_migration");
}

/* the names are what follows "sched." in a variant */
static json_t *knobs_object(const char *root)
{
	json_t *knobs = folder_object(root, "/sys/kernel/debug/sched", is_knob, "");
	json_t *balancing = folder_object(root, "/sys/kernel/debug/sched/numa_balancing", NULL,
					  "numa_balancing.");

	if (json_is_object(knobs) && json_is_object(balancing))
		json_object_update(knobs, balancing);
	json_decref(balancing);
	return knobs;
}

/* the value of the first "key : value" line of /proc/cpuinfo with one of these keys, NULL if none */
static char *cpuinfo_value(const char *text, const char *const *keys)
{
	for (; *keys; keys++) {
		size_t length = strlen(*keys);

		for (const char *line = text; *line;) {
			const char *end = strchrnul(line, '\n');
			const char *colon = memchr(line, ':', (size_t)(end - line));

			if (colon && !strncmp(line, *keys, length) &&
			    strspn(line + length, " \t") == (size_t)(colon - line) - length) {
				autofree char *value =
					memory_string_n(colon + 1, (size_t)(end - colon - 1));

				return memory_string(text_trim(value));
			}
			line = *end ? end + 1 : end;
		}
	}
	return NULL;
}

static void set_text(json_t *object, const char *key, char *value, const char *otherwise)
{
	json_object_set_new(object, key, environment_text(value ? value : otherwise));
	free(value);
}

static json_t *cpu_object(const char *root)
{
	static const char *const model[] = { "model name", "Processor", "cpu model", "uarch",
					     "CPU part",   "machine",	NULL };
	static const char *const microcode[] = { "microcode", NULL };
	static const char *const flags[] = { "flags", "Features", NULL };
	autofree char *path = memory_format("%s/proc/cpuinfo", root);
	autofree char *text = NULL, *list = NULL;
	struct error *error = file_read(path, &text, NULL);
	json_t *object;

	if (error)
		return environment_unavailable(error);
	object = json_object();
	set_text(object, "model", cpuinfo_value(text, model),
		 "not available: /proc/cpuinfo names none");
	set_text(object, "microcode", cpuinfo_value(text, microcode),
		 "not available: /proc/cpuinfo names none");
	list = cpuinfo_value(text, flags);
	if (list) {
		autofree char *words = memory_format(" %s ", list);

		json_object_set_new(object, "virtual_machine",
				    json_boolean(strstr(words, " hypervisor ") != NULL));
	} else {
		json_object_set_new(object, "virtual_machine",
				    json_string("not available: /proc/cpuinfo has no flags"));
	}
	return object;
}

/* of all frequency policies one file: the value they share, or "value (policies), ..." in words */
static json_t *policies_value(const char *root, const char *file)
{
	autofree char *folder = memory_format("%s/sys/devices/system/cpu/cpufreq", root);
	struct dirent **entries;
	char *all = NULL;
	json_t *value;
	int n = scandir(folder, &entries, NULL, versionsort);

	for (int i = 0; i < n; i++) {
		autofree char *path = memory_format("%s/%s/%s", folder, entries[i]->d_name, file);
		autofree char *line =
			strncmp(entries[i]->d_name, "policy", 6) ? NULL : file_read_line(path);

		if (line && !all) {
			all = memory_string(line);
		} else if (line && strcmp(all, line) != 0 && !strstr(all, line)) {
			all = memory_append(all, ", %s", line);
		}
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	value = environment_text(all ? all : "not available: no policy of cpufreq tells it");
	free(all);
	return value;
}

static json_t *frequency_object(const char *root)
{
	json_t *object = json_object();

	json_object_set_new(object, "driver", policies_value(root, "scaling_driver"));
	json_object_set_new(object, "governor", policies_value(root, "scaling_governor"));
	json_object_set_new(object, "min_khz", policies_value(root, "scaling_min_freq"));
	json_object_set_new(object, "max_khz", policies_value(root, "scaling_max_freq"));
	json_object_set_new(object, "energy_preference",
			    policies_value(root, "energy_performance_preference"));
	json_object_set_new(object, "boost",
			    environment_file(root, "/sys/devices/system/cpu/cpufreq/boost"));
	json_object_set_new(object, "intel_no_turbo",
			    environment_file(root,
					     "/sys/devices/system/cpu/intel_pstate/no_turbo"));
	return collapsed(object);
}

static json_t *machine_object(const struct machine *machine)
{
	struct machine_counts counts = machine_counts(machine, machine->online);
	autofree char *online = cpulist_format(machine->online);
	autofree char *usable = cpulist_format(machine->usable);

	return json_pack("{s:s, s:s, s:s, s:i, s:i, s:i, s:i, s:i, s:i}", "name", machine->name,
			 "online", online, "usable", usable, "nr_cpus", counts.nr_cpus, "nr_cores",
			 counts.nr_cores, "nr_llcs", counts.nr_llcs, "nr_nodes", counts.nr_nodes,
			 "nr_sockets", counts.nr_sockets, "smt", counts.smt);
}

static json_t *workload_versions(void)
{
	json_t *object = json_object();

	for (const struct workload *const *workload = workload_all(); *workload; workload++)
		json_object_set_new(object, (*workload)->name, json_integer((*workload)->version));
	return object;
}

struct error *environment_host(const char *root, const struct machine *machine, json_t *into)
{
	static const struct {
		const char *key, *path;
	} files[] = {
		{ "kernel_release", "/proc/sys/kernel/osrelease" },
		{ "kernel_version", "/proc/sys/kernel/version" },
		{ "command_line", "/proc/cmdline" },
		{ "boot", "/proc/sys/kernel/random/boot_id" },
		{ "features", "/sys/kernel/debug/sched/features" },
		{ "smt_control", "/sys/devices/system/cpu/smt/control" },
		{ "smt_active", "/sys/devices/system/cpu/smt/active" },
		{ "idle_driver", "/sys/devices/system/cpu/cpuidle/current_driver" },
		{ "idle_governor", "/sys/devices/system/cpu/cpuidle/current_governor_ro" },
		{ "clocksource",
		  "/sys/devices/system/clocksource/clocksource0/current_clocksource" },
		{ "isolated", "/sys/devices/system/cpu/isolated" },
		{ "huge_pages", "/sys/kernel/mm/transparent_hugepage/enabled" },
	};
	autofree char *built_with = fairtrial_built_with();

	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		json_object_set_new(into, files[i].key, environment_file(root, files[i].path));
	json_object_set_new(into, "tool", json_sprintf("fairtrial %s", fairtrial_version()));
	json_object_set_new(into, "built_with", json_string(built_with));
	json_object_set_new(into, "workloads", workload_versions());
	json_object_set_new(into, "sysctls",
			    folder_object(root, "/proc/sys/kernel", is_sched_sysctl, "kernel."));
	json_object_set_new(into, "knobs", knobs_object(root));
	json_object_set_new(into, "mitigations",
			    folder_object(root, "/sys/devices/system/cpu/vulnerabilities", NULL,
					  ""));
	json_object_set_new(into, "cpu", cpu_object(root));
	json_object_set_new(into, "frequency", frequency_object(root));
	json_object_set_new(into, "machine", machine_object(machine));
	return NULL;
}
