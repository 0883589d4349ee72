// SPDX-License-Identifier: GPL-2.0-only
/*
 * dbench.c - what dbench and tbench print: operations, clients, and the line of the throughput
 *
 * Dbench 4 prints a table of operations (count, average and largest latency); with --per-client-results
 * the lines of the loadfile that each client got through, which shows how fairly they progressed.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "result/foreign/lines.h"

struct operation {
	char name[32];
	double count, average, largest;
};

struct report {
	struct lines lines;
	char *version;
	struct operation *operations;
	int n_operations;
	bool in_table, in_clients;
	double *progress; /* lines of the loadfile by client */
	int n_clients;
	double throughput, latency, seconds;
	int clients, throughput_line;
};

/* "Client 0 did 38843 lines and 226646460 bytes" */
static struct error *read_client(struct report *report, const char *at)
{
	double number;
	int client;

	if (sscanf(at, "%d did %lf lines", &client, &number) != 2 || client != report->n_clients)
		return lines_problem(&report->lines,
				     "'Client %d did NUMBER lines and NUMBER bytes' is "
				     "expected",
				     report->n_clients);
	*array_append(report->progress, report->n_clients) = number;
	report->in_clients = true;
	return NULL;
}

/* " NTCreateX      13143     0.029    10.521" */
static void read_operation(struct report *report)
{
	struct operation operation;
	char rest;

	if (sscanf(report->lines.text, "%31s %lf %lf %lf %c", operation.name, &operation.count,
		   &operation.average, &operation.largest, &rest) != 4)
		return;
	*array_append(report->operations, report->n_operations) = operation;
}

/* "Throughput 233.736 MB/sec  2 clients  2 procs  max_latency=107.521 ms" */
static struct error *read_throughput(struct report *report, const char *at)
{
	const char *rest, *latency = strstr(at, "max_latency=");
	struct error *error;

	if (report->throughput_line)
		return lines_problem(&report->lines, "a second throughput: one run a file is "
						     "accepted");
	report->throughput_line = report->lines.number;
	error = lines_number(&report->lines, "Throughput", at, &report->throughput, &rest);
	if (error)
		return error;
	if (sscanf(rest, " MB/sec %d", &report->clients) != 1)
		return lines_problem(&report->lines, "'Throughput NUMBER MB/sec NUMBER clients' is "
						     "expected");
	if (!(report->throughput > 0))
		return lines_problem(&report->lines,
				     "a throughput of %g MB/s: the run was too short",
				     report->throughput);
	if (latency)
		error = lines_number(&report->lines, "max_latency",
				     latency + strlen("max_latency="), &report->latency, NULL);
	return error;
}

static struct error *read_line(struct report *report)
{
	const char *at = lines_after(&report->lines, "Throughput ");

	if (at)
		return read_throughput(report, at);
	at = lines_after(&report->lines, "dbench version ");
	if (at) {
		free(report->version);
		report->version = memory_format("dbench %.*s", (int)strcspn(at, " "), at);
		return NULL;
	}
	at = lines_after(&report->lines, "Running for ");
	if (at)
		return lines_number(&report->lines, "Running for", at, &report->seconds, NULL);
	at = lines_after(&report->lines, "Client ");
	if (at)
		return read_client(report, at);
	if (lines_after(&report->lines, "Operation "))
		report->in_table = !report->in_clients && !report->n_operations;
	else if (report->in_table)
		read_operation(report);
	return NULL;
}

/* "dbench clients=2"; the latencies of operations are there for those who ask for them */
static void add_result(struct report *report, struct foreign *out)
{
	autofree char *name = memory_format("dbench clients=%d", report->clients);
	struct foreign_result *result = foreign_add(out, name);
	double sum = 0;

	foreign_param(result, "clients", "%d", report->clients);
	foreign_metric(result, "throughput", "MB/s", BETTER_HIGHER, report->throughput, NULL, 0);
	if (!isnan(report->latency))
		foreign_metric(result, "latency_max", "ms", BETTER_LOWER, report->latency, NULL, 0);
	for (int i = 0; i < report->n_clients; i++)
		sum += report->progress[i];
	if (report->n_clients)
		foreign_metric(result, "progress", "lines", BETTER_HIGHER, sum, report->progress,
			       report->n_clients);
	for (int i = 0; i < report->n_operations; i++) {
		const struct operation *operation = &report->operations[i];
		autofree char *average = memory_format("%s_avg", operation->name);
		autofree char *largest = memory_format("%s_max", operation->name);

		if (foreign_has(result, average))
			continue;
		foreign_metric(result, average, "ms", BETTER_LOWER, operation->average, NULL, 0);
		foreign_metric(result, largest, "ms", BETTER_LOWER, operation->largest, NULL, 0);
	}
	result->trial.duration = report->seconds;
	if (report->version)
		result->program_version = memory_string(report->version);
}

static struct error *finish(struct report *report, struct foreign *out)
{
	if (!report->throughput_line)
		return lines_missing(report->lines.file, "it is cut off: the line 'Throughput ... "
							 "MB/sec' at the end of a run is missing");
	if (report->n_clients && report->n_clients != report->clients)
		return lines_missing(report->lines.file,
				     "%d clients are listed, the throughput is of "
				     "%d",
				     report->n_clients, report->clients);
	add_result(report, out);
	return NULL;
}

static struct error *parse(const char *file, const char *text, struct foreign *out)
{
	struct report report = {
		.lines = lines_start(file, text),
		.latency = NAN,
		.seconds = NAN,
	};
	struct error *error = NULL;

	while (!error && lines_next(&report.lines))
		error = read_line(&report);
	lines_end(&report.lines);
	if (!error)
		error = finish(&report, out);
	free(report.version);
	free(report.operations);
	free(report.progress);
	return error;
}

static bool matches(const char *text)
{
	return text_has_line(text, "dbench version ") || text_has_line(text, "Throughput ");
}

const struct foreign_format foreign_dbench = {
	.name = "dbench",
	.workload = "dbench",
	.summary = "text of dbench",
	.matches = matches,
	.parse = parse,
};
