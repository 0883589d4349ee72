// SPDX-License-Identifier: GPL-2.0-only
/*
 * schbench.c - what schbench writes to stderr
 *
 * It repeats all its figures once an interval; those that count are the last, before the "average
 * rps" line that only a run to its end has. A '*' marks the 99th percentile. Versions before 2023
 * have one block, "Latency percentiles", and no rps.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "result/foreign/lines.h"

enum block {
	BLOCK_WAKEUP,
	BLOCK_REQUEST,
	BLOCK_RPS,
	N_BLOCKS,
};

#define N_POINTS 5

static const char *const point_names[N_POINTS] = { "20.0", "50.0", "90.0", "99.0", "99.9" };

/* the same names as of schbench_json.c */
static const struct {
	const char *heading, *prefix, *unit;
	enum better better;
} blocks[N_BLOCKS] = {
	[BLOCK_WAKEUP] = { "Wakeup Latencies percentiles (usec)", "wakeup", "us", BETTER_LOWER },
	[BLOCK_REQUEST] = { "Request Latencies percentiles (usec)", "request", "us", BETTER_LOWER },
	[BLOCK_RPS] = { "RPS percentiles (requests)", "rps", "1/s", BETTER_HIGHER },
};

static const char old_heading[] = "Latency percentiles (usec)";

struct report {
	struct lines lines;
	double points[N_BLOCKS][N_POINTS], max[N_BLOCKS], runtime;
	bool seen[N_BLOCKS];
	double rps, message_delay, worker_delay, transfer;
	int block; /* whose lines come now; -1: none */
	bool old, ended;
};

static int block_of(struct report *report)
{
	if (lines_after(&report->lines, old_heading)) {
		report->old = true;
		return BLOCK_WAKEUP;
	}
	for (int i = 0; i < N_BLOCKS; i++)
		if (lines_after(&report->lines, blocks[i].heading))
			return i;
	return -1;
}

/* "... runtime 30 (s) (123 total samples)" */
static struct error *begin_block(struct report *report, int block)
{
	const char *runtime = strstr(report->lines.text, "runtime ");

	report->block = block;
	report->seen[block] = true;
	report->max[block] = NAN;
	for (int i = 0; i < N_POINTS; i++)
		report->points[block][i] = NAN;
	if (!runtime)
		return NULL;
	return lines_number(&report->lines, "runtime", runtime + strlen("runtime "),
			    &report->runtime, NULL);
}

/* "* 99.0th: 12 (345 samples)"; older versions print 99.0000th and "*99.0000th" */
static struct error *read_point(struct report *report, const char *at)
{
	const char *rest;
	double percent;
	struct error *error;

	if (*at == '*')
		at++;
	error = lines_number(&report->lines, "percentile", at, &percent, &rest);
	if (error)
		return error;
	if (strncmp(rest, "th:", 3))
		return lines_problem(&report->lines, "'50.0th: NUMBER' is expected");
	for (int i = 0; i < N_POINTS; i++)
		if (percent == strtod(point_names[i], NULL))
			return lines_number(&report->lines, "percentile", rest + 3,
					    &report->points[report->block][i], NULL);
	return NULL; /* 75th and 95th of older versions: not of interest to anyone today */
}

static struct error *read_max(struct report *report)
{
	const char *max = strstr(report->lines.text, "max=");

	if (!max)
		return lines_problem(&report->lines, "'min=NUMBER, max=NUMBER' is expected");
	if (report->block < 0)
		return lines_problem(&report->lines, "it belongs to no percentiles");
	return lines_number(&report->lines, "max", max + strlen("max="),
			    &report->max[report->block], NULL);
}

static struct error *read_delay(struct report *report, const char *at)
{
	const char *worker = strstr(at, "worker ");
	const char *message = strstr(at, "message ");
	struct error *error;

	if (!worker || !message)
		return lines_problem(&report->lines, "'message NUMBER (usec) worker NUMBER (usec)' "
						     "is expected");
	error = lines_number(&report->lines, "sched delay", message + strlen("message "),
			     &report->message_delay, NULL);
	if (!error)
		error = lines_number(&report->lines, "sched delay", worker + strlen("worker "),
				     &report->worker_delay, NULL);
	return error;
}

static struct error *read_end(struct report *report, const char *what, const char *at, double *out)
{
	if (report->ended)
		return lines_problem(&report->lines, "a second end of a run: one run a file is "
						     "accepted");
	report->ended = true;
	return lines_number(&report->lines, what, at, out, NULL);
}

static struct error *read_line(struct report *report)
{
	const char *start = report->lines.text + strspn(report->lines.text, " \t");
	int block = block_of(report);
	const char *at;
	double ignored;

	if (block >= 0)
		return begin_block(report, block);
	if (lines_after(&report->lines, "min="))
		return read_max(report);
	if (report->block >= 0 && (*start == '*' || strstr(start, "th: ")))
		return read_point(report, start);
	at = lines_after(&report->lines, "average rps:");
	if (at)
		return read_end(report, "average rps", at, &report->rps);
	at = lines_after(&report->lines, "final rps goal was");
	if (at)
		return read_end(report, "final rps goal", at, &ignored);
	at = lines_after(&report->lines, "avg worker transfer:");
	if (at)
		return read_end(report, "avg worker transfer", at, &report->transfer);
	at = lines_after(&report->lines, "sched delay:");
	return at ? read_delay(report, at) : NULL;
}

static void add_block(const struct report *report, int block, struct foreign_result *result)
{
	for (int i = 0; i < N_POINTS; i++) {
		double value = report->points[block][i];
		autofree char *name = NULL;

		if (isnan(value))
			continue;
		name = memory_format("%s_p%g", blocks[block].prefix, strtod(point_names[i], NULL));
		foreign_metric(result, name, blocks[block].unit, blocks[block].better, value, NULL,
			       0);
	}
	if (!isnan(report->max[block]) && block != BLOCK_RPS) {
		autofree char *name = memory_format("%s_max", blocks[block].prefix);

		foreign_metric(result, name, blocks[block].unit, blocks[block].better,
			       report->max[block], NULL, 0);
	}
}

static struct error *finish(const struct report *report, struct foreign *out)
{
	struct foreign_result *result;

	if (!report->seen[BLOCK_WAKEUP])
		return lines_missing(report->lines.file,
				     "no '%s'; what schbench writes to stderr is accepted",
				     blocks[BLOCK_WAKEUP].heading);
	if (!report->ended && !report->old)
		return lines_missing(report->lines.file,
				     "it is cut off: the line 'average rps' at the end of a run of "
				     "schbench is missing");
	result = foreign_add(out, "schbench");
	if (!isnan(report->rps))
		foreign_metric(result, "rps", "1/s", BETTER_HIGHER, report->rps, NULL, 0);
	if (!isnan(report->transfer))
		foreign_metric(result, "transfers", "1/s", BETTER_HIGHER, report->transfer, NULL,
			       0);
	for (int i = 0; i < N_BLOCKS; i++)
		if (report->seen[i])
			add_block(report, i, result);
	if (!isnan(report->message_delay)) {
		foreign_metric(result, "delay_message", "us", BETTER_LOWER, report->message_delay,
			       NULL, 0);
		foreign_metric(result, "delay_worker", "us", BETTER_LOWER, report->worker_delay,
			       NULL, 0);
	}
	result->trial.duration = report->runtime;
	return NULL;
}

static struct error *parse(const char *file, const char *text, struct foreign *out)
{
	struct report report = {
		.lines = lines_start(file, text),
		.rps = NAN,
		.message_delay = NAN,
		.transfer = NAN,
		.runtime = NAN,
		.block = -1,
	};
	struct error *error = NULL;

	while (!error && lines_next(&report.lines))
		error = read_line(&report);
	if (!error)
		error = finish(&report, out);
	lines_end(&report.lines);
	return error;
}

static bool matches(const char *text)
{
	return text_has_line(text, blocks[BLOCK_WAKEUP].heading) ||
	       text_has_line(text, old_heading);
}

const struct foreign_format foreign_schbench = {
	.name = "schbench",
	.workload = "schbench",
	.summary = "what schbench writes to stderr",
	.matches = matches,
	.parse = parse,
};
