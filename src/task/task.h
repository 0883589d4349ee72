/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * task.h - the task API: what a workload may do, on every backend
 *
 * A workload is written once against this header. The live implementation (task/live.h) maps it to
 * system calls and real computing; the simulator maps it to coroutines whose computing is simulated
 * time and whose sleeping, waking and forking call the kernel's own scheduler.
 *
 * Two phases. setup() runs once, alone, and describes a team: workers and what they share. Then the
 * backend starts all workers, holds them at a gate until everyone is there, opens it, and lets them
 * run for the trial's runtime. A worker loops `while (task_running(task))` and returns soon after
 * that turns false; calls that block return false or -1 when the trial is over. Counts made before
 * the gate or after the end are not part of the result.
 *
 * Times are nanoseconds of a monotonic clock (simulated time on sim).
 */
#ifndef FT_TASK_TASK_H
#define FT_TASK_TASK_H

#include <hwloc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct task;	/* a running worker, or a child of one */
struct team;	/* the workers of a trial and what they share */
struct channel; /* a one-way queue of messages between tasks */
struct mutex;
struct condition; /* what tasks wait for under a mutex */
struct folder;	  /* a tree of files that belongs to a team */
struct barrier;
struct compute; /* a prepared compute kernel with its working set */
struct machine; /* machine/machine.h */

/* What a backend must offer for a workload to run; a backend says which it lacks, and why. */
enum task_needs {
	TASK_PROCESS = 1 << 0, /* workers that are processes, fork, wait */
	TASK_THREAD = 1 << 1,  /* workers that share a process */
	TASK_EXEC = 1 << 2,
	TASK_SESSION = 1 << 3, /* setsid: autogroup goes by session */
	TASK_CHANNEL = 1 << 4,
	TASK_COMPUTE = 1 << 5,
	TASK_MEMORY = 1 << 6,  /* computing whose speed depends on caches and memory */
	TASK_FILES = 1 << 7,   /* the file system */
	TASK_NETWORK = 1 << 8, /* TCP over the loopback device */
	TASK_PROGRAM = 1 << 9, /* runs an external program */
};

#define TEAM_MAX_COUNTERS   8
#define TEAM_MAX_HISTOGRAMS 4

/* ---- setup: the team ---- */

/* The body of a worker. @data is what worker_spec.data pointed to. */
typedef void (*task_body)(struct task *task, void *data);

struct worker_spec {
	task_body body;
	/*
	 * May be NULL. Runs in the worker before the gate: for what must not be measured, such as
	 * task_compute_new() on a large working set. It must not block on other workers, and passes
	 * what it makes to body() through @data, which then must be this worker's own.
	 */
	task_body prepare;
	void *data;  /* setup's memory (a process sees a copy of it), or team_shared() memory */
	int process; /* workers of one number are threads of one process; -1: a process of its own */
	bool session; /* start it in a session of its own (setsid); threads of a process share it */
	/*
	 * Waits at the gate computing, not asleep: as the workers of programs that have no gate, which
	 * run already when the next one is forked, so that placement at fork sees them.
	 */
	bool spins;
	bool helper; /* not a worker of the result: its counts and times are not reported */
	hwloc_const_bitmap_t cpus; /* affinity, copied; NULL: all CPUs of the case */
};

/* team_add - one more worker; its index is the number of workers (not helpers) added before */
void team_add(struct team *team, const struct worker_spec *spec);

/* team_shared - zeroed memory that all workers see, aligned to 64 bytes; freed with the team */
void *team_shared(struct team *team, size_t size);

/* bytes of the largest message of a pipe or socket */
#define CHANNEL_MESSAGE_MAX 65536

enum channel_kind {
	CHANNEL_PIPE,
	CHANNEL_SOCKET,	 /* a UNIX stream socket pair, one pair a channel */
	CHANNEL_EVENTFD, /* a semaphore: messages have no content */
	CHANNEL_FUTEX,	 /* a counter in shared memory with futex wait and wake */
	CHANNEL_TCP,	 /* a TCP connection over the loopback device, TCP_NODELAY set */
};

/*
 * team_channel - any number of senders and receivers
 * @size: bytes of a message, 1 to CHANNEL_MESSAGE_MAX; EVENTFD and FUTEX carry none and ignore it
 */
struct channel *team_channel(struct team *team, enum channel_kind kind, size_t size);

/*
 * team_reply_channel - the other direction of a SOCKET or TCP channel, on the same connection: who
 * receives from @channel sends on it. @size as in team_channel().
 */
struct channel *team_reply_channel(struct team *team, struct channel *channel, size_t size);

struct mutex *team_mutex(struct team *team);
struct condition *team_condition(struct team *team);

/*
 * team_folder - a new empty folder below the directory @below (NULL or "": $TMPDIR, else /tmp)
 *
 * Live it is removed with all that is in it when the team is freed; one that a killed trial has left is
 * removed by the next team that makes a folder in the same directory. A directory that is
 * missing, not one, or not writable fails the trial with the reason. In the simulator all
 * folders are of a file system in memory, and a @below fails the trial.
 */
struct folder *team_folder(struct team *team, const char *below);

/* The compute kernels. A unit is a fixed piece of work; its size never changes within a version. */
enum compute_method {
	COMPUTE_INT128, /* one unit: 1000 steps of a 128-bit integer mix, in registers */
	COMPUTE_DOUBLE, /* one unit: 1000 steps of a mix of double operations, in registers */
	COMPUTE_MATRIX, /* one unit: multiplying a row block of square matrices of the working set */
	COMPUTE_CHASE,	/* one unit: 1000 dependent loads in a random cycle over the working set */
	/*
	 * The kernels of STREAM: one unit is the next COMPUTE_STREAM_ELEMENTS elements of three arrays
	 * of doubles a, b and c, which fill the working set and are gone through again and again.
	 */
	COMPUTE_COPY,	 /* c = a */
	COMPUTE_SCALE,	 /* b = s * c */
	COMPUTE_ADD,	 /* c = a + b */
	COMPUTE_TRIAD,	 /* a = b + s * c */
	COMPUTE_CORE,	 /* one unit: list, matrix, state machine and CRC of a block of 2 KiB */
	COMPUTE_EP,	 /* one unit: a batch of 2^16 pairs of the problem EP of the NPB */
	COMPUTE_OBJECTS, /* one unit: 16 records found by key and changed in a store */
	N_COMPUTE_METHODS
};

#define COMPUTE_STREAM_ELEMENTS 1024
#define COMPUTE_EP_PAIRS	65536
#define COMPUTE_EP_ANNULI	10

/* compute_has_set - does the method have a working set? The others stay in registers. */
static inline bool compute_has_set(enum compute_method method)
{
	return method != COMPUTE_INT128 && method != COMPUTE_DOUBLE && method != COMPUTE_EP;
}

static inline bool compute_is_stream(enum compute_method method)
{
	return method >= COMPUTE_COPY && method <= COMPUTE_TRIAD;
}

/*
 * team_histograms - workers record values into histograms 0 to @n - 1, @n <= TEAM_MAX_HISTOGRAMS
 * Memory is taken for these alone, when the workers start (35 KB each at most).
 */
void team_histograms(struct team *team, int n);

/*
 * team_barrier - a meeting point of @n tasks
 * @spins: they wait computing, as threads of OpenMP do for a while, not asleep
 */
struct barrier *team_barrier(struct team *team, int n, bool spins);

/* team_cpus - the CPUs of the case */
hwloc_const_bitmap_t team_cpus(const struct team *team);

/*
 * team_unit_time - CPU time of a unit of computing on an idle CPU, picoseconds; 0: it could not be found
 * (then the trial fails)
 * @cpu: of the machine; -1: any of the case
 *
 * Live it is measured (some 30 ms, the fastest of several batches, by the CPU clock of the thread);
 * the simulator's is the figure of the machine. Its use: work given as CPU time at that speed.
 */
uint64_t team_unit_time(struct team *team, enum compute_method method, int cpu);

/*
 * team_keep - setup()'s data for finish(); what workers write must lie in team_shared() memory
 * team_kept - the same, or NULL
 */
void team_keep(struct team *team, void *data);
void *team_kept(const struct team *team);

/* team_machine - the machine that the team runs on; NULL if the backend was not told */
const struct machine *team_machine(const struct team *team);

/* ---- in a worker ---- */

/* task_running - false before long once the trial's time is over. Cheap: one load. */
bool task_running(struct task *task);

/*
 * task_measured - true within the measured time: after the warm-up and before the end. For values
 * that are no counters: they belong to the result if this is true before and after.
 */
bool task_measured(struct task *task);

/* task_elapsed - task_measured(), and how long the measured time has lasted, ns */
bool task_elapsed(struct task *task, uint64_t *ns);

/* task_count - adds to a counter of this worker, 0 <= counter < TEAM_MAX_COUNTERS */
void task_count(struct task *task, int counter, uint64_t n);

/*
 * task_record - adds a value in nanoseconds to a histogram of this worker, 0 <= @histogram < the
 * number that setup() gave to team_histograms(). Children record into those of their worker.
 * What is recorded before the measured time, after it, or by a helper is not part of the result.
 */
void task_record(struct task *task, int histogram, uint64_t ns);

/* task_clock - now */
uint64_t task_clock(struct task *task);

/* task_fail - fails the trial with a reason (printf-style); the worker should return */
void task_fail(struct task *task, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * task_compute_new - prepares a kernel; memory is allocated and touched by the calling task
 * @bytes: working set, at least 4096; ignored by methods that have none
 *
 * Returns NULL and fails the trial if memory is short. Freed with task_compute_free().
 */
struct compute *task_compute_new(struct task *task, enum compute_method method, size_t bytes);
void task_compute_free(struct task *task, struct compute *compute);

/*
 * task_compute - runs @units units, or fewer if the trial ends before; each unit that is done adds
 * one to @counter (-1: none). UINT64_MAX units: until the end.
 */
void task_compute(struct task *task, struct compute *compute, uint64_t units, int counter);

/* task_compute_select - goes on with another of the kernels of STREAM, from the first element */
void task_compute_select(struct task *task, struct compute *compute, enum compute_method method);

/*
 * task_compute_seek - EP: the next unit is batch @unit of the problem; CORE: unit @unit of its order
 * of blocks. A new one begins with 0.
 */
void task_compute_seek(struct task *task, struct compute *compute, uint64_t unit);

/* What a kernel has computed since it was made. */
struct compute_result {
	uint64_t units;
	uint64_t wrong;			    /* CORE: units with another checksum than before */
	double sum_x, sum_y;		    /* EP: of the Gaussian deviates */
	uint64_t annuli[COMPUTE_EP_ANNULI]; /* EP: pairs by max(|X|, |Y|), rounded down */
};

/*
 * task_compute_result - false where computing is simulated time: nothing was calculated, so there
 * is nothing that could be verified
 */
bool task_compute_result(struct task *task, const struct compute *compute,
			 struct compute_result *out);

/*
 * channel_send, channel_receive - one message; block while the channel is full or empty
 * Return false when the trial is over, then the message was not passed.
 */
bool channel_send(struct task *task, struct channel *channel);
bool channel_receive(struct task *task, struct channel *channel);

/* mutex_lock - false when the trial is over (not locked then) */
bool mutex_lock(struct task *task, struct mutex *mutex);
void mutex_unlock(struct task *task, struct mutex *mutex);

/* mutex_spin - mutex_lock() that does not sleep: it computes until the mutex is free */
bool mutex_spin(struct task *task, struct mutex *mutex);

/*
 * condition_wait - unlocks the mutex, sleeps until it is woken, locks again; as with POSIX's, a wakeup
 * may come for no reason. False when the trial is over (not locked then).
 * condition_wake - wakes one (@all false) or all who wait now; nobody waits: nothing happens
 */
bool condition_wait(struct task *task, struct condition *condition, struct mutex *mutex);
void condition_wake(struct task *task, struct condition *condition, bool all);

/* Operations on a folder's files; paths are relative to the folder. */
enum file_op {
	FILE_OPEN, /* path: for reading and writing; gives a handle of the calling task's process */
	FILE_CREATE, /* the same, made if it is not there, emptied if it is */
	FILE_CLOSE,  /* handle */
	FILE_READ,   /* handle, offset, size: gives bytes, fewer at the end of the file */
	FILE_WRITE,  /* handle, offset, size: gives bytes */
	FILE_FLUSH,  /* handle: fsync() */
	FILE_STATUS, /* handle: fstat() */
	FILE_STAT,   /* path */
	FILE_TOUCH,  /* path: sets its times */
	FILE_LIST,   /* path of a folder: reads it all; gives the number of entries */
	FILE_SPACE,  /* path: statfs() */
	FILE_RENAME, /* path, to: a file, in place of what was there */
	FILE_UNLINK, /* path */
	FILE_MKDIR,  /* path */
	FILE_RMDIR,  /* path */
};

/* bytes of one read or write at most */
#define FILE_IO_MAX 65536

struct file_request {
	enum file_op op;
	const char *path, *to;
	int handle;
	uint64_t offset, size;
};

/* task_file - one operation; what it gives, else 0, or a negative errno (-EINTR: the trial is over) */
int64_t task_file(struct task *task, struct folder *folder, const struct file_request *request);

/* barrier_wait - until all have come; false when the trial is over */
bool barrier_wait(struct task *task, struct barrier *barrier);

/* task_sleep - false when the trial ended while sleeping; task_sleep_until - absolute time */
bool task_sleep(struct task *task, uint64_t nanoseconds);
bool task_sleep_until(struct task *task, uint64_t time);

void task_yield(struct task *task);

/* Children. A child runs @body (may be NULL) and exits with status 0. */
enum child_kind {
	CHILD_FORK,   /* fork(): a process */
	CHILD_EXEC,   /* vfork() and exec of a program that exits at once; @body must be NULL */
	CHILD_THREAD, /* a thread of the calling process */
};

/*
 * task_spawn - starts a child; returns its id > 0, or -1: the trial is over or it could not be
 * made (then the trial has failed)
 */
int64_t task_spawn(struct task *task, enum child_kind kind, task_body body, void *data);

/* task_wait - waits for the end of a child; false when it ended badly (the trial has failed then) */
bool task_wait(struct task *task, int64_t child);

/* task_set_affinity - of the calling task; false if the system refused */
bool task_set_affinity(struct task *task, hwloc_const_bitmap_t cpus);

/* Policy and its parameters, as sched_setattr(2) has them. */
struct task_policy {
	int policy;			    /* Linux' numbers, SCHED_OTHER is 0 */
	int nice;			    /* OTHER, BATCH */
	unsigned priority;		    /* FIFO, RR: 1 to 99 */
	uint64_t runtime, deadline, period; /* DEADLINE: ns */
};

/* task_set_policy - of the calling task; 0, or a negative errno */
int task_set_policy(struct task *task, const struct task_policy *policy);

/*
 * task_set_slack - how much later than asked for the timers of the calling task may end its sleeps,
 * ns, at least 1; Linux' default is 50000. Real-time tasks have none whatever is set.
 */
void task_set_slack(struct task *task, uint64_t ns);

/* task_cpu - the CPU that the task runs on now */
int task_cpu(struct task *task);

#endif
