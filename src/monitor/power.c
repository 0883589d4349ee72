// SPDX-License-Identifier: GPL-2.0-only
/*
 * power.c - power of packages, cores and memory: energy of RAPL over the measured time
 *
 * From /sys/class/powercap (a zone a package, zones of its parts below it), else from the perf PMU
 * `power`. Of the whole machine: RAPL knows no CPU sets. A counter of powercap wraps at
 * max_energy_range_uj, after a minute or more: one wrap is corrected, two cannot be seen.
 */
#include "monitor/monitor.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "machine/machine.h"
#include "monitor/perf.h"

enum {
	PACKAGE,
	CORES,
	MEMORY,
	N_PARTS
};

static const struct metric_desc power_metrics[] = {
	[PACKAGE] = { "package_power", "W", BETTER_NEITHER, 1, "all processor packages" },
	[CORES] = { "core_power", "W", BETTER_NEITHER, 1, "of this, what the cores took" },
	[MEMORY] = { "memory_power", "W", BETTER_NEITHER, 1, "memory modules" },
	{ NULL },
};

/* the name of a powercap zone ("package-0", "core", "dram"), or of an event of the PMU */
static const char *const zone_names[N_PARTS] = { "package", "core", "dram" };
static const char *const event_names[N_PARTS] = { "energy-pkg", "energy-cores", "energy-ram" };

struct zone {
	int part;
	char *folder;	       /* below the root */
	int64_t before, range; /* uJ */
};

struct power_state {
	uint64_t now_ns;
	struct zone *zones;
	int n_zones;
	struct perf_counters *events[N_PARTS];
	double scale[N_PARTS]; /* joules a count */
	struct error *errors[N_PARTS];
};

static void power_drop(void *data)
{
	struct power_state *state = data;

	for (int i = 0; i < state->n_zones; i++)
		free(state->zones[i].folder);
	for (int i = 0; i < N_PARTS; i++) {
		perf_close(state->events[i]);
		error_free(state->errors[i]);
	}
	free(state->zones);
	free(state);
}

static struct error *read_energy(const char *root, const char *folder, const char *name,
				 int64_t *out)
{
	autofree char *path = memory_format("%s%s/%s", root, folder, name);
	autofree char *text = NULL;
	struct error *error = file_read(path, &text, NULL);

	if (error)
		return error;
	error = text_integer(text_trim(text), 0, INT64_MAX, out);
	return error ? error_prefix(error, "%s", path) : NULL;
}

static int part_of(const char *name)
{
	for (int part = 0; part < N_PARTS; part++)
		if (!strncmp(name, zone_names[part], strlen(zone_names[part])))
			return part;
	return -1; /* uncore, psys */
}

/* the error of a part that has a zone is the zone's own, else that there is none */
static void set_error(struct power_state *state, int part, struct error *error)
{
	error_free(state->errors[part]);
	state->errors[part] = error;
}

static void add_zone(const char *root, const char *name, struct power_state *state)
{
	autofree char *folder = memory_format("/sys/class/powercap/%s", name);
	autofree char *name_path = memory_format("%s%s/name", root, folder);
	autofree char *zone_name = file_read_line(name_path);
	struct zone zone = { .part = zone_name ? part_of(zone_name) : -1 };
	struct error *error;

	if (zone.part < 0)
		return;
	error = read_energy(root, folder, "energy_uj", &zone.before);
	if (!error)
		error = read_energy(root, folder, "max_energy_range_uj", &zone.range);
	if (error) {
		set_error(state, zone.part, error);
		return;
	}
	zone.folder = memory_string(folder);
	*array_append(state->zones, state->n_zones) = zone;
}

/* "intel-rapl:0" and "intel-rapl:0:1", not the control type "intel-rapl" and not the twin "-mmio" */
static bool is_zone(const char *name)
{
	return !strncmp(name, "intel-rapl:", 11);
}

static void open_zones(const char *root, struct power_state *state)
{
	autofree char *path = memory_format("%s/sys/class/powercap", root);
	DIR *folder = opendir(path);
	struct dirent *entry;

	if (!folder)
		return;
	while ((entry = readdir(folder)))
		if (is_zone(entry->d_name))
			add_zone(root, entry->d_name, state);
	closedir(folder);
}

static bool has_zone(const struct power_state *state, int part)
{
	for (int i = 0; i < state->n_zones; i++)
		if (state->zones[i].part == part)
			return true;
	return false;
}

/* an event of the PMU counts on one CPU a package, which its cpumask names */
static struct error *open_event(const struct monitor_context *context, int part,
				struct power_state *state)
{
	autofree char *path =
		memory_format("%s/sys/bus/event_source/devices/power/cpumask", context->root);
	autofree char *list = file_read_line(path);
	uint32_t type;
	uint64_t config;
	hwloc_bitmap_t cpus;
	struct error *error = perf_pmu_event(context->root, "power", event_names[part], &type,
					     &config, &state->scale[part]);

	if (error || !list) {
		error_free(error);
		return error_new(ERR_UNAVAILABLE,
				 "this machine has neither a powercap zone '%s' nor a perf event "
				 "power/%s/",
				 zone_names[part], event_names[part]);
	}
	if (*context->root)
		return error_new(ERR_UNAVAILABLE,
				 "perf events cannot be read from a recorded tree");
	cpus = hwloc_bitmap_alloc();
	error = cpulist_parse(list, cpus);
	if (!error)
		error = perf_open(type, config, cpus, &state->events[part]);
	hwloc_bitmap_free(cpus);
	return error;
}

static struct error *power_start(const struct monitor_context *context, void **out)
{
	struct power_state *state = memory_zeroed(1, sizeof(*state));

	open_zones(context->root, state);
	for (int part = 0; part < N_PARTS; part++)
		if (!has_zone(state, part) && !state->errors[part])
			state->errors[part] = open_event(context, part, state);
	state->now_ns = monitor_now(context);
	*out = state;
	return NULL;
}

static struct error *zones_joules(const char *root, const struct power_state *state, int part,
				  double *joules)
{
	*joules = 0;
	for (int i = 0; i < state->n_zones; i++) {
		const struct zone *zone = &state->zones[i];
		int64_t after;
		struct error *error;

		if (zone->part != part)
			continue;
		error = read_energy(root, zone->folder, "energy_uj", &after);
		if (error)
			return error;
		if (after < zone->before)
			after += zone->range;
		*joules += (double)(after - zone->before) / 1e6;
	}
	return NULL;
}

static struct error *part_joules(const char *root, struct power_state *state, int part,
				 double *joules)
{
	struct error *error = state->errors[part];
	uint64_t count = 0;

	state->errors[part] = NULL;
	if (error)
		return error;
	if (!state->events[part])
		return zones_joules(root, state, part, joules);
	error = perf_sum(state->events[part], &count);
	*joules = (double)count * state->scale[part];
	return error;
}

static struct error *power_stop(const struct monitor_context *context, void *data,
				struct trial *trial)
{
	struct power_state *state = data;
	double seconds = (double)(monitor_now(context) - state->now_ns) / 1e9;

	for (int part = 0; part < N_PARTS; part++) {
		double joules;
		struct error *error = part_joules(context->root, state, part, &joules);
		autofree char *reason = error ? error_text(error) : NULL;

		if (error)
			trial_add_unavailable(trial, &power_metrics[part], reason);
		else
			trial_add_metric(trial, &power_metrics[part], joules / seconds, NULL, 0);
		error_free(error);
	}
	power_drop(state);
	return NULL;
}

const struct monitor monitor_power = {
	.name = "power",
	.summary = "power of packages, cores and memory (RAPL)",
	.metrics = power_metrics,
	.start = power_start,
	.stop = power_stop,
	.drop = power_drop,
};
