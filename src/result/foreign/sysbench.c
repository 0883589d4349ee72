// SPDX-License-Identifier: GPL-2.0-only
/*
 * sysbench.c - the report of `sysbench TEST run`, version 1.0
 *
 * Every test has "General statistics", "Latency (ms)" and "Threads fairness"; cpu prints events per
 * second, memory a rate of transfer. Where no rate of events is printed it is their number by the time.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "result/foreign/lines.h"

struct report {
	struct lines lines;
	char *version;
	double threads, rate, seconds, events, min, average, percentile, max, transfer;
	double mean_events, sd_events;
	int percent; /* which percentile: 95 by default */
	bool latency;
};

static struct error *set(struct report *report, const char *what, const char *at, double *to)
{
	if (!isnan(*to))
		return lines_problem(&report->lines, "a second '%s': one run a file is accepted",
				     what);
	return lines_number(&report->lines, what, at, to, NULL);
}

/* "12345.00 MiB transferred (123.45 MiB/sec)" */
static struct error *read_transfer(struct report *report)
{
	const char *open = strchr(report->lines.text, '(');

	if (!open || !strstr(open, "MiB/sec"))
		return lines_problem(&report->lines, "'NUMBER MiB transferred (NUMBER MiB/sec)' is "
						     "expected");
	return set(report, "transferred", open + 1, &report->transfer);
}

/* "events (avg/stddev):   1115.5000/44.50" */
static struct error *read_fairness(struct report *report, const char *at)
{
	const char *rest;
	struct error *error;

	error = lines_number(&report->lines, "events", at, &report->mean_events, &rest);
	if (!error && *rest != '/')
		return lines_problem(&report->lines, "'events (avg/stddev): N/N' is expected");
	return error ? error
		     : lines_number(&report->lines, "events", rest + 1, &report->sd_events, NULL);
}

/* "95th percentile:   8.28" */
static struct error *read_percentile(struct report *report)
{
	const char *at;

	if (sscanf(report->lines.text, " %dth percentile", &report->percent) != 1)
		return lines_problem(&report->lines, "'95th percentile: NUMBER' is expected");
	at = strchr(report->lines.text, ':');
	return at ? set(report, "percentile", at + 1, &report->percentile) : NULL;
}

static struct error *read_line(struct report *report)
{
	const struct {
		const char *key;
		double *to;
	} keys[] = {
		{ "Number of threads:", &report->threads },
		{ "events per second:", &report->rate },
		{ "total time:", &report->seconds },
		{ "total number of events:", &report->events },
		{ "min:", report->latency ? &report->min : NULL },
		{ "avg:", report->latency ? &report->average : NULL },
		{ "max:", report->latency ? &report->max : NULL },
	};
	const char *at = lines_after(&report->lines, "sysbench ");

	if (at && !report->version) {
		report->version = memory_format("sysbench %.*s", (int)strcspn(at, " "), at);
		return NULL;
	}
	at = lines_after(&report->lines, "FATAL:");
	if (at)
		return lines_problem(&report->lines, "sysbench failed: %s", at);
	if (lines_after(&report->lines, "Latency (ms):"))
		report->latency = true;
	else if (lines_after(&report->lines, "Threads fairness:"))
		report->latency = false;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		at = lines_after(&report->lines, keys[i].key);
		if (at && keys[i].to)
			return set(report, keys[i].key, at, keys[i].to);
	}
	at = lines_after(&report->lines, "events (avg/stddev):");
	if (at)
		return read_fairness(report, at);
	if (report->latency && strstr(report->lines.text, "th percentile:"))
		return read_percentile(report);
	return strstr(report->lines.text, " MiB transferred") ? read_transfer(report) : NULL;
}

static void add(struct foreign_result *result, const char *name, const char *unit,
		enum better better, double value)
{
	if (!isnan(value))
		foreign_metric(result, name, unit, better, value, NULL, 0);
}

static struct error *finish(const struct report *report, struct foreign *out)
{
	autofree char *name = NULL;
	autofree char *percentile = memory_format("latency_p%d", report->percent);
	struct foreign_result *result;
	double rate = report->rate;

	if (isnan(report->seconds) || isnan(report->events) || isnan(report->sd_events))
		return lines_missing(report->lines.file,
				     "it is cut off: 'total time:', 'total number of events:' or "
				     "'Threads fairness:' is missing");
	if (!(report->seconds > 0) || !(report->events > 0))
		return lines_missing(report->lines.file, "%g events in %g s: nothing was measured",
				     report->events, report->seconds);
	if (isnan(rate))
		rate = report->events / report->seconds;
	name = isnan(report->threads) ? memory_string("sysbench")
				      : memory_format("sysbench threads=%g", report->threads);
	result = foreign_add(out, name);
	if (!isnan(report->threads))
		foreign_param(result, "threads", "%g", report->threads);
	add(result, "events", "1/s", BETTER_HIGHER, rate);
	add(result, "transfer", "MiB/s", BETTER_HIGHER, report->transfer);
	add(result, "latency_avg", "ms", BETTER_LOWER, report->average);
	if (report->percent)
		add(result, percentile, "ms", BETTER_LOWER, report->percentile);
	add(result, "latency_max", "ms", BETTER_LOWER, report->max);
	add(result, "latency_min", "ms", BETTER_LOWER, report->min);
	if (report->mean_events > 0)
		add(result, "events_cov", "%", BETTER_LOWER,
		    100 * report->sd_events / report->mean_events);
	result->trial.duration = report->seconds;
	if (report->version)
		result->program_version = memory_string(report->version);
	return NULL;
}

static struct error *parse(const char *file, const char *text, struct foreign *out)
{
	struct report report = {
		.lines = lines_start(file, text),
		.threads = NAN,
		.rate = NAN,
		.seconds = NAN,
		.events = NAN,
		.min = NAN,
		.average = NAN,
		.percentile = NAN,
		.max = NAN,
		.transfer = NAN,
		.mean_events = NAN,
		.sd_events = NAN,
	};
	struct error *error = NULL;

	while (!error && lines_next(&report.lines))
		error = read_line(&report);
	lines_end(&report.lines);
	if (!error)
		error = finish(&report, out);
	free(report.version);
	return error;
}

static bool matches(const char *text)
{
	return text_has_line(text, "Threads fairness:") ||
	       (text_has_line(text, "sysbench ") && text_has_line(text, "Number of threads:"));
}

const struct foreign_format foreign_sysbench = {
	.name = "sysbench",
	.workload = "sysbench",
	.summary = "report of sysbench TEST run",
	.matches = matches,
	.parse = parse,
};
