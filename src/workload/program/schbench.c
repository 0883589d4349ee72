// SPDX-License-Identifier: GPL-2.0-only
/* schbench.c - message threads that wake workers; latencies of wakeups and requests */
#include <inttypes.h>

#include "workload/program.h"

static struct error *arguments(struct program_args *args, const struct params *params,
			       const struct program_times *times)
{
	uint64_t warmup = times->warmup_ns / 1000000000;

	args_count(args, "-m", params, "messengers");
	args_count(args, "-t", params, "workers");
	args_add(args, "-r");
	args_add(args, "%" PRIu64, times->runtime_ns / 1000000000);
	if (warmup) {
		args_add(args, "-w");
		args_add(args, "%" PRIu64, warmup);
	}
	args_count(args, "-n", params, "operations");
	args_count(args, "-s", params, "sleep");
	args_count(args, "-F", params, "footprint");
	return args_split(args, params_text(params, "options"));
}

static const struct param params[] = {
	{ "messengers", PARAM_COUNT, .def = "1", .help = "message threads (-m)" },
	{ "workers", PARAM_COUNT, .def = "nr_cpus", .help = "workers of each message thread (-t)" },
	{ "operations", PARAM_COUNT, .def = "5", .help = "matrix operations a request (-n)" },
	{ "sleep", PARAM_COUNT, .def = "100", .unit = "us",
	  .help = "think time of a request (-s)" },
	{ "footprint", PARAM_COUNT, .def = "256", .unit = "KiB", .help = "matrices (-F)" },
	PROGRAM_OPTIONS_PARAM,
	PROGRAM_PARAM("schbench"),
	{ NULL },
};

static const struct workload_metric metrics[] = {
	{ { "rps", "1/s", BETTER_HIGHER, 1, "average requests per second" }, METRIC_COMPUTED, 0 },
	{ { "transfers", "1/s", BETTER_HIGHER, 1, "transfers of the pipe mode" },
	  METRIC_COMPUTED,
	  0 },
	{ { "wakeup_p50", "us", BETTER_LOWER, 1, "wakeup latency" }, METRIC_COMPUTED, 0 },
	{ { "wakeup_p90", "us", BETTER_LOWER, 1, "wakeup latency" }, METRIC_COMPUTED, 0 },
	{ { "wakeup_p99", "us", BETTER_LOWER, 1, "wakeup latency" }, METRIC_COMPUTED, 0 },
	{ { "wakeup_p99.9", "us", BETTER_LOWER, 1, "wakeup latency" }, METRIC_COMPUTED, 0 },
	{ { "request_p50", "us", BETTER_LOWER, 1, "request latency" }, METRIC_COMPUTED, 0 },
	{ { "request_p90", "us", BETTER_LOWER, 1, "request latency" }, METRIC_COMPUTED, 0 },
	{ { "request_p99", "us", BETTER_LOWER, 1, "request latency" }, METRIC_COMPUTED, 0 },
	{ { "request_p99.9", "us", BETTER_LOWER, 1, "request latency" }, METRIC_COMPUTED, 0 },
	{ { NULL } },
};

/* it has no version number: its build tells one from another */
static const struct program_desc desc = {
	.from = "no package of Debian: build it from its author's sources (schbench, Chris Mason)",
	.path_param = "program",
	.version_name = "schbench",
	.format = &foreign_schbench,
	.stream = PROGRAM_STDERR,
	.whole_seconds = true,
	.arguments = arguments,
};

const struct workload workload_schbench = {
	.name = "schbench",
	.summary = "the program schbench",
	.exercises = "wakeup latency under load",
	.version = 1,
	.params = params,
	.metrics = metrics,
	.load = "workers messengers",
	PROGRAM_WORKLOAD(desc),
};
