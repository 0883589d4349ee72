// SPDX-License-Identifier: GPL-2.0-only
#include <stdint.h>
#include <stdlib.h>

#include "base/memory.h"
#include "monitor/procstat.h"
#include "monitor/schedstat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ids are never negative; a text that is refused says so as bad input or an unknown version */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	autofree char *text = memory_string_n((const char *)data, size);
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc_full();
	struct cpu_schedstat sum;
	struct proc_stat stat;
	struct error *error = proc_stat_parse(text, "fuzz", &stat);

	if (error && error->code != ERR_INPUT)
		abort();
	for (int i = 0; !error && i < stat.n_cpus; i++)
		if (stat.cpus[i].id < 0)
			abort();
	if (!error)
		proc_stat_clear(&stat);
	error_free(error);
	error = cpu_schedstat_parse(text, "fuzz", cpus, &sum);
	if (error && error->code != ERR_INPUT && error->code != ERR_UNAVAILABLE)
		abort();
	error_free(error);
	hwloc_bitmap_free(cpus);
	return 0;
}
