// SPDX-License-Identifier: GPL-2.0-only
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "machine/build.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void);

/* hwloc 2.9 loses 32 bytes when a synthetic string is wrong after a '[' */
const char *__lsan_default_suppressions(void)
{
	return "leak:libhwloc.so\n";
}

/* every CPU is in the groups that it points to, and has its own core */
static void check(const struct machine *machine)
{
	if (machine->n_cpus < 1 || machine->n_groups[LEVEL_NODE] < 1)
		abort();
	for (int i = 0; i < machine->n_cpus; i++) {
		const struct machine_cpu *cpu = &machine->cpus[i];

		if (machine_cpu(machine, cpu->id) != cpu || cpu->group[LEVEL_CORE] < 0)
			abort();
		for (enum machine_level level = 0; level < N_MACHINE_LEVELS; level++)
			if (cpu->group[level] >= 0 &&
			    !hwloc_bitmap_isset(machine->groups[level][cpu->group[level]].cpus,
						cpu->id))
				abort();
	}
	for (int i = 0; i < machine->n_groups[LEVEL_NODE]; i++)
		if (!machine_distance(machine, i, i))
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct machine *machine;
	struct error *error;

	/* a large machine is slow to build, and none the more instructive */
	if (memmem(data, size, "xml", 3) || size > 2000)
		return 0;
	error = machine_read_text("fuzz/m.machine", (const char *)data, size, &machine);
	if (error) {
		if (error->code != ERR_INPUT || !error->file)
			abort();
		error_free(error);
		return 0;
	}
	check(machine);
	machine_close(machine);
	return 0;
}
