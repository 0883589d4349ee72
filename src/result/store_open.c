// SPDX-License-Identifier: GPL-2.0-only
/*
 * store_open.c - find, make, open and close a store file
 *
 * WAL with synchronous=FULL: each commit is on the disk before the call returns, so a crash of the
 * process and a loss of power cost the trial in flight and no other. A trial takes seconds, the
 * fsync milliseconds.
 */
#include "result/store_open.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "result/schema.h"

#define BUSY_MILLISECONDS 15000

static const char opening[] = "cannot open the results";

void store_close(struct store *store)
{
	if (!store)
		return;
	sqlite3_close(store->db);
	free(store->path);
	free(store);
}

/* SQLite takes ":memory:" and, as Debian builds it, "file:..." for something else than a file */
static char *file_name_of(const char *path)
{
	return memory_format("%s%s", *path == '/' ? "" : "./", path);
}

/* a URI file name: %, ? and # have a meaning there */
static char *uri_of(const char *path)
{
	char *uri = memory_zeroed(3 * strlen(path) + sizeof("file://?immutable=1"), 1);
	/* an absolute path stands behind an empty host: it may begin with two slashes */
	char *end = stpcpy(uri, *path == '/' ? "file://" : "file:./");

	for (; *path; path++) {
		if (strchr("%?#", *path))
			end += sprintf(end, "%%%02x", *path);
		else
			*end++ = *path;
	}
	strcpy(end, "?immutable=1");
	return uri;
}

static struct error *configure(struct store *store)
{
	sqlite3_extended_result_codes(store->db, 1);
	sqlite3_busy_timeout(store->db, BUSY_MILLISECONDS);
	sqlite3_db_config(store->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(store->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(store->db, SQLITE_DBCONFIG_ENABLE_FKEY, 1, NULL);
	return sql_run(store, opening, "PRAGMA synchronous = FULL; PRAGMA cell_size_check = ON");
}

static struct error *open_database(struct store *store, const char *name, int flags)
{
	sqlite3_close(store->db);
	store->db = NULL;
	if (sqlite3_open_v2(name, &store->db, flags, NULL) != SQLITE_OK)
		return sql_error(store, opening);
	return NULL;
}

static struct error *connect_to(struct store *store, const char *name, int flags)
{
	struct error *error = open_database(store, name, flags);

	return error ? error : configure(store);
}

/* makes an empty file: never through a link that somebody left there, readable by the user alone */
static struct error *make_file(const char *path)
{
	struct error *error = file_make_folders(path);
	int fd;

	if (error)
		return error;
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0 && errno != EEXIST)
		return errno == EROFS || errno == EACCES
			       ? error_new(ERR_STORE, "cannot make the store %s: %s", path,
					   strerror(errno))
			       : error_errno("cannot make the store %s", path);
	if (fd >= 0)
		close(fd);
	return NULL;
}

static struct error *missing(const char *path, enum store_mode mode)
{
	struct stat link;

	if (mode == STORE_WRITE && !lstat(path, &link) && S_ISLNK(link.st_mode))
		return error_new(ERR_STORE,
				 "%s is a symbolic link to a file that is not there; a store is "
				 "not made through a link",
				 path);
	if (errno == ENOENT)
		return error_new(ERR_INPUT,
				 "there is no store %s; `fairtrial run` or `import` makes one",
				 path);
	return error_errno("cannot open the store %s", path);
}

static bool has_entry(const char *path, const char *suffix)
{
	autofree char *name = memory_format("%s%s", path, suffix);
	struct stat status;

	return !stat(name, &status) && status.st_size > 0;
}

/*
 * What SQLite would take for an empty database or report in its own words. A file shorter than its
 * header was cut off; whether later pages are there SQLite checks itself.
 */
static struct error *check_file(const char *path, enum store_mode mode)
{
	static const char magic[16] = "SQLite format 3";
	char header[100];
	struct stat status;
	ssize_t got;
	int fd;

	if (stat(path, &status))
		return missing(path, mode);
	if (!S_ISREG(status.st_mode))
		return error_new(ERR_INPUT, "the store %s is not a file", path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return error_errno("cannot open the store %s", path);
	got = pread(fd, header, sizeof(header), 0);
	close(fd);
	if (got < 0)
		return error_errno("cannot read the store %s", path);
	if (got && memcmp(header, magic, got < 16 ? got : 16))
		return error_new(ERR_STORE, "%s is not a store: it is no SQLite file", path);
	if (got && got < (ssize_t)sizeof(header))
		return error_new(ERR_STORE,
				 "the store %s is damaged (cut off after %zd bytes): restore it "
				 "from an export or a copy",
				 path, got);
	return NULL;
}

/* A folder that cannot be written to has no room for the -shm file that readers of a WAL share. */
static struct error *connect_immutable(struct store *store, struct error *first)
{
	autofree char *uri = NULL;

	if (has_entry(store->path, "-wal")) {
		error_free(first);
		return error_new(ERR_STORE,
				 "%s-wal holds results that cannot be read in a read-only folder: "
				 "copy both files to a folder that can be written to",
				 store->path);
	}
	error_free(first);
	uri = uri_of(store->path);
	return connect_to(store, uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
}

/*
 * On a full disk there is no room for the -shm file. A connection that has the file to itself keeps that
 * index in its memory, and reads what the -wal holds; it writes nothing, not even when it is closed.
 */
static struct error *connect_alone(struct store *store, const char *name)
{
	struct error *error = open_database(store, name, SQLITE_OPEN_READWRITE);
	int64_t number;

	if (error)
		return error;
	sqlite3_db_config(store->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	/* before the first statement that looks into the file */
	error = sql_run(store, opening, "PRAGMA locking_mode = EXCLUSIVE");
	if (!error)
		error = configure(store);
	if (!error)
		error = sql_run(store, opening,
				"PRAGMA temp_store = MEMORY; PRAGMA query_only = ON");
	if (!error)
		error = sql_number(store, opening, "SELECT count(*) FROM sqlite_schema", &number);
	return error;
}

/* is it the lack of room, or of the right, for the files beside the store? */
static bool lacks_room(const struct store *store)
{
	int code = sqlite3_errcode(store->db) & 0xff,
	    extended = sqlite3_extended_errcode(store->db);

	return code == SQLITE_FULL || extended == SQLITE_IOERR_SHMSIZE ||
	       extended == SQLITE_IOERR_SHMOPEN || extended == SQLITE_IOERR_SHMMAP ||
	       extended == SQLITE_IOERR_WRITE || extended == SQLITE_IOERR_TRUNCATE;
}

static bool lacks_right(const struct store *store)
{
	int code = sqlite3_errcode(store->db) & 0xff;

	return code == SQLITE_CANTOPEN || code == SQLITE_READONLY;
}

/* reads what can be read without files beside the store, after @first said that they cannot be made */
static struct error *connect_to_read(struct store *store, const char *name, struct error *first)
{
	if (lacks_room(store)) {
		error_free(first);
		first = connect_alone(store, name);
		store->reads_only = true;
	}
	if (first && (lacks_right(store) || (lacks_room(store) && !has_entry(store->path, "-wal"))))
		first = connect_immutable(store, first);
	return first;
}

/* SQLite needs both: the file, and its folder for the write-ahead log */
static bool can_write(const char *path)
{
	autofree char *copy = memory_string(path);

	return !eaccess(path, W_OK) && !eaccess(dirname(copy), W_OK);
}

static struct error *connect_file(struct store *store, enum store_mode mode)
{
	autofree char *name = file_name_of(store->path);
	struct error *error;
	int64_t number;

	if (mode == STORE_WRITE && !can_write(store->path))
		return error_new(ERR_STORE,
				 "the store %s or its folder is read-only for this user; give "
				 "another store with -d FILE",
				 store->path);
	error = connect_to(store, name, SQLITE_OPEN_READWRITE);
	if (!error)
		error = sql_number(store, opening, "SELECT count(*) FROM sqlite_schema", &number);
	if (error && mode == STORE_READ)
		error = connect_to_read(store, name, error);
	if (error)
		return error;
	store->writable = !store->reads_only && sqlite3_db_readonly(store->db, "main") == 0;
	return NULL;
}

/*
 * Sets up an empty file, or brings an older schema up to date. The page size fits the values of a
 * few hundred workers; freed pages are given back by store_remove_run().
 */
static struct error *upgrade(struct store *store)
{
	struct error *error = sql_run(store, "cannot set up the store",
				      "PRAGMA page_size = 16384; PRAGMA auto_vacuum = INCREMENTAL");

	if (error)
		return error;
	error = sql_run(store, "cannot set up the store", "PRAGMA journal_mode = WAL");
	if (error && (sqlite3_errcode(store->db) & 0xff) == SQLITE_BUSY) {
		error_free(error); /* another process is setting it up at this moment */
		error = NULL;
	}
	return error ? error : schema_upgrade(store, schema_steps, schema_version);
}

static struct error *prepare(struct store *store)
{
	struct error *error;
	int version;

	error = schema_check(store, schema_version, &version);
	if (error || version == schema_version)
		return error;
	if (!store->writable)
		return error_new(ERR_STORE,
				 version ? "the store %s has the older schema %d and is read-only; "
					   "copy it to where it can be written to"
					 : "the store %s is empty and read-only (schema %d)",
				 store->path, version);
	return upgrade(store);
}

struct error *store_open(const char *path, enum store_mode mode, struct store **out)
{
	struct store *store = memory_zeroed(1, sizeof(*store));
	struct error *error = NULL;

	if (path && !*path)
		error = error_new(ERR_INPUT, "the name of the store is empty; a file is needed");
	else if (path)
		store->path = memory_string(path);
	else
		error = file_data_path("results.db", &store->path);
	if (!error && mode == STORE_WRITE)
		error = make_file(store->path);
	if (!error)
		error = check_file(store->path, mode);
	if (!error)
		error = connect_file(store, mode);
	if (!error)
		error = prepare(store);
	if (error) {
		store_close(store);
		return error;
	}
	*out = store;
	return NULL;
}

struct error *store_open_memory(struct store **out)
{
	struct store *store = memory_zeroed(1, sizeof(*store));
	struct error *error;

	store->path = memory_string(":memory:");
	store->writable = true;
	error = connect_to(store, store->path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY);
	if (!error)
		error = schema_upgrade(store, schema_steps, schema_version);
	if (error) {
		store_close(store);
		return error;
	}
	*out = store;
	return NULL;
}
