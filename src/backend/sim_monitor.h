/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sim_monitor.h - the metrics of monitors in a simulated trial: from the simulated kernel where it has
 * them, else unavailable with the reason
 */
#ifndef FT_BACKEND_SIM_MONITOR_H
#define FT_BACKEND_SIM_MONITOR_H

#include "plan/plan.h"
#include "sim/sim.h"

/* What the simulated kernel said at the beginning and at the end of the measured time; zero it. */
struct sim_observation {
	char *before, *after; /* /proc/schedstat; NULL: the kernel has none */
	char enabled[8];      /* kernel.sched_schedstats at the end; "" if there is no such file */
	int *cpu_ids;	      /* of the machine, by the kernel's number */
	int n_cpus;
};

/* sim_observe - for sim_options.observe; data is a sim_observation */
void sim_observe(void *data, struct sim *sim, bool end);

/* sim_monitors_add - all metrics of the plan's monitors */
void sim_monitors_add(const struct plan *plan, const struct machine *machine, struct team *team,
		      const struct team_report *report, const struct sim_observation *observation,
		      struct trial *out);

/* sim_monitors_probe - those that no simulated trial has, with the reason */
void sim_monitors_probe(const struct plan *plan, const struct case_instance *instance,
			struct trial *out);

void sim_observation_clear(struct sim_observation *observation);

#endif
