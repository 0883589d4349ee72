// SPDX-License-Identifier: GPL-2.0-only
/* store_write.c - runs and trials into the store, and out of it */
#include <endian.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/memory.h"
#include "result/store_open.h"

static const char storing_run[] = "cannot store the run";
static const char storing_trial[] = "cannot store the trial";

/* FNV-1a, 64 bits: finds equal texts fast; the texts themselves decide */
static int64_t text_hash(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3;
	return (int64_t)hash;
}

static struct error *write_environment(struct store *store, const json_t *environment, int64_t *id)
{
	autofree char *text = environment ? json_text(environment) : memory_string("{}");
	struct query query = query_start(
		store, storing_trial, "SELECT id FROM environment WHERE hash = ? AND content = ?");
	struct error *error;
	bool found;

	query_integer(&query, 1, text_hash(text));
	query_text(&query, 2, text);
	found = query_row(&query);
	if (found)
		*id = column_integer(&query, 0);
	error = query_end(&query);
	if (error || found)
		return error;
	query = query_start(store, storing_trial,
			    "INSERT INTO environment (hash, content) VALUES (?, ?)");
	query_integer(&query, 1, text_hash(text));
	query_text(&query, 2, text);
	query_row(&query);
	*id = sqlite3_last_insert_rowid(store->db);
	return query_end(&query);
}

static struct error *write_cases(struct store *store, const struct run *run)
{
	struct query query =
		query_start(store, storing_run,
			    "INSERT INTO run_case (run, number, name, workload, workload_version, "
			    "program_version, params, cpus) VALUES (?, ?, ?, ?, ?, ?, ?, ?)");

	for (int i = 0; i < run->n_cases; i++) {
		const struct result_case *instance = &run->cases[i];

		query_integer(&query, 1, run->id);
		query_integer(&query, 2, i);
		query_text(&query, 3, instance->name);
		query_text(&query, 4, instance->workload);
		query_integer(&query, 5, instance->workload_version);
		query_text(&query, 6, instance->program_version);
		query_json(&query, 7, instance->params);
		query_text(&query, 8, instance->cpus ? instance->cpus : "");
		query_row(&query);
		query_again(&query);
	}
	return query_end(&query);
}

static struct error *write_variants(struct store *store, const struct run *run)
{
	struct query query =
		query_start(store, storing_run,
			    "INSERT INTO run_variant (run, number, name, settings, backend, "
			    "machine, kernel, skipped) VALUES (?, ?, ?, ?, ?, ?, ?, ?)");

	for (int i = 0; i < run->n_variants; i++) {
		const struct result_variant *variant = &run->variants[i];

		query_integer(&query, 1, run->id);
		query_integer(&query, 2, i);
		query_text(&query, 3, variant->name);
		query_json(&query, 4, variant->settings);
		query_text(&query, 5, variant->backend);
		query_text(&query, 6, variant->machine);
		query_text(&query, 7, variant->kernel);
		query_text(&query, 8, variant->skipped);
		query_row(&query);
		query_again(&query);
	}
	return query_end(&query);
}

/* a random UUID (RFC 9562, version 4) */
static struct error *new_identity(char **out)
{
	unsigned char b[16];

	if (getrandom(b, sizeof(b), 0) != sizeof(b))
		return error_errno("cannot get random numbers");
	b[6] = (b[6] & 0x0f) | 0x40;
	b[8] = (b[8] & 0x3f) | 0x80;
	*out = memory_format("%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
			     b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10],
			     b[11], b[12], b[13], b[14], b[15]);
	return NULL;
}

struct error *write_run(struct store *store, struct run *run)
{
	struct query query;
	int64_t environment;
	struct error *error = run->identity ? NULL : new_identity(&run->identity);

	if (!error)
		error = write_environment(store, run->environment, &environment);
	if (error)
		return error;
	query = query_start(store, storing_run,
			    "INSERT INTO run (identity, label, plan_name, plan_text, tool_version, "
			    "started, seed, trials_planned, complete, environment) "
			    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
	query_text(&query, 1, run->identity);
	query_text(&query, 2, run->label);
	query_text(&query, 3, run->plan_name ? run->plan_name : "");
	query_text(&query, 4, run->plan_text ? run->plan_text : "");
	query_text(&query, 5, run->tool_version ? run->tool_version : "");
	query_real(&query, 6, run->started);
	query_integer(&query, 7, (int64_t)run->seed);
	query_integer(&query, 8, run->trials_planned);
	query_integer(&query, 9, run->complete);
	query_integer(&query, 10, environment);
	query_row(&query);
	run->id = sqlite3_last_insert_rowid(store->db);
	error = query_end(&query);
	if (!error)
		error = write_cases(store, run);
	return error ? error : write_variants(store, run);
}

struct error *store_add_run(struct store *store, struct run *run)
{
	struct error *error = sql_begin(store, storing_run);

	if (error)
		return error;
	error = sql_finish(store, storing_run, write_run(store, run));
	if (error)
		run->id = 0;
	return error;
}

/* what the store could not give back as it is, or what would point nowhere */
static struct error *check_trial(const struct run *run, const struct trial *trial)
{
	if (trial->case_index < 0 || trial->case_index >= run->n_cases ||
	    trial->variant_index < 0 || trial->variant_index >= run->n_variants)
		return error_new(ERR_DOMAIN,
				 "%s: it is of case %d, variant %d of a run with %d, %d",
				 storing_trial, trial->case_index, trial->variant_index,
				 run->n_cases, run->n_variants);
	for (int i = 0; i < trial->n_metrics; i++) {
		const struct metric *metric = &trial->metrics[i];
		bool infinite = isinf(metric->value);

		for (int w = 0; w < metric->n_workers; w++)
			infinite |= isinf(metric->per_worker[w]);
		if (infinite)
			return error_new(ERR_DOMAIN, "%s: the value of metric '%s' is infinite",
					 storing_trial, metric->name);
	}
	return NULL;
}

static struct error *metric_id(struct store *store, const struct metric *metric, int64_t *id)
{
	static const char *const statements[] = {
		"INSERT OR IGNORE INTO metric (name, unit, better, version) VALUES (?, ?, ?, ?)",
		"SELECT id FROM metric WHERE name = ? AND unit = ? AND better = ? AND version = ?",
	};
	struct error *error = NULL;

	for (int i = 0; !error && i < 2; i++) {
		struct query query = query_start(store, storing_trial, statements[i]);

		query_text(&query, 1, metric->name);
		query_text(&query, 2, metric->unit);
		query_text(&query, 3, better_name(metric->better));
		query_integer(&query, 4, metric->version);
		if (query_row(&query))
			*id = column_integer(&query, 0);
		error = query_end(&query);
	}
	return error;
}

static struct error *write_workers(struct store *store, int64_t trial, int number,
				   const struct metric *metric)
{
	uint64_t *content = memory_zeroed(metric->n_workers, sizeof(*content));
	struct query query =
		query_start(store, storing_trial,
			    "INSERT INTO worker_values (trial, number, content) VALUES (?, ?, ?)");
	struct error *error;

	memcpy(content, metric->per_worker, metric->n_workers * sizeof(*content));
	for (int i = 0; i < metric->n_workers; i++)
		content[i] = htole64(content[i]);
	query_integer(&query, 1, trial);
	query_integer(&query, 2, number);
	query_blob(&query, 3, content, metric->n_workers * sizeof(*content));
	query_row(&query);
	error = query_end(&query);
	free(content);
	return error;
}

static struct error *write_histogram(struct store *store, int64_t trial, int number,
				     const struct metric *metric)
{
	autofree char *text = histogram_text(metric->histogram);
	struct query query =
		query_start(store, storing_trial,
			    "INSERT INTO histogram (trial, number, content) VALUES (?, ?, ?)");

	query_integer(&query, 1, trial);
	query_integer(&query, 2, number);
	query_text(&query, 3, text);
	query_row(&query);
	return query_end(&query);
}

static struct error *write_value(struct store *store, int64_t trial, int number,
				 const struct metric *metric)
{
	const char *reason = metric->unavailable ? metric->unavailable : "no value";
	struct query query;
	struct error *error;
	int64_t definition = 0;

	error = metric_id(store, metric, &definition);
	if (error)
		return error;
	query = query_start(store, storing_trial,
			    "INSERT INTO value (trial, number, metric, value, unavailable) "
			    "VALUES (?, ?, ?, ?, ?)");
	query_integer(&query, 1, trial);
	query_integer(&query, 2, number);
	query_integer(&query, 3, definition);
	query_real(&query, 4, metric->value);
	query_text(&query, 5, isnan(metric->value) ? reason : NULL);
	query_row(&query);
	error = query_end(&query);
	if (!error && metric->n_workers > 0)
		error = write_workers(store, trial, number, metric);
	if (!error && metric->histogram)
		error = write_histogram(store, trial, number, metric);
	return error;
}

struct error *write_trial(struct store *store, const struct run *run, struct trial *trial)
{
	struct query query;
	int64_t environment, id;
	struct error *error = check_trial(run, trial);

	if (!error)
		error = write_environment(store, trial->environment, &environment);
	if (error)
		return error;
	query = query_start(store, storing_trial,
			    "INSERT INTO trial (run, run_case, run_variant, block, position, seed, "
			    "status, reason, started, duration, environment) "
			    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
	query_integer(&query, 1, run->id);
	query_integer(&query, 2, trial->case_index);
	query_integer(&query, 3, trial->variant_index);
	query_integer(&query, 4, trial->block);
	query_integer(&query, 5, trial->position);
	query_integer(&query, 6, (int64_t)trial->seed);
	query_text(&query, 7, trial->status == TRIAL_OK ? "ok" : "failed");
	query_text(&query, 8, trial->reason);
	query_real(&query, 9, trial->started);
	query_real(&query, 10, trial->duration);
	query_integer(&query, 11, environment);
	query_row(&query);
	id = sqlite3_last_insert_rowid(store->db);
	error = query_end(&query);
	for (int i = 0; !error && i < trial->n_metrics; i++)
		error = write_value(store, id, i, &trial->metrics[i]);
	if (!error)
		trial->id = id;
	return error;
}

struct error *store_add_trial(struct store *store, const struct run *run, struct trial *trial)
{
	struct error *error = sql_begin(store, storing_trial);

	if (error)
		return error;
	error = sql_finish(store, storing_trial, write_trial(store, run, trial));
	if (error)
		trial->id = 0;
	return error;
}

struct error *find_identity(struct store *store, const char *doing, const char *identity,
			    int64_t *id)
{
	struct query query = query_start(store, doing, "SELECT id FROM run WHERE identity = ?");

	query_text(&query, 1, identity);
	*id = query_row(&query) ? column_integer(&query, 0) : 0;
	return query_end(&query);
}

static struct error *refuse_known(struct store *store, const struct run *run)
{
	int64_t id;
	struct error *error = find_identity(store, storing_run, run->identity, &id);

	if (!error && id)
		error = error_new(ERR_INPUT, "these results are already in %s, as run %lld",
				  store->path, (long long)id);
	return error;
}

static struct error *write_whole(struct store *store, struct run *run)
{
	struct error *error = run->identity ? refuse_known(store, run) : NULL;

	run->complete = true;
	if (!error)
		error = write_run(store, run);
	for (int i = 0; !error && i < run->n_trials; i++)
		error = write_trial(store, run, &run->trials[i]);
	return error;
}

struct error *store_add_whole_run(struct store *store, struct run *run)
{
	struct error *error = sql_begin(store, storing_run);

	if (!error)
		error = sql_finish(store, storing_run, write_whole(store, run));
	if (error)
		run->id = 0;
	return error;
}

struct error *store_complete_run(struct store *store, struct run *run)
{
	static const char doing[] = "cannot mark the run as complete";
	struct error *error = sql_begin(store, doing);
	struct query query;

	if (error)
		return error;
	query = query_start(store, doing, "UPDATE run SET complete = 1 WHERE id = ?");
	query_integer(&query, 1, run->id);
	query_row(&query);
	error = sql_finish(store, doing, query_end(&query));
	if (!error)
		run->complete = true;
	return error;
}

struct error *store_remove_run(struct store *store, int64_t id)
{
	static const char doing[] = "cannot remove the run";
	struct error *error = sql_begin(store, doing);
	struct query query;
	bool removed;

	if (error)
		return error;
	query = query_start(store, doing, "DELETE FROM run WHERE id = ?");
	query_integer(&query, 1, id);
	query_row(&query);
	removed = sqlite3_changes(store->db) == 1;
	error = query_end(&query);
	if (!error && !removed)
		error = error_new(ERR_INPUT, "there is no run %lld in %s", (long long)id,
				  store->path);
	if (!error)
		error = sql_run(store, doing,
				"DELETE FROM environment WHERE id NOT IN (SELECT environment FROM "
				"run UNION ALL SELECT environment FROM trial)");
	error = sql_finish(store, doing, error);
	return error ? error : sql_run(store, doing, "PRAGMA incremental_vacuum");
}
