/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * live_stat.h - what the kernel knows of a thread: CPU time, run-queue wait, switches, migrations
 *
 * Read from /proc at the beginning and at the end of the measured time, which costs the workers
 * nothing in between. perf events would: each context switch and each fork of a task that has
 * them pays for it. So perf counts migrations only where /proc does not (kernels before 6.15 that
 * were built without CONFIG_SCHED_DEBUG).
 */
#ifndef FT_TASK_LIVE_STAT_H
#define FT_TASK_LIVE_STAT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Totals since the thread began. */
struct live_stat {
	double cpu_ns;	/* without children; NAN if unknown */
	double wait_ns; /* runnable without running (sched_info.run_delay); NAN if unknown */
	double migrations;
	double switches; /* voluntary and involuntary */
	double involuntary;
};

/* Where the values come from; made once a trial, from the first worker. */
struct live_stat_source {
	const char *root; /* prefix of /proc, "" live */
	char *wait;	  /* "schedstat" or "not available: reason" */
	char *migrations; /* "sched file", "perf" or "not available: reason" */
	bool schedstat, sched, perf;
};

/* live_stat_probe - finds out what can be read of a living thread */
void live_stat_probe(struct live_stat_source *source, const char *root, pid_t pid, pid_t tid);
void live_stat_source_clear(struct live_stat_source *source);

/*
 * live_stat_open - a perf event that counts the migrations of a thread, if the source is perf
 * Returns a descriptor, or -1; when it is refused the source becomes "not available: reason".
 */
int live_stat_open(struct live_stat_source *source, pid_t tid);

/* live_stat_read - @perf_fd from live_stat_open(), or -1; values that cannot be read are NAN */
void live_stat_read(const struct live_stat_source *source, pid_t pid, pid_t tid, int perf_fd,
		    struct live_stat *out);

#endif
