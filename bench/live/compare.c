// SPDX-License-Identifier: GPL-2.0-only
#include "compare.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ours.h"

/* of ours, and of hackbench: pipes are full by then; for the others only the start matters */
#define SHORT_SECONDS 0.05
#define START_SECONDS 0.01

/* how much longer runs of rows with ends are */
#define ENDS_FACTOR 2

/* our short run is made anew once in so many repeats */
#define REPEATS_A_SHORT_RUN 4

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* sorts @values */
static double median(double *values, int n)
{
	qsort(values, n, sizeof(*values), compare);
	return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

int compare_usable_cpus(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) ? sysconf(_SC_NPROCESSORS_ONLN)
						       : CPU_COUNT(&set);
}

/* what is started from now on runs on the first usable CPU; @before: to go back */
static void pin(cpu_set_t *before)
{
	cpu_set_t one;
	int cpu = 0;

	CPU_ZERO(before);
	sched_getaffinity(0, sizeof(*before), before);
	while (cpu < CPU_SETSIZE - 1 && !CPU_ISSET(cpu, before))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

/* false if noise made the short run the larger one: the repeat does not count */
static bool slope(const struct effort *small, const struct effort *large, struct cost *out)
{
	double operations = large->operations - small->operations;

	out->rate = operations / (large->seconds - small->seconds);
	out->cpu_us = (large->cpu_seconds - small->cpu_seconds) / operations * 1e6;
	return operations > 0 && out->rate > 0 && out->cpu_us > 0;
}

/* @effort counts the operations of the warm-up too, at the rate of the measured time */
static bool run_ours(const struct comparison *comparison, double seconds, struct effort *effort,
		     double *rate)
{
	struct ours result;

	if (!ours_run(comparison->case_lines, seconds, false, &result))
		return false;
	*rate = result.rate;
	effort->seconds = OURS_WARMUP_SECONDS + seconds;
	effort->operations = result.rate * effort->seconds;
	effort->cpu_seconds = result.cpu_seconds;
	return true;
}

static bool ours(const struct comparison *comparison, double seconds,
		 struct comparison_state *state, bool *counts, struct cost *out)
{
	struct effort large;
	double rate;

	if (state->n % REPEATS_A_SHORT_RUN == 0 &&
	    !run_ours(comparison, SHORT_SECONDS, &state->our_short, &rate))
		return false;
	if (!run_ours(comparison, seconds, &large, &rate))
		return false;
	*counts &= slope(&state->our_short, &large, out);
	out->rate = rate; /* after the warm-up, so it is a slope already */
	return true;
}

static bool theirs(const struct comparison *comparison, const struct reference_programs *programs,
		   double seconds, struct comparison_state *state, bool *counts, struct cost *out)
{
	int workers = comparison->one_cpu ? 1 : compare_usable_cpus();
	double rate = state->their_rate > 0 ? state->their_rate : comparison->first_rate;
	double short_seconds = comparison->ends ? SHORT_SECONDS : START_SECONDS;
	struct effort small, large;

	if (!reference_run(comparison->reference, programs, workers, rate, short_seconds, &small) ||
	    !reference_run(comparison->reference, programs, workers,
			   small.operations / small.seconds, seconds, &large))
		return false;
	*counts &= slope(&small, &large, out);
	state->their_rate = large.operations / large.seconds;
	if (!comparison->ends)
		out->rate = state->their_rate;
	return true;
}

void compare_repeat(const struct comparison *comparison, const struct reference_programs *programs,
		    double seconds, bool ours_first, struct comparison_state *state)
{
	struct cost *our = &state->ours[state->n], *their = &state->theirs[state->n];
	bool counts = true, well = true;
	cpu_set_t before;

	if (state->failed)
		return;
	if (comparison->ends)
		seconds *= ENDS_FACTOR;
	if (comparison->one_cpu)
		pin(&before);
	if (ours_first)
		well = ours(comparison, seconds, state, &counts, our);
	well = well && theirs(comparison, programs, seconds, state, &counts, their);
	if (!ours_first)
		well = well && ours(comparison, seconds, state, &counts, our);
	if (comparison->one_cpu)
		sched_setaffinity(0, sizeof(before), &before);
	state->failed = !well;
	state->n += well && counts;
}

void compare_heading(void)
{
	printf("%-34s %19s %21s %15s %19s\n", "", "operations a second", "ours / theirs",
	       "CPU us an op.", "theirs / ours");
	printf("%-17s %-16s %9s %9s %7s %13s %7s %7s %6s %12s %3s\n", "ours", "theirs", "ours",
	       "theirs", "median", "range", "ours", "theirs", "median", "range", "n");
}

static double middle(const struct cost *costs, int n, bool cpu)
{
	double values[COMPARE_REPEATS_MAX];

	for (int i = 0; i < n; i++)
		values[i] = cpu ? costs[i].cpu_us : costs[i].rate;
	return median(values, n);
}

void compare_print(const struct comparison *comparison, const struct comparison_state *state)
{
	double rates[COMPARE_REPEATS_MAX], cpus[COMPARE_REPEATS_MAX], rate, cpu;
	int n = state->n;

	printf("%-17s %-16s ", comparison->name, comparison->reference_name);
	if (state->failed || !n) {
		printf("could not run\n");
		return;
	}
	for (int i = 0; i < n; i++) {
		rates[i] = state->ours[i].rate / state->theirs[i].rate;
		cpus[i] = state->theirs[i].cpu_us / state->ours[i].cpu_us;
	}
	rate = median(rates, n);
	cpu = median(cpus, n);
	printf("%9.0f %9.0f %7.3f %6.3f-%6.3f %7.3f %7.3f %6.3f %5.3f-%6.3f %3d\n",
	       middle(state->ours, n, false), middle(state->theirs, n, false), rate, rates[0],
	       rates[n - 1], middle(state->ours, n, true), middle(state->theirs, n, true), cpu,
	       cpus[0], cpus[n - 1], n);
}
