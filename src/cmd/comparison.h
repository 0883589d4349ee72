/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * comparison.h - from names of the command line to a printed table, for `compare` and `run`
 */
#ifndef FT_CMD_COMPARISON_H
#define FT_CMD_COMPARISON_H

#include <stdio.h>

#include "report/style.h"
#include "result/select.h"

struct comparison {
	double level;  /* 0.95 */
	double margin; /* 0.01; NAN: the one of the plan of base's newest run, else 1 % */
	enum worker_rows worker_rows;
	const char *metrics; /* names separated by ",", "all", or NULL: the workload's own and the
				monitors that are shown */
	bool force;
	/* what the sides are called in the report, NULL: by their names (comparison_table_new() alone) */
	const char *const *shown;
	const struct report_style *style;
	FILE *stream;
};

/* comparison_default - 95 %, the plan's margin, summary on standard output */
struct comparison comparison_default(void);

/*
 * comparison_print - compares names[0] with each of the others, as store_resolve() reads them
 * @regression: set if a row is a regression; may be NULL
 *
 * Errors: of store_resolve(), the store and table_new(); ERR_INPUT for a metric that no trial has.
 */
struct error *comparison_print(struct store *store, const char *const *names, int n_names,
			       const struct comparison *comparison, bool *regression);

/* A table with all that it borrows from. */
struct comparison_table {
	struct table *table;
	struct loaded *loaded; /* private */
};

/*
 * comparison_table_new - the table of names[0] against the others, with the environments of trials
 * @role, @role_data: what a metric is (struct table_options)
 *
 * Errors: as comparison_print().
 */
struct error *comparison_table_new(struct store *store, const char *const *names, int n_names,
				   const struct comparison *comparison,
				   enum metric_role (*role)(const char *workload,
							    const struct metric *metric,
							    void *data),
				   void *role_data, struct comparison_table *out);
void comparison_table_clear(struct comparison_table *table);

/* comparison_is_result - is the metric one of the workload's own? Of a workload that this build does
 * not have: what has a direction */
bool comparison_is_result(const char *workload, const struct metric *metric);

/* comparison_print_run - the first variant of a run that was not left out against all others */
struct error *comparison_print_run(struct store *store, int64_t id,
				   const struct comparison *comparison, bool *regression);

#endif
