// SPDX-License-Identifier: GPL-2.0-only
#include "workload/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static const struct param_value *find(const struct params *params, const char *name)
{
	for (int i = 0; i < params->n; i++)
		if (!strcmp(params->values[i].param->name, name))
			return &params->values[i];
	fprintf(stderr, "fairtrial: bug: a workload asks for the unknown parameter '%s'\n", name);
	abort();
}

int64_t params_number(const struct params *params, const char *name)
{
	return find(params, name)->number;
}

const char *params_text(const struct params *params, const char *name)
{
	return find(params, name)->text;
}

void params_clear(struct params *params)
{
	for (int i = 0; i < params->n; i++)
		free(params->values[i].text);
	free(params->values);
	*params = (struct params){ 0 };
}

struct workload_demand workload_demand(const struct workload *workload, const struct params *params,
				       hwloc_const_bitmap_t cpus)
{
	struct workload_demand demand = { 0 };
	autofree char *first = NULL;

	if (workload->demand)
		return workload->demand(params, cpus);
	if (workload->program || !workload->load)
		return demand;
	first = memory_string_n(workload->load, strcspn(workload->load, " "));
	demand.tasks = (double)params_number(params, first);
	return demand;
}
