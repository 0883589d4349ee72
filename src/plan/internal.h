/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * internal.h - the steps from a plan file to its cases, for this room and its tests
 */
#ifndef FT_PLAN_INTERNAL_H
#define FT_PLAN_INTERNAL_H

#include "plan/plan.h"

/* ---- document.c: sections as written, with --set applied ---- */

enum section_kind {
	SECTION_PLAN,
	SECTION_VARIANT,
	SECTION_CASE,
	N_SECTION_KINDS
};

struct section {
	enum section_kind kind;
	char *name; /* NULL for [plan] */
	int line;
	struct plan_entry *entries;
	int n_entries;
};

struct document {
	const char *file; /* the caller's */
	struct section *sections;
	int n_sections;
};

/*
 * document_read - splits a plan into its sections and applies overrides; @out is to be cleared also
 * after an error. Refuses unknown sections, bad names, and sections and keys given twice.
 */
struct error *document_read(const char *file, const char *text, size_t length,
			    const char *const *overrides, int n_overrides, struct document *out);
void document_clear(struct document *document);

/* document_text - the document as a plan file that reads back the same; @why: a first comment */
char *document_text(const struct document *document, const char *why);

/* ---- read.c ---- */

/* plan_read_from - plan_read() of @length bytes of @text, with a registry that ends with NULL */
struct error *plan_read_from(const char *file, const char *text, size_t length,
			     const char *const *overrides, int n_overrides,
			     const struct workload *const *workloads, struct plan **out);

/* ---- problem.c: messages about a key ---- */

/*
 * plan_problem - "file:line: message"; line 0 is a key given by --set, which stands for the file
 * plan_locate - puts that place on an error that has none, and "key: " before its message
 */
struct error *plan_problem(const char *file, int line, const char *format, ...)
	__attribute__((format(printf, 3, 4), returns_nonnull));
struct error *plan_locate(struct error *error, const char *file, const struct plan_entry *entry);

/*
 * unknown_word - what comes after "unknown ...": ": did you mean 'x'? Accepted: ..."; a new string
 * @accepted: NULL-terminated
 */
char *unknown_word(const char *word, const char *const *accepted);

/* ---- values.c: a parameter as written -> its values ---- */

/* More values of one parameter than this are a mistake. */
#define PLAN_MAX_SWEEP 1000

/*
 * param_values_read - a value, a list or a range; values that turn out equal are kept once
 * @swept: it was written as a list or range, also when that gave one value on this machine
 *
 * Errors: ERR_INPUT without file and line.
 */
struct error *param_values_read(const struct param *param, const char *text,
				const struct machine_counts *counts, struct param_value **values,
				int *n, bool *swept);
void param_values_free(struct param_value *values, int n);

/* param_least, param_most - the limits of a count, size or time */
int64_t param_least(const struct param *param);
double param_most(const struct param *param);

/* ---- load.c: the value of `load` -> values of the parameter that it stands for ---- */

/* case_load_read - takes `load` and `load-by` of a section into the case, whose workload is known */
struct error *case_load_read(const struct plan *plan, const struct section *section,
			     struct plan_case *into);

/* A value of a load; goes with the param_value of the same index. */
struct load_value {
	double percent;
	bool of_saturation;
	char *label; /* for the name of the case: "25%", "saturation", "25%-of-saturation" */
};

/*
 * load_values_read - a list of "25%", "25% of nr_cpus", "saturation", "25% of saturation"; values that
 * turn out equal are kept once
 *
 * Errors: ERR_INPUT without file and line.
 */
struct error *load_values_read(const struct param *param, const char *text,
			       const struct machine_counts *counts, struct load_value **loads,
			       struct param_value **values, int *n, bool *swept);
void load_values_free(struct load_value *loads, int n);

/* ---- cpus.c: the value of `cpus` -> sets of CPUs ---- */

struct cpu_choice {
	char *label; /* for the name of the case: "node:0-1", "0-3,8" */
	hwloc_bitmap_t cpus;
};

/* cpu_choices_read - as param_values_read() */
struct error *cpu_choices_read(const char *text, const struct machine *machine,
			       struct cpu_choice **choices, int *n, bool *swept);
void cpu_choices_free(struct cpu_choice *choices, int n);

#endif
