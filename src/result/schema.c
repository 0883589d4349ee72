// SPDX-License-Identifier: GPL-2.0-only
#include "result/schema.h"

#include <stdlib.h>

#include "base/memory.h"

/*
 * Environments and metric definitions are kept once. Values of workers are a table of their own, so
 * that values of trials are read without passing over them; a BLOB of IEEE 754 doubles,
 * little-endian, NaN for a worker without value. Seeds are unsigned 64-bit numbers kept as signed.
 */
static const char schema_1[] =
	"CREATE TABLE environment ("
	"  id INTEGER PRIMARY KEY,"
	"  hash INTEGER NOT NULL,"
	"  content TEXT NOT NULL) STRICT;"
	"CREATE INDEX environment_hash ON environment (hash);"
	"CREATE TABLE metric ("
	"  id INTEGER PRIMARY KEY,"
	"  name TEXT NOT NULL,"
	"  unit TEXT NOT NULL,"
	"  better TEXT NOT NULL CHECK (better IN ('higher', 'lower', 'neither')),"
	"  version INTEGER NOT NULL,"
	"  UNIQUE (name, unit, better, version)) STRICT;"
	/* AUTOINCREMENT: the number of a removed run never comes to mean another one */
	"CREATE TABLE run ("
	"  id INTEGER PRIMARY KEY AUTOINCREMENT,"
	"  identity TEXT NOT NULL UNIQUE,"
	"  label TEXT,"
	"  plan_name TEXT NOT NULL,"
	"  plan_text TEXT NOT NULL,"
	"  tool_version TEXT NOT NULL,"
	"  started REAL NOT NULL,"
	"  seed INTEGER NOT NULL,"
	"  trials_planned INTEGER NOT NULL,"
	"  complete INTEGER NOT NULL CHECK (complete IN (0, 1)),"
	"  environment INTEGER NOT NULL REFERENCES environment) STRICT;"
	"CREATE INDEX run_label ON run (label);"
	"CREATE INDEX run_environment ON run (environment);"
	"CREATE TABLE run_case ("
	"  run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,"
	"  number INTEGER NOT NULL,"
	"  name TEXT NOT NULL,"
	"  workload TEXT NOT NULL,"
	"  workload_version INTEGER NOT NULL,"
	"  program_version TEXT,"
	"  params TEXT NOT NULL,"
	"  cpus TEXT NOT NULL,"
	"  PRIMARY KEY (run, number),"
	"  UNIQUE (run, name)) STRICT, WITHOUT ROWID;"
	"CREATE TABLE run_variant ("
	"  run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,"
	"  number INTEGER NOT NULL,"
	"  name TEXT NOT NULL,"
	"  settings TEXT NOT NULL,"
	"  backend TEXT,"
	"  machine TEXT,"
	"  kernel TEXT,"
	"  skipped TEXT,"
	"  PRIMARY KEY (run, number),"
	"  UNIQUE (run, name)) STRICT, WITHOUT ROWID;"
	"CREATE TABLE trial ("
	"  id INTEGER PRIMARY KEY AUTOINCREMENT,"
	"  run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,"
	"  run_case INTEGER NOT NULL,"
	"  run_variant INTEGER NOT NULL,"
	"  block INTEGER NOT NULL,"
	"  position INTEGER NOT NULL,"
	"  seed INTEGER NOT NULL,"
	"  status TEXT NOT NULL CHECK (status IN ('ok', 'failed')),"
	"  reason TEXT,"
	"  started REAL NOT NULL,"
	"  duration REAL,"
	"  environment INTEGER NOT NULL REFERENCES environment,"
	"  FOREIGN KEY (run, run_case) REFERENCES run_case (run, number),"
	"  FOREIGN KEY (run, run_variant) REFERENCES run_variant (run, number)) STRICT;"
	"CREATE INDEX trial_run ON trial (run, position);"
	"CREATE INDEX trial_environment ON trial (environment);"
	"CREATE TABLE value ("
	"  trial INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,"
	"  number INTEGER NOT NULL,"
	"  metric INTEGER NOT NULL REFERENCES metric,"
	"  value REAL,"
	"  unavailable TEXT,"
	"  PRIMARY KEY (trial, number),"
	"  CHECK ((value IS NULL) = (unavailable IS NOT NULL))) STRICT, WITHOUT ROWID;"
	"CREATE TABLE worker_values ("
	"  trial INTEGER NOT NULL,"
	"  number INTEGER NOT NULL,"
	"  content BLOB NOT NULL CHECK (length(content) % 8 = 0),"
	"  PRIMARY KEY (trial, number),"
	"  FOREIGN KEY (trial, number) REFERENCES value (trial, number) ON DELETE CASCADE"
	") STRICT;";

/* what histogram_text() gives */
static const char schema_2[] =
	"CREATE TABLE histogram ("
	"  trial INTEGER NOT NULL,"
	"  number INTEGER NOT NULL,"
	"  content TEXT NOT NULL,"
	"  PRIMARY KEY (trial, number),"
	"  FOREIGN KEY (trial, number) REFERENCES value (trial, number) ON DELETE CASCADE"
	") STRICT;";

const char *const schema_steps[] = { schema_1, schema_2 };
const int schema_version = ARRAY_SIZE(schema_steps);

static const char opening[] = "cannot read the schema version";

struct error *schema_check(struct store *store, int newest, int *version)
{
	int64_t application, number, objects;
	struct error *error = sql_number(store, opening, "PRAGMA application_id", &application);

	if (!error)
		error = sql_number(store, opening, "PRAGMA user_version", &number);
	if (!error)
		error = sql_number(store, opening, "SELECT count(*) FROM sqlite_schema", &objects);
	if (error)
		return error;
	if (application != SCHEMA_APPLICATION_ID && (application || number || objects))
		return error_new(ERR_STORE, "%s is not a store: it is another program's database",
				 store->path);
	if (number < 0 || (application == SCHEMA_APPLICATION_ID && !number))
		return sql_damaged(store, "its schema version is not a version");
	if (number > newest)
		return error_new(
			ERR_STORE,
			"the store %s has schema %lld, this fairtrial reads schema 1 to %d; use "
			"the fairtrial that wrote it, or `fairtrial export` there and import here",
			store->path, (long long)number, newest);
	*version = number;
	return NULL;
}

struct error *schema_upgrade(struct store *store, const char *const *steps, int newest)
{
	autofree char *marks = memory_format("PRAGMA application_id = %d; PRAGMA user_version = %d",
					     SCHEMA_APPLICATION_ID, newest);
	const char *doing = "cannot open the store";
	struct error *error = sql_begin(store, doing);
	int version = 0;

	if (error)
		return error;
	/* again under the lock: another process may have been faster */
	error = schema_check(store, newest, &version);
	doing = version ? "cannot upgrade the schema" : "cannot make a new store";
	for (int i = version; !error && i < newest; i++)
		error = sql_run(store, doing, steps[i]);
	if (!error && version < newest)
		error = sql_run(store, doing, marks);
	return sql_finish(store, doing, error);
}
