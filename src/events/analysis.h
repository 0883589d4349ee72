/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * analysis.h - from a stream of scheduling events to metrics (docs/events.md defines each exactly)
 *
 * The analysis is a sink. It keeps a few hundred bytes for each living task and CPU and nothing of
 * the past but sums and histograms, so its memory does not depend on the length of the stream.
 *
 * Whose metrics: with marks (a trial) of the workers and all that they fork, within the
 * measured time; without marks of all tasks but idle ones and kernel threads, from the first event
 * to the last.
 */
#ifndef FT_EVENTS_ANALYSIS_H
#define FT_EVENTS_ANALYSIS_H

#include "events/event.h"
#include "monitor/event_metrics.h"
#include "result/result.h"

struct analysis;

/* What the stream itself does not tell. All pointers stay the caller's and outlive the analysis. */
struct analysis_options {
	/* where the tasks may run: those of the case; NULL: all CPUs that are seen */
	hwloc_const_bitmap_t cpus;
	/* for each worker, NULL: as `cpus`; may be NULL with 0 */
	const hwloc_const_bitmap_t *worker_cpus;
	int n_worker_cpus;
	/* CPUs of which nothing is known before their first event are idle: the stream begins
	 * with the machine, as all of source "sim" do */
	bool starts_idle;
	/* keep a line for each task that ran: analysis_tasks(). Memory grows with their number. */
	bool keep_tasks;
};

/* analysis_new - the sink belongs to the analysis and must not be freed by event_sink_free() */
struct analysis *analysis_new(const struct analysis_options *options);
struct event_sink *analysis_sink(struct analysis *analysis);
void analysis_free(struct analysis *analysis);

/*
 * analysis_report - adds all of event_metrics to a trial, each with a value or why there is none;
 * where it waited and idled, by node and LLC, goes into environment.events
 */
void analysis_report(const struct analysis *analysis, struct trial *trial);

/* analysis_seconds - the time that was analysed */
double analysis_seconds(const struct analysis *analysis);

/* The histograms of the tasks that count, and of all others but idle ones. */
enum analysis_histogram {
	ANALYSIS_WAKEUP_WAIT,
	ANALYSIS_QUEUE_WAIT,
	ANALYSIS_PREEMPT_WAIT,
	ANALYSIS_SLICE,
	N_ANALYSIS_HISTOGRAMS
};

const struct histogram *analysis_histogram(const struct analysis *analysis,
					   enum analysis_histogram which, bool others);

/* One task, or with @by_name of analysis_tasks() all tasks of a name. */
struct analysis_task {
	char name[EVENT_NAME_SIZE];
	int32_t pid; /* of the first one */
	int n_tasks;
	uint64_t run_ns;     /* on a CPU */
	uint64_t switches;   /* times it was put on a CPU after a wait that was seen */
	uint64_t wait_ns;    /* on run queues, sum of these waits */
	uint64_t longest_ns; /* and the longest */
	uint64_t longest_at; /* when it ended */
	uint64_t migrations;
};

/*
 * analysis_tasks - the tasks that ran or waited, living and ended, the longest CPU time first; a new
 * array that free() frees
 * @by_name: tasks of one name are one line
 */
struct analysis_task *analysis_tasks(const struct analysis *analysis, bool by_name, int *n);

#endif
