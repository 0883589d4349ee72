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

/* ":used/group" after a range, as the kernel reads it: of every @group CPUs the first @used */
static bool read_stride(const char **text, int *used, int *group)
{
	if (**text != ':') {
		*used = *group = 1;
		return true;
	}
	(*text)++;
	if (!read_id(text, used) || *(*text)++ != '/' || !read_id(text, group))
		return false;
	return *used >= 1 && *used <= *group;
}

/* one number or range into @set; false: it is none */
static bool read_part(const char **text, hwloc_bitmap_t set)
{
	int first, last, used = 1, group = 1;

	if (!read_id(text, &first))
		return false;
	last = first;
	if (**text == '-') {
		(*text)++;
		if (!read_id(text, &last) || last < first || !read_stride(text, &used, &group))
			return false;
	}
	for (int at = first; at <= last; at += group)
		hwloc_bitmap_set_range(set, at, at + used - 1 < last ? at + used - 1 : last);
	return true;
}

struct error *cpulist_parse(const char *text, hwloc_bitmap_t out)
{
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	const char *at = text;

	while (read_part(&at, set)) {
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
			 "such as 0-15,320-335 or 0-254:1/2",
			 text, HIGHEST_CPU);
}

char *cpulist_format(hwloc_const_bitmap_t cpus)
{
	char *text;

	if (hwloc_bitmap_list_asprintf(&text, cpus) < 0)
		return memory_string("");
	return text;
}

/* the end of the ranges as wide as [first, last] that follow it every *group CPUs */
static int repeat_end(hwloc_const_bitmap_t cpus, int first, int last, int *group)
{
	int next = hwloc_bitmap_next(cpus, last), end = last, width = last - first;

	*group = next - first;
	while (next >= 0 && next - first == *group) {
		int stop = hwloc_bitmap_next_unset(cpus, next) - 1;

		if (stop - next != width)
			break;
		first = next;
		end = stop;
		next = hwloc_bitmap_next(cpus, stop);
	}
	return end;
}

char *cpulist_short(hwloc_const_bitmap_t cpus)
{
	char *text = memory_string("");
	int first = hwloc_bitmap_first(cpus);

	while (first >= 0) {
		int last = hwloc_bitmap_next_unset(cpus, first) - 1, group;
		int end = repeat_end(cpus, first, last, &group);

		if (*text)
			text = memory_append(text, ",");
		text = memory_append(text, "%d", first);
		/* two ranges are as short without */
		if (end > last && end - first > 2 * group)
			text = memory_append(text, "-%d:%d/%d", end, last - first + 1, group);
		else if (last > first)
			text = memory_append(text, "-%d", last);
		if (end <= last || end - first <= 2 * group)
			end = last;
		first = hwloc_bitmap_next(cpus, end);
	}
	return text;
}
