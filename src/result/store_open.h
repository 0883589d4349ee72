/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * store_open.h - private to the store: openings for tests, and what both ways of writing share
 */
#ifndef FT_RESULT_STORE_OPEN_H
#define FT_RESULT_STORE_OPEN_H

#include "result/sql.h"

/* store_open_memory - an empty store in memory */
struct error *store_open_memory(struct store **out);

/* find_identity - the number of the run with that identity, 0 if it is not in the store */
struct error *find_identity(struct store *store, const char *doing, const char *identity,
			    int64_t *id);

/* write_run, write_trial - store_add_run() and store_add_trial() within the caller's transaction */
struct error *write_run(struct store *store, struct run *run);
struct error *write_trial(struct store *store, const struct run *run, struct trial *trial);

#endif
