/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * engine.h - the simulated machine inside: CPUs, their events, computing at the present speed
 *
 * Private to the room. A CPU's next event is the earliest of: its timer, interrupts under way to
 * it, and the end of what its task computes. The kernel's library moves on when a CPU is entered
 * with one of these; between two entries nothing happens but computing, which is accounted when it
 * ends, when the speed changes and when somebody looks.
 */
#ifndef FT_SIM_ENGINE_H
#define FT_SIM_ENGINE_H

#include <setjmp.h>
#include <sys/types.h>

#include "sim/library.h"
#include "sim/model.h"
#include "sim/prng.h"
#include "sim/queue.h"
#include "sim/shape.h"
#include "sim/sim.h"

#define RATE_SHIFT 20 /* rates are ps of work a ns, times 2^20; full speed is 1000 << 20 */
#define WORK_MAX   ((uint64_t)1 << 62)

/* What a task computes: the figures of its kernel and where its memory is. */
struct compute {
	enum compute_method method;
	uint64_t bytes;
	int home; /* node whose memory holds the working set */
};

#define UNSTEADY (-1)

/* The computing of a task: what the engine knows of it. ksched_task.data points to it. */
struct load {
	uint64_t left;	  /* ps of work at full speed; 0: done */
	uint64_t penalty; /* ps of it that refill caches and count for nothing, done first */
	const struct compute *compute; /* NULL: integer code without a working set */
	uint64_t set_bytes;	       /* its last set beyond L2, 0: none yet */
	signed char
		steady; /* its enum compute_method, if no other task changes its rate; or UNSTEADY */
	uint32_t speed; /* 1/2^20 of the CPU's, the jitter of this task */
	int last_cpu;	/* -1: none yet */
	bool stops;	/* ends its computing when the trial is over */
};

enum sim_source {     /* events of the host, after those of the CPUs */
	SOURCE_PHASE, /* the beginning and the end of the measured time */
	SOURCE_LIMIT, /* the trial takes too long to stop */
	SOURCE_SPEED, /* clocks and memory shares follow the load */
	N_SOURCES
};

/* Kinds of interrupts that are sent; the timer's has a field of its own. */
#define FIRST_IRQ KSCHED_IPI_RESCHEDULE
#define N_IRQS	  (KSCHED_IRQ_HOST - FIRST_IRQ + 1)

/* The first two cache lines are what an entry of the CPU needs. */
struct sim_cpu {
	struct load *load; /* what computes here, NULL: nothing */
	uint64_t since;	   /* computing is accounted up to here */
	uint64_t rate;	   /* of `load` at this moment */
	uint64_t resume;   /* when the computation, or a wait of the kernel, is over */
	uint64_t timer;	   /* as programmed by the kernel; timer_at: when the interrupt comes */
	uint64_t timer_at;
	uint64_t user_ns;      /* computed in user mode since boot */
	uint32_t kernel_scale; /* by what the costs of kernel paths are multiplied, 1024 is 1.0 */
	uint32_t irqs;	       /* set of 1 << kind of the interrupts under way */

	const struct ksched_task *task; /* whose load `task_load` is, as long as no task is freed */
	struct load *task_load;
	uint64_t tasks_freed;	 /* sim->tasks_freed when that was looked up */
	uint64_t bound_work_due; /* of bound kernel threads: done at the first tick after that */
	uint64_t set_bytes;	 /* the load's, which is in the LLC */
	int busy_siblings;	 /* other threads of the core that are not in the idle loop */
	bool busy;		 /* not in the idle loop */
	bool bound_work;	 /* the next interrupt of the host is that work */
	bool in_kernel;		 /* `load` computes in the kernel */
	bool beyond_l2;		 /* `load` computes on a set beyond L2 at this moment */
	signed char rated; /* the load's `steady` that `rate` is still right for; UNSTEADY: none */

	uint64_t irq_at[N_IRQS]; /* of those in `irqs`, by kind - FIRST_IRQ */
	uint64_t idle_since;
	uint64_t work_ns;   /* computed in the kernel (KSCHED_KERNEL) since boot */
	uint64_t core_rate; /* by clock and capacity, as if the siblings were idle */
	int set_home;	    /* the node of the working set */
	int sibling;	    /* next CPU of the same core, a ring; itself without SMT */
	int package, llc, node;
	unsigned int capacity; /* 1024 is the fastest */
} __attribute__((aligned(64)));

/* Speeds shared by CPUs, brought up to date by SOURCE_SPEED. */
struct sim_package {
	int cores, busy; /* busy: cores with at least one busy CPU */
	uint64_t clock;	 /* kHz */
};

/*
 * Tasks that compute with working sets beyond L2, by LLC and by the node that their memory is on.
 * Shares go by the mean over the last period, because tasks that wait for each other or for locks
 * stop and start all the time. A set stays in the LLC while its task computes on less for a while:
 * `bytes` are those of the tasks that run, `n` the tasks that ask for memory now.
 */
struct sim_users {
	uint64_t n, bytes;		    /* at this moment */
	uint64_t since;			    /* summed up to here */
	unsigned __int128 sum_n, sum_bytes; /* times ns, in this period */
	uint64_t mean_n, mean_bytes;	    /* of the last period, n times 1024 */
};

struct sim_llc {
	uint64_t bytes; /* size */
	struct sim_users users;
};

struct sim_node {
	struct sim_users users;
};

struct sim {
	const struct ksched_api *kernel;
	const struct ksched_hints *hints;
	pid_t booted_by; /* the process; a trial may run in a fork of it */
	struct ksched_shared *shared;
	const struct machine *machine;
	const struct sim_model *model;
	struct shape *shape;
	struct queue *queue; /* CPUs, then enum sim_source */
	struct sim_cpu *cpus;
	struct sim_package *packages;
	struct sim_llc *llcs;
	struct sim_node *nodes;
	int n_cpus, n_packages, n_llcs, n_nodes;
	struct prng prng;
	struct sim_team *team;
	uint64_t time;	  /* of the event that is handled */
	uint64_t started; /* time at which the trial began: the boot is over */
	uint64_t events;
	uint64_t tasks_freed; /* number of them: an address may stand for another task then */
	uint64_t period;      /* when the present period of struct sim_users began */
	bool speed_changed;   /* SOURCE_SPEED is due */
	bool over;	      /* the measured time has ended: workers return */
	bool done;	      /* the loop ends */
	jmp_buf escape;	      /* out of the kernel when it cannot go on */
	char *failure;	      /* why the trial failed, the first reason; NULL: it did not */
};

/* engine_seed - all random numbers of the trial come from this; engine_start - sets the costs and
 * queues what the CPUs wait for */
void engine_seed(struct sim *sim, uint64_t seed);
void engine_start(struct sim *sim);

/* engine_run - handles events until sim->done; if nothing can ever happen the trial has failed */
void engine_run(struct sim *sim);

/* engine_ipi, engine_interrupt_at - an interrupt for a CPU, from the kernel or from a device */
void engine_ipi(void *self, int from, int to, enum ksched_enter kind);
void engine_interrupt_at(struct sim *sim, int cpu, uint64_t time);

/* engine_source - sets the time of an event of the host; may be called on a task's stack */
void engine_source(struct sim *sim, enum sim_source source, uint64_t time);

/* engine_settle - accounts all computing up to a time, so that everyone's `left` is exact */
void engine_settle(struct sim *sim, uint64_t time);

/* engine_stop_computing - ends the computing of all loads that stop with the trial */
void engine_stop_computing(struct sim *sim, uint64_t time);

/* engine_finish_computing - what a load has left is done; [task] */
void engine_finish_computing(struct sim *sim, struct load *load);

/* engine_now - the local clock of the CPU that is entered */
static inline uint64_t engine_now(const struct sim *sim)
{
	return sim->shared->cpu[sim->shared->this_cpu].now;
}

/* engine_fail - remembers why the trial failed (printf-style) and lets it end */
void engine_fail(struct sim *sim, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- speed.c ---- */

void speed_new(struct sim *sim);

/* speed_unit - ps that a unit takes at full speed, its set in L2 */
uint64_t speed_unit(const struct sim *sim, const struct compute *compute);

/* speed_set - brings the rate of a CPU up to date, which computes @load */
void speed_set(struct sim *sim, int cpu, const struct load *load);

/* speed_load - what computes on a CPU from now on, NULL: nothing */
void speed_load(struct sim *sim, int cpu, struct load *load, uint64_t time);

/* speed_period - a new period begins: SOURCE_SPEED will end it */
void speed_period(struct sim *sim, uint64_t time);

/* speed_busy - a CPU left (@busy) or entered the idle loop */
void speed_busy(struct sim *sim, int cpu, bool busy);

/*
 * speed_update - the end of a period: recomputes the shared speeds; true when a rate may have changed
 * Sets sim->speed_changed when they have not settled yet.
 */
bool speed_update(struct sim *sim, uint64_t time);

/* speed_refill - work that cold caches cost when a load comes from another CPU, ps */
uint64_t speed_refill(const struct sim *sim, int from, int to);

/* ---- phases of the trial (team.c) and noise (noise.c) ---- */

void team_phase(struct sim *sim, uint64_t time);
void team_overdue(struct sim *sim);
void team_progress(struct sim *sim, uint64_t time);
void noise_interrupt(void *sim);
void noise_tick(struct sim *sim, int cpu, uint64_t now);
void noise_arm(struct sim *sim, int cpu, uint64_t now);
void noise_start(struct sim *sim);

#endif
