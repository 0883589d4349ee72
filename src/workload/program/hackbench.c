// SPDX-License-Identifier: GPL-2.0-only
/* hackbench.c - groups of senders and receivers; the time for a fixed number of messages */
#include "workload/program.h"

static struct error *arguments(struct program_args *args, const struct params *params,
			       const struct program_times *times)
{
	(void)times;
	args_count(args, "-g", params, "groups");
	args_count(args, "-l", params, "loops");
	args_count(args, "-f", params, "fds");
	args_count(args, "-s", params, "size");
	if (params_number(params, "channel"))
		args_add(args, "-p");
	if (params_number(params, "threads"))
		args_add(args, "-T");
	return args_split(args, params_text(params, "options"));
}

static const struct param params[] = {
	{ "groups", PARAM_COUNT, .def = "10", .help = "groups (-g)" },
	{ "loops", PARAM_COUNT, .def = "100",
	  .help = "messages from each sender to each receiver" },
	{ "fds", PARAM_COUNT, .def = "20", .help = "senders, and as many receivers, a group (-f)" },
	{ "size", PARAM_COUNT, .def = "100", .unit = "bytes", .help = "of a message (-s)" },
	{ "channel", PARAM_CHOICE, .def = "socket", .choices = "socket pipe", .help = "-p or not" },
	{ "threads", PARAM_BOOL, .def = "no", .help = "threads, not processes (-T)" },
	PROGRAM_LIMIT_PARAM,
	PROGRAM_OPTIONS_PARAM,
	PROGRAM_PARAM("hackbench"),
	{ NULL },
};

static const struct workload_metric metrics[] = {
	{ { "time", "s", BETTER_LOWER, 1, "of all messages" }, METRIC_COMPUTED, 0 },
	{ { NULL } },
};

/* its help tells the version, --version does not */
static const struct program_desc desc = {
	.from = "the Debian package rt-tests",
	.path_param = "program",
	.version_name = "hackbench",
	.version_option = "--help",
	.version_prefix = "hackbench V ",
	.format = &foreign_hackbench,
	.stream = PROGRAM_STDOUT,
	.fixed_work = true,
	.arguments = arguments,
};

const struct workload workload_hackbench = {
	.name = "hackbench",
	.summary = "the program hackbench",
	.exercises = "wakeups and switches of many tasks",
	.version = 1,
	.params = params,
	.metrics = metrics,
	.load = "groups",
	PROGRAM_WORKLOAD(desc),
};
