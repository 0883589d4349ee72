/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * live.h - the task API on this machine: processes, threads, shared memory, futexes, pipes
 */
#ifndef FT_TASK_LIVE_H
#define FT_TASK_LIVE_H

#include <signal.h>
#include <sys/types.h>

#include "task/team.h"

struct live_options {
	hwloc_const_bitmap_t cpus;     /* affinity of all workers unless they have their own */
	const struct machine *machine; /* for team_machine(); the caller's; may be NULL */
	uint64_t runtime_ns;
	uint64_t warmup_ns; /* workers run this long before the measured time begins */
	uint64_t
		stop_limit_ns; /* a worker that takes longer to stop is killed, the trial has failed */
	const volatile sig_atomic_t
		*interrupted; /* set by a signal handler: end early; may be NULL */
	/*
	 * Called in the trial's process right before the measured time begins (@start true: all workers
	 * are at the gate, or in the warm-up if there is one) and right after its end, before workers
	 * are told to stop (@start false), so that monitors read between the two. May be NULL.
	 */
	void (*mark)(void *data, bool start, const pid_t *pids, int n_pids);
	/*
	 * Called in the trial's process when all workers have been forked and are at the gate, before it
	 * opens: the place to start threads, open files and fill memory that workers, and so all that
	 * they fork, must not inherit. Its error ends the trial. May be NULL.
	 */
	struct error *(*ready)(void *data);
	void *data; /* of mark and ready */
};

/* live_team_new - a team for one trial; the calling process becomes the parent of its workers */
struct error *live_team_new(const struct live_options *options, struct team **out);

/*
 * live_team_run - starts the workers, holds them at the gate, measures, stops them
 * @report: filled also when the trial failed (report->failure says why)
 *
 * Bounded: returns at the latest stop_limit_ns after runtime and warm-up are over. No worker and no
 * child of one is left behind. Errors: ERR_SYSTEM when workers cannot be made,
 * ERR_INTERRUPTED, that of ready().
 */
struct error *live_team_run(struct team *team, struct team_report *report);
void live_team_free(struct team *team);

extern const struct task_ops live_task_ops;

#endif
