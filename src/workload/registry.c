// SPDX-License-Identifier: GPL-2.0-only
#include "workload/workload.h"

#include <string.h>

#include "workload/program.h"

extern const struct workload workload_cpu, workload_spawn, workload_pingpong, workload_messaging,
	workload_yield, workload_tcprr, workload_loadfile, workload_request, workload_timer,
	workload_stream, workload_core, workload_ep, workload_warehouse, workload_rtapp,
	workload_build;
/* programs of others */
extern const struct workload workload_stress_ng, workload_schbench, workload_hackbench,
	workload_perf_bench, workload_unixbench, workload_dbench, workload_cyclictest,
	workload_sysbench, workload_command;

static const struct workload *const workloads[] = {
	&workload_cpu,
	&workload_spawn,
	&workload_pingpong,
	&workload_messaging,
	&workload_yield,
	&workload_tcprr,
	&workload_loadfile,
	&workload_request,
	&workload_timer,
	&workload_stream,
	&workload_core,
	&workload_ep,
	&workload_warehouse,
	&workload_rtapp,
	&workload_build,
	&workload_stress_ng,
	&workload_schbench,
	&workload_hackbench,
	&workload_perf_bench,
	&workload_unixbench,
	&workload_dbench,
	&workload_cyclictest,
	&workload_sysbench,
	&workload_command,
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

struct error *workload_setup(const struct workload *workload, struct team *team,
			     const struct params *params)
{
	return workload->program ? program_setup(team, workload->program, params)
				 : workload->setup(team, params);
}
