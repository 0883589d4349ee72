/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sim.h - a simulated machine that runs a team of workers under a kernel's own scheduler
 *
 * A process boots one machine with one kernel and runs at most one team on it: whoever wants more
 * trials boots once and forks for each. Everything is decided by the machine, the kernel, the figures
 * and the seed; the host's clock, addresses and threads have no influence.
 */
#ifndef FT_SIM_SIM_H
#define FT_SIM_SIM_H

#include "ksched/ksched.h"
#include "sim/model.h"
#include "task/team.h"

struct sim;

/*
 * sim_boot - loads the kernel's library and brings up all CPUs of the machine
 * @machine, @model: stay the caller's and outlive the simulation
 *
 * Errors: ERR_UNAVAILABLE (library), ERR_INPUT (a machine that the kernel cannot be).
 */
struct error *sim_boot(const struct machine *machine, const struct sim_model *model,
		       const char *library, struct sim **out);

/* sim_kernel - the kernel's functions; sim_machine_cpu - the machine's id of a simulated CPU */
const struct ksched_api *sim_kernel(const struct sim *sim);
int sim_machine_cpu(const struct sim *sim, int cpu);

struct sim_options {
	hwloc_const_bitmap_t cpus; /* affinity of all workers unless they have their own */
	uint64_t runtime_ns, warmup_ns;
	uint64_t stop_limit_ns; /* a worker that takes longer to stop fails the trial */
	uint64_t seed;
	/*
	 * Called on the stack of the task that will fork the workers, before it does: settings of a
	 * variant are made here through the [task] functions of sim_kernel(). May be NULL.
	 */
	struct error *(*prepare)(void *data, struct sim *sim);
	void *prepare_data;
	/*
	 * The kernel called what is not modelled: write down what is to be kept and end the process;
	 * must not return. NULL: print the reason and abort().
	 */
	void (*fatal)(void *data, const char *reason);
	void *fatal_data;
	volatile uint64_t *progress; /* simulated ns since the start are stored here now and then */
};

/* sim_team_new - a team for the one trial of this process; freed with sim_team_free() */
struct team *sim_team_new(struct sim *sim, const struct sim_options *options);

/*
 * sim_team_run - simulates the trial: settings, noise, workers, gate, warm-up, measured time, stop
 * @report: filled also when the trial failed (report->failure says why: a WARN_ON of the kernel, a
 *          worker's own reason, a worker that does not stop)
 *
 * Errors: of options->prepare.
 */
struct error *sim_team_run(struct team *team, struct team_report *report);
void sim_team_free(struct team *team);

/* What the CPUs of the case and the whole machine did in the measured time. */
struct sim_usage {
	double user, system, idle;	 /* per cent of the time of the case's CPUs, together 100 */
	double seconds;			 /* simulated, from boot to the end of the trial */
	uint64_t events;		 /* times a CPU was entered in the whole trial */
	uint64_t count[KSCHED_NR_COSTS]; /* kernel paths of the whole machine, measured time */
};

/* sim_team_usage - after sim_team_run() */
void sim_team_usage(const struct team *team, struct sim_usage *out);

extern const struct task_ops sim_task_ops;

#endif
