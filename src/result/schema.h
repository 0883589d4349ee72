/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * schema.h - private to the store: its tables, and the steps from one schema version to the next
 *
 * The version is SQLite's user_version; version 0 is an empty file. A step is never changed once it
 * was released: a new one is added at the end.
 */
#ifndef FT_RESULT_SCHEMA_H
#define FT_RESULT_SCHEMA_H

#include "result/sql.h"

#define SCHEMA_APPLICATION_ID 0x46745273 /* "FtRs" */

/* The statements that lead from version i to version i + 1, for step i. */
extern const char *const schema_steps[];
extern const int schema_version; /* the version that this program reads and writes */

/*
 * schema_check - is it ours, and of which version?
 * @version: 0 for an empty file
 *
 * Errors: ERR_STORE for the database of another program and for a version above @newest.
 */
struct error *schema_check(struct store *store, int newest, int *version);

/* schema_upgrade - makes steps[version] .. steps[newest - 1] in one transaction */
struct error *schema_upgrade(struct store *store, const char *const *steps, int newest);

#endif
