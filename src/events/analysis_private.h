/* SPDX-License-Identifier: GPL-2.0-only */
/* analysis_private.h - what the files of the analysis share */
#ifndef FT_EVENTS_ANALYSIS_PRIVATE_H
#define FT_EVENTS_ANALYSIS_PRIVATE_H

#include "events/analysis.h"
#include "events/crowd.h"
#include "events/tasks.h"

enum task_phase {
	PHASE_UNKNOWN, /* before its first event */
	PHASE_SLEEPS,
	PHASE_WAKING, /* between the events waking and wakeup */
	PHASE_WAITS,  /* on a run queue */
	PHASE_RUNS,
};

enum wait_cause {
	WAIT_WOKEN,
	WAIT_NEW,
	WAIT_PREEMPTED, /* or it yielded */
};

/* Of a living task; zeroed is a task of which nothing is known. */
struct tracked {
	enum task_phase phase;
	enum wait_cause cause;
	bool counts;	   /* is one of those the metrics are of */
	bool crowded;	   /* its running or waiting is in the crowd */
	int32_t worker;	   /* whose run time it adds to, + 1; 0: none */
	int32_t class;	   /* of the crowd, + 1; 0: none */
	int32_t cpu;	   /* where it runs or waits, else where it ran last, + 1; 0: not known */
	int32_t forked_on; /* CPU of the parent at fork, + 1, until it is woken for the first time */
	uint64_t since;	   /* of the phase */
	uint64_t accounted; /* time of the phase up to here is in the sums */
	/* a move since it runs or waits, which an exec that follows makes one of exec: level + 1 */
	int32_t moved;
	/* sums for analysis_tasks(), of all its time within the measurement */
	uint64_t run_ns, wait_ns, longest_ns, longest_at, switches, migrations;
};

/* counts of what happened within the measured time, of the tasks that count */
struct tally {
	uint64_t wakeups, preemptions;
	uint64_t fork[N_EVENT_LEVELS], wakeup[N_EVENT_LEVELS], migrate[N_EVENT_LEVELS];
	uint64_t by_wakeup, by_balance, by_exec;
	uint64_t run_ns, wait_ns;
	uint64_t events, lost;
	uint64_t missing; /* switches that contradict the one before, with no loss told between */
	bool lost_unknown;
};

struct worker_time {
	int32_t pid;
	uint64_t run_ns; /* it and its children, up to what is accounted */
	uint64_t wait_ns;
	uint64_t in_window; /* run_ns at the beginning of the window of progress */
};

struct analysis {
	struct event_sink sink; /* first: the sink is the analysis */
	struct analysis_options options;
	struct levels levels;
	struct event_tasks *tasks;
	struct crowd *crowd;
	int32_t *running; /* by CPU: the task; 0: idle; EVENT_NONE: not known */
	bool *lossy;	  /* by CPU: events were told as lost since its last switch */
	bool marked;	  /* the stream has marks */
	bool measuring;	  /* between the marks, or always without them */
	bool ended;
	uint64_t begin, now;
	const struct machine *machine; /* NULL: the topology is not known */
	struct tally tally;
	struct histogram histograms[2][N_ANALYSIS_HISTOGRAMS]; /* that count; others */
	struct worker_time *workers;
	int n_workers;
	/* progress: CoV of the workers' CPU time within windows of 100 ms */
	uint64_t window_end;
	double cov_sum;
	int n_windows;
	/* of ended tasks, for analysis_tasks(); by name once there are many */
	struct analysis_task *past;
	int n_past;
	struct crowd_sums sums; /* at the end */
};

static inline struct tracked *tracked(struct event_task *task)
{
	return event_tasks_data(task);
}

/* ---- analysis_phase.c ---- */

/* phase_task - the task of that id, told as unknown if it is new; NULL for idle tasks */
struct event_task *phase_task(struct analysis *analysis, int32_t pid);

/* phase_crowd - puts what the task does now into the crowd, or takes it out */
void phase_crowd(struct analysis *analysis, struct tracked *t, uint64_t now, bool in);

/* analysis_account - adds the time of its phase up to now to the sums */
void analysis_account(struct analysis *analysis, struct tracked *t, uint64_t now);

void phase_enter(struct analysis *analysis, struct tracked *t, enum task_phase phase, uint64_t now);

/* phase_waited - a wait has ended by running: records it, if within the measured time */
void phase_waited(struct analysis *analysis, struct tracked *t, uint64_t now);

/* phase_record - a value of a histogram: of the tasks that count, or of the others */
void phase_record(struct analysis *analysis, const struct tracked *t, enum analysis_histogram which,
		  uint64_t ns);

/* phase_inherit - a child counts as its parent does: a worker, or descendant of one */
void phase_inherit(struct tracked *child, const struct tracked *parent);

/* ---- analysis_measure.c ---- */

void measure_begin(struct analysis *analysis, const struct event_mark *mark);
void measure_end(struct analysis *analysis, uint64_t now);

/* ---- analysis_progress.c ---- */

/* progress_until - closes the windows that end by @now; call before anything happens at that time */
void progress_until(struct analysis *analysis, uint64_t now);
void progress_begin(struct analysis *analysis, uint64_t now);

/* ---- analysis_tasks.c ---- */

/* past_add - remembers what an ended task did, if options.keep_tasks */
void past_add(struct analysis *analysis, struct event_task *task);

#endif
