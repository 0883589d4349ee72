// SPDX-License-Identifier: GPL-2.0-only
/*
 * store_read.c - runs out of the store
 *
 * Everything of a run is read by one query a table, in the order of the trials, so that the four
 * streams (trials, values, values of workers, histograms) are merged by going forward alone.
 */
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "result/store_open.h"

static const char loading[] = "cannot read the run";

/* @sql has one parameter, the number of the run */
static struct query query_run(struct store *store, int64_t id, const char *sql)
{
	struct query query = query_start(store, loading, sql);

	query_integer(&query, 1, id);
	return query;
}

static struct error *read_run(struct store *store, int64_t id, struct run *run)
{
	struct query query =
		query_run(store, id,
			  "SELECT identity, label, plan_name, plan_text, tool_version, started, "
			  "seed, trials_planned, complete, content FROM run JOIN environment "
			  "ON environment.id = run.environment WHERE run.id = ?");
	struct error *error;

	if (query_row(&query)) {
		run->id = id;
		run->identity = column_string(&query, 0);
		run->label = column_string(&query, 1);
		run->plan_name = column_string(&query, 2);
		run->plan_text = column_string(&query, 3);
		run->tool_version = column_string(&query, 4);
		run->started = column_real(&query, 5);
		run->seed = (uint64_t)column_integer(&query, 6);
		run->trials_planned = column_integer(&query, 7);
		run->complete = column_integer(&query, 8);
		json_decref(run->environment);
		run->environment = column_json(&query, 9);
	}
	error = query_end(&query);
	if (!error && !run->id)
		error = error_new(ERR_INPUT, "there is no run %lld in %s", (long long)id,
				  store->path);
	return error;
}

static struct error *read_cases(struct store *store, struct run *run)
{
	struct query query =
		query_run(store, run->id,
			  "SELECT name, workload, workload_version, program_version, params, "
			  "cpus FROM run_case WHERE run = ? ORDER BY number");

	while (query_row(&query)) {
		struct result_case *instance = array_append(run->cases, run->n_cases);

		instance->name = column_string(&query, 0);
		instance->workload = column_string(&query, 1);
		instance->workload_version = column_integer(&query, 2);
		instance->program_version = column_string(&query, 3);
		instance->params = column_json(&query, 4);
		instance->cpus = column_string(&query, 5);
	}
	return query_end(&query);
}

static struct error *read_variants(struct store *store, struct run *run)
{
	struct query query = query_run(store, run->id,
				       "SELECT name, settings, backend, machine, kernel, skipped "
				       "FROM run_variant WHERE run = ? ORDER BY number");

	while (query_row(&query)) {
		struct result_variant *variant = array_append(run->variants, run->n_variants);

		variant->name = column_string(&query, 0);
		variant->settings = column_json(&query, 1);
		variant->backend = column_string(&query, 2);
		variant->machine = column_string(&query, 3);
		variant->kernel = column_string(&query, 4);
		variant->skipped = column_string(&query, 5);
	}
	return query_end(&query);
}

static struct error *read_trials(struct store *store, struct run *run)
{
	struct query query =
		query_run(store, run->id,
			  "SELECT trial.id, run_case, run_variant, block, position, seed, "
			  "status, reason, started, duration, content FROM trial "
			  "CROSS JOIN environment ON environment.id = trial.environment "
			  "WHERE run = ? ORDER BY position, trial.id");

	while (query_row(&query)) {
		struct trial *trial = array_append(run->trials, run->n_trials);
		autofree char *status = column_string(&query, 6);

		trial->id = column_integer(&query, 0);
		trial->case_index = column_integer(&query, 1);
		trial->variant_index = column_integer(&query, 2);
		trial->block = column_integer(&query, 3);
		trial->position = column_integer(&query, 4);
		trial->seed = (uint64_t)column_integer(&query, 5);
		trial->status = status && !strcmp(status, "ok") ? TRIAL_OK : TRIAL_FAILED;
		trial->reason = column_string(&query, 7);
		trial->started = column_real(&query, 8);
		trial->duration = column_real(&query, 9);
		trial->environment = column_json(&query, 10);
	}
	return query_end(&query);
}

/* the next trial of that id at or after *at; NULL if the rows do not follow the trials */
static struct trial *trial_at(struct run *run, int *at, int64_t id)
{
	while (*at < run->n_trials && run->trials[*at].id != id)
		(*at)++;
	return *at < run->n_trials ? &run->trials[*at] : NULL;
}

static struct error *out_of_step(struct store *store)
{
	return sql_damaged(store, "values do not belong to a trial");
}

static struct error *read_values(struct store *store, struct run *run)
{
	struct query query =
		query_run(store, run->id,
			  "SELECT trial.id, name, unit, better, version, value, unavailable "
			  "FROM trial CROSS JOIN value ON value.trial = trial.id "
			  "CROSS JOIN metric ON metric.id = value.metric "
			  "WHERE run = ? ORDER BY position, trial.id, number");
	int at = 0;

	while (query_row(&query)) {
		struct trial *trial = trial_at(run, &at, column_integer(&query, 0));
		autofree char *better = column_string(&query, 3);
		struct metric *metric;

		if (!trial) {
			query.error = out_of_step(store);
			break;
		}
		metric = array_append(trial->metrics, trial->n_metrics);
		metric->name = column_string(&query, 1);
		metric->unit = column_string(&query, 2);
		if (!better || !better_parse(better, &metric->better))
			query.error = sql_damaged(store, "a metric has no direction");
		metric->version = column_integer(&query, 4);
		metric->value = column_real(&query, 5);
		metric->unavailable = column_string(&query, 6);
	}
	return query_end(&query);
}

static void read_content(struct query *query, int column, struct metric *metric)
{
	const void *content = sqlite3_column_blob(query->statement, column);
	size_t size = sqlite3_column_bytes(query->statement, column);

	metric->n_workers = size / sizeof(double);
	metric->per_worker = memory_copy(content, size);
	if (htole64(1) == 1)
		return;
	for (int i = 0; i < metric->n_workers; i++) {
		uint64_t bits;

		memcpy(&bits, &metric->per_worker[i], sizeof(bits));
		bits = le64toh(bits);
		memcpy(&metric->per_worker[i], &bits, sizeof(bits));
	}
}

static struct error *read_workers(struct store *store, struct run *run)
{
	struct query query =
		query_run(store, run->id,
			  "SELECT trial.id, number, content FROM trial CROSS JOIN worker_values "
			  "ON worker_values.trial = trial.id "
			  "WHERE run = ? ORDER BY position, trial.id, number");
	int at = 0;

	while (query_row(&query)) {
		struct trial *trial = trial_at(run, &at, column_integer(&query, 0));
		int64_t number = column_integer(&query, 1);

		if (!trial || number < 0 || number >= trial->n_metrics ||
		    trial->metrics[number].per_worker) {
			query.error = out_of_step(store);
			break;
		}
		if (sqlite3_column_bytes(query.statement, 2) > 0)
			read_content(&query, 2, &trial->metrics[number]);
	}
	return query_end(&query);
}

static struct error *read_histograms(struct store *store, struct run *run)
{
	struct query query =
		query_run(store, run->id,
			  "SELECT trial.id, number, content FROM trial CROSS JOIN histogram "
			  "ON histogram.trial = trial.id "
			  "WHERE run = ? ORDER BY position, trial.id, number");
	int at = 0;

	while (query_row(&query)) {
		struct trial *trial = trial_at(run, &at, column_integer(&query, 0));
		int64_t number = column_integer(&query, 1);
		autofree char *text = column_string(&query, 2);
		struct error *error = NULL;

		if (trial && text && number >= 0 && number < trial->n_metrics)
			error = histogram_parse(text, &trial->metrics[number].histogram);
		else
			query.error = out_of_step(store);
		if (error) {
			query.error = sql_damaged(store, error->message);
			error_free(error);
		}
		if (query.error)
			break;
	}
	return query_end(&query);
}

static struct error *check_indexes(struct store *store, const struct run *run)
{
	for (int i = 0; i < run->n_trials; i++) {
		const struct trial *trial = &run->trials[i];

		if (trial->case_index < 0 || trial->case_index >= run->n_cases ||
		    trial->variant_index < 0 || trial->variant_index >= run->n_variants)
			return sql_damaged(store, "a trial belongs to no case or variant");
	}
	return NULL;
}

struct error *store_load_run(struct store *store, int64_t id, enum load_depth depth,
			     struct run **out)
{
	struct run *run = run_new();
	struct error *error = sql_begin_read(store, loading);

	if (!error)
		error = read_run(store, id, run);
	if (!error)
		error = read_cases(store, run);
	if (!error)
		error = read_variants(store, run);
	if (!error && depth >= LOAD_VALUES)
		error = read_trials(store, run);
	if (!error)
		error = check_indexes(store, run);
	if (!error && depth >= LOAD_VALUES)
		error = read_values(store, run);
	if (!error && depth >= LOAD_WORKERS)
		error = read_workers(store, run);
	if (!error && depth >= LOAD_ALL)
		error = read_histograms(store, run);
	error = sql_end_read(store, error);
	if (error) {
		run_free(run);
		return error;
	}
	*out = run;
	return NULL;
}
