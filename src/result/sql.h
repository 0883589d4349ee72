/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sql.h - private to the store: a thin layer over SQLite with our errors
 *
 * A query keeps its first error, so callers bind, step and read without a check at each call and
 * look once, at query_end().
 */
#ifndef FT_RESULT_SQL_H
#define FT_RESULT_SQL_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/json.h"
#include "result/store.h"

struct store {
	sqlite3 *db;
	char *path;
	bool writable;
	bool reads_only; /* opened without the files that writing needs: the disk is full */
};

struct query {
	struct store *store;
	sqlite3_stmt *statement;
	struct error *error;
	const char *doing; /* "cannot store the trial": the start of an error message */
};

/*
 * sql_error - what SQLite's last error on this connection means to a user, as ERR_STORE: damaged,
 * no store, disk full, read-only, in use; with the path and what to do
 */
struct error *sql_error(struct store *store, const char *doing);

/* sql_damaged - ERR_STORE for content that the store cannot have written: @what says which */
struct error *sql_damaged(struct store *store, const char *what);

/* sql_run - statements without parameters and results */
struct error *sql_run(struct store *store, const char *doing, const char *sql);

/* sql_number - the one integer that a query without parameters gives, e.g. of a PRAGMA */
struct error *sql_number(struct store *store, const char *doing, const char *sql, int64_t *out);

/* sql_begin - takes the write lock at once, so that a busy store fails here and not half way */
struct error *sql_begin(struct store *store, const char *doing);
/* sql_finish - commits if @error is NULL and rolls back otherwise; returns the first error */
struct error *sql_finish(struct store *store, const char *doing, struct error *error);

/* sql_begin_read - one snapshot for several queries; ended with sql_end_read() */
struct error *sql_begin_read(struct store *store, const char *doing);
struct error *sql_end_read(struct store *store, struct error *error);

struct query query_start(struct store *store, const char *doing, const char *sql);
void query_integer(struct query *query, int parameter, int64_t value);
void query_real(struct query *query, int parameter, double value);	  /* NAN: NULL */
void query_text(struct query *query, int parameter, const char *text);	  /* NULL: NULL */
void query_json(struct query *query, int parameter, const json_t *value); /* NULL: "{}" */
void query_blob(struct query *query, int parameter, const void *data, size_t size);

/* query_row - steps; true if there is a row */
bool query_row(struct query *query);
/* query_again - ready for new parameters */
void query_again(struct query *query);
struct error *query_end(struct query *query);

/* Columns of the current row. column_string: a new string or NULL; column_json: a new reference,
 * {} and an error kept in the query if it is no JSON object. column_real: NAN for NULL. */
int64_t column_integer(struct query *query, int column);
double column_real(struct query *query, int column);
char *column_string(struct query *query, int column);
json_t *column_json(struct query *query, int column);

#endif
