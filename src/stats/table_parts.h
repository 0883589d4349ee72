/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * table_parts.h - the steps of table_new(), private to the room: check, gather, judge
 */
#ifndef FT_STATS_TABLE_PARTS_H
#define FT_STATS_TABLE_PARTS_H

#include "stats/table.h"

/* The trials of one case: for each side, slots in order of blocks. */
struct case_trials {
	const struct trial ***slots; /* [side][slot]; NULL where no trial was made */
	int *n_slots;		     /* [side]; all equal if interleaved */
	int n_sides;
};

/* case_trials_of - @interleaved: slots are the blocks of all sides together */
struct case_trials case_trials_of(const struct side *sides, int n_sides, const char *case_name,
				  bool interleaved);
void case_trials_clear(struct case_trials *trials);

/*
 * case_trials_merge - counts a simulated trial that was made twice once; how many were repetitions
 * case_trials_shared - how many trials of @side are the same simulated trials as some of base
 */
int case_trials_merge(struct case_trials *trials, const struct side *sides, const char *case_name,
		      bool interleaved);
int case_trials_shared(const struct case_trials *trials, const struct side *sides, int side,
		       const char *case_name);

/* note_others - how much CPU time others took in the trials, where it is much or unlike */
void note_others(struct table *table);

/* side_case - the case of a side by its name, from its first run that has it; NULL if none has */
const struct result_case *side_case(const struct side *side, const char *name);

/* sides_interleaved - are all sides variants of the same set of runs? */
bool sides_interleaved(const struct side *sides, int n_sides);

/*
 * check_sides - may these be compared at all? check_case - is it the same case on all sides?
 * Errors: ERR_MISMATCH; with options.force a warning in its place
 */
struct error *check_sides(struct table *table);
struct error *check_case(struct table *table, const char *name);

/*
 * check_metric - one definition in all trials?
 * @usable: false if the metric must be left out (forced, and not even the unit is equal)
 */
struct error *check_metric(struct table *table, const struct case_trials *trials,
			   const char *case_name, const char *metric, bool *usable);

/* add_case_rows - adds the rows of a case to the table, with values and effects */
struct error *add_case_rows(struct table *table, int case_index);

/* judge_rows - adjusts p-values over the table, gives verdicts, decides what is shown */
void judge_rows(struct table *table);

#endif
