// SPDX-License-Identifier: GPL-2.0-only
/*
 * thermal.c - how hot the processors were, and how often heat or power slowed the case's CPUs down
 *
 * Temperatures from /sys/class/hwmon of drivers that are known to be of processors, throttling from
 * the counts that x86 keeps for each CPU.
 */
#include "monitor/monitor.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

enum {
	TEMPERATURE,
	CORE_THROTTLES,
	PACKAGE_THROTTLES
};

static const struct metric_desc thermal_metrics[] = {
	[TEMPERATURE] = { "temperature", "degC", BETTER_NEITHER, 1,
			  "the hottest sensor of a processor, at the end of the measured time" },
	[CORE_THROTTLES] = { "core_throttles", "1", BETTER_NEITHER, 1,
			     "times that heat slowed a core down, summed over the case's CPUs" },
	[PACKAGE_THROTTLES] = { "package_throttles", "1", BETTER_NEITHER, 1,
				"the same of the whole package, the most of any of the CPUs" },
	{ NULL },
};

/* hwmon drivers of processors: Intel, AMD, and arm64 systems */
static const char *const drivers[] = { "coretemp",    "k10temp",      "zenpower",
				       "cpu_thermal", "scpi_sensors", NULL };

static bool of_processor(const char *folder)
{
	autofree char *path = memory_format("%s/name", folder);
	autofree char *name = file_read_line(path);

	for (const char *const *driver = drivers; name && *driver; driver++)
		if (!strcmp(name, *driver))
			return true;
	return false;
}

/* "temp3_input" */
static bool is_sensor(const char *name)
{
	size_t length = strlen(name);

	return !strncmp(name, "temp", 4) && length > 6 && !strcmp(name + length - 6, "_input");
}

/* the hottest sensor in a folder of hwmon, millidegrees; -INFINITY if it has none */
static double hottest_in(const char *path)
{
	DIR *folder = opendir(path);
	double hottest = -INFINITY;
	struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		autofree char *file = memory_format("%s/%s", path, entry->d_name);
		autofree char *text = is_sensor(entry->d_name) ? file_read_line(file) : NULL;
		struct error *error;
		double value;

		if (!text)
			continue;
		error = text_number(text, &value);
		if (!error && value > hottest)
			hottest = value;
		error_free(error);
	}
	if (folder)
		closedir(folder);
	return hottest;
}

static double hottest(const char *root)
{
	autofree char *path = memory_format("%s/sys/class/hwmon", root);
	DIR *folder = opendir(path);
	double most = -INFINITY;
	struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		autofree char *sensors = memory_format("%s/%s", path, entry->d_name);

		if (entry->d_name[0] != '.' && of_processor(sensors))
			most = fmax(most, hottest_in(sensors));
	}
	if (folder)
		closedir(folder);
	return most;
}

struct throttles {
	double core, package;
	struct error *error;
};

static struct error *read_count(const char *root, int cpu, const char *name, double *out)
{
	autofree char *path = memory_format("%s/sys/devices/system/cpu/cpu%d/thermal_throttle/%s",
					    root, cpu, name);
	autofree char *text = file_read_line(path);
	struct error *error;

	if (!text)
		return error_new(ERR_UNAVAILABLE, "CPU %d has no thermal_throttle/%s", cpu, name);
	error = text_number(text, out);
	return error ? error_prefix(error, "%s", path) : NULL;
}

static struct throttles read_throttles(const struct monitor_context *context)
{
	struct throttles sum = { 0 };
	int cpu;

	for (cpu = hwloc_bitmap_first(context->cpus); cpu >= 0 && !sum.error;
	     cpu = hwloc_bitmap_next(context->cpus, cpu)) {
		double core, package;

		sum.error = read_count(context->root, cpu, "core_throttle_count", &core);
		if (!sum.error)
			sum.error =
				read_count(context->root, cpu, "package_throttle_count", &package);
		if (sum.error)
			break;
		sum.core += core;
		sum.package = fmax(sum.package, package);
	}
	return sum;
}

static struct error *thermal_start(const struct monitor_context *context, void **out)
{
	struct throttles *state = memory_zeroed(1, sizeof(*state));

	*state = read_throttles(context);
	*out = state;
	return NULL;
}

static void thermal_drop(void *data)
{
	struct throttles *state = data;

	error_free(state->error);
	free(state);
}

static void add_throttles(const struct throttles *before, const struct throttles *after,
			  struct trial *trial)
{
	const struct error *error = before->error ? before->error : after->error;
	autofree char *reason = error ? error_text(error) : NULL;

	if (error) {
		trial_add_unavailable(trial, &thermal_metrics[CORE_THROTTLES], reason);
		trial_add_unavailable(trial, &thermal_metrics[PACKAGE_THROTTLES], reason);
		return;
	}
	trial_add_metric(trial, &thermal_metrics[CORE_THROTTLES], after->core - before->core, NULL,
			 0);
	trial_add_metric(trial, &thermal_metrics[PACKAGE_THROTTLES],
			 after->package - before->package, NULL, 0);
}

static struct error *thermal_stop(const struct monitor_context *context, void *data,
				  struct trial *trial)
{
	struct throttles after = read_throttles(context);
	double millidegrees = hottest(context->root);

	if (isinf(millidegrees))
		trial_add_unavailable(trial, &thermal_metrics[TEMPERATURE],
				      "this machine shows no sensor of a processor in hwmon");
	else
		trial_add_metric(trial, &thermal_metrics[TEMPERATURE], millidegrees / 1e3, NULL, 0);
	add_throttles(data, &after, trial);
	error_free(after.error);
	thermal_drop(data);
	return NULL;
}

const struct monitor monitor_thermal = {
	.name = "thermal",
	.summary = "temperature of the processors, and throttling by heat",
	.metrics = thermal_metrics,
	.start = thermal_start,
	.stop = thermal_stop,
	.drop = thermal_drop,
};
