// SPDX-License-Identifier: GPL-2.0-only
#include "result/trial_json.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "result/record.h"

static json_t *workers_to_json(const struct metric *metric)
{
	json_t *array;

	if (!metric->n_workers)
		return json_null();
	array = json_array();
	for (int i = 0; i < metric->n_workers; i++)
		json_array_append_new(array, isfinite(metric->per_worker[i])
						     ? json_real(metric->per_worker[i])
						     : json_null());
	return array;
}

static json_t *histogram_to_json(const struct metric *metric)
{
	autofree char *text = metric->histogram ? histogram_text(metric->histogram) : NULL;

	return text ? json_string(text) : json_null();
}

static json_t *metric_to_json(const struct metric *metric)
{
	const char *reason = metric->unavailable;
	json_t *object = json_object();

	if (!isfinite(metric->value) && !reason)
		reason = isnan(metric->value) ? "no value" : "the value is infinite";
	record_put_text(object, "name", metric->name);
	record_put_text(object, "unit", metric->unit);
	record_put_text(object, "better", better_name(metric->better));
	json_object_set_new(object, "version", json_integer(metric->version));
	record_put_number(object, "value", metric->value);
	record_put_text(object, "unavailable", isfinite(metric->value) ? NULL : reason);
	json_object_set_new(object, "workers", workers_to_json(metric));
	json_object_set_new(object, "histogram", histogram_to_json(metric));
	return object;
}

json_t *trial_to_json(const struct trial *trial)
{
	json_t *object = json_object(), *metrics = json_array();

	for (int i = 0; i < trial->n_metrics; i++)
		json_array_append_new(metrics, metric_to_json(&trial->metrics[i]));
	json_object_set_new(object, "case", json_integer(trial->case_index));
	json_object_set_new(object, "variant", json_integer(trial->variant_index));
	json_object_set_new(object, "block", json_integer(trial->block));
	json_object_set_new(object, "position", json_integer(trial->position));
	record_put_unsigned(object, "seed", trial->seed);
	record_put_text(object, "status", trial->status == TRIAL_OK ? "ok" : "failed");
	record_put_text(object, "reason", trial->reason);
	record_put_number(object, "started", isfinite(trial->started) ? trial->started : 0);
	record_put_number(object, "duration", trial->duration);
	json_object_set_new(object, "environment",
			    trial->environment ? json_incref(trial->environment) : json_object());
	json_object_set_new(object, "metrics", metrics);
	return object;
}

static void read_workers(struct record *record, struct metric *metric)
{
	const json_t *workers = record_array_or_null(record, "workers");
	size_t n = json_array_size(workers);

	if (workers && !n)
		record_fail(record, "'workers' must be null or have a value");
	if (n > INT_MAX / sizeof(double)) /* SQLite's limit of a BLOB is below that */
		record_fail(record, "'workers' has too many values");
	if (record->error || !n)
		return;
	metric->per_worker = memory_zeroed(n, sizeof(*metric->per_worker));
	metric->n_workers = n;
	for (size_t i = 0; i < n; i++) {
		const json_t *value = json_array_get(workers, i);

		if (!json_is_number(value) && !json_is_null(value))
			record_fail(record, "'workers' must hold numbers and null alone");
		metric->per_worker[i] = json_is_number(value) ? json_number_value(value) : NAN;
	}
}

static void read_histogram(struct record *record, struct metric *metric)
{
	const char *text = record_text_or_null(record, "histogram");
	struct error *error = text ? histogram_parse(text, &metric->histogram) : NULL;

	if (error)
		record_fail(record, "'histogram': %s", error->message);
	error_free(error);
}

static struct error *read_metric(const json_t *value, const char *file, int line,
				 struct trial *trial)
{
	static const char *const keys[] = { "name",    "unit",	    "better",
					    "version", "value",	    "unavailable",
					    "workers", "histogram", NULL };
	struct record record = record_start(file, line, "a metric", value, keys);
	const char *name = record_name(&record, "name");
	struct metric *metric;

	if (trial_metric(trial, name))
		record_fail(&record, "the trial has two metrics '%s'", name);
	metric = array_append(trial->metrics, trial->n_metrics);
	metric->name = memory_string(name);
	metric->unit = memory_string(record_text(&record, "unit"));
	if (!better_parse(record_text(&record, "better"), &metric->better))
		record_fail(&record, "'better' must be higher, lower or neither");
	metric->version = record_integer(&record, "version", 0, INT_MAX);
	metric->value = record_number_or_null(&record, "value");
	metric->unavailable = record_copy_or_null(&record, "unavailable");
	if (isnan(metric->value) != (metric->unavailable != NULL))
		record_fail(&record, "either 'value' or 'unavailable' must be null");
	read_workers(&record, metric);
	read_histogram(&record, metric);
	return record.error;
}

static void read_trial(struct record *record, struct trial *trial)
{
	const char *status = record_text(record, "status");

	if (strcmp(status, "ok") && strcmp(status, "failed"))
		record_fail(record, "'status' must be ok or failed");
	trial->status = !strcmp(status, "ok") ? TRIAL_OK : TRIAL_FAILED;
	trial->case_index = record_integer(record, "case", 0, INT_MAX);
	trial->variant_index = record_integer(record, "variant", 0, INT_MAX);
	trial->block = record_integer(record, "block", 0, INT_MAX);
	trial->position = record_integer(record, "position", 0, INT_MAX);
	trial->seed = record_unsigned(record, "seed");
	trial->reason = record_copy_or_null(record, "reason");
	trial->started = record_number(record, "started");
	trial->duration = record_number_or_null(record, "duration");
	trial->environment = record_object(record, "environment");
}

struct error *trial_from_json(const json_t *object, const char *file, int line, struct trial *out)
{
	static const char *const keys[] = { "case",	"variant",     "block",	  "position",
					    "seed",	"status",      "reason",  "started",
					    "duration", "environment", "metrics", NULL };
	struct record record = record_start(file, line, "a trial", object, keys);
	const json_t *metrics = record_array(&record, "metrics");
	struct error *error;

	read_trial(&record, out);
	error = record.error;
	for (size_t i = 0; !error && i < json_array_size(metrics); i++)
		error = read_metric(json_array_get(metrics, i), file, line, out);
	if (error)
		trial_clear(out);
	return error;
}
