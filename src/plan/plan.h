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
#include <stdio.h>

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
	struct plan_entry *places; /* its own backend, machine and kernel keys: see plan_line() */
	int n_places;
};

/* A [case NAME] section, before expansion. */
struct plan_case {
	char *name;
	int line;
	const struct workload *workload;
	char *machine; /* the `machine` value, NULL: that of the plan */
	char *cpus;    /* the `cpus` value, "all" by default */
	int cpus_line;
	struct plan_entry *params; /* as written, sweeps not expanded */
	int n_params;
	char *load;			/* the `load` value, NULL: none */
	const struct param *load_param; /* of the workload, that it stands for */
	int load_line, load_place;	/* it stands before params[load_place] */
};

/* where [plan] does not say */
#define PLAN_RUNTIME_NS 10000000000
#define PLAN_WARMUP_NS	500000000

struct plan {
	char *file, *name;
	char *text; /* the file; with --set the plan as it was changed, which reads back the same */
	char *label; /* from [plan] label, or NULL */
	int trials;  /* a case and variant, >= 1 */
	uint64_t runtime_ns, warmup_ns;
	uint64_t stop_limit_ns; /* [plan] stop-limit: how long workers may take to stop */
	uint64_t seed;
	double margin; /* equivalence margin for compare, 0.01 = 1 % */
	char **monitors;
	int n_monitors;
	char *events; /* prefix of the files that keep the trials' scheduling events, or NULL */
	char *backend, *machine, *kernel; /* of [plan], or NULL */
	struct plan_entry *entries;	  /* of [plan], as written: see plan_line() */
	int n_entries;
	struct plan_variant *variants;
	int n_variants;
	struct plan_case *cases;
	int n_cases;
};

/*
 * plan_read - reads and checks a plan file
 * @overrides: "key=value" strings of --set: keys of [plan], or SECTION.key (variant or case name);
 *             applied before the check; may be NULL with 0. "variant NAME.key" and "case
 *             NAME.key" tell a variant and a case of one name apart.
 *
 * Errors: ERR_INPUT with file and line ("--set" for the file if an override is wrong), or what
 * file_read() returns. What needs a machine (expressions, CPUs) is checked by plan_expand(), names
 * of monitors, backends and settings by their rooms.
 */
struct error *plan_read(const char *file, const char *const *overrides, int n_overrides,
			struct plan **out);

/* plan_read_text - as plan_read(), of a text that is kept in the store; @name for messages */
struct error *plan_read_text(const char *name, const char *text, const char *const *overrides,
			     int n_overrides, struct plan **out);
void plan_free(struct plan *plan);

/*
 * plan_check_label - ERR_INPUT for what is no label of results: empty, above 100 bytes,
 * not UTF-8, with a ':' or a control character, with a '#' or '-' at its start or a blank at an end
 */
struct error *plan_check_label(const char *label);

/*
 * plan_line - where a key of [plan] ("monitor", "backend"...) was given, or for a variant where its
 * backend, machine or kernel was; 0: nowhere, or by --set
 */
int plan_line(const struct plan *plan, const struct plan_variant *variant, const char *key);

/*
 * How much load a case is, where its section has a `load`. What is of a saturation has no number
 * before a search found it (backend/session.h): until then its value is the least and its text
 * says so.
 */
struct case_load {
	bool given;	/* the section has a `load` */
	int param;	/* index into params.values */
	double percent; /* of the CPUs, or of the saturation */
	bool of_saturation;
	int64_t saturation; /* what was found, as a value of the parameter; 0: not yet */
	int group; /* cases that differ in their load only share a search: the first one's index */
};

/* A case after expansion: every parameter fixed (but a load that is to be found), on fixed CPUs. */
struct case_instance {
	char *name; /* unique: the section's name, then what a sweep varies: "spawn workers=4" */
	const struct plan_case *section;
	const struct workload *workload;
	const struct machine *machine; /* the caller's */
	struct params params;
	struct case_load load;
	hwloc_bitmap_t cpus;
	char *cpus_text;       /* CPU list */
	char *program_version; /* of an external program, found before the run; NULL: none */
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

/* plan_expand_on - the same with a machine for each of plan->cases */
struct error *plan_expand_on(const struct plan *plan, const struct machine *const *machines,
			     struct case_instance **cases, int *n_cases);
/* case_instance_clear - frees what one of them holds */
void case_instance_clear(struct case_instance *instance);
void case_instances_free(struct case_instance *cases, int n);

/* case_check - what only the workload can see to be wrong (workload.check), with file and line */
struct error *case_check(const struct plan *plan, const struct case_instance *instance);

/* case_load_found - sets the load of a case from the saturation that was found, >= 1 */
void case_load_found(struct case_instance *instance, int64_t saturation);

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
 * plan_counts - what expressions know of a set of CPUs: machine_counts(), with nr_cpus, nr_cores and
 * the CPUs per LLC and node reduced to what a cgroup quota lets run at once
 */
struct machine_counts plan_counts(const struct machine *machine, hwloc_const_bitmap_t cpus);

/*
 * plan_print - what a plan comes to on a machine, before anything runs: cases with their parameters
 * and CPUs, variants, the order of the first blocks; at most 78 columns
 * @steps:   of plan_schedule()
 * @skipped: for each variant why it is left out, or NULL; may be NULL
 * @seconds: the estimated time of all steps; below 0: not known, because some are simulated
 */
void plan_print(FILE *stream, const struct plan *plan, const struct machine *machine,
		const struct case_instance *cases, int n_cases, const struct plan_step *steps,
		int n_steps, const char *const *skipped, double seconds);

/*
 * expression_eval - + - * / ( ) min max and the names of machine_counts; numbers are doubles
 * Errors: ERR_INPUT without file and line: the position and what was expected; division by zero.
 */
struct error *expression_eval(const char *text, const struct machine_counts *counts, double *out);

#endif
