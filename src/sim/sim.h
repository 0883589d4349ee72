/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sim.h - a simulated machine that runs a team of workers under a kernel's own scheduler
 *
 * A process boots one machine with one kernel and runs at most one team on it: whoever wants more
 * trials boots once and forks for each. Everything is decided by the machine, the kernel, the
 * figures and the seed; the host's clock, addresses and threads have no influence.
 */
#ifndef FT_SIM_SIM_H
#define FT_SIM_SIM_H

#include <signal.h>

#include "ksched/ksched.h"
#include "sim/model.h"
#include "task/team.h"

struct sim;

/*
 * sim_boot - loads the kernel's library and brings up all CPUs of the machine
 * @machine, @model: stay the caller's and outlive the simulation
 * @fresh:           load another copy of the library, because it is in use in this process
 *
 * Errors: ERR_UNAVAILABLE (library), ERR_INPUT (a machine that the kernel cannot be).
 */
struct error *sim_boot(const struct machine *machine, const struct sim_model *model,
		       const char *library, bool fresh, struct sim **out);

/* sim_kernel - the kernel's functions; sim_machine_cpu - the machine's id of a simulated CPU */
const struct ksched_api *sim_kernel(const struct sim *sim);
int sim_machine_cpu(const struct sim *sim, int cpu);

/* sim_n_cpus - of the simulation; sim_cpu_state - what one does now; sim_time - no event that is still to come is before it */
int sim_n_cpus(const struct sim *sim);
const struct ksched_cpu *sim_cpu_state(const struct sim *sim, int cpu);
uint64_t sim_time(const struct sim *sim);

struct sim_options {
	hwloc_const_bitmap_t cpus; /* affinity of all workers unless they have their own */
	uint64_t runtime_ns, warmup_ns;
	uint64_t stop_limit_ns; /* a worker that takes longer to stop fails the trial */
	uint64_t seed;
	/*
	 * Settings of a variant, through the [task] functions of sim_kernel(), on the stack of the
	 * task that will fork the workers: those of the whole system before anything else runs,
	 * those of the workers when the background has been started. May be NULL.
	 */
	struct error *(*set_system)(void *data, struct sim *sim);
	struct error *(*set_workers)(void *data, struct sim *sim);
	void *set_data;
	/* scheduling events of the kinds in this set of 1 << enum ksched_event_kind; may be NULL */
	void (*event)(void *data, const struct ksched_event *event);
	/*
	 * the measured time begins (@start) or has ended; @pids of the workers, by worker. With `event`,
	 * and as it: CPUs have clocks of their own, so events around @time may come later. May be NULL.
	 */
	void (*mark)(void *data, bool start, uint64_t time, const int *pids, int n_pids);
	void *event_data;
	uint32_t event_kinds;
	/* at the exact beginning and end of the measured time; may read() the kernel's files; may be NULL */
	void (*observe)(void *data, struct sim *sim, bool end);
	void *observe_data;
	const volatile sig_atomic_t
		*interrupted;	     /* ends the trial with ERR_INTERRUPTED; may be NULL */
	volatile uint32_t *progress; /* 1/1000 of the trial, stored now and then; may be NULL */
};

/* sim_team_new - a team for the one trial of this process; freed with sim_team_free() */
struct team *sim_team_new(struct sim *sim, const struct sim_options *options);

/*
 * sim_team_run - simulates the trial: settings, noise, workers, gate, warm-up, measured time, stop
 * @report: filled also when the trial failed (report->failure says why: a WARN_ON of the kernel,
 *          something it called that is not modelled, a worker's own reason, one that does not stop)
 *
 * A team without workers only makes the settings.
 * Errors: of options->set_system and set_workers; ERR_INTERRUPTED.
 */
struct error *sim_team_run(struct team *team, struct team_report *report);
void sim_team_free(struct team *team);

/* What the CPUs of the case and the whole machine did in the measured time. */
struct sim_usage {
	double user, system, idle;	 /* per cent of the time of the case's CPUs, together 100 */
	double seconds;			 /* simulated, from boot to the end of the trial */
	uint64_t events;		 /* times a CPU was entered in the whole trial */
	uint64_t count[KSCHED_NR_COSTS]; /* kernel paths of the whole machine, measured time */
	uint64_t case_switches;		 /* of these, context switches on the case's CPUs */
};

/* sim_team_usage - after sim_team_run() */
void sim_team_usage(const struct team *team, struct sim_usage *out);

extern const struct task_ops sim_task_ops;

#endif
