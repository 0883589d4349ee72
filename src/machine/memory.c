// SPDX-License-Identifier: GPL-2.0-only
/* memory.c - how much memory workloads may take */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "machine/cgroup.h"
#include "machine/machine.h"

static uint64_t meminfo_available(const char *root)
{
	static const char key[] = "\nMemAvailable:";
	autofree char *path = memory_format("%s/proc/meminfo", root);
	autofree char *text = NULL;
	struct error *error = file_read(path, &text, NULL);
	const char *found;

	if (error) {
		error_free(error);
		return 0;
	}
	found = strstr(text, key);
	return found ? strtoull(found + strlen(key), NULL, 10) * 1024 : 0;
}

uint64_t machine_memory_read(const char *root, char **source)
{
	uint64_t available = meminfo_available(root), left;
	char *path;

	*source = available ? memory_string("MemAvailable") : NULL;
	if (!cgroup_memory_left(root, &left, &path))
		return available;
	if (!available || left < available) {
		free(*source);
		*source = memory_format("the memory limit of cgroup %s", path);
		available = left;
	}
	free(path);
	return available;
}

uint64_t machine_memory_available(const struct machine *machine, char **source)
{
	uint64_t bytes = 0;

	if (machine->live)
		return machine_memory_read("", source);
	for (int i = 0; i < machine->n_groups[LEVEL_NODE]; i++)
		bytes += machine->groups[LEVEL_NODE][i].bytes;
	*source = bytes ? memory_format("the nodes of machine %s", machine->name) : NULL;
	return bytes;
}
