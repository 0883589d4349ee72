/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * plan.h - plan files: what to run, on what, compared with what (docs/plan-files.md)
 *
 * A plan is read and checked whole: the first thing that cannot be run as written refuses it, with
 * file, line, key, reason and what is accepted. Expansion needs a machine, because expressions
 * and CPU sets are of its topology.
 */
#ifndef FT_PLAN_PLAN_H
#define FT_PLAN_PLAN_H

#include <stdint.h>

#include "base/error.h"
#include "machine/machine.h"
#include "workload/workload.h"

/* "key = value" of a plan with its line. */
struct plan_entry {
	char *key, *value;
	int line;
};

/* A [variant NAME] section. Keys are not interpreted here beyond their form: the backend checks. */
struct plan_variant {
	char *name;
	int line;
	char *backend, *machine, *kernel; /* of the variant, else of [plan], else NULL */
	struct plan_entry *settings; /* sysctl.*, feature.*, sched.*, autogroup, nice, slice, ... */
	int n_settings;
};

/* A [case NAME] section, before expansion. */
struct plan_case {
	char *name;
	int line;
	const struct workload *workload;
	char *cpus; /* the `cpus` value, "all" by default */
	int cpus_line;
	struct plan_entry *params; /* as written, sweeps not expanded */
	int n_params;
};

struct plan {
	char *file, *name, *text;
	char *label; /* from [plan] label, or NULL */
	int trials;  /* a case and variant, >= 1 */
	uint64_t runtime_ns, warmup_ns;
	uint64_t stop_limit_ns; /* [plan] stop-limit: how long workers may take to stop */
	uint64_t seed;
	double margin; /* equivalence margin for compare, 0.01 = 1 % */
	char **monitors;
	int n_monitors;
	char *backend, *machine, *kernel; /* of [plan], or NULL */
	struct plan_variant *variants;
	int n_variants;
	struct plan_case *cases;
	int n_cases;
};

/*
 * plan_read - reads and checks a plan file
 * @overrides: "key=value" strings of --set: keys of [plan], or SECTION.key (variant or case name);
 *             applied before the check; may be NULL with 0
 */
struct error *plan_read(const char *file, const char *const *overrides, int n_overrides,
			struct plan **out);
void plan_free(struct plan *plan);

/* A case after expansion: every parameter fixed, on fixed CPUs. */
struct case_instance {
	char *name; /* unique: the section's name, then what a sweep varies: "spawn workers=4" */
	const struct plan_case *section;
	const struct workload *workload;
	struct params params;
	hwloc_bitmap_t cpus;
	char *cpus_text; /* CPU list */
};

/*
 * plan_expand - the cases of a plan on a machine, in the order of the file, sweeps of the last
 * parameter fastest
 *
 * Errors: ERR_INPUT with file and line: an expression that divides by zero or has no meaning, a CPU
 * that the machine does not have or that is not usable (says which are), a value out of range.
 */
struct error *plan_expand(const struct plan *plan, const struct machine *machine,
			  struct case_instance **cases, int *n_cases);
void case_instances_free(struct case_instance *cases, int n);

/* One trial to be made. */
struct plan_step {
	int case_index, variant_index; /* into the expanded cases and plan->variants */
	int block;
	uint64_t seed; /* equal for all variants of a case and block */
};

/*
 * plan_schedule - the order of the trials: for each block, for each case, all variants next to each
 * other; the order of variants is drawn for each case from the seed and turned round from block to
 * block
 * @skipped: for each variant, true to leave it out; may be NULL
 *
 * The same plan and seed give the same order.
 */
void plan_schedule(const struct plan *plan, int n_cases, const bool *skipped,
		   struct plan_step **steps, int *n_steps);

/*
 * expression_eval - + - * / ( ) min max and the names of machine_counts; numbers are doubles
 * Errors: ERR_INPUT without file and line: the position and what was expected; division by zero.
 */
struct error *expression_eval(const char *text, const struct machine_counts *counts, double *out);

#endif
