// SPDX-License-Identifier: GPL-2.0-only
/* unixbench.c - a test of UnixBench, through its own Run */
#include <inttypes.h>
#include <string.h>

#include "workload/program.h"

static struct error *arguments(struct program_args *args, const struct params *params,
			       const struct program_times *times)
{
	const char *test = params_text(params, "test");

	(void)times;
	if (!*test || *test == '-' || strpbrk(test, " \t/"))
		return error_new(ERR_INPUT, "test '%s' is no name of one test", test);
	args_count(args, "-c", params, "copies");
	args_count(args, "-i", params, "iterations");
	args_add(args, "%s", test);
	return NULL;
}

static const struct param params[] = {
	{ "folder", PARAM_TEXT, .help = "the folder that holds Run" },
	{ "test", PARAM_TEXT, .def = "spawn", .help = "spawn, context1, pipe, execl, shell8 ..." },
	{ "copies", PARAM_COUNT, .def = "nr_cpus", .help = "at the same time (-c)" },
	{ "iterations", PARAM_COUNT, .def = "3", .help = "passes (-i; Run's own is 10)" },
	PROGRAM_LIMIT_PARAM,
	{ NULL },
};

static const struct workload_metric metrics[] = {
	{ { "score", "1/s", BETTER_HIGHER, 1, "UnixBench's mean of the passes" },
	  METRIC_COMPUTED,
	  0 },
	{ { "index", "1", BETTER_HIGHER, 1, "by UnixBench's baseline" }, METRIC_COMPUTED, 0 },
	{ { NULL } },
};

/* Run has no option that only prints its version: its build stands for it */
static const struct program_desc desc = {
	.from = "no package of Debian: get its sources (byte-unixbench), build them with make",
	.path_param = "folder",
	.in_folder = "Run",
	.version_name = "UnixBench",
	.format = &foreign_unixbench,
	.stream = PROGRAM_STDOUT,
	.fixed_work = true,
	.arguments = arguments,
};

const struct workload workload_unixbench = {
	.name = "unixbench",
	.summary = "a test of UnixBench",
	.exercises = "what the test does",
	.version = 1,
	.params = params,
	.metrics = metrics,
	.load = "copies",
	PROGRAM_WORKLOAD(desc),
};
