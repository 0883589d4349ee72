/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * explain.h - which scheduling metrics moved with the result, and what could tell causes apart
 *
 * An explanation is data: a metric whose change is worth a sentence, the words of it, metrics that
 * tell its parts, and experiments. A sentence says what differs and where, never why: causes are
 * only named by an experiment that was run.
 */
#ifndef FT_REPORT_EXPLAIN_H
#define FT_REPORT_EXPLAIN_H

#include <stdio.h>

#include "report/style.h"
#include "stats/table.h"

#define EXPERIMENT_SETTINGS 3

/* What can be set in both variants to see whether the difference depends on it. */
struct experiment {
	const char *name; /* of the option --experiment */
	/* "key = value" lines of a [variant]; NULL ends them */
	const char *settings[EXPERIMENT_SETTINGS];
	const char *removes; /* "wakeup preemption between the workers" */
};

#define EXPLANATION_PARTS	4
#define EXPLANATION_EXPERIMENTS 4

struct explanation {
	const char *metric;
	const char *what; /* "forks that were placed on another CPU" */
	double least;	  /* a smaller change, in the metric's unit, is not worth a sentence */
	bool a_cpu;	  /* `least` is for each of the case's CPUs */
	/* metrics that say how it is made up, and the words before each: "on another node" */
	struct {
		const char *metric, *words;
	} parts[EXPLANATION_PARTS + 1];
	/* a field of the places that the analysis of events keeps for LLCs and nodes, or NULL:
	 * "waiting" names the groups where most tasks wait, beside idle ones */
	const char *where;
	const char *experiments[EXPLANATION_EXPERIMENTS]; /* names; NULL ends them */
};

/* The registry, in no order that matters; ends with metric == NULL, name == NULL. */
extern const struct explanation explanations[];
extern const struct experiment experiments[];

/* experiment_find - by name, or NULL */
const struct experiment *experiment_find(const char *name);

/* A sentence that applies to a case. */
struct finding {
	const struct explanation *explanation;
	const struct row *row;
	double score; /* relative change: |test - base| / max(|base|, |test|), 0 to 2 */
};

/* explain_row - the row of a metric in a case, or NULL */
const struct row *explain_row(const struct table *table, int case_index, const char *metric);

/*
 * explain_differs - does a scheduling metric differ? By its adjusted p-value; or, where the effect is the
 * same to the last bit in all blocks (a simulator without noise there), by its own sign test: an
 * adjustment over dozens of metrics would need dozens of blocks for what has no spread at all.
 */
bool explain_differs(const struct table *table, const struct cell *cell);

/*
 * explain_findings - what moved significantly with the result in a case, the largest change first
 * @table: of two sides, with all metrics; results judged, scheduling metrics as context
 *
 * Returns a new array that free() frees.
 */
struct finding *explain_findings(const struct table *table, int case_index, int *n);

/*
 * explain_experiments - those of the findings, in their order, each once; a new array of pointers into
 * the registry
 */
const struct experiment **explain_experiments(const struct finding *findings, int n, int *n_out);

/* explain_print - results, sentences, the table behind them, and the experiments, for all cases */
void explain_print(FILE *stream, const struct table *table, const struct report_options *options);

/*
 * explain_outcome - what an experiment showed: the effect on a metric without it and with it in both
 * variants, and whether they differ
 * @values: by block: base, test, base with the experiment, test with it; NAN where one is missing
 *
 * Errors: ERR_TOO_FEW, ERR_DOMAIN as ratio_paired().
 */
struct outcome {
	struct effect without, with;
	struct effect
		ratio; /* of the two effects, over blocks; 1: the experiment changes nothing */
};

struct error *explain_outcome(const double *const values[4], int n, double level,
			      struct outcome *out);

/* explain_outcome_print - one paragraph: figures, and what follows from them, nothing more */
void explain_outcome_print(FILE *stream, const struct experiment *experiment, const char *case_name,
			   const char *metric, const struct outcome *outcome, double level);

#endif
