/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rtapp_run.h - a thread that does what its rt-app task says; private to workload rtapp
 */
#ifndef FT_WORKLOAD_RTAPP_RUN_H
#define FT_WORKLOAD_RTAPP_RUN_H

#include "task/task.h"
#include "workload/rtapp_file.h"

enum rtapp_histogram {
	RTAPP_WAKEUP,
	RTAPP_SLACK,
	RTAPP_RUN_TIME,
	RTAPP_PERIOD,
	RTAPP_HISTOGRAMS,
};

enum rtapp_counter {
	RTAPP_ACTIVATIONS,
	RTAPP_TIMERS,
	RTAPP_MISSED,
	RTAPP_SLACKS,	  /* loops with a slack */
	RTAPP_SLACK_LEFT, /* sums, ns: of the positive ones and of the negative ones */
	RTAPP_SLACK_LACK,
};

/* An object of the file while it runs, shared by all threads. */
struct rtapp_state {
	struct mutex *mutex;
	struct condition *condition;
	uint64_t timer;	  /* its last time, 0: not used yet */
	int arrived;	  /* at a barrier */
	uint64_t meeting; /* of a barrier: raised when all have arrived */
};

struct rtapp_thread {
	const struct rtapp_file *file;
	const struct rtapp_task *task;
	struct rtapp_state *states; /* of file->objects */
	uint64_t unit_ps;	    /* of COMPUTE_INT128 at calibration */
	hwloc_const_bitmap_t all_cpus;
	/* while it runs */
	struct compute *compute;
	uint64_t carry_ps;	   /* work that was less than a unit */
	uint64_t *timers;	   /* of its own, as rtapp_state.timer */
	bool *held;		   /* mutexes that it has locked */
	hwloc_const_bitmap_t cpus; /* where it is bound to, NULL: all_cpus */
	int policy;
	uint64_t end; /* 0: that of the trial */
};

/* task_body of a worker whose data is a struct rtapp_thread */
void rtapp_prepare(struct task *task, void *data);
void rtapp_body(struct task *task, void *data);

#endif
