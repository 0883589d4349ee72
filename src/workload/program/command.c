// SPDX-License-Identifier: GPL-2.0-only
/* command.c - any program: its arguments as one text, its metrics by patterns */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "workload/program.h"
#include "workload/program/pattern.h"

#define N_METRICS 8

static char *metric_param(int number)
{
	return memory_format("metric%d", number + 1);
}

/* ---- arguments ---- */

/* "{runtime}" -> "10", "{result}" -> the file of results; what else is in braces stays */
static void replace(char **word, const char *name, const char *value)
{
	char *at = *word;

	while ((at = strstr(at, name))) {
		size_t before = (size_t)(at - *word);
		char *longer =
			memory_format("%.*s%s%s", (int)before, *word, value, at + strlen(name));

		free(*word);
		*word = longer;
		at = *word + before + strlen(value);
	}
}

static struct error *check_patterns(const struct params *params)
{
	struct error *error = NULL;

	for (int i = 0; !error && i < N_METRICS; i++) {
		autofree char *name = metric_param(i);
		const char *text = params_text(params, name);
		struct pattern pattern;

		if (!*text)
			continue;
		error = error_prefix(pattern_read(text, &pattern), "%s", name);
		if (!error)
			pattern_clear(&pattern);
	}
	return error;
}

static struct error *arguments(struct program_args *args, const struct params *params,
			       const struct program_times *times)
{
	autofree char *runtime = memory_format("%.15g", times->runtime_ns / 1e9);
	struct error *error = check_patterns(params);
	int first = args->n;

	if (!error)
		error = error_prefix(args_split(args, params_text(params, "command")), "command");
	if (!error && args->n == first)
		error = error_new(ERR_INPUT, "command: it is empty");
	for (int i = first; !error && i < args->n; i++) {
		replace(&args->items[i], "{runtime}", runtime);
		replace(&args->items[i], "{result}", PROGRAM_RESULT_PATH);
	}
	return error;
}

static const struct param params[] = {
	{ "command", PARAM_TEXT,
	  .help = "program and arguments, by the rules of docs/programs.md" },
	{ "output", PARAM_CHOICE, .def = "stdout", .choices = "stdout stderr file",
	  .help = "where its results are; file: what it writes to {result}" },
	{ "metric1", PARAM_TEXT, .def = "", .help = "NAME UNIT BETTER /EXPRESSION/ or $.path" },
	{ "metric2", PARAM_TEXT, .def = "", .help = "the next one" },
	{ "metric3", PARAM_TEXT, .def = "", .help = "the next one" },
	{ "metric4", PARAM_TEXT, .def = "", .help = "the next one" },
	{ "metric5", PARAM_TEXT, .def = "", .help = "the next one" },
	{ "metric6", PARAM_TEXT, .def = "", .help = "the next one" },
	{ "metric7", PARAM_TEXT, .def = "", .help = "the next one" },
	{ "metric8", PARAM_TEXT, .def = "", .help = "the next one" },
	{ "version", PARAM_TEXT, .def = "", .help = "of the program; default: its build" },
	PROGRAM_LIMIT_PARAM,
	{ NULL },
};

/* they are the plan's */
static const struct workload_metric metrics[] = { { { NULL } } };

static const struct program_desc desc = {
	.from = "",
	.path_param = "command",
	.version_param = "version",
	.fixed_work = true,
	.arguments = arguments,
};

/* ---- metrics ---- */

static struct error *add_metric(const char *spec, const char *text, const json_t *json,
				struct trial *trial)
{
	struct metric_desc description = { .version = 1 };
	struct pattern pattern;
	double value;
	struct error *error = pattern_read(spec, &pattern);

	if (error)
		return error;
	error = pattern_find(&pattern, text, json, &value);
	description.name = pattern.name;
	description.unit = pattern.unit;
	description.better = pattern.better;
	if (!error && trial_metric(trial, pattern.name))
		error = error_new(ERR_INPUT, "metric %s is given twice", pattern.name);
	if (!error)
		trial_add_metric(trial, &description, value, NULL, 0);
	pattern_clear(&pattern);
	return error;
}

static struct error *add_metrics(const struct params *values, const char *text, struct trial *trial)
{
	struct error *error = NULL;
	json_t *json = NULL;

	error_free(json_parse(text, "its output", 1, &json));
	for (int i = 0; !error && i < N_METRICS; i++) {
		autofree char *name = metric_param(i);
		const char *spec = params_text(values, name);

		if (*spec)
			error = add_metric(spec, text, json, trial);
	}
	json_decref(json);
	return error;
}

/* the words of the choice are in the order of the streams */
static struct error *finish(struct team *team, const struct params *values,
			    const struct team_report *report, struct trial *trial)
{
	static const struct metric_desc elapsed = { "elapsed", "s", BETTER_LOWER, 1,
						    "from its start to its end" };
	const struct program *program = team_own_program(team);
	autofree char *text = program_output(program, params_number(values, "output"), NULL);
	struct error *error = add_metrics(values, text, trial);

	if (error)
		return program_blame(program, error);
	if (!trial->n_metrics)
		trial_add_metric(trial, &elapsed, report->seconds, NULL, 0);
	return NULL;
}

const struct workload workload_command = {
	.name = "command",
	.summary = "any program, with metrics by patterns",
	.exercises = "what the program does",
	.version = 1,
	.params = params,
	.metrics = metrics,
	PROGRAM_WORKLOAD(desc),
	.finish = finish,
};
