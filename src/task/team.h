/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * team.h - what a backend sees of a team: the other side of task.h
 *
 * A backend makes a team, lets the workload's setup() fill it, runs it, and gets a report a worker.
 */
#ifndef FT_TASK_TEAM_H
#define FT_TASK_TEAM_H

#include "result/histogram.h"
#include "task/program.h"
#include "task/task.h"

/* What one worker did between the opening of the gate and the end. */
struct worker_report {
	uint64_t counters[TEAM_MAX_COUNTERS];
	double seconds; /* the measured time; less if the worker's body returned before its end */
	double cpu_seconds;   /* CPU time of the worker and of children it waited for */
	double wait_seconds;  /* time on a run queue without running; NAN if unknown */
	double migrations;    /* between CPUs; NAN if unknown */
	double switches;      /* context switches, both kinds; NAN if unknown */
	double involuntary;   /* of these, by preemption; NAN if unknown */
	double start_skew_ns; /* from the opening of the gate to the worker's first instruction */
	uint64_t start_ns, end_ns; /* of the task clock */
	/* those that setup() asked for, in memory of the team: gone with it; NULL: none */
	const struct histogram *histograms;
};

struct team_report {
	struct worker_report *workers;
	int n_workers;	    /* helpers are not among them */
	int n_histograms;   /* of each worker */
	double seconds;	    /* the trial's measured time */
	double cpu_seconds; /* live: of all workers, helpers and their children; NAN if unknown */
	char *failure;	    /* why the trial failed, NULL if it did not */
	char *wait_source;  /* "schedstat"; or why wait_seconds is NAN: "not available: ..." */
	char *migrations_source; /* "perf", "sched file"; or "not available: ..." */
};

void team_report_clear(struct team_report *report);

/* The operations a backend implements; task.h's functions call them. */
struct task_ops {
	bool (*running)(struct task *);
	bool (*measured)(struct task *);
	bool (*elapsed)(struct task *, uint64_t *ns);
	void (*count)(struct task *, int counter, uint64_t n);
	void (*record)(struct task *, int histogram, uint64_t ns);
	uint64_t (*clock)(struct task *);
	void (*fail)(struct task *, const char *reason);
	struct compute *(*compute_new)(struct task *, enum compute_method, size_t bytes);
	void (*compute_free)(struct task *, struct compute *);
	void (*compute)(struct task *, struct compute *, uint64_t units, int counter);
	void (*compute_select)(struct compute *, enum compute_method);
	void (*compute_seek)(struct compute *, uint64_t unit);
	bool (*compute_result)(const struct compute *, struct compute_result *);
	bool (*send)(struct task *, struct channel *);
	bool (*receive)(struct task *, struct channel *);
	bool (*lock)(struct task *, struct mutex *);
	void (*unlock)(struct task *, struct mutex *);
	bool (*spin)(struct task *, struct mutex *);
	bool (*condition_wait)(struct task *, struct condition *, struct mutex *);
	void (*condition_wake)(struct task *, struct condition *, bool all);
	int64_t (*file)(struct task *, struct folder *, const struct file_request *);
	bool (*meet)(struct task *, struct barrier *);
	bool (*sleep_until)(struct task *, uint64_t time);
	void (*yield)(struct task *);
	int64_t (*spawn)(struct task *, enum child_kind, task_body, void *data);
	bool (*wait)(struct task *, int64_t child);
	bool (*set_affinity)(struct task *, hwloc_const_bitmap_t);
	int (*set_policy)(struct task *, const struct task_policy *);
	void (*set_slack)(struct task *, uint64_t ns);
	int (*cpu)(struct task *);
	void (*program)(struct task *, struct program *); /* NULL without TASK_PROGRAM */
	/* setup */
	void *(*shared)(struct team *, size_t size);
	struct channel *(*channel)(struct team *, enum channel_kind, size_t size);
	struct channel *(*reply_channel)(struct team *, struct channel *, size_t size);
	struct mutex *(*mutex)(struct team *);
	struct condition *(*condition)(struct team *);
	struct folder *(*folder)(struct team *, const char *below);
	uint64_t (*unit_time)(struct team *, enum compute_method, int cpu);
	struct barrier *(*barrier)(struct team *, int n, bool spins);
	void (*add)(struct team *, const struct worker_spec *);
};

/* The first member of every backend's own structures. */
struct task {
	const struct task_ops *ops;
};

struct team {
	const struct task_ops *ops;
	hwloc_const_bitmap_t cpus; /* of the case */
	int n_histograms;	   /* of each worker */
	void *kept;		   /* team_keep() */
	const struct machine *machine;
	uint64_t runtime_ns, warmup_ns; /* as the plan has them */
	struct program *program;	/* of team_program() */
};

#endif
