/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * explain.h - `explain --run`: experiments made as a run of their own
 */
#ifndef FT_CMD_EXPLAIN_H
#define FT_CMD_EXPLAIN_H

#include "cmd/comparison.h"
#include "cmd/verb.h"
#include "report/explain.h"

/* the name of the plan that experiments are made with; their label is "explain-ID" of the run they are of */
#define EXPLAIN_PLAN  "explain"
#define EXPLAIN_LABEL "explain-"

/*
 * explain_run - makes the experiments and prints what each showed
 * @table: two sides, variants of one run
 *
 * An earlier run of the same experiments that was cut off is completed.
 *
 * Errors: as of `fairtrial run`; ERR_INPUT if the two are not variants of one run, and if no experiment
 * is left that could tell anything.
 */
struct error *explain_run(const struct arguments *arguments, struct store *store,
			  const struct table *table);

#endif
