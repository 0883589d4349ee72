/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * result.h - the result model: a run of a plan, its cases and variants, its trials
 *
 * All backends fill the same model, the store keeps it, statistics read it. Strings and arrays are
 * owned by the structure that holds them.
 */
#ifndef FT_RESULT_RESULT_H
#define FT_RESULT_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"
#include "result/metric.h"

enum trial_status {
	TRIAL_OK,
	TRIAL_FAILED, /* a worker died or hung, a check failed: trial.reason says which */
};

/* One execution of one case under one variant. */
struct trial {
	int64_t id;	   /* of the store; 0 before it is stored */
	int case_index;	   /* into run.cases */
	int variant_index; /* into run.variants */
	int block;    /* from 0; trials of all variants of a case with one block ran side by side */
	int position; /* order of execution within the run, from 0 */
	uint64_t seed;
	enum trial_status status;
	char *reason;	 /* of a failure, else NULL */
	double started;	 /* seconds since 1970, UTC */
	double duration; /* measured seconds, wall clock (simulated on sim); NAN: unknown */
	struct metric *metrics;
	int n_metrics;
	json_t *environment; /* what this trial ran under (docs/results.md); never NULL when stored */
};

/* A case: a workload with its parameters fixed, on a set of CPUs of a machine. */
struct result_case {
	char *name; /* unique within a run, e.g. "schbench workers=4 cpus=node:0-1" */
	char *workload;
	int workload_version;
	char *program_version; /* of an external program, else NULL */
	json_t *params;	       /* object: parameter -> value */
	char *cpus;	       /* CPU list */
};

struct result_variant {
	char *name;
	json_t *settings; /* object: key -> value, as in the plan */
	char *backend, *machine, *kernel;
	char *skipped; /* why it was left out (--skip-unavailable), else NULL */
};

struct run {
	int64_t id;	/* of the store; 0 before it is stored */
	char *identity; /* a random UUID that goes with the run through export and import */
	char *label;	/* names a set of results; may be shared by several runs */
	char *plan_name, *plan_text;
	char *tool_version;
	double started; /* seconds since 1970, UTC */
	uint64_t seed;
	int trials_planned; /* a case and variant */
	bool complete;
	json_t *environment; /* of the host: docs/results.md */
	struct result_case *cases;
	int n_cases;
	struct result_variant *variants;
	int n_variants;
	struct trial *trials; /* in order of position; only what was loaded */
	int n_trials;
};

/* run_new - an empty run, environment = {} */
struct run *run_new(void);
void run_free(struct run *run);

/* trial_clear - frees what a trial holds and zeroes it */
void trial_clear(struct trial *trial);

/*
 * trial_add_metric - appends a metric; the description's strings are copied
 * @value:      the value of the trial; NAN and infinity become "not available"
 * @per_worker: @n_workers values, copied; may be NULL with 0
 *
 * Returns the new metric (valid until the next one is added).
 */
struct metric *trial_add_metric(struct trial *trial, const struct metric_desc *desc, double value,
				const double *per_worker, int n_workers);

/* trial_add_unavailable - appends a metric that has no value here, with the reason */
void trial_add_unavailable(struct trial *trial, const struct metric_desc *desc, const char *reason);

/* trial_metric - the metric of that name, or NULL */
const struct metric *trial_metric(const struct trial *trial, const char *name);

/* run_case_index, run_variant_index - by name, -1 if there is none */
int run_case_index(const struct run *run, const char *name);
int run_variant_index(const struct run *run, const char *name);

#endif
