// SPDX-License-Identifier: GPL-2.0-only
/*
 * import.c - JSON lines of export.c into the store, strictly and all or nothing
 *
 * A file is one or more of: header, runs each followed by its trials, end. The counts of the end
 * record make a file that was cut off between two lines an error too.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "result/export.h"
#include "result/record.h"
#include "result/store_open.h"
#include "result/trial_json.h"

struct importer {
	struct store *store;
	const char *file;
	int line;
	bool inside;	      /* between header and end */
	int schema;	      /* of the header */
	struct run *run;      /* whose trials come now, or NULL */
	int n_runs, n_trials; /* since the header */
	int total_runs;
};

static struct error *problem(const struct importer *importer, const char *message)
{
	return error_at(ERR_INPUT, importer->file, importer->line, "%s", message);
}

static struct error *read_case(struct importer *importer, const json_t *value, struct run *run)
{
	static const char *const keys[] = {
		"name", "workload", "workload_version", "program_version", "params", "cpus", NULL
	};
	struct record record = record_start(importer->file, importer->line, "a case", value, keys);
	const char *name = record_name(&record, "name");
	struct result_case *instance;

	if (run_case_index(run, name) >= 0)
		record_fail(&record, "the run has two cases '%s'", name);
	instance = array_append(run->cases, run->n_cases);
	instance->name = memory_string(name);
	instance->workload = memory_string(record_name(&record, "workload"));
	instance->workload_version = record_integer(&record, "workload_version", 0, INT_MAX);
	instance->program_version = record_copy_or_null(&record, "program_version");
	instance->params = record_object(&record, "params");
	instance->cpus = memory_string(record_text(&record, "cpus"));
	return record.error;
}

static struct error *read_variant(struct importer *importer, const json_t *value, struct run *run)
{
	static const char *const keys[] = { "name",   "settings", "backend", "machine",
					    "kernel", "skipped",  NULL };
	struct record record =
		record_start(importer->file, importer->line, "a variant", value, keys);
	const char *name = record_name(&record, "name");
	struct result_variant *variant;

	if (run_variant_index(run, name) >= 0)
		record_fail(&record, "the run has two variants '%s'", name);
	variant = array_append(run->variants, run->n_variants);
	variant->name = memory_string(name);
	variant->settings = record_object(&record, "settings");
	variant->backend = record_copy_or_null(&record, "backend");
	variant->machine = record_copy_or_null(&record, "machine");
	variant->kernel = record_copy_or_null(&record, "kernel");
	variant->skipped = record_copy_or_null(&record, "skipped");
	return record.error;
}

static bool is_identity(const char *text)
{
	for (int i = 0; i < 36; i++) {
		bool dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (dash ? text[i] != '-' : !text[i] || !strchr("0123456789abcdef", text[i]))
			return false;
	}
	return !text[36];
}

static void fill_run(struct record *record, struct run *run)
{
	const char *identity = record_text(record, "identity");

	if (!is_identity(identity))
		record_fail(record, "'identity' must be a UUID in lower case");
	run->identity = memory_string(identity);
	run->label = record_copy_or_null(record, "label");
	run->plan_name = memory_string(record_text(record, "plan"));
	run->plan_text = memory_string(record_text(record, "plan_text"));
	run->tool_version = memory_string(record_text(record, "tool_version"));
	run->started = record_number(record, "started");
	run->seed = record_unsigned(record, "seed");
	run->trials_planned = record_integer(record, "trials_planned", 0, INT_MAX);
	run->complete = record_bool(record, "complete");
	json_decref(run->environment);
	run->environment = record_object(record, "environment");
}

static struct error *fill_parts(struct importer *importer, struct record *record, struct run *run)
{
	const json_t *cases = record_array(record, "cases");
	const json_t *variants = record_array(record, "variants");
	struct error *error = record->error;

	for (size_t i = 0; !error && i < json_array_size(cases); i++)
		error = read_case(importer, json_array_get(cases, i), run);
	for (size_t i = 0; !error && i < json_array_size(variants); i++)
		error = read_variant(importer, json_array_get(variants, i), run);
	return error;
}

/* a second import of a run would count its trials twice */
static struct error *refuse_known(struct importer *importer, const struct run *run)
{
	int64_t id;
	struct error *error = find_identity(importer->store, "cannot import", run->identity, &id);

	if (!error && id)
		error = error_at(ERR_INPUT, importer->file, importer->line,
				 "the run %s ('%s') is already in %s, as number %lld; nothing was "
				 "imported",
				 run->identity, run->label ? run->label : run->plan_name,
				 importer->store->path, (long long)id);
	return error;
}

static struct error *take_run(struct importer *importer, const json_t *value)
{
	static const char *const keys[] = { "type",	"identity",    "label",
					    "plan",	"plan_text",   "tool_version",
					    "started",	"seed",	       "trials_planned",
					    "complete", "environment", "cases",
					    "variants", NULL };
	struct record record = record_start(importer->file, importer->line, "a run", value, keys);
	struct error *error;

	run_free(importer->run);
	importer->run = run_new();
	if (!record.error)
		fill_run(&record, importer->run);
	error = record.error ? record.error : fill_parts(importer, &record, importer->run);
	if (!error)
		error = refuse_known(importer, importer->run);
	if (!error)
		error = write_run(importer->store, importer->run);
	importer->n_runs += !error;
	return error;
}

/* the names of case and variant become indexes; what is left is a trial alone */
static void resolve_names(struct importer *importer, json_t *value, struct record *record)
{
	const char *instance = record_text(record, "case");
	const char *variant = record_text(record, "variant");
	const char *identity = record_text(record, "run");
	int case_index, variant_index;

	if (record->error)
		return;
	if (!importer->run) {
		record_fail(record, "there is no run before it");
		return;
	}
	case_index = run_case_index(importer->run, instance);
	variant_index = run_variant_index(importer->run, variant);
	if (strcmp(identity, importer->run->identity))
		record_fail(record, "it is not of the run before it, %s", importer->run->identity);
	if (case_index < 0)
		record_fail(record, "its run has no case '%s'", instance);
	if (variant_index < 0)
		record_fail(record, "its run has no variant '%s'", variant);
	json_object_set_new(value, "case", json_integer(case_index));
	json_object_set_new(value, "variant", json_integer(variant_index));
	json_object_del(value, "type");
	json_object_del(value, "run");
}

/* schema 1 did not know histograms: brings a trial of it to the present form */
static void add_histograms(json_t *trial, struct record *record)
{
	json_t *metrics = json_object_get(trial, "metrics"), *metric;
	size_t i;

	json_array_foreach(metrics, i, metric)
	{
		if (json_object_get(metric, "histogram"))
			record_fail(record, "schema 1 has no key 'histogram'");
		json_object_set_new(metric, "histogram", json_null());
	}
}

static struct error *take_trial(struct importer *importer, json_t *value)
{
	struct record record = {
		.file = importer->file,
		.line = importer->line,
		.what = "a trial",
		.object = value,
	};
	struct trial trial = { 0 };
	struct error *error;

	resolve_names(importer, value, &record);
	if (importer->schema < 2)
		add_histograms(value, &record);
	error = record.error;
	if (!error)
		error = trial_from_json(value, importer->file, importer->line, &trial);
	if (!error)
		error = write_trial(importer->store, importer->run, &trial);
	importer->n_trials += !error;
	trial_clear(&trial);
	return error;
}

static struct error *take_header(struct importer *importer, const json_t *value)
{
	static const char *const keys[] = { "type", "format", "schema", NULL };
	const json_t *format = json_object_get(value, "format");
	const json_t *schema = json_object_get(value, "schema");
	struct record record;

	if (!json_is_string(format) || strcmp(json_string_value(format), "fairtrial"))
		return problem(importer, "the header is not of an export of fairtrial");
	if (json_is_integer(schema) && json_integer_value(schema) > EXPORT_SCHEMA)
		return error_at(ERR_INPUT, importer->file, importer->line,
				"this export has schema %lld, this fairtrial reads schema %d; "
				"import it with a newer fairtrial",
				(long long)json_integer_value(schema), EXPORT_SCHEMA);
	record = record_start(importer->file, importer->line, "the header", value, keys);
	importer->schema = record_integer(&record, "schema", 1, EXPORT_SCHEMA);
	importer->inside = true;
	importer->n_runs = importer->n_trials = 0;
	return record.error;
}

static struct error *take_end(struct importer *importer, const json_t *value)
{
	static const char *const keys[] = { "type", "runs", "trials", NULL };
	struct record record = record_start(importer->file, importer->line, "the end", value, keys);
	int64_t runs = record_integer(&record, "runs", 0, INT_MAX);
	int64_t trials = record_integer(&record, "trials", 0, INT_MAX);

	if (runs != importer->n_runs || trials != importer->n_trials)
		record_fail(&record,
			    "it counts %lld runs and %lld trials, the file has %d and %d: lines "
			    "are missing",
			    (long long)runs, (long long)trials, importer->n_runs,
			    importer->n_trials);
	run_free(importer->run);
	importer->run = NULL;
	importer->inside = false;
	importer->total_runs += importer->n_runs;
	return record.error;
}

static struct error *take_record(struct importer *importer, json_t *value)
{
	const char *type = json_string_value(json_object_get(value, "type"));

	if (!type)
		return problem(importer, "a JSON object with a 'type' is expected");
	if (!strcmp(type, "header") && importer->inside)
		return problem(importer, "a header before the end of the part before it");
	if (!strcmp(type, "header"))
		return take_header(importer, value);
	if (!importer->inside)
		return problem(importer, "a header is expected: {\"format\":\"fairtrial\",...}");
	if (!strcmp(type, "run"))
		return take_run(importer, value);
	if (!strcmp(type, "trial"))
		return take_trial(importer, value);
	if (!strcmp(type, "end"))
		return take_end(importer, value);
	return error_at(ERR_INPUT, importer->file, importer->line,
			"unknown type '%s'; header, run, trial and end are accepted", type);
}

static struct error *take_line(struct importer *importer, char *text, size_t length)
{
	json_t *value;
	struct error *error;

	importer->line++;
	if (!length || text[length - 1] != '\n')
		return problem(importer, "the last line is cut off");
	if (strlen(text) != length)
		return problem(importer, "a line holds a NUL byte");
	if (length == 1)
		return problem(importer, "an empty line; each line is a record");
	text[length - 1] = '\0';
	error = json_parse(text, importer->file, importer->line, &value);
	if (error)
		return error;
	error = take_record(importer, value);
	json_decref(value);
	return error;
}

static struct error *take_lines(struct importer *importer, FILE *stream)
{
	struct error *error = NULL;
	char *text = NULL;
	size_t room = 0;
	ssize_t length;

	errno = 0;
	while (!error && (length = getline(&text, &room, stream)) > 0)
		error = take_line(importer, text, length);
	if (!error && ferror(stream))
		error = error_errno("cannot read %s", importer->file);
	free(text);
	importer->line++;
	if (!error && importer->inside)
		error = problem(importer, "the file is cut off: it has no end record");
	if (!error && !importer->total_runs && importer->line == 1)
		error = problem(importer, "the file is empty");
	return error;
}

/* a pipe is read to its end before the store is locked: a run must not wait for a slow sender */
static struct error *spooled(FILE *stream, const char *file, FILE **out)
{
	char buffer[65536];
	size_t got;

	if (!fseek(stream, 0, SEEK_CUR)) {
		*out = stream;
		return NULL;
	}
	*out = tmpfile();
	if (!*out)
		return error_errno("cannot make a temporary file");
	while ((got = fread(buffer, 1, sizeof(buffer), stream)) > 0)
		fwrite(buffer, 1, got, *out);
	if (ferror(stream) || fflush(*out) || ferror(*out)) {
		struct error *error = ferror(stream) ? error_errno("cannot read %s", file)
						     : error_errno("cannot write a temporary file");

		fclose(*out);
		return error;
	}
	rewind(*out);
	return NULL;
}

struct error *store_import(struct store *store, FILE *stream, const char *file, int *n_runs)
{
	static const char doing[] = "cannot import";
	struct importer importer = { .store = store, .file = file };
	FILE *lines;
	struct error *error = spooled(stream, file, &lines);

	if (error)
		return error;
	error = sql_begin(store, doing);
	if (!error)
		error = sql_finish(store, doing, take_lines(&importer, lines));
	run_free(importer.run);
	if (lines != stream)
		fclose(lines);
	if (!error)
		*n_runs = importer.total_runs;
	return error;
}
