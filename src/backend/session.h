/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * session.h - a plan on its way through a backend into the store
 *
 * session_new() checks everything that can be checked before anything runs; session_run() makes the
 * trials that are missing, each stored as soon as it and all before it are done.
 */
#ifndef FT_BACKEND_SESSION_H
#define FT_BACKEND_SESSION_H

#include <signal.h>

#include "backend/backend.h"
#include "result/store.h"

struct session_options {
	const char *backend, *machine, *kernel; /* in place of the plan's; may be NULL */
	const char *label;			/* in place of the plan's; may be NULL */
	const char *const *overrides;		/* of --set, recorded */
	int n_overrides;
	bool skip_unavailable; /* leave out variants that cannot run here, and say so */
	bool dry_run; /* nothing will run: live variants may be expanded for another machine */
	int jobs;     /* trials at once, at most what the backend allows; 0: all it allows */
	const volatile sig_atomic_t *interrupted;
};

struct session {
	const struct plan *plan;
	const struct session_options *options;
	struct machine **machines; /* that cases run on, by the first case that does */
	char **machine_names;	   /* as the plan or --machine names them */
	int n_machines;
	struct case_instance *cases;
	int n_cases;
	const struct backend **backends; /* a variant */
	char **skipped;			 /* a variant: why it is left out, or NULL */
	struct plan_step *steps;
	int n_steps;
	bool *done;	     /* a step: its trial is in the store */
	bool *monitors_said; /* a monitor of the plan: that it is not available was said */
	json_t *left_out;    /* cases without their program, and why; or NULL */
	json_t *loads;	     /* what session_find_loads() found, for the record; or NULL */
	struct run *run;
};

/*
 * session_new - opens the machine, expands the cases, checks variants, workloads and monitors
 * @plan, @options: stay the caller's, outlive the session
 *
 * Errors: what cannot run as written, naming file and line; nothing was changed or stored.
 * Warnings (a setting that has no effect here, a variant left out) go to stderr.
 */
struct error *session_new(const struct plan *plan, const struct session_options *options,
			  struct session **out);
void session_free(struct session *session);

/* session_kernel - of --kernel, else of the variant; NULL: the backend's own */
const char *session_kernel(const struct session *session, int variant_index);

/*
 * session_trial_seconds - of one trial on a backend whose trials take the time they measure
 * session_seconds - the time that the missing trials will take on this machine, an estimate; below 0: not
 *                   known before they run, because some are simulated
 */
double session_trial_seconds(const struct session *session);
double session_seconds(const struct session *session);

/*
 * session_find_loads - finds the loads that are not known (docs/plan-files.md), with short trials of the
 *                      first variant; before session_create()
 *
 * Errors: ERR_INTERRUPTED; a trial that failed, or no saturation, naming the case.
 */
struct error *session_find_loads(struct session *session);

/* session_create - begins a new run in the store */
struct error *session_create(struct session *session, struct store *store);

/*
 * session_resume - takes up the newest run of this plan that is not complete
 * Errors: ERR_INPUT if there is none; ERR_MISMATCH if the plan, its cases or the kernel are not what
 * they were when the run began.
 */
struct error *session_resume(struct session *session, struct store *store);

/* session_find - the newest run that is not complete (@text NULL), or that has this plan text */
struct error *session_find(struct store *store, const char *text, struct run **out);

/*
 * session_run - makes the missing trials and stores them; a failed trial is said on stderr and the
 * plan goes on
 * @n_failed: how many failed, also on ERR_INTERRUPTED
 */
struct error *session_run(struct session *session, struct store *store, int *n_failed);

#endif
