// SPDX-License-Identifier: GPL-2.0-only
/* perf_bench.c - a benchmark of perf bench */
#include "workload/program.h"

static struct error *arguments(struct program_args *args, const struct params *params,
			       const struct program_times *times)
{
	struct error *error;

	(void)times;
	args_add(args, "bench");
	error = args_split(args, params_text(params, "benchmark"));
	return error ? error_prefix(error, "benchmark")
		     : args_split(args, params_text(params, "options"));
}

static const struct param params[] = {
	{ "benchmark", PARAM_TEXT, .def = "sched messaging", .help = "collection and benchmark" },
	PROGRAM_LIMIT_PARAM,
	PROGRAM_OPTIONS_PARAM,
	PROGRAM_PARAM("perf"),
	{ NULL },
};

static const struct workload_metric metrics[] = {
	{ { "time", "s", BETTER_LOWER, 1, "of the benchmark" }, METRIC_COMPUTED, 0 },
	{ { "usecs_per_op", "us", BETTER_LOWER, 1, "time of an operation" }, METRIC_COMPUTED, 0 },
	{ { "ops", "1/s", BETTER_HIGHER, 1, "operations" }, METRIC_COMPUTED, 0 },
	{ { "rate", "MB/s", BETTER_HIGHER, 1, "of memory" }, METRIC_COMPUTED, 0 },
	{ { NULL } },
};

static const struct program_desc desc = {
	.from = "the Debian package linux-perf",
	.path_param = "program",
	.version_name = "perf",
	.version_option = "--version",
	.version_prefix = "perf version ",
	.format = &foreign_perf_bench,
	.stream = PROGRAM_STDOUT,
	.fixed_work = true,
	.arguments = arguments,
};

const struct workload workload_perf_bench = {
	.name = "perf-bench",
	.summary = "a benchmark of perf bench",
	.exercises = "what the benchmark does",
	.version = 1,
	.params = params,
	.metrics = metrics,
	PROGRAM_WORKLOAD(desc),
};
