// SPDX-License-Identifier: GPL-2.0-only
/* dbench.c - clients that replay a list of file operations */
#include <inttypes.h>

#include "workload/program.h"

static struct error *arguments(struct program_args *args, const struct params *params,
			       const struct program_times *times)
{
	struct error *error;

	args_add(args, "-t");
	args_add(args, "%" PRIu64, times->runtime_ns / 1000000000);
	args_add(args, "-D");
	args_add(args, ".");
	args_add(args, "-c");
	args_add(args, "%s", params_text(params, "loadfile"));
	args_add(args, "--per-client-results");
	error = args_split(args, params_text(params, "options"));
	args_add(args, "%" PRId64, params_number(params, "clients"));
	return error;
}

static const struct param params[] = {
	{ "clients", PARAM_COUNT, .def = "nr_cpus", .help = "processes" },
	{ "loadfile", PARAM_TEXT, .def = "/usr/share/dbench/client.txt",
	  .help = "what they replay" },
	PROGRAM_DIRECTORY_PARAM,
	PROGRAM_OPTIONS_PARAM,
	PROGRAM_PARAM("dbench"),
	{ NULL },
};

static const struct workload_metric metrics[] = {
	{ { "throughput", "MB/s", BETTER_HIGHER, 1, "when the time is out" }, METRIC_COMPUTED, 0 },
	{ { "latency_max", "ms", BETTER_LOWER, 1, "of any operation" }, METRIC_COMPUTED, 0 },
	{ { "progress", "lines", BETTER_HIGHER, 1, "lines of the loadfile done, by client" },
	  METRIC_COMPUTED,
	  0 },
	{ { NULL } },
};

static const struct program_desc desc = {
	.from = "the Debian package dbench",
	.path_param = "program",
	.version_name = "dbench",
	.version_option = "--version",
	.version_prefix = "dbench version ",
	.format = &foreign_dbench,
	.stream = PROGRAM_STDOUT,
	.whole_seconds = true,
	.own_folder = true,
	.arguments = arguments,
};

const struct workload workload_dbench = {
	.name = "dbench",
	.summary = "the program dbench",
	.exercises = "wakeups between tasks, the file system and its threads",
	.version = 1,
	.params = params,
	.metrics = metrics,
	.load = "clients",
	PROGRAM_WORKLOAD(desc),
};
