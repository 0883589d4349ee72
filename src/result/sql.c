// SPDX-License-Identifier: GPL-2.0-only
#include "result/sql.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

static bool is_no_space(int number)
{
	return number == ENOSPC || number == EDQUOT || number == EFBIG;
}

static bool is_read_only(int number)
{
	return number == EROFS || number == EACCES || number == EPERM;
}

static struct error *full_error(struct store *store, const char *doing)
{
	return error_new(ERR_STORE,
			 "%s in %s: no space left on its disk; nothing of it was kept, all that "
			 "was stored before is; free some space and go on",
			 doing, store->path);
}

static struct error *read_only_error(struct store *store, const char *doing)
{
	return error_new(ERR_STORE,
			 "%s in %s: the store or its folder is read-only for this user; give "
			 "another store with -d FILE",
			 doing, store->path);
}

struct error *sql_damaged(struct store *store, const char *what)
{
	return error_new(ERR_STORE,
			 "the store %s is damaged (%s): use a copy or import an export into a new "
			 "store; `sqlite3 FILE .recover`, where sqlite3 was built with it, prints "
			 "what is left as SQL",
			 store->path, what);
}

/* errno of the failed call: what the connection kept, else what the database or its WAL file did */
static int last_errno(struct store *store)
{
	int number = sqlite3_system_errno(store->db);
	sqlite3_file *journal = NULL;

	if (!number)
		sqlite3_file_control(store->db, "main", SQLITE_FCNTL_LAST_ERRNO, &number);
	if (!number)
		sqlite3_file_control(store->db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &journal);
	if (journal && journal->pMethods && journal->pMethods->xFileControl)
		journal->pMethods->xFileControl(journal, SQLITE_FCNTL_LAST_ERRNO, &number);
	return number;
}

struct error *sql_error(struct store *store, const char *doing)
{
	int code = sqlite3_errcode(store->db) & 0xff;
	bool system = code == SQLITE_IOERR || code == SQLITE_CANTOPEN;
	int number = system ? last_errno(store) : 0;

	if (code == SQLITE_FULL || (system && is_no_space(number)))
		return full_error(store, doing);
	if (code == SQLITE_READONLY || code == SQLITE_PERM || (system && is_read_only(number)))
		return read_only_error(store, doing);
	if (code == SQLITE_CORRUPT || code == SQLITE_FORMAT)
		return sql_damaged(store, sqlite3_errmsg(store->db));
	if (code == SQLITE_NOTADB)
		return error_new(ERR_STORE, "%s is not a store: it is no SQLite file", store->path);
	if (code == SQLITE_BUSY || code == SQLITE_LOCKED)
		return error_new(ERR_STORE,
				 "%s in %s: another process kept the store locked; try again when "
				 "it is done",
				 doing, store->path);
	return error_new(ERR_STORE, "%s in %s: %s%s%s", doing, store->path,
			 sqlite3_errmsg(store->db), system && number ? ": " : "",
			 system && number ? strerror(number) : "");
}

struct error *sql_run(struct store *store, const char *doing, const char *sql)
{
	if (sqlite3_exec(store->db, sql, NULL, NULL, NULL) != SQLITE_OK)
		return sql_error(store, doing);
	return NULL;
}

struct error *sql_number(struct store *store, const char *doing, const char *sql, int64_t *out)
{
	struct query query = query_start(store, doing, sql);
	int64_t value = 0;
	struct error *error;

	if (query_row(&query))
		value = column_integer(&query, 0);
	error = query_end(&query);
	if (!error)
		*out = value;
	return error;
}

/* what is written to a file without its name is gone when it is closed */
static bool is_gone(const struct store *store)
{
	int moved = 0;

	return sqlite3_file_control(store->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved) ==
		       SQLITE_OK &&
	       moved;
}

struct error *sql_begin(struct store *store, const char *doing)
{
	if (!store->writable)
		return read_only_error(store, doing);
	if (is_gone(store))
		return error_new(ERR_STORE,
				 "%s in %s: the file was deleted, moved or replaced while it was "
				 "in use",
				 doing, store->path);
	return sql_run(store, doing, "BEGIN IMMEDIATE");
}

struct error *sql_finish(struct store *store, const char *doing, struct error *error)
{
	if (!error)
		error = sql_run(store, doing, "COMMIT");
	/* a full disk may have rolled back already; a COMMIT that failed leaves it open */
	if (error && !sqlite3_get_autocommit(store->db))
		sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
	return error;
}

struct error *sql_begin_read(struct store *store, const char *doing)
{
	return sql_run(store, doing, "BEGIN");
}

struct error *sql_end_read(struct store *store, struct error *error)
{
	if (!sqlite3_get_autocommit(store->db))
		sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
	return error;
}

struct query query_start(struct store *store, const char *doing, const char *sql)
{
	struct query query = { .store = store, .doing = doing };

	if (sqlite3_prepare_v2(store->db, sql, -1, &query.statement, NULL) != SQLITE_OK)
		query.error = sql_error(store, doing);
	return query;
}

static void check(struct query *query, int code)
{
	if (code != SQLITE_OK && !query->error)
		query->error = sql_error(query->store, query->doing);
}

void query_integer(struct query *query, int parameter, int64_t value)
{
	if (!query->error)
		check(query, sqlite3_bind_int64(query->statement, parameter, value));
}

void query_real(struct query *query, int parameter, double value)
{
	if (query->error)
		return;
	check(query, isnan(value) ? sqlite3_bind_null(query->statement, parameter)
				  : sqlite3_bind_double(query->statement, parameter, value));
}

void query_text(struct query *query, int parameter, const char *text)
{
	if (query->error)
		return;
	if (text)
		check(query,
		      sqlite3_bind_text(query->statement, parameter, text_to_utf8(text), -1, free));
	else
		check(query, sqlite3_bind_null(query->statement, parameter));
}

void query_json(struct query *query, int parameter, const json_t *value)
{
	if (query->error)
		return;
	check(query, sqlite3_bind_text(query->statement, parameter,
				       value ? json_text(value) : memory_string("{}"), -1, free));
}

void query_blob(struct query *query, int parameter, const void *data, size_t size)
{
	if (!query->error)
		check(query,
		      sqlite3_bind_blob64(query->statement, parameter, data, size, SQLITE_STATIC));
}

bool query_row(struct query *query)
{
	int code;

	if (query->error)
		return false;
	code = sqlite3_step(query->statement);
	if (code != SQLITE_ROW && code != SQLITE_DONE)
		query->error = sql_error(query->store, query->doing);
	return code == SQLITE_ROW;
}

void query_again(struct query *query)
{
	if (!query->error)
		check(query, sqlite3_reset(query->statement));
}

struct error *query_end(struct query *query)
{
	struct error *error = query->error;

	sqlite3_finalize(query->statement);
	query->statement = NULL;
	query->error = NULL;
	return error;
}

int64_t column_integer(struct query *query, int column)
{
	return sqlite3_column_int64(query->statement, column);
}

double column_real(struct query *query, int column)
{
	if (sqlite3_column_type(query->statement, column) == SQLITE_NULL)
		return NAN;
	return sqlite3_column_double(query->statement, column);
}

char *column_string(struct query *query, int column)
{
	const unsigned char *text = sqlite3_column_text(query->statement, column);

	return text ? text_to_utf8((const char *)text) : NULL;
}

json_t *column_json(struct query *query, int column)
{
	autofree char *text = column_string(query, column);
	json_t *value = NULL;
	struct error *error = json_parse(text ? text : "", NULL, 0, &value);

	if (!error && json_is_object(value))
		return value;
	if (!query->error)
		query->error = sql_damaged(query->store, "a JSON object cannot be read");
	error_free(error);
	json_decref(value);
	return json_object();
}
