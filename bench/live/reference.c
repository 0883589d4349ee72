// SPDX-License-Identifier: GPL-2.0-only
#include "reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/subprocess.h"

#define TIME_LIMIT_SECONDS 120.0

/* messages of a group for each loop: every one of 20 senders to every one of 20 receivers */
#define HACKBENCH_MESSAGES 400.0

/*
 * In a session of its own, as a trial is: else autogroup would give the two different shares of a
 * machine that is not idle.
 */
#define SESSION "setsid", "--wait"

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

/*
 * These programs take a number of loops, not a time: a short run tells how many loops take
 * @seconds. @run_loops returns the seconds that its loops took.
 */
static double rate_of(double (*run_loops)(long loops, const char *const *extra),
		      const char *const *extra, long first_loops, double seconds)
{
	double first = run_loops(first_loops, extra), loops, took;

	if (!(first > 0))
		return NAN;
	loops = ceil(first_loops * seconds / first);
	took = run_loops(loops, extra);
	return loops / took;
}

static double perf_loops(long loops, const char *const *extra)
{
	autofree char *count = memory_format("%ld", loops);
	const char *arguments[] = { "perf", "bench", "-f",  "simple", "sched",
				    "pipe", "-l",    count, NULL };

	(void)extra;
	return run(arguments, "");
}

double reference_perf_pipe(double seconds)
{
	return rate_of(perf_loops, NULL, 5000, seconds);
}

static double hackbench_loops(long loops, const char *const *extra)
{
	autofree char *count = memory_format("%ld", loops);
	const char *arguments[] = { SESSION, "hackbench", "-g",	 "1",	   "-f",     "20", "-s",
				    "100",   "-l",	  count, extra[0], extra[1], NULL };

	return run(arguments, "Time: ");
}

double reference_hackbench_pipe(double seconds)
{
	const char *extra[] = { "-p", NULL };

	return HACKBENCH_MESSAGES * rate_of(hackbench_loops, extra, 200, seconds);
}

double reference_hackbench_socket(double seconds)
{
	const char *extra[] = { NULL, NULL };

	return HACKBENCH_MESSAGES * rate_of(hackbench_loops, extra, 200, seconds);
}

double reference_hackbench_threads(double seconds)
{
	const char *extra[] = { "-p", "-T" };

	return HACKBENCH_MESSAGES * rate_of(hackbench_loops, extra, 200, seconds);
}

double reference_fork_loop(const char *program, int workers, double seconds)
{
	autofree char *count = memory_format("%d", workers);
	autofree char *time = memory_format("%.0f", fmax(1.0, seconds));
	const char *arguments[] = { SESSION, program, count, time, NULL };

	return run(arguments, "");
}
