// SPDX-License-Identifier: GPL-2.0-only
#include "reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/memory.h"
#include "base/subprocess.h"

#define TIME_LIMIT_SECONDS 120.0

/* messages of a group for each loop: every one of 20 senders to every one of 20 receivers */
#define HACKBENCH_MESSAGES 400

/*
 * In a session of its own, as a trial is: else autogroup would give the two different shares of a
 * machine that is not idle.
 */
#define SESSION "setsid", "--wait"

static double seconds_of(struct timeval time)
{
	return time.tv_sec + time.tv_usec / 1e6;
}

double effort_cpu_seconds(void)
{
	struct rusage usage;

	getrusage(RUSAGE_CHILDREN, &usage);
	return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}

/* runs a program; the number that follows @before in its output, or NAN */
static double run(const char *const *arguments, const char *before)
{
	struct subprocess_output output;
	struct error *error = subprocess_check(arguments, NULL, TIME_LIMIT_SECONDS, &output);
	const char *at;
	double value = NAN;

	if (error) {
		error_report(stderr, error);
		error_free(error);
		return NAN;
	}
	at = strstr(output.out, before);
	if (at)
		value = strtod(at + strlen(before), NULL);
	subprocess_free(&output);
	return value;
}

static void run_perf(double operations, struct effort *out)
{
	autofree char *count = memory_format("%.0f", operations);
	const char *arguments[] = { SESSION, "perf", "bench", "-f",  "simple",
				    "sched", "pipe", "-l",    count, NULL };

	out->seconds = run(arguments, "");
	out->operations = operations;
}

static void run_hackbench(double operations, const char *first, const char *second,
			  struct effort *out)
{
	double loops = ceil(operations / HACKBENCH_MESSAGES);
	autofree char *count = memory_format("%.0f", loops);
	const char *arguments[] = { SESSION, "hackbench", "-g",	 "1",	"-f",	"20", "-s",
				    "100",   "-l",	  count, first, second, NULL };

	out->seconds = run(arguments, "Time: ");
	out->operations = loops * HACKBENCH_MESSAGES;
}

static void run_loop(const char *program, const char *child, int workers, double seconds,
		     struct effort *out)
{
	autofree char *count = memory_format("%d", workers);
	autofree char *time = memory_format("%.3f", seconds);
	const char *arguments[] = { SESSION, program, count, time, child, NULL };

	out->seconds = seconds;
	out->operations = run(arguments, "") * seconds;
}

bool reference_run(enum reference reference, const struct reference_programs *programs, int workers,
		   double rate, double seconds, struct effort *out)
{
	double before = effort_cpu_seconds();

	switch (reference) {
	case REFERENCE_PERF_PIPE:
		run_perf(ceil(rate * seconds), out);
		break;
	case REFERENCE_HACKBENCH_PIPE:
		run_hackbench(rate * seconds, "-p", NULL, out);
		break;
	case REFERENCE_HACKBENCH_SOCKET:
		run_hackbench(rate * seconds, NULL, NULL, out);
		break;
	case REFERENCE_HACKBENCH_THREADS:
		run_hackbench(rate * seconds, "-p", "-T", out);
		break;
	case REFERENCE_FORK_LOOP:
		run_loop(programs->fork_loop, NULL, workers, seconds, out);
		break;
	case REFERENCE_EXEC_LOOP:
		run_loop(programs->fork_loop, programs->exit_program, workers, seconds, out);
		break;
	}
	out->cpu_seconds = effort_cpu_seconds() - before;
	return out->seconds > 0 && out->operations > 0;
}
