// SPDX-License-Identifier: GPL-2.0-only
/*
 * cyclictest.c - latency of timer wakeups
 *
 * By itself cyclictest keeps CPUs out of deep idle states (/dev/cpu_dma_latency); here only with
 * `tune`, since the machine under test is to be as it is.
 */
#include <inttypes.h>

#include "workload/program.h"

static struct error *arguments(struct program_args *args, const struct params *params,
			       const struct program_times *times)
{
	args_add(args, "--quiet");
	args_add(args, "--duration=%" PRIu64, times->runtime_ns / 1000000000);
	args_add(args, "--threads=%" PRId64, params_number(params, "threads"));
	args_add(args, "--interval=%" PRId64, params_number(params, "interval"));
	args_add(args, "--priority=%" PRId64, params_number(params, "priority"));
	if (params_number(params, "histogram"))
		args_add(args, "--histogram=%" PRId64, params_number(params, "histogram"));
	if (params_number(params, "pinned"))
		args_add(args, "--affinity");
	if (!params_number(params, "tune"))
		args_add(args, "--default-system");
	args_add(args, "--json=" PROGRAM_RESULT_PATH);
	return args_split(args, params_text(params, "options"));
}

static const struct param params[] = {
	{ "threads", PARAM_COUNT, .def = "nr_cpus", .help = "threads that sleep and wake" },
	{ "interval", PARAM_COUNT, .def = "1000", .unit = "us", .help = "of the first thread" },
	{ "priority", PARAM_COUNT, .def = "0", .zero = true, .max = 99,
	  .help = "1 to 99: SCHED_FIFO; 0: normal tasks" },
	{ "histogram", PARAM_COUNT, .def = "2000", .zero = true, .max = 1000000, .unit = "us",
	  .help = "end of the histogram that percentiles are of; 0: none" },
	{ "pinned", PARAM_BOOL, .def = "no", .help = "one thread a CPU (--affinity)" },
	{ "tune", PARAM_BOOL, .def = "no", .help = "let it keep CPUs out of deep idle states" },
	PROGRAM_OPTIONS_PARAM,
	PROGRAM_PARAM("cyclictest"),
	{ NULL },
};

static const struct workload_metric metrics[] = {
	{ { "latency_avg", "us", BETTER_LOWER, 1, "mean of all wakeups" }, METRIC_COMPUTED, 0 },
	{ { "latency_p50", "us", BETTER_LOWER, 1, "of all wakeups" }, METRIC_COMPUTED, 0 },
	{ { "latency_p90", "us", BETTER_LOWER, 1, "of all wakeups" }, METRIC_COMPUTED, 0 },
	{ { "latency_p99", "us", BETTER_LOWER, 1, "of all wakeups" }, METRIC_COMPUTED, 0 },
	{ { "latency_p99.9", "us", BETTER_LOWER, 1, "of all wakeups" }, METRIC_COMPUTED, 0 },
	{ { "latency_max", "us", BETTER_LOWER, 1, "the largest" }, METRIC_COMPUTED, 0 },
	{ { NULL } },
};

static const struct program_desc desc = {
	.from = "the Debian package rt-tests",
	.path_param = "program",
	.version_name = "cyclictest",
	.version_option = "--help",
	.version_prefix = "cyclictest V ",
	.format = &foreign_cyclictest_json,
	.stream = PROGRAM_RESULT,
	.whole_seconds = true,
	.arguments = arguments,
};

const struct workload workload_cyclictest = {
	.name = "cyclictest",
	.summary = "the program cyclictest",
	.exercises = "timer wakeups",
	.version = 1,
	.params = params,
	.metrics = metrics,
	.load = "threads",
	PROGRAM_WORKLOAD(desc),
};
