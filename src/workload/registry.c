// SPDX-License-Identifier: GPL-2.0-only
#include "workload/workload.h"

#include <string.h>

static const struct workload *const workloads[] = {
	NULL,
};

const struct workload *workload_find(const char *name)
{
	for (const struct workload *const *at = workloads; *at; at++)
		if (!strcmp((*at)->name, name))
			return *at;
	return NULL;
}

const struct workload *const *workload_all(void)
{
	return workloads;
}
