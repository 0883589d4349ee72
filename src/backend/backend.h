/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * backend.h - where a trial runs: this machine (live), later a VM (vm) and a simulated machine (sim)
 *
 * The run verb expands a plan, asks the backend of each variant whether it can run it, and then
 * has it run one trial at a time (live) or several at once (sim), all through this interface.
 */
#ifndef FT_BACKEND_BACKEND_H
#define FT_BACKEND_BACKEND_H

#include <signal.h>

#include "machine/machine.h"
#include "plan/plan.h"
#include "result/result.h"

/* What one trial is. All pointers stay the caller's and outlive the trial. */
struct trial_order {
	const struct plan *plan;
	const struct case_instance *instance;
	const struct plan_variant *variant;
	const struct machine *machine;
	const char *kernel; /* of --kernel, else of the variant; NULL: the backend's own */
	uint64_t seed;
	int block;
	const volatile sig_atomic_t *interrupted; /* set by Ctrl-C */
	/* a backend whose trials do not take the time they measure tells here how far one is: 1/1000 */
	volatile uint32_t *progress;
	/* `trace record`: keep the scheduling events in this file, whatever the plan says; or NULL */
	const char *events_file;
	bool events_force;	  /* write over it */
	uint64_t events_buffer;	  /* live: bytes of each CPU's buffer; 0: the default */
	bool events_without_idle; /* live: leave out idle states */
};

struct trial_process;

struct backend {
	const char *name;
	const char *summary;
	unsigned offers; /* enum task_needs */
	bool own_time; /* a trial takes another time than it measures, which order->progress tells */
	int (*parallel)(void); /* how many trials may run at once; 1 for live */

	/*
	 * check - can this variant run here? Nothing is changed. Errors: ERR_INPUT for a setting that
	 * is wrong everywhere (file, line, what is accepted), ERR_UNAVAILABLE or ERR_PERMISSION
	 * for one that cannot be made here (with the reason).
	 * @kernel: as in struct trial_order
	 */
	struct error *(*check)(const struct plan *plan, const struct plan_variant *variant,
			       const struct machine *machine, const char *kernel);
	/* warnings - adds lines such as "autogroup has no effect here: ..." to @lines; may be NULL */
	void (*warnings)(const struct plan *plan, const struct plan_variant *variant, char ***lines,
			 int *n_lines);
	/*
	 * start - begins one trial in a process of its own (backend/process.h)
	 * finish - waits for its end and takes its result. A trial that fails (a worker died, a check
	 * failed) is not an error: out->status and out->reason say so. What start() changed on this
	 * machine is put back, also on errors. Errors: ERR_INTERRUPTED, or what makes going on useless.
	 */
	struct error *(*start)(const struct trial_order *order, struct trial_process **out);
	struct error *(*finish)(struct trial_process *process, struct trial *out);
	/*
	 * probe_monitors - what the plan's monitors give here, as far as it can be known without a
	 * trial: adds metrics, unavailable ones with the reason. Nothing is changed.
	 */
	void (*probe_monitors)(const struct plan *plan, const struct case_instance *instance,
			       struct trial *out);
	/* environment - of the host, once a run: added to the object @into */
	struct error *(*environment)(const struct machine *machine, json_t *into);
	/* kernel - what identifies the kernel of that name, once a variant: added to @into; may be NULL */
	struct error *(*kernel)(const char *kernel, json_t *into);
};

const struct backend *backend_find(const char *name);
const struct backend *const *backend_all(void); /* ends with NULL */

extern const struct backend backend_live, backend_sim;

#endif
