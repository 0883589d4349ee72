// SPDX-License-Identifier: GPL-2.0-only
/* load.c - what else the machine was doing when the measured time began */
#include "monitor/monitor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"

static const struct metric_desc load_metrics[] = {
	{ "load1", "1", BETTER_NEITHER, 1, "load average over 1 minute at the start" },
	{ "load5", "1", BETTER_NEITHER, 1, "load average over 5 minutes at the start" },
	{ "others_running", "1", BETTER_NEITHER, 1,
	  "runnable tasks at the start that are not fairtrial's" },
	{ NULL },
};

struct load {
	double one, five, others;
};

/* is the thread on a run queue? "PID (name) STATE ...", the name may hold anything */
static bool runnable(const char *root, pid_t pid)
{
	autofree char *path =
		memory_format("%s/proc/%ld/task/%ld/stat", root, (long)pid, (long)pid);
	autofree char *line = file_read_line(path);
	const char *end = line ? strrchr(line, ')') : NULL;

	return end && !strncmp(end, ") R", 3);
}

static struct error *load_start(const struct monitor_context *context, void **state)
{
	autofree char *path = memory_format("%s/proc/loadavg", context->root);
	autofree char *text = NULL;
	struct error *error = file_read(path, &text, NULL);
	struct load load;
	int running, own = 1; /* the process that reads this runs */

	if (error)
		return error;
	if (sscanf(text, "%lf %lf %*f %d/", &load.one, &load.five, &running) != 3)
		return error_at(ERR_INPUT, path, 1, "not three load averages and a task count");
	for (int i = 0; i < context->n_pids; i++)
		own += runnable(context->root, context->pids[i]);
	load.others = running > own ? running - own : 0;
	*state = memory_copy(&load, sizeof(load));
	return NULL;
}

static struct error *load_stop(const struct monitor_context *context, void *state,
			       struct trial *trial)
{
	const struct load *load = state;

	(void)context;
	trial_add_metric(trial, &load_metrics[0], load->one, NULL, 0);
	trial_add_metric(trial, &load_metrics[1], load->five, NULL, 0);
	trial_add_metric(trial, &load_metrics[2], load->others, NULL, 0);
	free(state);
	return NULL;
}

const struct monitor monitor_load = {
	.name = "load",
	.summary = "load averages and foreign runnable tasks at the start",
	.metrics = load_metrics,
	.start = load_start,
	.stop = load_stop,
	.drop = free,
};
