/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * team.h - what the files of the task API on simulated CPUs share; private to the room
 *
 * All workers, their children and the task that started them live in one address space, each on a
 * stack of its own. What a worker that is a process on a real machine would copy at fork is shared
 * here, so a workload must not write to setup's memory from a worker.
 */
#ifndef FT_SIM_TEAM_H
#define FT_SIM_TEAM_H

#include "sim/engine.h"

/* bytes of stack: of the task that makes the settings, and of workers and their children */
#define SIM_STACK	 0x20000
#define SIM_WORKER_STACK 0x8000
#define LOCK_PS		 20000 /* an uncontended atomic operation on a shared line */

struct sim_worker;

/* A simulated task that runs code of the host: a worker, a child of one, or background noise. */
struct sim_task {
	struct task base;
	struct load load; /* ksched_task.data points here */
	struct sim *sim;
	struct sim_team *team;
	struct sim_worker *worker; /* whose counts it adds to; NULL for noise */
	struct ksched_task *kernel;
	struct sim_task *next, *previous; /* all tasks of the team */
	struct prng prng;
	uint64_t debt;	/* ps of computing done and not yet simulated */
	bool blocked;	/* in block(): woken when the trial is over */
	bool realtime;	/* by task_set_policy(): its timers have no slack */
	uint64_t slack; /* ns, by task_set_slack(); 0: the kernel's default */
	/* the computing that is under way, if `unit` is not 0 */
	uint64_t unit, total, credited; /* ps, ps, units counted so far */
	int counter;
	/* children */
	task_body body;
	void *data;
	enum child_kind kind;
	struct sim_task *parent;
	int forked_on; /* CPU */
	struct sim_task
		*threads; /* of a parent: children that are threads; linked by next_thread */
	struct sim_task *next_thread;
	bool released; /* of an exec'd child: the parent may go on; of a thread: it has ended */
	bool gone;     /* of a thread: the kernel has freed it */
};

struct sim_worker {
	struct worker_spec spec;
	hwloc_bitmap_t cpus; /* affinity, NULL: the team's */
	struct sim_task task;
	uint64_t counters[TEAM_MAX_COUNTERS], counters_before[TEAM_MAX_COUNTERS];
	struct histogram *histograms;	    /* base.n_histograms of them, NULL: none */
	uint64_t child_ns, child_ns_before; /* CPU time of children that have ended */
	struct ksched_task_stat before, after;
	uint64_t started; /* its first instruction after the gate */
	bool ended;	  /* its body has returned; `after` is filled */
	bool forked;
	bool thread; /* of the process of an earlier worker, which joins it */
	int pid;     /* stays when the kernel has freed the task */
};

/* Tasks that sleep in block() until another task wakes them, in the order they came. */
struct waiters {
	struct sim_task **tasks;
	int n, room;
};

struct channel {
	enum channel_kind kind;
	size_t size;
	int used, capacity; /* messages */
	struct ksched_waitq *readers, *writers;
	struct waiters waiting; /* FUTEX */
	uint64_t copy;		/* ps to copy one message */
};

struct mutex {
	bool locked;
	struct waiters waiting;
	struct waiters spinning; /* tasks that compute until it is free, if they run or not */
};

struct condition {
	struct waiters waiting;
};

/*
 * A sleeping lock of the kernel, as a folder's: many readers or one writer. Who finds it held spins
 * as long as the writer is on a CPU (optimistic spinning of rw_semaphore), then sleeps.
 */
struct sim_lock {
	struct sim_task *writer;
	int readers;
	struct ksched_waitq *queue;
};

struct barrier {
	int n, arrived;
	bool spins;
	unsigned round; /* how often all have met */
	struct sim_task **waiting;
	struct ksched_task **woken;
};

struct sim_team {
	struct team base;
	struct sim *sim;
	struct sim_options options;
	hwloc_bitmap_t cpus;
	struct sim_worker **workers;
	int n_workers;
	struct channel **channels;
	int n_channels;
	struct mutex **mutexes;
	int n_mutexes;
	struct folder **folders;
	int n_folders;
	struct disk *disk; /* NULL: the folders are in memory alone */
	struct condition **conditions;
	int n_conditions;
	struct barrier **barriers;
	int n_barriers;
	void **shared;
	int n_shared;
	struct sim_task root;	   /* forks the workers */
	struct sim_task *tasks;	   /* workers and children that exist */
	int arrived;		   /* workers at the gate */
	int returned;		   /* workers whose body has returned, helpers not counted */
	bool open;		   /* the gate */
	bool measuring;		   /* between `begin` and the end */
	uint64_t gate, begin, end; /* times; begin is the gate plus the warm-up */
	uint64_t *usage;	   /* [n_cpus * 2] user and kernel ns at `begin`, then in between */
	uint64_t count[KSCHED_NR_COSTS], case_switches;
	struct error *error; /* of prepare */
};

static inline struct sim_task *sim_task(struct task *task)
{
	return (struct sim_task *)task;
}

static inline struct sim_team *sim_team(struct team *team)
{
	return (struct sim_team *)team;
}

/* over: the trial has ended for this task */
static inline bool task_over(const struct sim_task *task)
{
	return task->sim->over && task->load.stops;
}

/* ---- task.c: on the task's own stack ---- */

/* task_init - a task before it is cloned; @worker NULL: noise, which goes on after the end */
void task_init(struct sim_task *task, struct sim_team *team, struct sim_worker *worker);
void task_link(struct sim_task *task);
void task_unlink(struct sim_task *task);

/* task_work - computes for that time at full speed, ps; returns early when the trial is over */
void task_work(struct sim_task *task, uint64_t ps);

/* task_settle - the same with what is owed of small computing, so that the clock is exact after it */
void task_settle(struct sim_task *task, uint64_t ps);

/* task_spin - computes until engine_finish_computing() or the end of the trial */
void task_spin(struct sim_task *task);

/* task_work_kernel - the same in the kernel: preempted only where the kernel may be */
void task_work_kernel(struct sim_task *task, uint64_t ps);

/* task_spend - ps in the kernel, at the speed and with the jitter of its costs */
void task_spend(struct sim_task *task, uint64_t ps);

/* task_block - sleeps until the kernel's wake() or a time; false when the trial is over */
bool task_block(struct sim_task *task, uint64_t timeout);

/* task_credit - counts the units of the computing under way that are done */
void task_credit(struct sim_task *task);

/* ---- channel.c, barrier.c ---- */

struct channel *sim_channel(struct team *team, enum channel_kind kind, size_t size);
struct channel *sim_reply_channel(struct team *team, struct channel *channel, size_t size);
struct mutex *sim_mutex(struct team *team);
struct condition *sim_condition(struct team *team);
bool sim_condition_wait(struct task *task, struct condition *condition, struct mutex *mutex);
void sim_condition_wake(struct task *task, struct condition *condition, bool all);
bool sim_send(struct task *task, struct channel *channel);
bool sim_receive(struct task *task, struct channel *channel);
bool sim_lock(struct task *task, struct mutex *mutex);
bool sim_spin(struct task *task, struct mutex *mutex);
void sim_unlock(struct task *task, struct mutex *mutex);
struct barrier *sim_barrier(struct team *team, int n, bool spins);
bool sim_meet(struct task *task, struct barrier *barrier);
void barrier_free(struct sim_team *team);
void channel_release(struct sim_team *team);
void channel_free(struct sim_team *team);

/* ---- file.c, lock.c ---- */

struct folder *sim_folder(struct team *team, const char *below);
int64_t sim_file(struct task *task, struct folder *folder, const struct file_request *request);
void file_release(struct sim_team *team);
void file_free(struct sim_team *team);

/* lock_take - false when the trial is over (not taken then); lock_drop - also after the end */
bool lock_take(struct sim_task *task, struct sim_lock *lock, bool shared);
void lock_drop(struct sim_task *task, struct sim_lock *lock, bool shared);
/* lock_release - wakes all who wait, at the end of the trial */
void lock_release(struct sim_team *team, struct sim_lock *lock);

/* ---- disk.c ---- */

/* disk_start - its thread, where the machine file has a disk and the workload folders */
void disk_start(struct sim_team *team);
/* disk_transaction - what a change of now is part of; 0 without a journal */
uint64_t disk_transaction(const struct sim_team *team);
/*
 * disk_flush - waits until a transaction is on the disk, before that for the file's own @pages
 * Returns false when the trial is over; true at once without a journal.
 */
bool disk_flush(struct sim_task *task, uint64_t transaction, bool pages);
void disk_release(struct sim_team *team);
void disk_free(struct sim_team *team);

/* ---- child.c ---- */

int64_t sim_spawn(struct task *task, enum child_kind kind, task_body body, void *data);
bool sim_wait(struct task *task, int64_t child);
void child_freed(struct sim_task *task);
void child_join_all(struct sim_task *task);

/* ---- team.c ---- */

void *sim_shared(struct team *team, size_t size);
void sim_add(struct team *team, const struct worker_spec *spec);
void team_root(void *sim);

#endif
