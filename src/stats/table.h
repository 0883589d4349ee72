/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * table.h - a comparison: BASE and one or more TEST variants, a row a case and metric
 *
 * What every style of a report prints. A table borrows names and units from the runs it was made
 * of: they must outlive it.
 */
#ifndef FT_STATS_TABLE_H
#define FT_STATS_TABLE_H

#include "result/result.h"
#include "stats/bimodal.h"
#include "stats/sample.h"
#include "stats/verdict.h"

/* A variant of a run. */
struct side_part {
	const struct run *run;
	int variant; /* index into run.variants */
};

/* One side of a comparison: a variant, of one run or of several that are pooled. */
struct side {
	const char *name; /* as it is shown */
	const struct side_part *parts;
	int n_parts; /* at least 1 */
};

/* What a metric is in a table. */
enum metric_role {
	ROLE_HIDDEN,
	ROLE_MAIN,    /* judged if it has a direction */
	ROLE_CONTEXT, /* shown beneath the case, never judged */
};

/* Which rows a table has. */
enum worker_rows {
	WORKER_ROWS_CHANGED, /* spread between workers is judged, shown where it changed */
	WORKER_ROWS_ALL,     /* shown always */
	WORKER_ROWS_NONE,    /* neither; runs need no per-worker values then */
};

struct table_options {
	double level;  /* of intervals and, as 1 - level, of the false discovery rate */
	double margin; /* 0.01: within 1 % is no change */
	enum worker_rows worker_rows;
	bool force; /* print what does not compare, with warnings */
	/* what a metric is, by the workload that it is of; @data is role_data */
	enum metric_role (*role)(const char *workload, const struct metric *metric, void *data);
	void *role_data;
};

/* The values of one variant in one row. */
struct cell {
	double *values; /* by trial in order of blocks; paired rows: by block, equal in all cells */
	int n;		/* length of values */
	int failed;	/* trials that failed */
	int missing;	/* trials whose value is not available */
	const char *unavailable; /* why, of the first of these; or NULL */
	struct sample sample;	 /* of all values */
	struct bimodal bimodal;

	/* against base; not set in base's own cell */
	bool compared;	      /* effect is there */
	char *not_compared;   /* why not: "too few blocks ..."; else NULL */
	struct effect effect; /* unit and scale: see row */
	struct sample base;   /* of the values of base that were used: those of the same blocks */
	struct sample test;   /* of the values of this variant that were used */
	double adjusted;      /* p-value adjusted over the table; NAN if not of the family */
	enum verdict verdict;
	struct further further; /* for VERDICT_UNDECIDED; trials is 0 if it cannot be told */
};

struct row {
	const char *case_name;
	int case_index; /* into table.cases */
	char *metric;	/* name; "ops CoV" for the spread between workers */
	const char *unit;
	enum better better;
	enum metric_role role;
	bool between_workers; /* the CoV between workers: per cent, lower is better */
	const char
		*same_as; /* metric of an earlier row of the case with the same values; or NULL */
	bool shown;
	bool paired;
	double margin;	    /* as a share of base (ratio), or in the unit (difference) */
	struct cell *cells; /* one a side, base first */
	double *jain;	    /* one a side: mean of Jain's index over trials; only between_workers */
};

struct table_case {
	const char *name;
	const struct result_case *description; /* of base */
};

struct table {
	struct table_options options;
	const struct side *sides; /* base first; borrowed */
	int n_sides;
	bool interleaved; /* all sides are variants of the same runs */
	struct table_case *cases;
	int n_cases;
	struct row *rows; /* by case, main metrics first */
	int n_rows;
	int n_judged;	 /* size of the family */
	int n_hidden;	 /* judged rows that are not shown */
	int n_repeated;	 /* simulated trials that were made again with the same seed: not counted */
	char **warnings; /* what a reader must know: failures, forced comparisons, left-out cases */
	int n_warnings;
	int n_missing; /* of the warnings the last so many: metrics that no trial has a value of */
};

/*
 * table_new - compares sides[0] with each of the others
 * @sides: at least 2; runs loaded with LOAD_VALUES, or LOAD_WORKERS for worker rows
 *
 * Errors: ERR_MISMATCH for what must not be compared (unless options.force): a case whose workload,
 * version, program version, parameters or CPUs differ, a metric whose unit, direction or version
 * differs, backends of different kinds; the message says what differs. ERR_INPUT if there is no case
 * or no metric in common.
 */
struct error *table_new(const struct side *sides, int n_sides, const struct table_options *options,
			struct table **out);
void table_free(struct table *table);

/* table_has_regression - is there a row with VERDICT_REGRESSION? */
bool table_has_regression(const struct table *table);

/* table_warn - adds a line (printf-style) to the warnings */
void table_warn(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
