// SPDX-License-Identifier: GPL-2.0-only
/* live.c - this machine: hwloc's topology plus what /proc and /sys tell of this process */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "machine/build.h"
#include "machine/cgroup.h"

/* as cpulist_parse(), for what the kernel wrote: nothing to say when it is empty */
static bool cpulist_read(const char *text, hwloc_bitmap_t out)
{
	struct error *error = cpulist_parse(text, out);
	bool done = !error;

	error_free(error);
	return done;
}

/* a CPU list of sysfs; false, and @out untouched, if there is none */
static bool read_list(const char *root, const char *name, hwloc_bitmap_t out)
{
	autofree char *path = memory_format("%s%s", root, name);
	autofree char *line = file_read_line(path);

	return line && cpulist_read(line, out);
}

static bool read_affinity(const char *root, hwloc_bitmap_t out)
{
	static const char key[] = "Cpus_allowed_list:";
	autofree char *path = memory_format("%s/proc/self/status", root);
	autofree char *text = NULL;
	struct error *error = file_read(path, &text, NULL);
	char *found;

	if (error) {
		error_free(error);
		return false;
	}
	found = strstr(text, key);
	if (!found)
		return false;
	found += strlen(key);
	found[strcspn(found, "\n")] = '\0';
	return cpulist_read(text_trim(found), out);
}

static void read_sets(const char *root, struct machine *machine)
{
	hwloc_bitmap_t possible = hwloc_bitmap_alloc();

	if (read_list(root, "/sys/devices/system/cpu/possible", possible))
		hwloc_bitmap_or(machine->possible, machine->possible, possible);
	hwloc_bitmap_free(possible);
	hwloc_bitmap_copy(machine->cpuset, machine->online);
	cgroup_cpuset_read(root, machine->cpuset);
	hwloc_bitmap_copy(machine->affinity, machine->online);
	read_affinity(root, machine->affinity);
	hwloc_bitmap_and(machine->usable, machine->online, machine->cpuset);
	hwloc_bitmap_and(machine->usable, machine->usable, machine->affinity);
}

static int read_capacity(const char *root, int cpu)
{
	autofree char *path =
		memory_format("%s/sys/devices/system/cpu/cpu%d/cpu_capacity", root, cpu);
	autofree char *line = file_read_line(path);
	int64_t value = 0;

	if (line)
		error_free(text_integer(line, 1, 1024, &value));
	return value;
}

/* hwloc's name of the kind that a CPU is of, a new string or NULL */
static char *kind_name(const struct machine *machine, int cpu)
{
	for (int i = 0; i < machine->n_kinds; i++)
		if (machine->kinds[i].name && hwloc_bitmap_isset(machine->kinds[i].cpus, cpu))
			return memory_string(machine->kinds[i].name);
	return NULL;
}

static int compare_kinds(const void *a, const void *b)
{
	return ((const struct machine_kind *)a)->capacity -
	       ((const struct machine_kind *)b)->capacity;
}

/*
 * The scheduler goes by cpu_capacity: where it is known, it makes the kinds, and hwloc only names
 * them. All alike or not known for every CPU: hwloc's kinds stay.
 */
static void read_kinds(const char *root, struct machine *machine)
{
	struct machine_kind *kinds = NULL;
	int cpu, n = 0;
	bool known = true;

	hwloc_bitmap_foreach_begin(cpu, machine->online)
	{
		int capacity = read_capacity(root, cpu), i;

		known = known && capacity;
		for (i = 0; i < n && kinds[i].capacity != capacity; i++)
			;
		if (i == n) {
			array_append(kinds, n)->cpus = hwloc_bitmap_alloc();
			kinds[i].capacity = capacity;
			kinds[i].name = kind_name(machine, cpu);
		}
		hwloc_bitmap_set(kinds[i].cpus, cpu);
	}
	hwloc_bitmap_foreach_end();
	if (known && n > 1) {
		machine_clear_kinds(machine);
		qsort(kinds, n, sizeof(*kinds), compare_kinds);
		machine->kinds = kinds;
		machine->n_kinds = n;
		return;
	}
	for (int i = 0; i < machine->n_kinds && known; i++)
		machine->kinds[i].capacity = kinds[0].capacity;
	for (int i = 0; i < n; i++) {
		hwloc_bitmap_free(kinds[i].cpus);
		free(kinds[i].name);
	}
	free(kinds);
}

/* The number that the kernel gives to the cache of a CPU that is shared by @cpus, or -1. */
static int cache_id(const char *root, int cpu, hwloc_const_bitmap_t cpus)
{
	hwloc_bitmap_t shared = hwloc_bitmap_alloc();
	int64_t id = -1;

	for (int i = 0; id < 0; i++) {
		autofree char *folder =
			memory_format("/sys/devices/system/cpu/cpu%d/cache/index%d", cpu, i);
		autofree char *list = memory_format("%s/shared_cpu_list", folder);
		autofree char *level_file = memory_format("%s%s/level", root, folder);
		autofree char *id_file = memory_format("%s%s/id", root, folder);
		autofree char *level = file_read_line(level_file);
		autofree char *line = file_read_line(id_file);

		if (!level)
			break;
		/* an L1 may be shared by the same CPUs, on a machine of one core */
		if (line && strcmp(level, "1") && read_list(root, list, shared) &&
		    hwloc_bitmap_isincluded(cpus, shared))
			error_free(text_integer(line, 0, INT32_MAX, &id));
	}
	hwloc_bitmap_free(shared);
	return id;
}

static void read_llc_ids(const char *root, struct machine *machine)
{
	for (int i = 0; i < machine->n_groups[LEVEL_LLC]; i++) {
		struct machine_group *llc = &machine->groups[LEVEL_LLC][i];

		if (llc->id < 0)
			llc->id = cache_id(root, hwloc_bitmap_first(llc->cpus), llc->cpus);
	}
}

struct error *machine_open_root(const char *root, struct machine **out)
{
	struct machine *machine = machine_new("live", "this machine");
	struct error *error = topology_load_live(root, &machine->topology);

	if (!error) {
		machine->live = true;
		topology_read(machine);
		read_sets(root, machine);
		read_kinds(root, machine);
		error = machine_index(machine);
	}
	if (error) {
		machine_close(machine);
		return error;
	}
	read_llc_ids(root, machine);
	/* firmware writes nonsense tables; the kernel then ignores them, and so do we */
	error_free(topology_read_distances(machine));
	machine_quota_read(root, &machine->quota);
	*out = machine;
	return NULL;
}
