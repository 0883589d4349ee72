// SPDX-License-Identifier: GPL-2.0-only
#include <stdint.h>
#include <stdlib.h>

#include "base/memory.h"
#include "machine/machine.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* what is accepted is written in a form that gives the same set again */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	autofree char *text = memory_string_n((const char *)data, size);
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc(), again = hwloc_bitmap_alloc();
	struct error *error = cpulist_parse(text, cpus);

	if (error) {
		if (error->code != ERR_INPUT || !hwloc_bitmap_iszero(cpus))
			abort();
		error_free(error);
	} else {
		autofree char *list = cpulist_format(cpus);

		if (hwloc_bitmap_iszero(cpus) || cpulist_parse(list, again) ||
		    !hwloc_bitmap_isequal(cpus, again))
			abort();
	}
	hwloc_bitmap_free(cpus);
	hwloc_bitmap_free(again);
	return 0;
}
