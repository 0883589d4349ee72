/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * live_measure.h - what is read at the beginning and at the end of the measured time, and the report
 */
#ifndef FT_TASK_LIVE_MEASURE_H
#define FT_TASK_LIVE_MEASURE_H

#include "task/live_private.h"

/* Two readings of one worker. */
struct live_reading {
	uint64_t counters[2][TEAM_MAX_COUNTERS]; /* [0] at the beginning, [1] at the end */
	uint64_t child_ns[2];
	struct live_stat stat[2];
	int perf_fd;
};

struct live_measure {
	struct live_team *team;
	struct live_stat_source source;
	struct live_reading *readings; /* one a worker of the team, helpers too */
	pid_t *pids;		       /* threads of all workers, for mark() */
	uint64_t gate_ns, begin_ns, end_ns;
	bool complete; /* measured to the end */
};

void live_measure_new(struct live_measure *measure, struct live_team *team);
void live_measure_free(struct live_measure *measure);

/* live_measure_prepare - when all workers are at the gate: finds out what can be read of them */
void live_measure_prepare(struct live_measure *measure);

/* live_measure_begin, live_measure_end - read what the kernel knows of all workers */
void live_measure_begin(struct live_measure *measure);
void live_measure_end(struct live_measure *measure);

/* live_measure_counters - reads the workers' counters: some nanoseconds a worker */
void live_measure_counters(struct live_measure *measure, bool begin);

/* live_measure_mark - calls the caller's function, if there is one */
void live_measure_mark(struct live_measure *measure, bool begin);

/* live_measure_report - strings and array become the report's */
void live_measure_report(struct live_measure *measure, struct team_report *report);

#endif
