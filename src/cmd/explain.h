/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * explain.h - `explain --run`: experiments made as a run of their own
 */
#ifndef FT_CMD_EXPLAIN_H
#define FT_CMD_EXPLAIN_H

#include "cmd/comparison.h"
#include "cmd/verb.h"
#include "report/explain.h"

/*
 * explain_plan - the text of a plan with base, test, and for each experiment both of them with its
 * settings added
 * @run:  a run that has both variants
 * @most: take the first so many of those that can be set
 * @list: experiments; one whose setting is what the two variants differ in is left out and said so
 *        on stderr; @n_used counts the others, whose variants are "BASE+NAME" and "TEST+NAME"
 *
 * A new string. NULL if no experiment is left.
 */
char *explain_plan(const struct run *run, int base, int test, const struct experiment **list, int n,
		   int most, const struct experiment **used, int *n_used);

/*
 * explain_run - makes the experiments and prints what each showed
 * @table: two sides, variants of one run
 *
 * Errors: as of `fairtrial run`; ERR_INPUT if the two are not variants of one run.
 */
struct error *explain_run(const struct arguments *arguments, struct store *store,
			  const struct table *table, const struct comparison *comparison);

#endif
