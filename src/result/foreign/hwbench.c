// SPDX-License-Identifier: GPL-2.0-only
/*
 * hwbench.c - the results.json of hwbench ("trace" in its own words)
 *
 * "bench" has an entry for each step of each job: its settings, its figures, "detail" with a list of
 * values by worker, and "monitoring" with series of samples. A step becomes a case, known by job,
 * module, parameter and workers; a step that hwbench skipped becomes none. Of a series of samples
 * the mean is kept, as its own graphs do.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "result/foreign/lines.h"

/* Of a step: settings, not figures. */
static const char *const settings[] = {
	"timeout",
	"workers",
	"job_name",
	"job_number",
	"engine",
	"engine_module",
	"engine_module_parameter",
	"cpu_pin",
	"skipped",
	"monitoring",
	"detail",
	"start_time",
	"engine_version",
};

struct step {
	const char *file, *name; /* "avx_0" */
	const json_t *object;
	struct foreign_result *result;
	int workers;
};

static bool is_setting(const char *key)
{
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++)
		if (!strcmp(key, settings[i]))
			return true;
	return false;
}

static const char *text_of(const struct step *step, const char *key)
{
	const char *text = json_string_value(json_object_get(step->object, key));

	return text ? text : "";
}

/* ---- figures ---- */

/* what stress-ng calls "bogo ops/s" has one name, wherever it comes from */
static char *metric_name(const char *key)
{
	return memory_string(!strcmp(key, "bogo ops/s") ? "bogo_ops_real" : key);
}

static const char *unit_of(const char *key)
{
	return !strcmp(key, "bogo ops/s") ? "1/s" : !strcmp(key, "Mflop/s") ? "Mflop/s" : "MB/s";
}

/* the values by worker of a figure: detail[key], if there is one for each worker */
static double *detail_of(const struct step *step, const char *key)
{
	const json_t *list = json_object_get(json_object_get(step->object, "detail"), key);
	double *values;

	if (!json_is_array(list) || json_array_size(list) != (size_t)step->workers)
		return NULL;
	values = memory_zeroed(step->workers, sizeof(*values));
	for (int i = 0; i < step->workers; i++) {
		const json_t *value = json_array_get(list, i);

		values[i] = json_is_number(value) ? json_number_value(value) : NAN;
	}
	return values;
}

static struct error *add_figure(struct step *step, const char *key, const json_t *value)
{
	autofree char *name = metric_name(key);
	autofree double *by_worker = detail_of(step, key);

	if (json_is_object(value)) /* of memrate: the sum over the workers is the figure */
		value = json_object_get(value, "sum_speed");
	if (!json_is_number(value))
		return NULL; /* a setting of a newer hwbench: kept as a parameter */
	if (foreign_has(step->result, name))
		return lines_missing(step->file, "step %s has '%s' twice", step->name, name);
	foreign_metric(step->result, name, unit_of(key), BETTER_HIGHER, json_number_value(value),
		       by_worker, by_worker ? step->workers : 0);
	return NULL;
}

/* ---- monitoring ---- */

static bool mean_of(const json_t *events, double *out)
{
	double sum = 0;
	size_t n = json_array_size(events);

	for (size_t i = 0; i < n; i++) {
		if (!json_is_number(json_array_get(events, i)))
			return false;
		sum += json_number_value(json_array_get(events, i));
	}
	*out = sum / n;
	return n;
}

/* "Watts" and "MHz" in hwbench's words */
static const char *monitor_unit(const char *unit)
{
	return !strcmp(unit, "Watts")	  ? "W"
	       : !strcmp(unit, "Percent") ? "%"
	       : !strcmp(unit, "Celsius") ? "C"
					  : unit;
}

/* one kind is an object of series; depth and names of the levels differ between its versions */
static void add_series(struct step *step, const char *path, const json_t *value, int depth)
{
	const json_t *mean = json_object_get(value, "mean"), *child;
	const char *key, *unit = json_string_value(json_object_get(mean, "unit"));
	double number;

	if (!unit)
		unit = json_string_value(json_object_get(value, "unit"));
	if (json_is_object(mean) && unit && mean_of(json_object_get(mean, "events"), &number)) {
		if (!foreign_has(step->result, path))
			foreign_metric(step->result, path, monitor_unit(unit), BETTER_NEITHER,
				       number, NULL, 0);
		return;
	}
	if (!depth)
		return;
	json_object_foreach((json_t *)value, key, child)
	{
		autofree char *longer = memory_format("%s.%s", path, key);

		if (json_is_object(child))
			add_series(step, longer, child, depth - 1);
	}
}

/* ---- a step ---- */

/* [0, 1, 2], 3 or "0-2" */
static char *cpu_list(const json_t *pin)
{
	char *text = NULL;

	if (json_is_integer(pin))
		return memory_format("%lld", (long long)json_integer_value(pin));
	if (json_is_string(pin))
		return memory_string(json_string_value(pin));
	for (size_t i = 0; i < json_array_size(pin); i++) {
		const json_t *cpu = json_array_get(pin, i);
		char *longer;

		if (!json_is_integer(cpu))
			continue;
		longer = memory_format("%s%s%lld", text ? text : "", text ? "," : "",
				       (long long)json_integer_value(cpu));
		free(text);
		text = longer;
	}
	return text;
}

static void add_params(struct step *step)
{
	const json_t *value;
	const char *key;

	json_object_foreach((json_t *)step->object, key, value)
	{
		if (!strcmp(key, "monitoring") || !strcmp(key, "detail") ||
		    !strcmp(key, "start_time") || !strcmp(key, "engine_version") ||
		    !strcmp(key, "job_number") || !strcmp(key, "cpu_pin"))
			continue;
		if (json_is_string(value) || (is_setting(key) && !json_is_object(value)))
			json_object_set(step->result->params, key, (json_t *)value);
	}
}

static struct error *add_figures(struct step *step)
{
	const json_t *value;
	const char *key;
	struct error *error = NULL;

	json_object_foreach((json_t *)step->object, key, value)
	{
		if (!is_setting(key))
			error = add_figure(step, key, value);
		if (error)
			return error;
	}
	return NULL;
}

static struct error *read_step(const char *file, const char *name, const json_t *object,
			       struct foreign *out)
{
	struct step step = { .file = file, .name = name, .object = object };
	const json_t *workers = json_object_get(object, "workers");
	const json_t *timeout = json_object_get(object, "timeout");
	autofree char *case_name = NULL;
	const char *version;
	struct error *error;

	if (!json_is_object(object) || !*text_of(&step, "engine") || !json_is_integer(workers))
		return lines_missing(file,
				     "step '%s' of \"bench\" has no \"engine\" and \"workers\"; "
				     "results.json of hwbench is accepted",
				     name);
	if (json_is_true(json_object_get(object, "skipped")))
		return NULL;
	if (json_integer_value(workers) < 1 || json_integer_value(workers) > 1000000)
		return lines_missing(file, "step '%s' has %lld workers", name,
				     (long long)json_integer_value(workers));
	step.workers = (int)json_integer_value(workers);
	case_name = memory_format("%s %s/%s workers=%d", text_of(&step, "job_name"),
				  text_of(&step, "engine_module"),
				  text_of(&step, "engine_module_parameter"), step.workers);
	step.result = foreign_add(out, case_name);
	step.result->cpus = cpu_list(json_object_get(object, "cpu_pin"));
	version = text_of(&step, "engine_version");
	if (*version)
		step.result->program_version =
			memory_format("hwbench %s %s", text_of(&step, "engine"), version);
	if (json_is_number(timeout))
		step.result->trial.duration = json_number_value(timeout);
	add_params(&step);
	error = add_figures(&step);
	if (!error && !step.result->trial.n_metrics)
		error = lines_missing(file, "step '%s' has no figure such as \"bogo ops/s\"", name);
	if (!error)
		add_series(&step, "monitoring", json_object_get(object, "monitoring"), 6);
	return error;
}

static struct error *read_root(const char *file, const json_t *root, struct foreign *out)
{
	const json_t *bench = json_object_get(root, "bench"), *step;
	const char *name;
	struct error *error = NULL;

	if (!json_object_size(bench))
		return lines_missing(file, "no \"bench\" with steps; results.json of hwbench is "
					   "accepted");
	json_object_foreach((json_t *)bench, name, step)
	{
		error = read_step(file, name, step, out);
		if (error)
			return error;
	}
	if (!out->n)
		return lines_missing(file, "hwbench skipped all steps");
	for (int i = 0; i < out->n; i++) {
		json_t *environment = out->results[i].trial.environment;

		json_object_set(environment, "hardware",
				json_object_get(json_object_get(root, "hardware"), "cpu"));
		json_object_set(environment, "kernel",
				json_object_get(json_object_get(root, "environment"), "kernel"));
	}
	return NULL;
}

static bool matches(const char *text)
{
	text += strspn(text, " \t\r\n");
	return *text == '{' && strstr(text, "\"bench\"") && strstr(text, "\"engine_module\"");
}

const struct foreign_format foreign_hwbench = {
	.name = "hwbench",
	.workload = "hwbench",
	.summary = "results.json of hwbench",
	.matches = matches,
	.parse_json = read_root,
};
