// SPDX-License-Identifier: GPL-2.0-only
/*
 * stress_ng.c - the YAML of `stress-ng --metrics --yaml FILE`
 *
 * A flat use of YAML: sections at the margin, "key: value" below them, "- stressor: NAME" begins a
 * stressor. Builds of 0.21.04 and later add `instances:` with one entry a worker. The first builds
 * with that printed the total as every instance's value; these are refused, and so is every
 * file whose instances do not add up to the total.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "result/foreign/lines.h"

/* The figures of a stressor or an instance that have a meaning here. */
enum figure {
	FIGURE_OPS,
	FIGURE_RATE_CPU,
	FIGURE_RATE_REAL,
	FIGURE_WALL,
	FIGURE_USER,
	FIGURE_SYSTEM,
	FIGURE_USAGE,
	FIGURE_RSS,
	N_FIGURES,
};

/* in the order in which they become metrics: the rate is the main one */
static const struct {
	const char *key, *other_key, *metric, *unit;
	enum better better;
} figures[N_FIGURES] = {
	[FIGURE_RATE_REAL] = { "bogo-ops-per-second-real-time", NULL, "bogo_ops_real", "1/s",
			       BETTER_HIGHER },
	[FIGURE_RATE_CPU] = { "bogo-ops-per-second-usr-sys-time", NULL, "bogo_ops_cpu", "1/s",
			      BETTER_HIGHER },
	[FIGURE_OPS] = { "bogo-ops", NULL, "bogo_ops", "1", BETTER_NEITHER },
	[FIGURE_WALL] = { "wall-clock-time", NULL, "wall_time", "s", BETTER_NEITHER },
	[FIGURE_USER] = { "user-time", NULL, "user_time", "s", BETTER_NEITHER },
	[FIGURE_SYSTEM] = { "system-time", NULL, "system_time", "s", BETTER_NEITHER },
	[FIGURE_USAGE] = { "cpu-usage-per-instance", "cpu-usage", "cpu_usage", "%",
			   BETTER_NEITHER },
	[FIGURE_RSS] = { "max-rss", NULL, "max_rss", "KiB", BETTER_NEITHER },
};

static const enum figure order[] = { FIGURE_RATE_REAL, FIGURE_RATE_CPU, FIGURE_OPS,   FIGURE_WALL,
				     FIGURE_USER,      FIGURE_SYSTEM,	FIGURE_USAGE, FIGURE_RSS };

struct instance {
	double values[N_FIGURES]; /* NAN: not given */
	int line;
};

struct yaml {
	struct lines lines;
	struct foreign *out;
	char *section, *version;
	json_t *system; /* of system-info: the host and its kernel */
	double epoch;
	struct foreign_result *stressor; /* the last of out */
	struct instance total, *instances;
	int n_instances;
	int instances_indent; /* of `instances:`; -1 outside of it */
	bool ended;	      /* "..." was there */
};

static void forget(struct instance *instance, int line)
{
	for (int i = 0; i < N_FIGURES; i++)
		instance->values[i] = NAN;
	instance->line = line;
}

static int figure_of(const char *key)
{
	for (int i = 0; i < N_FIGURES; i++)
		if (!strcmp(key, figures[i].key) ||
		    (figures[i].other_key && !strcmp(key, figures[i].other_key)))
			return i;
	return -1;
}

/* ---- the end of a stressor ---- */

static struct error *check_instances(const struct yaml *yaml)
{
	double total = yaml->total.values[FIGURE_OPS], sum = 0;
	int same = 0;

	for (int i = 0; i < yaml->n_instances; i++) {
		double ops = yaml->instances[i].values[FIGURE_OPS];

		if (isnan(ops))
			return error_at(ERR_INPUT, yaml->lines.file, yaml->instances[i].line,
					"an instance of stressor %s has no bogo-ops",
					yaml->stressor->case_name);
		sum += ops;
		same += ops == total;
	}
	if (yaml->n_instances > 1 && total > 0 && same == yaml->n_instances)
		return error_at(ERR_INPUT, yaml->lines.file, yaml->total.line,
				"each of the %d instances of stressor %s has the total of %.15g "
				"bogo-ops: this build of stress-ng prints the total as every "
				"instance's value; files of 0.21.04 and later are accepted",
				yaml->n_instances, yaml->stressor->case_name, total);
	if (yaml->n_instances && fabs(sum - total) > yaml->n_instances + 1e-9 * fabs(total))
		return error_at(
			ERR_INPUT, yaml->lines.file, yaml->total.line,
			"the instances of stressor %s add up to %.15g bogo-ops, its total is "
			"%.15g",
			yaml->stressor->case_name, sum, total);
	return NULL;
}

static void add_figure(struct yaml *yaml, enum figure figure)
{
	int n = yaml->n_instances;
	autofree double *values = memory_zeroed(n, sizeof(*values));
	bool any = false;

	for (int i = 0; i < n; i++) {
		values[i] = yaml->instances[i].values[figure];
		any |= !isnan(values[i]);
	}
	foreign_metric(yaml->stressor, figures[figure].metric, figures[figure].unit,
		       figures[figure].better, yaml->total.values[figure], any ? values : NULL,
		       any ? n : 0);
}

/* misc-metrics came before they could be told from the rest: they go behind the figures */
static void put_first(struct trial *trial, int n_before)
{
	int n = trial->n_metrics - n_before;
	struct metric *moved;

	if (!n_before || !n)
		return;
	moved = memory_zeroed(trial->n_metrics, sizeof(*moved));
	memcpy(moved, trial->metrics + n_before, n * sizeof(*moved));
	memcpy(moved + n, trial->metrics, n_before * sizeof(*moved));
	memcpy(trial->metrics, moved, trial->n_metrics * sizeof(*moved));
	free(moved);
}

static struct error *end_stressor(struct yaml *yaml)
{
	struct error *error;
	int before;

	if (!yaml->stressor)
		return NULL;
	if (isnan(yaml->total.values[FIGURE_OPS]) || isnan(yaml->total.values[FIGURE_RATE_REAL]))
		return error_at(ERR_INPUT, yaml->lines.file, yaml->total.line,
				"stressor %s lacks '%s': a whole entry of stress-ng --metrics is "
				"accepted",
				yaml->stressor->case_name,
				isnan(yaml->total.values[FIGURE_OPS])
					? figures[FIGURE_OPS].key
					: figures[FIGURE_RATE_REAL].key);
	error = check_instances(yaml);
	if (error)
		return error;
	before = yaml->stressor->trial.n_metrics;
	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		if (!isnan(yaml->total.values[order[i]]))
			add_figure(yaml, order[i]);
	put_first(&yaml->stressor->trial, before);
	if (yaml->n_instances)
		foreign_param(yaml->stressor, "instances", "%d", yaml->n_instances);
	else
		foreign_param(yaml->stressor, "instances", "%s", FOREIGN_UNKNOWN_VERSION);
	yaml->stressor->trial.duration = yaml->total.values[FIGURE_WALL];
	free(yaml->instances);
	yaml->instances = NULL;
	yaml->n_instances = 0;
	yaml->instances_indent = -1;
	yaml->stressor = NULL;
	return NULL;
}

/* ---- lines ---- */

static int times_seen(const struct foreign *foreign, const char *stressor)
{
	int n = 0;

	for (int i = 0; i < foreign->n; i++) {
		const json_t *name = json_object_get(foreign->results[i].params, "stressor");

		n += name && !strcmp(json_string_value(name), stressor);
	}
	return n;
}

/* a job file may run a stressor twice, with other options: these are two cases */
static struct error *begin_stressor(struct yaml *yaml, const char *name)
{
	int seen = times_seen(yaml->out, name);
	autofree char *case_name =
		seen ? memory_format("%s.%d", name, seen + 1) : memory_string(name);

	if (!*name)
		return lines_problem(&yaml->lines, "a stressor without a name");
	yaml->stressor = foreign_add(yaml->out, case_name);
	foreign_param(yaml->stressor, "stressor", "%s", name);
	forget(&yaml->total, yaml->lines.number);
	yaml->instances_indent = -1;
	return NULL;
}

static struct error *read_value(struct yaml *yaml, struct instance *into, const char *key,
				const char *value)
{
	int figure = figure_of(key);
	double number;
	struct error *error;

	if (figure >= 0) {
		if (!isnan(into->values[figure]))
			return lines_problem(&yaml->lines, "'%s' comes twice", key);
		return lines_number(&yaml->lines, key, value, &into->values[figure], NULL);
	}
	if (into != &yaml->total)
		return NULL; /* the number of an instance, or what only it has: not comparable */
	error = text_number(value, &number);
	if (error) {
		error_free(error);
		json_object_set_new(yaml->stressor->trial.environment, key, json_string(value));
		return NULL;
	}
	if (foreign_has(yaml->stressor, key))
		return lines_problem(&yaml->lines, "'%s' comes twice", key);
	foreign_metric(yaml->stressor, key, "1", BETTER_NEITHER, number, NULL, 0);
	return NULL;
}

static struct error *read_metric(struct yaml *yaml, int indent, bool dash, const char *key,
				 const char *value)
{
	struct error *error;

	if (yaml->instances_indent >= 0 && indent > yaml->instances_indent) {
		if (dash || !*value || !yaml->n_instances)
			forget(array_append(yaml->instances, yaml->n_instances),
			       yaml->lines.number);
		return *value ? read_value(yaml, &yaml->instances[yaml->n_instances - 1], key,
					   value)
			      : NULL;
	}
	yaml->instances_indent = -1;
	if (dash && !strcmp(key, "stressor")) {
		error = end_stressor(yaml);
		return error ? error : begin_stressor(yaml, value);
	}
	if (!yaml->stressor || dash)
		return lines_problem(&yaml->lines, "'- stressor: NAME' is expected below metrics:");
	if (!strcmp(key, "instances") && !*value) {
		yaml->instances_indent = indent;
		return NULL;
	}
	return read_value(yaml, &yaml->total, key, value);
}

static struct error *read_section(struct yaml *yaml, const char *key, const char *value)
{
	struct error *error = end_stressor(yaml);

	if (error)
		return error;
	if (*value)
		return lines_problem(&yaml->lines, "a section such as 'metrics:' is expected");
	free(yaml->section);
	yaml->section = memory_string(key);
	return NULL;
}

static struct error *read_system(struct yaml *yaml, const char *key, const char *value)
{
	if (!strcmp(key, "stress-ng-version")) {
		free(yaml->version);
		yaml->version = memory_format("stress-ng %s", value);
	}
	json_object_set_new(yaml->system, key, json_string(value));
	if (!strcmp(key, "epoch-secs"))
		return lines_number(&yaml->lines, key, value, &yaml->epoch, NULL);
	return NULL;
}

/* "key: value" -> its parts, in place; quotes around the value are taken off */
static bool split(char *line, char **key, char **value)
{
	char *colon = strchr(line, ':');
	size_t length;

	if (!colon || colon == line || (colon[1] && colon[1] != ' '))
		return false;
	*colon = '\0';
	*key = line;
	*value = text_trim(colon + 1);
	length = strlen(*value);
	if (length > 1 && (**value == '\'' || **value == '"') && (*value)[length - 1] == **value) {
		(*value)[length - 1] = '\0';
		(*value)++;
	}
	return true;
}

static struct error *read_line(struct yaml *yaml)
{
	char *line = yaml->lines.text, *key, *value;
	int indent = strspn(line, " ");
	bool dash;

	line += indent;
	if (!*line || *line == '#' || !strcmp(yaml->lines.text, "---"))
		return NULL;
	if (!strcmp(yaml->lines.text, "...")) {
		yaml->ended = true;
		return NULL;
	}
	if (yaml->ended)
		return lines_problem(&yaml->lines, "text after the end ('...'): one run a file is "
						   "accepted");
	dash = !strncmp(line, "- ", 2);
	if (dash)
		line += 2 + strspn(line + 2, " ");
	if (!split(line, &key, &value))
		return lines_problem(&yaml->lines, "'key: value' is expected");
	if (!indent)
		return read_section(yaml, key, value);
	if (!yaml->section)
		return lines_problem(&yaml->lines, "it stands before the first section");
	if (!strcmp(yaml->section, "system-info"))
		return read_system(yaml, key, value);
	if (!strcmp(yaml->section, "metrics"))
		return read_metric(yaml, indent, dash, key, value);
	return NULL;
}

static struct error *read_lines(struct yaml *yaml)
{
	struct error *error = NULL;

	while (!error && lines_next(&yaml->lines))
		error = read_line(yaml);
	if (!error)
		error = end_stressor(yaml);
	if (!error && !yaml->out->n)
		error = lines_missing(yaml->lines.file,
				      "it has no entry below 'metrics:'; a file of "
				      "stress-ng --metrics --yaml is accepted");
	if (!error && !yaml->ended)
		error = lines_missing(yaml->lines.file,
				      "it is cut off: the end of the YAML ('...') is missing");
	for (int i = 0; !error && i < yaml->out->n; i++) {
		struct foreign_result *result = &yaml->out->results[i];

		result->trial.started = yaml->epoch;
		if (json_object_size(yaml->system))
			json_object_set(result->trial.environment, "sysinfo", yaml->system);
		if (yaml->version)
			result->program_version = memory_string(yaml->version);
	}
	return error;
}

static struct error *parse(const char *file, const char *text, struct foreign *out)
{
	struct yaml yaml = { .lines = lines_start(file, text),
			     .out = out,
			     .system = json_object(),
			     .instances_indent = -1 };
	struct error *error = read_lines(&yaml);

	lines_end(&yaml.lines);
	free(yaml.instances);
	free(yaml.section);
	free(yaml.version);
	json_decref(yaml.system);
	return error;
}

static bool matches(const char *text)
{
	return text_has_line(text, "stress-ng-version:") || text_has_line(text, "- stressor:");
}

const struct foreign_format foreign_stress_ng = {
	.name = "stress-ng",
	.workload = "stress-ng",
	.summary = "YAML of stress-ng --metrics --yaml",
	.matches = matches,
	.parse = parse,
};
