/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ksched.h - the kernel's own scheduler as a library: what a simulated machine sees of it
 *
 * A shared object made by `fairtrial kernel add` holds the unmodified kernel/sched of one kernel tree
 * (with the kernel's idle loop, stopper, softirqs, ticks, timers and remote calls), and exports
 * one symbol, `ksched` (struct ksched_api). The program that loads it is the host: it owns the time,
 * the event queue, the speeds and the costs; the kernel owns every decision of scheduling.
 * This header has only plain C types and is the whole contract between the two.
 *
 * The shape
 * - One simulation a process; kernel state is static. Boot once and fork() per trial. One thread.
 * - Every simulated task has a real stack. Code of a task (the host's workload code) runs on it, and
 *   calls the functions marked [task] below, which are the kernel's system calls: they may block,
 *   be preempted, and return on another CPU. Functions marked [host] are called from the host's event
 *   loop, [irq] from a function the kernel runs for the host in interrupt context.
 * - The host enters a simulated CPU with enter(). The kernel (and the task's code) runs there until that
 *   CPU has nothing to do at this moment, and enter() returns. What the CPU does next is then in its
 *   struct ksched_cpu: mode, task, local clock and programmed timer.
 *   The host reads these after each enter(); no callback is needed for them.
 * - A task that computes calls compute(). That returns to the host. The host decides how long it
 *   takes, delivers interrupts meanwhile, and ends it by enter(cpu, KSCHED_RESUME, t). If the task is
 *   preempted or moved meanwhile, the host sees other tasks in cpu[].task, and this one again later,
 *   perhaps on another CPU.
 * - Each CPU has a local clock, cpu[].now, in ns. enter() sets it forward to the given time (never back),
 *   and costs charged to kernel paths move it on. An event for a CPU must not be delivered before
 *   its local clock: interrupts wait while the kernel is busy.
 * - A task that makes many system calls without computing runs ahead of the other CPUs' time. At
 *   the end of a call the task stops in mode KSCHED_READY once its clock has passed `horizon` (which
 *   callbacks may lower) or its CPU's own timer.
 *   A host that sets the horizon to the time of its next event before each enter() gets exact order.
 *
 * A minimal host loop:
 *	take the event with the smallest time from the queue
 *	shared->horizon = time of the next one
 *	enter(cpu, kind, max(time, cpu[].now))
 *	look at cpu[]: queue its timer; by mode queue RESUME at now + work left (KSCHED_USER),
 *	or at now (KSCHED_READY), or a little later (KSCHED_SPIN), or nothing (KSCHED_IDLE)
 * ipi() callbacks queue an event for their target.
 *
 * Units: ns unless the name says otherwise. Errors: 0 or a negative Linux errno.
 * CPU masks: arrays of 64-bit words, bit n % 64 of word n / 64 is CPU n, (nr_cpus + 63) / 64 words.
 */
#ifndef KSCHED_H
#define KSCHED_H

#include <stddef.h>
#include <stdint.h>

/* Raised when a struct or a meaning changes; a library with another number is refused. */
#define KSCHED_ABI 3

#define KSCHED_NEVER UINT64_MAX /* a time that does not come */
#define KSCHED_NO_ID (-1)

/* ---- the machine ------------------------------------------------------------------------- */

/*
 * One CPU. Ids are any numbers >= 0; CPUs with the same number share the thing. `core` and `cluster`
 * make the masks of the SMT and cluster levels, `llc` of the MC level, `node` of the NUMA node (each CPU
 * of a package must have a node; every node has at least one CPU). `cluster` may be KSCHED_NO_ID: none.
 */
struct ksched_cpu_desc {
	int core, cluster, llc, node, package;
	unsigned int capacity; /* 1..1024, 1024 is the machine's fastest */
	int prio;	       /* asymmetric packing: higher is preferred; see asym_levels */
	int polling;	       /* 1: the idle CPU monitors its flag word (mwait), no IPI needed */
};

enum { /* bits of ksched_machine.asym_levels: levels with SD_ASYM_PACKING */
	KSCHED_ASYM_SMT = 1,
	KSCHED_ASYM_CLUSTER = 2,
	KSCHED_ASYM_MC = 4,
	KSCHED_ASYM_PKG = 8,
};

struct ksched_machine {
	int nr_cpus;  /* 1 .. ksched_api.max_cpus */
	int nr_nodes; /* 1 .. ksched_api.max_nodes; nodes are 0 .. nr_nodes - 1 */
	const struct ksched_cpu_desc *cpu; /* [nr_cpus] */
	const int *distance;		   /* [nr_nodes * nr_nodes], 10 is local; symmetric */
	int node_reclaim_distance; /* SD_BALANCE_FORK/EXEC end beyond it: 30, AMD sets 32; 0: 30 */
	unsigned int asym_levels;
	int numa_in_package; /* 1: no PKG level (x86 with several nodes a package) */
	const char *cmdline; /* kernel parameters, e.g. "noautogroup skew_tick=1", or NULL */
	uint64_t seed;	     /* get_random_u32() of the kernel */
};

/* ---- what is shared in memory: the CPUs' state --------------------------------------------- */

enum ksched_mode {
	KSCHED_IDLE,   /* in the idle loop, waits for an interrupt */
	KSCHED_USER,   /* a task computes in user mode; interrupts may preempt it */
	KSCHED_KERNEL, /* a task computes in the kernel; preempted only if the kernel's
					 * preemption model says so. Without work left: it lets CPUs that
					 * are behind catch up, RESUME it at cpu->now */
	KSCHED_READY,  /* a task passed the horizon: RESUME it at cpu->now */
	KSCHED_SPIN,   /* waits actively for another CPU: RESUME it a little later */
};

/*
 * Costs of kernel paths, charged to the local clock of the CPU at the time they run.
 * What the host knows better (cache refill, copying memory for a fork, exec) it adds with spend().
 */
enum ksched_cost {
	KSCHED_COST_SYSCALL,  /* entry and exit of a [task] function */
	KSCHED_COST_IRQ,      /* interrupt entry and exit, of any kind */
	KSCHED_COST_TICK,     /* the timer interrupt's work, beside IRQ */
	KSCHED_COST_SOFTIRQ,  /* one softirq handler started */
	KSCHED_COST_SWITCH,   /* context switch, with schedule() around it */
	KSCHED_COST_WAKEUP,   /* one try_to_wake_up() */
	KSCHED_COST_FORK,     /* one fork, without copying memory */
	KSCHED_COST_EXIT,     /* one exit */
	KSCHED_COST_EXEC,     /* sched_exec() */
	KSCHED_COST_MIGRATE,  /* one task moved to another run queue */
	KSCHED_COST_IPI_SEND, /* paid by the sender */
	KSCHED_COST_TIMER,    /* programming the timer device */
	KSCHED_COST_SCAN,     /* one CPU (bit) found while walking a CPU mask */
	KSCHED_COST_BALANCE,  /* one start of load balancing (softirq or newly idle) */
	KSCHED_NR_COSTS
};

/*
 * State of a simulated CPU, kept by the library; the host writes only the fields marked so.
 * Valid after boot() and outside of enter(); inside, `now` is valid too.
 */
struct ksched_cpu {
	uint64_t now;		  /* local clock */
	uint64_t timer;		  /* when its timer interrupt is due; KSCHED_NEVER: stopped */
	struct ksched_task *task; /* what runs; the idle task in KSCHED_IDLE */
	uint32_t mode;		  /* enum ksched_mode */
	uint32_t cost_scale;	  /* host: 1024 is 1.0; multiplies the costs, e.g. for noise */
	uint32_t freq_scale;	  /* host: arch_scale_freq_capacity(), 1024 is full speed */
	uint32_t pad;
	uint64_t kernel_ns; /* sum of what was charged and spent here */
	uint64_t count[KSCHED_NR_COSTS];
};

struct ksched_shared {
	struct ksched_cpu *cpu; /* [nr_cpus] */
	int nr_cpus;
	int this_cpu;			   /* the CPU that is entered, -1 outside of enter() */
	uint64_t horizon;		   /* host: see above; KSCHED_NEVER: no limit */
	uint32_t events;		   /* host: set of 1 << enum ksched_event_kind to report */
	uint32_t cost_ps[KSCHED_NR_COSTS]; /* host: picoseconds each; all 0 at start */
};

/* ---- tasks ----------------------------------------------------------------------------------- */

/*
 * A task, from fork until its parent has waited for it (or its exit, with KSCHED_AUTOREAP).
 * The library owns it and calls host->task_free before it goes.
 */
struct ksched_task {
	int pid, tgid;
	int kthread;   /* 1: a kernel thread, of the kernel itself or KSCHED_KTHREAD */
	char comm[16]; /* its name; NUL-terminated */
	void *data;    /* host: anything */
};

enum {				  /* flags of ksched_clone */
	KSCHED_THREAD = 1,	  /* shares the process: autogroup and tgid of the parent */
	KSCHED_KTHREAD = 2,	  /* a kernel thread (no user mode, never in an autogroup) */
	KSCHED_AUTOREAP = 4,	  /* nobody will wait for it */
	KSCHED_RESET_ON_FORK = 8, /* sched policy and nice are reset in the child */
};

struct ksched_clone {
	void (*entry)(void *arg); /* the task's code; returning from it is exit(0) */
	void *arg;
	unsigned int flags;
	const char *comm; /* NULL: the parent's */
	void *data;	  /* initial ksched_task.data, set before the child is seen anywhere */
	struct ksched_group *group; /* start in this group; NULL: the parent's */
	size_t stack_size; /* bytes; 0: 64 KiB. Up to 32 KiB faster, and without a guard page */
};

/* As struct sched_attr; policies are Linux' numbers (0 other, 1 fifo, 2 rr, 3 batch, 5 idle, 6 deadline). */
struct ksched_attr {
	uint32_t policy;
	uint64_t flags; /* SCHED_FLAG_* of the kernel */
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline,
		period; /* runtime is the slice of a fair task, where supported */
	uint32_t util_min, util_max;
};

struct ksched_task_stat {
	uint64_t exec_ns;      /* se.sum_exec_runtime, up to date also while it runs */
	uint64_t run_delay_ns; /* waited on a run queue */
	uint64_t nr_migrations, nr_voluntary, nr_involuntary;
	uint64_t timeslices; /* times it was given a CPU */
	int cpu, on_rq, policy, nice, prio;
	int state;	   /* the kernel's __state word; 0 is runnable */
	uint64_t slice_ns; /* 0 where the tree has no slices */
	uint64_t vruntime;
	uint64_t util_avg, load_avg; /* PELT, of the task */
};

/* ---- events ----------------------------------------------------------------------------------- */

enum ksched_event_kind {
	KSCHED_EV_SWITCH, /* task: previous, other: next, arg: previous state as sched_switch
					 * prints it (0 runnable; KSCHED_PREEMPTED: preempted) */
	KSCHED_EV_WAKING, /* task; target_cpu: where it last ran */
	KSCHED_EV_WAKEUP, /* task; target_cpu: where it was queued */
	KSCHED_EV_WAKEUP_NEW,
	KSCHED_EV_MIGRATE, /* task; arg: from CPU; target_cpu: to CPU */
	KSCHED_EV_FORK,	   /* task: parent, other: child */
	KSCHED_EV_EXEC,
	KSCHED_EV_EXIT,
	KSCHED_EV_WAIT,	   /* task waits for a child */
	KSCHED_EV_IRQ,	   /* arg: enum ksched_enter */
	KSCHED_EV_SOFTIRQ, /* arg: the kernel's softirq number */
	KSCHED_NR_EVENTS
};
#define KSCHED_PREEMPTED 0x100 /* bit in arg of KSCHED_EV_SWITCH */

struct ksched_event {
	uint64_t time; /* local clock of `cpu` */
	int kind, cpu, target_cpu;
	uint64_t arg;
	struct ksched_task *task, *other;
};

/* ---- the host's part ----------------------------------------------------------------------------- */

enum ksched_enter {	  /* why a CPU is entered */
	KSCHED_RESUME,	  /* the computation of cpu->task is over, or it may go on */
	KSCHED_IRQ_TIMER, /* cpu->timer has come */
	KSCHED_IPI_RESCHEDULE,
	KSCHED_IPI_CALL,  /* function call */
	KSCHED_IPI_WORK,  /* irq_work, to itself */
	KSCHED_POLL_WAKE, /* no interrupt: a polling idle CPU sees its flag word change */
	KSCHED_IRQ_HOST,  /* a device of the host: see interrupt() */
};

/*
 * Callbacks. `self` is passed back. A callback must not enter() and must not call [task] functions.
 * Any may be NULL except ipi.
 */
struct ksched_host {
	void *self;
	/* CPU `from` sends at cpu[from].now; deliver by enter(to, kind, later). May be from == to. */
	void (*ipi)(void *self, int from, int to, enum ksched_enter kind);
	/* A scheduling event of a kind in shared->events. Also called while the kernel holds locks. */
	void (*event)(void *self, const struct ksched_event *ev);
	/* WARN_ON, BUG_ON: the kernel contradicts itself, the trial has failed. Default: print, abort(). */
	void (*warning)(void *self, const char *text);
	/* `name` is not modelled. Must not return. Default: print and abort(). */
	void (*trap)(void *self, const char *name);
	/* A line of the kernel log, without newline. Default: dropped. */
	void (*console)(void *self, int level, const char *line);
	/* The task is about to be freed. */
	void (*task_free)(void *self, struct ksched_task *task);
};

/* ---- what the kernel tells about itself ---------------------------------------------------- */

struct ksched_domain {
	char name[16];	    /* SMT, CLS, MC, PKG (DIE), NUMA ...; "" where the tree has no names */
	int level;	    /* 0 is the lowest that exists for this CPU */
	unsigned int flags; /* the tree's own bits; see domain_flags() */
	int weight;	    /* CPUs in the span */
	int nr_groups;
	int imb_numa_nr; /* -1 where the tree has no such thing */
	unsigned int imbalance_pct, busy_factor;
	unsigned int min_interval_ms, max_interval_ms;
	const uint64_t *span; /* mask, valid until the domains are rebuilt */
};

/* Task groups (CPU cgroups). NULL stands for the root group. */
struct ksched_group;

/*
 * All functions. [task]: on a task's stack; [host]: outside of enter(); [any]: both and in callbacks.
 */
struct ksched_api {
	int abi;			 /* KSCHED_ABI */
	int max_cpus, max_nodes;	 /* what was compiled in */
	int hz;				 /* CONFIG_HZ */
	const char *version;		 /* e.g. "6.12.117" */
	const char *const *not_modelled; /* names of functions that trap, NULL at the end */

	/*
	 * boot - [host] bring up all CPUs of a machine, through the kernel's own code
	 * @root: code of the first user task (pid 1); the library copies it. It waits in mode KSCHED_READY
	 *        on some CPU when boot() has returned; all other CPUs are idle.
	 * Once a process. Boot takes about 0.1 s of simulated time and no costs; the clocks show it, and are
	 * the same as CLOCK_MONOTONIC of the kernel.
	 * Errors: -EINVAL with a line in *why (static text): contradictory machine.
	 */
	int (*boot)(const struct ksched_machine *m, const struct ksched_host *host,
		    const struct ksched_clone *root, struct ksched_shared **shared,
		    const char **why);

	/* enter - [host] run CPU `cpu` from time `now` on until it has nothing to do; see the top */
	void (*enter)(int cpu, enum ksched_enter why, uint64_t now);
	/* interrupt - [host] enter(KSCHED_IRQ_HOST), and run fn(arg) in interrupt context */
	void (*interrupt)(int cpu, uint64_t now, void (*fn)(void *arg), void *arg);

	/* seed - [host] [task] start the kernel's random numbers anew: boot once, fork, seed per trial */
	void (*seed)(uint64_t seed);

	/* ---- [task]: what a task does; current() may also be asked in [irq] ---- */
	struct ksched_task *(*current)(void);
	/*
	 * compute - [task] compute until the host says RESUME; mode is KSCHED_USER or KSCHED_KERNEL
	 * The host knows how much from what the caller left in ksched_task.data.
	 */
	void (*compute)(enum ksched_mode mode);
	/* spend - [task] [irq] time passes in the kernel here and now, not interruptible; unscaled ns */
	void (*spend)(uint64_t ns);
	/* clone - [task] fork or a new thread; 0 and *child, or -EAGAIN, -ENOMEM */
	int (*clone)(const struct ksched_clone *args, struct ksched_task **child);
	void (*exec)(const char *comm);
	void (*exit)(int code); /* does not return */
	/*
	 * wait - [task] wait until a child (pid, or -1: any) has exited, and reap it
	 * @nohang: do not block; returns 0 if none has exited
	 * Returns the pid, or -ECHILD. *code may be NULL.
	 */
	int (*wait)(int pid, int nohang, int *code);
	/* sleep_until - [task] sleep on an hrtimer; absolute time; slack as the kernel's (50000 is usual) */
	void (*sleep_until)(uint64_t when, uint64_t slack);
	void (*yield)(void);

	/*
	 * block - [task] sleep until wake(), or until `timeout` (absolute; KSCHED_NEVER: none)
	 * Returns 0, or -ETIMEDOUT. As a futex wait: check the condition and block() without a call that
	 * may return to the host between them, and check again after it.
	 */
	int (*block)(uint64_t timeout);
	/* wake - [task] [irq] wake tasks as futex does (wake_q): those in block(). Returns how many */
	int (*wake)(struct ksched_task *const *task, int n);

	/* The kernel's wait queues, as pipes, sockets and poll use them. */
	struct ksched_waitq *(*waitq_new)(void);
	void (*waitq_free)(struct ksched_waitq *q); /* nobody may wait on it */
	/* waitq_wait - [task] sleep once; exclusive as wait_event_exclusive(). 0 or -ETIMEDOUT */
	int (*waitq_wait)(struct ksched_waitq *q, int exclusive, uint64_t timeout);
	/* waitq_wake - [task] [irq] wake all non-exclusive and n exclusive (0: all) waiters; sync: the
	 * waker promises to sleep soon (WF_SYNC) */
	void (*waitq_wake)(struct ksched_waitq *q, int n, int sync);

	/* [task] pid 0 is the caller */
	int (*set_nice)(int pid, int nice);
	int (*set_attr)(int pid, const struct ksched_attr *attr);
	int (*set_affinity)(int pid, const uint64_t *mask);
	int (*get_affinity)(int pid, uint64_t *mask);
	int (*setsid)(void); /* a new session: a new autogroup, if autogroups are on */
	int (*autogroup_nice)(int pid, int nice);

	/* ---- task groups [task] ---- */
	int (*group_new)(struct ksched_group *parent, struct ksched_group **out);
	int (*group_free)(struct ksched_group *g); /* -EBUSY while it has tasks or children */
	/* Files as in cgroup v2: cpu.weight, cpu.weight.nice, cpu.max, cpu.max.burst, cpu.idle ...; or v1 */
	int (*group_write)(struct ksched_group *g, const char *file, const char *text);
	int (*group_read)(struct ksched_group *g, const char *file, char *buf, size_t size);
	int (*group_move)(struct ksched_group *g, int pid);

	/*
	 * Settings by the path they have on a running system [task]:
	 *	/proc/sys/kernel/NAME		sysctls of the scheduler
	 *	/sys/kernel/debug/sched/NAME	base_slice_ns, migration_cost_ns, features ...
	 *	/proc/schedstat, /proc/PID/sched, /proc/PID/schedstat, /proc/PID/autogroup	(read)
	 * write(): -ENOENT, -EINVAL as the kernel says. To .../features write one name, "NO_" before it to
	 * clear. read(): length without NUL; text is cut at size - 1; also [host], and takes no time.
	 * files() calls fn with each path that exists.
	 */
	int (*write)(const char *path, const char *text);
	long (*read)(const char *path, char *buf, size_t size);
	void (*files)(void (*fn)(void *arg, const char *path), void *arg);

	/* ---- queries [any] ---- */
	int (*domain)(int cpu, int level, struct ksched_domain *out); /* -ENOENT: no such level */
	/* domain_group - CPUs of group i of that domain, in the kernel's order; capacity may be NULL */
	int (*domain_group)(int cpu, int level, int i, uint64_t *mask, unsigned long *capacity);
	/* domain_flags - names of the bits, e.g. "SD_BALANCE_NEWIDLE SD_BALANCE_EXEC"; length */
	int (*domain_flags)(unsigned int flags, char *buf, size_t size);
	int (*task_stat)(struct ksched_task *task, struct ksched_task_stat *out);
	struct ksched_task *(*find_task)(int pid); /* NULL: none */
	int (*nr_running)(int cpu);		   /* rq->nr_running */
	/* each_task - every task that exists, idle tasks and kernel threads too */
	void (*each_task)(void (*fn)(void *arg, struct ksched_task *task), void *arg);
};

/*
 * Functions that make a simulation faster and have no other effect; a library may lack them.
 */
struct ksched_hints {
	/*
	 * prefetch - [host] fetch the state of a CPU into the caches
	 * @ahead: 1: it is entered after the next one; 2: after that one, so fetch only what tells where
	 *         the rest is
	 */
	void (*prefetch)(int cpu, int ahead);
	/* settle - [host] in a fork of the process that booted: memory of its own, in huge pages */
	void (*settle)(void);
};

/* Name of the exported symbol: dlsym(handle, KSCHED_SYMBOL) is a const struct ksched_api *. */
#define KSCHED_SYMBOL	    "ksched"
#define KSCHED_HINTS_SYMBOL "ksched_hints"

#endif
