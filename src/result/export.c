// SPDX-License-Identifier: GPL-2.0-only
/*
 * export.c - runs as JSON lines; docs/results.md describes every record and key
 *
 * Nothing of the store itself (ids, paths) goes out and keys are sorted, so that export, import and
 * export again give the same bytes.
 */
#include "result/export.h"

#include <stdlib.h>

#include "base/memory.h"
#include "result/record.h"
#include "result/store.h"
#include "result/trial_json.h"

static void put(json_t *object, const char *key, json_t *value)
{
	json_object_set_new(object, key, value);
}

static json_t *case_json(const struct result_case *instance)
{
	json_t *object = json_object();

	record_put_text(object, "name", instance->name);
	record_put_text(object, "workload", instance->workload);
	put(object, "workload_version", json_integer(instance->workload_version));
	record_put_text(object, "program_version", instance->program_version);
	put(object, "params", json_incref(instance->params));
	record_put_text(object, "cpus", instance->cpus);
	return object;
}

static json_t *variant_json(const struct result_variant *variant)
{
	json_t *object = json_object();

	record_put_text(object, "name", variant->name);
	put(object, "settings", json_incref(variant->settings));
	record_put_text(object, "backend", variant->backend);
	record_put_text(object, "machine", variant->machine);
	record_put_text(object, "kernel", variant->kernel);
	record_put_text(object, "skipped", variant->skipped);
	return object;
}

json_t *export_run(const struct run *run)
{
	json_t *object = json_object(), *cases = json_array(), *variants = json_array();

	for (int i = 0; i < run->n_cases; i++)
		json_array_append_new(cases, case_json(&run->cases[i]));
	for (int i = 0; i < run->n_variants; i++)
		json_array_append_new(variants, variant_json(&run->variants[i]));
	record_put_text(object, "type", "run");
	record_put_text(object, "identity", run->identity);
	record_put_text(object, "label", run->label);
	record_put_text(object, "plan", run->plan_name);
	record_put_text(object, "plan_text", run->plan_text);
	record_put_text(object, "tool_version", run->tool_version);
	record_put_number(object, "started", run->started);
	record_put_unsigned(object, "seed", run->seed);
	put(object, "trials_planned", json_integer(run->trials_planned));
	put(object, "complete", json_boolean(run->complete));
	put(object, "environment", json_incref(run->environment));
	put(object, "cases", cases);
	put(object, "variants", variants);
	return object;
}

json_t *export_trial(const struct run *run, const struct trial *trial)
{
	json_t *object = trial_to_json(trial);

	record_put_text(object, "type", "trial");
	record_put_text(object, "run", run->identity);
	record_put_text(object, "case", run->cases[trial->case_index].name);
	record_put_text(object, "variant", run->variants[trial->variant_index].name);
	return object;
}

/* takes the record over */
static void write_line(FILE *stream, json_t *record)
{
	autofree char *text = json_text(record);

	fprintf(stream, "%s\n", text);
	json_decref(record);
}

static struct error *export_one(struct store *store, int64_t id, FILE *stream, int *n_trials)
{
	struct run *run;
	struct error *error = store_load_run(store, id, LOAD_ALL, &run);

	if (error)
		return error;
	write_line(stream, export_run(run));
	for (int i = 0; i < run->n_trials; i++)
		write_line(stream, export_trial(run, &run->trials[i]));
	*n_trials += run->n_trials;
	run_free(run);
	return NULL;
}

static struct error *all_runs(struct store *store, int64_t **ids, int *n)
{
	struct run_summary *list;
	struct error *error = store_list(store, NULL, &list, n);

	if (error)
		return error;
	*ids = memory_zeroed(*n, sizeof(**ids));
	for (int i = 0; i < *n; i++)
		(*ids)[i] = list[i].id;
	run_summaries_free(list, *n);
	return NULL;
}

struct error *store_export(struct store *store, const int64_t *ids, int n, FILE *stream)
{
	int64_t *all = NULL;
	int n_trials = 0;
	struct error *error = ids ? NULL : all_runs(store, &all, &n);

	if (error)
		return error;
	write_line(stream, json_pack("{s:s, s:s, s:i}", "type", "header", "format", "fairtrial",
				     "schema", EXPORT_SCHEMA));
	for (int i = 0; !error && i < n; i++)
		error = export_one(store, ids ? ids[i] : all[i], stream, &n_trials);
	free(all);
	if (error)
		return error;
	write_line(stream,
		   json_pack("{s:s, s:i, s:i}", "type", "end", "runs", n, "trials", n_trials));
	if (fflush(stream) || ferror(stream))
		return error_errno("cannot write the export");
	return NULL;
}
