/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * event.h - one stream of scheduling events, wherever it comes from
 *
 * A stream is pushed: a source (a simulated machine, tracefs, a file of ours, an import) calls the
 * functions of a sink (the writer of a file, an export, the analysis) in this order:
 *
 *	begin, then any of task, event, lost and mark, by rising time over all CPUs, then end
 *
 * A sink sees each item once and keeps what it needs, so that memory does not depend on the length
 * of a stream. Times are nanoseconds of one clock (event_info.clock), which starts anywhere; CPU
 * and task ids are the kernel's. Task 0 is the idle task of any CPU.
 */
#ifndef FT_EVENTS_EVENT_H
#define FT_EVENTS_EVENT_H

#include <hwloc.h>
#include <stdbool.h>
#include <stdint.h>

#include "machine/machine.h"

/*
 * The fields that each kind fills are given in brackets; a field it does not fill is
 * EVENT_NONE (ids, CPUs, priorities) or 0 (state). The number of a kind is part of the file format.
 */
enum event_kind {
	EVENT_SWITCH,	  /* pid goes, other comes [state, prio, other_prio] */
	EVENT_WAKING,	  /* pid is about to be woken; target: the CPU where it ran LAST, not where
			    * it will run [prio] */
	EVENT_WAKEUP,	  /* pid became runnable; target: the CPU on whose queue it is [prio] */
	EVENT_WAKEUP_NEW, /* the same, for the first time after its fork [prio] */
	EVENT_MIGRATE,	  /* pid was moved; from and target: the CPUs [prio] */
	EVENT_FORK,	  /* pid made other */
	EVENT_EXEC,	  /* pid executes a program; other: its id before, if a thread did it */
	EVENT_EXIT,	  /* pid ends: its last switch follows [prio] */
	EVENT_WAIT,	  /* pid waits for the end of a child; other: which, 0: any */
	EVENT_IDLE_ENTER, /* the CPU goes into idle state `state`, a number of its driver */
	EVENT_IDLE_EXIT,
	EVENT_CPU_OFFLINE, /* target goes; it neither runs nor idles until EVENT_CPU_ONLINE */
	EVENT_CPU_ONLINE,
	N_EVENT_KINDS
};

#define EVENT_NONE	INT32_MIN
#define EVENT_PRIO_NONE INT16_MIN

/*
 * State of a task that goes, in EVENT_SWITCH: bits as sched_switch reports them (fs/proc/array.c,
 * include/trace/events/sched.h). No bit at all: it stays runnable (it yielded); EVENT_STATE_PREEMPTED:
 * it stays runnable and was preempted.
 */
enum event_state {
	EVENT_STATE_SLEEPS = 0x01,	    /* S */
	EVENT_STATE_UNINTERRUPTIBLE = 0x02, /* D */
	EVENT_STATE_STOPPED = 0x04,	    /* T */
	EVENT_STATE_TRACED = 0x08,	    /* t */
	EVENT_STATE_DEAD = 0x10,	    /* X */
	EVENT_STATE_ZOMBIE = 0x20,	    /* Z */
	EVENT_STATE_PARKED = 0x40,	    /* P */
	EVENT_STATE_IDLE = 0x80,	    /* I: a kernel thread that counts for no load */
	EVENT_STATE_PREEMPTED = 0x100,	    /* R+ */
};

/* A task that is switched away with one of these bits is not runnable any more. */
#define EVENT_STATE_BLOCKED 0xff

/* A task that is switched away with one of these does not come back. */
#define EVENT_STATE_ENDED (EVENT_STATE_DEAD | EVENT_STATE_ZOMBIE)

struct event {
	uint64_t time;
	uint8_t kind;	 /* enum event_kind */
	uint16_t state;	 /* of EVENT_SWITCH: enum event_state; of EVENT_IDLE_ENTER */
	int32_t cpu;	 /* where it happened */
	int32_t current; /* the task that ran there, e.g. the waker; EVENT_NONE if not known */
	int32_t pid, other;
	int32_t from, target;	  /* CPUs */
	int16_t prio, other_prio; /* the kernel's: 0-99 realtime, 100-139 fair, -1 deadline */
};

enum event_task_reason {
	EVENT_TASK_FOUND,  /* it was there before the stream, or is seen for the first time */
	EVENT_TASK_FORKED, /* a new task; an older one of this id, if any, is gone */
	EVENT_TASK_NAMED,  /* the same task with another name (exec, prctl) or process id */
};

#define EVENT_NAME_SIZE 16 /* TASK_COMM_LEN: with the NUL */

/*
 * What is known of a task from here on. Comes before the first event that names the task, and again
 * whenever something changes; also for an id that is used again. Task 0 is never told.
 */
struct event_task {
	uint64_t time;
	int32_t pid;
	int32_t tgid;	/* process; EVENT_NONE if not known */
	int32_t parent; /* task that forked it; EVENT_NONE if not known */
	enum event_task_reason reason;
	bool kernel;		    /* a kernel thread; false also if not known */
	char name[EVENT_NAME_SIZE]; /* printable ASCII or UTF-8; what was not is '?' */
};

/* Events that are missing: a buffer was full, or a file is damaged. */
struct event_lost {
	int32_t cpu;	   /* EVENT_NONE: of any CPU */
	uint64_t count;	   /* 0: not known how many, but some */
	uint64_t from, to; /* they are within this time; both 0: not known */
};

enum event_mark_kind {
	EVENT_MARK_BEGIN, /* the measured time begins; with the workers' ids */
	EVENT_MARK_END,	  /* it ends */
};

/* What the trial was doing. A stream without marks is measured from its first to its last event. */
struct event_mark {
	uint64_t time;
	enum event_mark_kind kind;
	const int32_t *workers; /* ids of the workers' tasks, by worker; of EVENT_MARK_BEGIN */
	int n_workers;
	const char *note; /* which trial: "spawn, variant on, block 3", or NULL */
};

/* What is known before the first event. All pointers outlive the stream. */
struct event_info {
	const char *source; /* "live", "sim", "perf.data", "trace.dat", "ftrace text" */
	const char *clock;  /* "CLOCK_MONOTONIC", "simulated", or "not known" */
	const char *kernel; /* release, or NULL */
	const char *machine_name;
	const struct machine *machine; /* NULL: the topology is not known */
	int nr_cpus;		       /* all CPU ids are below it; 0: not known */
	hwloc_const_bitmap_t online;   /* at the beginning; NULL: not known */
};

/* What is known after the last event. */
struct event_totals {
	uint64_t events;
	uint64_t first, last; /* times; 0 without events */
	uint64_t lost;	      /* sum of what is known */
	bool lost_unknown;    /* and more that nobody counted */
	/* events that came too late to be sorted in: they were delivered with the time of the one before
	 * them; and by how much the worst of them was moved */
	uint64_t late, late_most_ns;
	const char *damage; /* why the stream ends early ("file, byte 123: ..."), or NULL */
};

/*
 * A consumer. An error from any function ends the stream at once: the source returns it, and only
 * `free` is called after it. A function that is NULL is not interested.
 */
struct event_sink {
	struct error *(*begin)(struct event_sink *sink, const struct event_info *info);
	struct error *(*task)(struct event_sink *sink, const struct event_task *task);
	struct error *(*event)(struct event_sink *sink, const struct event *event);
	struct error *(*lost)(struct event_sink *sink, const struct event_lost *lost);
	struct error *(*mark)(struct event_sink *sink, const struct event_mark *mark);
	struct error *(*end)(struct event_sink *sink, const struct event_totals *totals);
	void (*free)(struct event_sink *sink); /* frees also the sink itself, where it is owned */
};

/* the functions of a sink, of which any may be missing */
struct error *event_sink_begin(struct event_sink *sink, const struct event_info *info);
struct error *event_sink_task(struct event_sink *sink, const struct event_task *task);
struct error *event_sink_event(struct event_sink *sink, const struct event *event);
struct error *event_sink_lost(struct event_sink *sink, const struct event_lost *lost);
struct error *event_sink_mark(struct event_sink *sink, const struct event_mark *mark);
struct error *event_sink_end(struct event_sink *sink, const struct event_totals *totals);
void event_sink_free(struct event_sink *sink); /* NULL is allowed */

/* event_tee - passes a stream on to several sinks, in their order; owns them and frees them */
struct event_sink *event_tee(struct event_sink *const *sinks, int n);

/* event_blank - an event with all fields that are ids set to "none" */
struct event event_blank(enum event_kind kind, uint64_t time, int32_t cpu);

/* event_kind_name - "switch", "waking", "wakeup_new" ... */
const char *event_kind_name(enum event_kind kind);

/* event_state_text - "R", "R+", "S", "D|P" as sched_switch prints it; event_state_parse - the
 * reverse, also of older kernels' letters; false for anything else */
void event_state_text(unsigned int state, char text[16]);
bool event_state_parse(const char *text, size_t length, uint16_t *out);

#endif
