// SPDX-License-Identifier: GPL-2.0-only
/* stress_ng.c - one stressor of stress-ng; since 0.21.04 with values by worker */
#include <inttypes.h>
#include <string.h>

#include "workload/program.h"

/* a name of an option: it becomes "--NAME" */
static bool is_word(const char *text)
{
	return *text && text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-")] == '\0' &&
	       *text != '-';
}

static struct error *arguments(struct program_args *args, const struct params *params,
			       const struct program_times *times)
{
	const char *stressor = params_text(params, "stressor");
	const char *method = params_text(params, "method");

	if (!is_word(stressor))
		return error_new(ERR_INPUT, "stressor '%s' is no name of a stressor", stressor);
	args_add(args, "--%s", stressor);
	args_add(args, "%" PRId64, params_number(params, "instances"));
	if (*method) {
		args_add(args, "--%s-method", stressor);
		args_add(args, "%s", method);
	}
	args_add(args, "--timeout");
	args_add(args, "%" PRIu64 "s", times->runtime_ns / 1000000000);
	args_add(args, "--metrics");
	args_add(args, "--yaml");
	args_add(args, PROGRAM_RESULT_PATH);
	args_add(args, "--temp-path");
	args_add(args, ".");
	return args_split(args, params_text(params, "options"));
}

static const struct param params[] = {
	{ "stressor", PARAM_TEXT, .def = "cpu", .help = "its name: cpu, switch, pipe, fork ..." },
	{ "instances", PARAM_COUNT, .def = "nr_cpus", .help = "workers" },
	{ "method", PARAM_TEXT, .def = "",
	  .help = "--STRESSOR-method, for stressors with methods" },
	PROGRAM_OPTIONS_PARAM,
	PROGRAM_DIRECTORY_PARAM,
	PROGRAM_PARAM("stress-ng"),
	{ NULL },
};

static const struct workload_metric metrics[] = {
	{ { "bogo_ops_real", "1/s", BETTER_HIGHER, 1, "bogo-ops by wall-clock time" },
	  METRIC_COMPUTED,
	  0 },
	{ { "bogo_ops_cpu", "1/s", BETTER_HIGHER, 1, "bogo-ops by CPU time" }, METRIC_COMPUTED, 0 },
	{ { NULL } },
};

static const struct program_desc desc = {
	.from = "the Debian package stress-ng",
	.path_param = "program",
	.version_name = "stress-ng",
	.version_option = "--version",
	.version_prefix = "stress-ng, version ",
	.format = &foreign_stress_ng,
	.stream = PROGRAM_RESULT,
	.whole_seconds = true,
	.own_folder = true,
	.arguments = arguments,
};

const struct workload workload_stress_ng = {
	.name = "stress-ng",
	.summary = "a stressor of stress-ng",
	.exercises = "what the stressor does",
	.version = 1,
	.params = params,
	.metrics = metrics,
	.load = "instances",
	PROGRAM_WORKLOAD(desc),
};
