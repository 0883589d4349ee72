// SPDX-License-Identifier: GPL-2.0-only
/* cpulist.c - the kernel's form of CPU sets */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "machine/machine.h"

/* far above any NR_CPUS; keeps a typing error from filling memory */
#define HIGHEST_CPU 65535

static bool read_id(const char **text, int *id)
{
	const char *at = *text;
	int value = 0;

	if (!isdigit((unsigned char)*at))
		return false;
	for (; isdigit((unsigned char)*at); at++) {
		value = value * 10 + (*at - '0');
		if (value > HIGHEST_CPU)
			return false;
	}
	*text = at;
	*id = value;
	return true;
}

struct error *cpulist_parse(const char *text, hwloc_bitmap_t out)
{
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	const char *at = text;
	int first, last;

	for (;;) {
		if (!read_id(&at, &first))
			break;
		last = first;
		if (*at == '-') {
			at++;
			if (!read_id(&at, &last) || last < first)
				break;
		}
		hwloc_bitmap_set_range(set, first, last);
		if (!*at) {
			hwloc_bitmap_copy(out, set);
			hwloc_bitmap_free(set);
			return NULL;
		}
		if (*at++ != ',')
			break;
	}
	hwloc_bitmap_free(set);
	return error_new(ERR_INPUT,
			 "'%s' is not a CPU list: numbers up to %d and rising ranges, "
			 "such as 0-15,320-335",
			 text, HIGHEST_CPU);
}

char *cpulist_format(hwloc_const_bitmap_t cpus)
{
	char *text;

	if (hwloc_bitmap_list_asprintf(&text, cpus) < 0)
		return memory_string("");
	return text;
}
