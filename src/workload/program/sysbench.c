// SPDX-License-Identifier: GPL-2.0-only
/* sysbench.c - a test of sysbench that needs no database and no files */
#include <inttypes.h>

#include "workload/program.h"

static struct error *arguments(struct program_args *args, const struct params *params,
			       const struct program_times *times)
{
	struct error *error;

	args_add(args, "%s", params_text(params, "test"));
	args_add(args, "--threads=%" PRId64, params_number(params, "threads"));
	args_add(args, "--time=%" PRIu64, times->runtime_ns / 1000000000);
	args_add(args, "--events=0");
	error = args_split(args, params_text(params, "options"));
	args_add(args, "run");
	return error;
}

static const struct param params[] = {
	{ "test", PARAM_CHOICE, .def = "threads", .choices = "threads cpu memory mutex",
	  .help = "what it does" },
	{ "threads", PARAM_COUNT, .def = "nr_cpus", .help = "threads" },
	PROGRAM_OPTIONS_PARAM,
	PROGRAM_PARAM("sysbench"),
	{ NULL },
};

static const struct workload_metric metrics[] = {
	{ { "events", "1/s", BETTER_HIGHER, 1, "events of the test" }, METRIC_COMPUTED, 0 },
	{ { "transfer", "MiB/s", BETTER_HIGHER, 1, "of memory" }, METRIC_COMPUTED, 0 },
	{ { "latency_avg", "ms", BETTER_LOWER, 1, "of an event" }, METRIC_COMPUTED, 0 },
	{ { "latency_p95", "ms", BETTER_LOWER, 1, "of an event" }, METRIC_COMPUTED, 0 },
	{ { "latency_max", "ms", BETTER_LOWER, 1, "of an event" }, METRIC_COMPUTED, 0 },
	{ { NULL } },
};

static const struct program_desc desc = {
	.from = "the Debian package sysbench",
	.path_param = "program",
	.version_name = "sysbench",
	.version_option = "--version",
	.version_prefix = "sysbench ",
	.format = &foreign_sysbench,
	.stream = PROGRAM_STDOUT,
	.whole_seconds = true,
	.arguments = arguments,
};

const struct workload workload_sysbench = {
	.name = "sysbench",
	.summary = "a test of sysbench",
	.exercises = "what the test does",
	.version = 1,
	.params = params,
	.metrics = metrics,
	.load = "threads",
	PROGRAM_WORKLOAD(desc),
};
