/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * live_private.h - what the files of the live implementation share
 *
 * The trial's process (parent) makes worker processes; some of them host several workers as
 * threads. Parent and workers talk through shared memory: one live_control, one live_slot a worker.
 */
#ifndef FT_TASK_LIVE_PRIVATE_H
#define FT_TASK_LIVE_PRIVATE_H

#include <sched.h>
#include <signal.h>
#include <sys/types.h>

#include "task/live.h"
#include "task/live_stat.h"

/* Two cache lines: the pair that x86 prefetches together is never shared by two workers. */
#define LIVE_LINE 128

/* Wakes workers out of system calls; ignored by default, so a program that was exec'd survives it. */
#define LIVE_WAKE_SIGNAL SIGURG

#define LIVE_FAILURE_SIZE 256

enum slot_state {
	SLOT_NEW,
	SLOT_AT_GATE,
	SLOT_RUNNING,
	SLOT_RETURNED,
};

struct live_slot {
	/* written by the worker alone, with plain additions */
	uint64_t counters[TEAM_MAX_COUNTERS] __attribute__((aligned(LIVE_LINE)));
	/* written by children of the worker too, with atomic additions */
	uint64_t child_counters[TEAM_MAX_COUNTERS];
	uint64_t child_ns __attribute__((aligned(LIVE_LINE))); /* CPU time of children waited for */
	uint64_t started, finished; /* first instruction after the gate; return of the body */
	int state;		    /* enum slot_state */
	pid_t pid, tid;
};

struct live_control {
	uint32_t stop __attribute__((aligned(LIVE_LINE))); /* 1: the trial is over; a futex */
	uint32_t gate __attribute__((aligned(LIVE_LINE))); /* 1: open; a futex */
	uint32_t arrived;				   /* workers and helpers at the gate */
	uint32_t returned;				   /* workers whose body has returned */
	uint32_t measuring;				   /* 1: between beginning and end */
	uint64_t begin_ns;				   /* valid once `measuring` is 1 */
	uint32_t failed; /* 0: no, 1: the text is being written, 2: it is there */
	char failure[LIVE_FAILURE_SIZE];
};

struct live_worker {
	struct worker_spec spec; /* spec.cpus is not used: see cpus */
	hwloc_bitmap_t cpus;
	cpu_set_t *set; /* the same for the kernel; NULL: as the trial's process */
	size_t set_size;
	int process; /* index into live_team.processes */
	int index;   /* of the report; -1 for a helper */
};

struct live_process {
	int number; /* worker_spec.process */
	pid_t pid;  /* 0 before the start and after the end */
	int status; /* of waitpid(), after the end */
	bool session;
	bool ended;
};

struct live_team {
	struct team base;
	struct live_options options;
	hwloc_bitmap_t cpus;
	struct live_worker *workers; /* helpers too */
	int n_workers, n_reported;
	struct live_process *processes;
	int n_processes;
	struct live_control *control;
	struct live_slot *slots;      /* one a worker; made by live_team_run() */
	struct histogram *histograms; /* base.n_histograms for each reported worker; NULL: none */
	struct live_region *regions;
	int n_regions;
	struct channel **channels;
	int n_channels;
	struct folder **folders;
	int n_folders;
	size_t buffer_size; /* the largest message of all channels, or what files are read with */
	char *exit_program;
	struct error *error; /* the first thing that went wrong in setup */
	pid_t parent_pid, parent_tid;
	sigset_t worker_mask; /* signals blocked in workers: those of the caller */
};

/* Memory that workers share. */
struct live_region {
	char *start;
	size_t size, used;
};

/* A child of a worker that was not waited for yet. */
struct live_child {
	int64_t id;
	struct live_thread *thread; /* NULL: a process */
};

struct live_task {
	struct task base;
	struct live_team *team;
	struct live_slot *slot;
	const struct live_worker *worker;
	int number;	      /* of the worker in the team */
	bool child;	      /* a child of a worker: adds to child_counters */
	bool alone;	      /* its process has no other worker */
	bool threads;	      /* it has made threads */
	bool lean;	      /* the process leaves out memory in forks (live_lean.h) */
	unsigned waits;	      /* children waited for */
	uint64_t children_ns; /* CPU time of its process's children when it was last looked at */
	int64_t thread_ids;   /* how many threads it has made */
	char *buffer;	      /* team->buffer_size bytes */
	struct live_child *children;
	int n_children;
};

struct channel {
	enum channel_kind kind;
	size_t size;
	int receive_fd, send_fd;			       /* equal for EVENTFD; -1 for FUTEX */
	bool reply;					       /* another channel closes them */
	uint32_t messages __attribute__((aligned(LIVE_LINE))); /* FUTEX: how many are in it */
	uint32_t receivers, senders;			       /* FUTEX: how many sleep */
};

struct mutex {
	uint32_t state
		__attribute__((aligned(LIVE_LINE))); /* 0 free, 1 held, 2 held and waited for */
};

struct condition {
	uint32_t sequence __attribute__((aligned(LIVE_LINE))); /* raised by each wakeup; a futex */
	uint32_t waiters;
};

struct folder {
	char *path; /* for messages */
	int below;  /* the directory that holds it, -1: it could not be made */
	int fd;	    /* itself; holds the lock that says that it is in use */
	char name[48];
};

struct barrier {
	uint32_t round __attribute__((aligned(LIVE_LINE))); /* how often all have met; a futex */
	uint32_t arrived;
	uint32_t n;
	bool spins;
};

static inline struct live_task *live_task(struct task *task)
{
	return (struct live_task *)task;
}

static inline struct live_team *live_team(struct team *team)
{
	return (struct live_team *)team;
}

static inline bool live_stopped(const struct live_task *task)
{
	return __atomic_load_n(&task->team->control->stop, __ATOMIC_RELAXED);
}

/*
 * live_futex_wait - sleeps while *word == value, until a wake-up, a signal or @deadline (absolute,
 * UINT64_MAX: none); live_futex_wake - wakes up to @n sleepers
 */
void live_futex_wait(uint32_t *word, uint32_t value, uint64_t deadline);
void live_futex_wake(uint32_t *word, int n);

/*
 * live_fail - records the first failure of the team
 * @reason: what follows "worker 3", such as " did not stop" or ": no such file"; the whole text if
 *          @number < 0
 */
void live_fail(struct live_team *team, int number, const char *reason);

/* live_worker_process - the life of worker process @process; never returns */
void live_worker_process(struct live_team *team, int process) __attribute__((noreturn));

/* live_cpu_set - for sched_setaffinity(); NULL with *size 0 if @cpus is NULL, empty or has no end */
cpu_set_t *live_cpu_set(hwloc_const_bitmap_t cpus, size_t *size);

/* operations, by file: live_channel.c */
struct channel *live_channel_new(struct team *team, enum channel_kind kind, size_t size);
void live_channel_close(struct channel *channel);
struct channel *live_reply_channel(struct team *team, struct channel *channel, size_t size);
int live_tcp_open(struct channel *channel);
struct mutex *live_mutex_new(struct team *team);
struct barrier *live_barrier_new(struct team *team, int n, bool spins);
bool live_send(struct task *task, struct channel *channel);
bool live_receive(struct task *task, struct channel *channel);
bool live_lock(struct task *task, struct mutex *mutex);
void live_unlock(struct task *task, struct mutex *mutex);
bool live_spin(struct task *task, struct mutex *mutex);
bool live_meet(struct task *task, struct barrier *barrier);
/* live_file.c, live_folder.c */
struct folder *live_folder_new(struct team *team, const char *below);
void live_folder_free(struct folder *folder);
int64_t live_file(struct task *task, struct folder *folder, const struct file_request *request);
/* live_condition.c */
struct condition *live_condition_new(struct team *team);
bool live_condition_wait(struct task *task, struct condition *condition, struct mutex *mutex);
void live_condition_wake(struct task *task, struct condition *condition, bool all);
/* live.c */
void *live_shared(struct team *team, size_t size);
void live_add(struct team *team, const struct worker_spec *spec);
void live_setup_error(struct live_team *team, struct error *error);
uint64_t live_unit_time(struct team *team, enum compute_method method, int cpu);
/* live_program.c */
void live_program(struct task *task, struct program *program);
/* live_child.c */
int64_t live_spawn(struct task *task, enum child_kind kind, task_body body, void *data);
bool live_wait(struct task *task, int64_t child);
void live_end_children(struct live_task *task);

#endif
