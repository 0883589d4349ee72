/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * store.h - results kept in one SQLite file (WAL, foreign keys, one transaction a trial)
 *
 * kill -9 at any point loses at most the trial in flight. A store of a newer schema, a damaged or
 * read-only file and a full disk are ERR_STORE with the path and what to do; an older schema is
 * migrated in one transaction when it is opened for writing.
 */
#ifndef FT_RESULT_STORE_H
#define FT_RESULT_STORE_H

#include "result/result.h"

struct store;

enum store_mode {
	STORE_READ,  /* must exist; works on a read-only file too */
	STORE_WRITE, /* made if missing, folders included, mode 0600 */
};

/*
 * store_open - @path NULL: $XDG_DATA_HOME/fairtrial/results.db
 * An older schema is brought up to date. A file in a read-only folder can be read.
 */
struct error *store_open(const char *path, enum store_mode mode, struct store **out);
void store_close(struct store *store);

/*
 * store_add_run - writes a run without trials: label, plan, cases, variants, environment; sets
 * run->id, and run->identity if it is NULL
 */
struct error *store_add_run(struct store *store, struct run *run);

/*
 * store_add_trial - writes a trial whole, in one transaction that is on the disk when this returns;
 * sets trial->id. Errors: ERR_DOMAIN for an infinite value; after ERR_STORE nothing of it is kept.
 */
struct error *store_add_trial(struct store *store, const struct run *run, struct trial *trial);

/*
 * store_add_whole_run - a run with all its trials in one transaction, complete: all or nothing
 * Errors: ERR_INPUT if a run of that identity is in the store already; then it names its number.
 */
struct error *store_add_whole_run(struct store *store, struct run *run);

/* store_complete_run - marks that all planned trials were made */
struct error *store_complete_run(struct store *store, struct run *run);

/* What to load of a run. */
enum load_depth {
	LOAD_RUN,     /* cases, variants, no trials */
	LOAD_VALUES,  /* trials with environment and values of their metrics, not per worker */
	LOAD_WORKERS, /* per-worker values too */
	LOAD_ALL,     /* histograms too */
};

/*
 * store_load_run - by id. What is not loaded is NULL with 0.
 * Errors: ERR_INPUT if there is no such run.
 */
struct error *store_load_run(struct store *store, int64_t id, enum load_depth depth,
			     struct run **out);

/*
 * A line of `fairtrial list`. Free with run_summaries_free(). n_planned counts the trials of all
 * cases and of the variants that were not left out.
 */
struct run_summary {
	int64_t id;
	char *label, *plan_name, *variants; /* variants: names joined with ", " */
	double started;
	int n_trials, n_failed, n_planned;
	bool complete;
};

/* store_list - all runs by rising id; @label: only those of that label, NULL: all */
struct error *store_list(struct store *store, const char *label, struct run_summary **out, int *n);
void run_summaries_free(struct run_summary *summaries, int n);

/*
 * store_newest - id of the run that was started last (with that label if not NULL). An old run that
 * was imported now is not the newest. Errors: ERR_INPUT if there is none.
 */
struct error *store_newest(struct store *store, const char *label, int64_t *id);

/* store_remove_run - with all its trials, in one transaction */
struct error *store_remove_run(struct store *store, int64_t id);

/*
 * store_export - writes runs as JSON lines (docs/results.md); store_import - reads them back, all or
 * nothing; a run that is already there (same export identity) is refused
 * @ids: NULL with 0: all runs
 */
struct error *store_export(struct store *store, const int64_t *ids, int n, FILE *stream);
struct error *store_import(struct store *store, FILE *stream, const char *file, int *n_runs);

#endif
