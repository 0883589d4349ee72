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

/*
 * What a change is a share of, so that metrics of different units can be ranked: sentences come by how
 * much of the machine's time, of the forks, wakeups or switches a change concerns. A relative change
 * cannot do that: it is the same for 0 -> 1 and for 0 -> 10000.
 */
enum change_share {
	SHARE_POINTS, /* the metric is a percentage: points / 100 */
	SHARE_CPUS,   /* it counts CPUs or tasks: of the case's CPUs */
	SHARE_SUM,    /* of the sum of the metrics `of`, the larger of both sides */
	SHARE_RATIO,  /* of the larger value: what bears on all work alike, as a clock does */
	/* it is a CoV in per cent: the part of the time that would have to change hands for all to have the
	 * same, half the mean absolute deviation, which is 0.8 sd for a normal distribution */
	SHARE_COV,
	SHARE_TAIL, /* the same of a 99th percentile: one wait in a hundred has it */
};

#define EXPLANATION_PARTS	4
#define EXPLANATION_EXPERIMENTS 4

struct explanation {
	/* several metrics may tell one fact: the first of it that moved gets the sentence */
	const char *fact;
	const char *also; /* another fact whose sentence tells this one too, or NULL */
	const char *metric;
	const char *what; /* "forks placed on another CPU than the parent's" */
	/* its words where a core is one CPU, and its fact that of idle CPUs beside waiting tasks; or NULL */
	const char *without_smt;
	double least; /* a smaller change, in the metric's unit, is not worth a sentence */
	bool a_cpu;   /* `least` is for each of the case's CPUs */
	bool decision; /* of the scheduler, as a placement is; else where time went, which is told first */
	enum change_share share;
	const char *of[EXPLANATION_PARTS]; /* of SHARE_SUM; NULL ends them */
	/* metrics LEVELS_smt ... LEVELS_remote say how it is made up by level, after these words; or NULL */
	const char *levels, *levels_words;
	/* other metrics of the same fact, and the words before each */
	struct {
		const char *metric, *words;
	} parts[EXPLANATION_PARTS];
	/* a field of the places that the analysis of events keeps for LLCs and nodes, or NULL:
	 * "waiting" names the groups where most tasks wait, beside idle ones */
	const char *where;
	const char *experiments[EXPLANATION_EXPERIMENTS]; /* names; NULL ends them */
};

/* The registry; metrics of one fact by rank. Ends with metric == NULL, name == NULL. */
extern const struct explanation explanations[];
extern const struct experiment experiments[];

/* experiment_find - by name, or NULL; experiment_key - of "key = value", a new string */
const struct experiment *experiment_find(const char *name);
char *experiment_key(const char *setting);

/* experiment_value - what follows the "= "; borrowed */
const char *experiment_value(const char *setting);

/* experiment_settings - "key = value, key = value", a new string */
char *experiment_settings(const struct experiment *experiment);

/* Can an experiment tell anything about the two sides of a table? */
enum experiment_use {
	EXPERIMENT_USEFUL,
	EXPERIMENT_IN_FORCE,   /* both ran under it: it would change nothing */
	EXPERIMENT_DIFFERENCE, /* it sets what the two differ in */
	EXPERIMENT_IMPOSSIBLE, /* it cannot be set where they ran */
};

/*
 * experiment_use - by the settings recorded with the runs; what is not recorded is no obstacle
 * @why: a new string that says why it is not useful, else NULL
 */
enum experiment_use experiment_use(const struct table *table, const struct experiment *experiment,
				   char **why);

/* The machine of a case, as far as it is recorded: which levels it has. */
struct case_shape {
	bool known;
	int smt; /* threads a core */
	int n_llcs, n_nodes;
};

/* explain_what - the words of an explanation on that machine; borrowed */
const char *explain_what(const struct explanation *explanation, const struct case_shape *shape);

struct case_shape case_shape(const struct table *table, int case_index);

/* case_cpus - how many CPUs a case uses; 1 if that is not known */
int case_cpus(const struct table *table, int case_index);

/* A sentence that applies to a case. */
struct finding {
	const struct explanation *explanation;
	const struct row *row;
	double share; /* 0 to 1: enum change_share; 0 where the whole was not measured */
};

/* explain_row - the row of a metric in a case, or NULL */
const struct row *explain_row(const struct table *table, int case_index, const char *metric);

/*
 * explain_differs - does a scheduling metric differ? By its adjusted p-value; or, where the effect is the
 * same to the last bit in all blocks (a simulator without noise there), by its own sign test: an
 * adjustment over dozens of metrics would need dozens of blocks for what has no spread at all.
 */
bool explain_differs(const struct table *table, const struct cell *cell);

/* explain_blocks_needed - from so many blocks on the sign test judges an effect without spread */
int explain_blocks_needed(const struct table *table);

/* explain_too_few - is the effect the same to the last bit in all blocks, of which there are too few? */
bool explain_too_few(const struct table *table, const struct cell *cell);

/*
 * explain_findings - what moved significantly with the result in a case: time, then decisions, each
 * the largest share first
 * @table: of two sides, with all metrics; results judged, scheduling metrics as context
 *
 * Returns a new array that free() frees.
 */
struct finding *explain_findings(const struct table *table, int case_index, int *n);

/* explain_candidates - the same of metrics whose blocks are too few: nothing is called different there */
struct finding *explain_candidates(const struct table *table, int case_index, int *n);

/* finding_compare - for qsort(): that order */
int finding_compare(const void *a, const void *b);

/*
 * explain_experiments - those of the findings of all cases in the same order, each once; a new array of
 * pointers into the registry, useful or not
 */
const struct experiment **explain_experiments(const struct table *table, int *n);

/* explain_print - results, sentences, the table behind them, and the experiments, for all cases */
void explain_print(FILE *stream, const struct table *table, const struct report_options *options);

/* explain_print_experiments - which are proposed, and which are not and why */
void explain_print_experiments(FILE *stream, const struct table *table);

/* explain_where - the groups of CPUs that stand out in what a finding is about, a new string or NULL */
char *explain_where(const struct table *table, const struct finding *finding);

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
		ratio;	/* of the two effects, over blocks; 1: the experiment changes nothing */
	bool identical; /* every value is the same with it and without it, to the last bit */
	double adjusted; /* p-value of the ratio, allowed for all questions that were asked together */
};

struct error *explain_outcome(const double *const values[4], int n, double level,
			      struct outcome *out);

/* explain_experiment_print - what was set: the heading of its outcomes */
void explain_experiment_print(FILE *stream, const struct experiment *experiment);

/*
 * explain_outcome_print - one paragraph: figures, and what follows from them, nothing more
 * @metric: its name; of identical outcomes several names
 */
void explain_outcome_print(FILE *stream, const char *metric, const struct outcome *outcome,
			   double level);

#endif
