// SPDX-License-Identifier: GPL-2.0-only
/*
 * live.c - is what we measure as fast as what the known programs measure?
 *
 * Usage: bench-live FORK_LOOP [REPEATS [SECONDS]]; FAIRTRIAL names the program under test. For each
 * workload ours and theirs run next to each other, REPEATS times, in alternating order; printed are
 * the medians, and median and range of the ratios ours / theirs. Then the start skew of workers,
 * and the CPU time that fairtrial itself takes during a trial.
 *
 * On several CPUs a pair is fast or slow by where its halves happen to run, in ours and in theirs;
 * rows on one CPU do not have that, so they tell more of what a round costs. The machine must be
 * idle: the load at the start is printed.
 */
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ours.h"
#include "reference.h"

#define REPEATS_MOST 100

struct comparison {
	const char *name, *case_lines;
	const char *reference;
	double (*run)(double seconds); /* NULL: fork-loop */
	bool one_cpu;
};

static const struct comparison comparisons[] = {
	{ "pingpong, one CPU", "workload = pingpong\n", "perf bench sched pipe",
	  reference_perf_pipe, true },
	{ "pingpong", "workload = pingpong\n", "perf bench sched pipe", reference_perf_pipe },
	{ "messaging pipe", "workload = messaging\n", "hackbench -p", reference_hackbench_pipe },
	{ "messaging socket", "workload = messaging\nchannel = socket\n", "hackbench",
	  reference_hackbench_socket },
	{ "messaging threads", "workload = messaging\nthreads = yes\n", "hackbench -p -T",
	  reference_hackbench_threads },
	{ "spawn, one CPU", "workload = spawn\n", "bare fork loop", NULL, true },
	{ "spawn", "workload = spawn\n", "bare fork loop", NULL },
};

struct options {
	const char *fork_loop;
	int repeats;
	double seconds;
};

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

static int usable_cpus(void)
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

static double theirs(const struct comparison *comparison, const struct options *options)
{
	if (comparison->run)
		return comparison->run(options->seconds);
	return reference_fork_loop(options->fork_loop, comparison->one_cpu ? 1 : usable_cpus(),
				   options->seconds);
}

static double ours(const struct comparison *comparison, const struct options *options)
{
	struct ours result;

	return ours_run(comparison->case_lines, options->seconds, false, &result) ? result.rate
										  : NAN;
}

/* false: one of the two could not run */
static bool compare_rates(const struct comparison *comparison, const struct options *options)
{
	double our_rates[REPEATS_MOST], their_rates[REPEATS_MOST], ratios[REPEATS_MOST], middle;
	int n = options->repeats;

	for (int i = 0; i < n; i++) {
		if (i % 2)
			our_rates[i] = ours(comparison, options);
		their_rates[i] = theirs(comparison, options);
		if (i % 2 == 0)
			our_rates[i] = ours(comparison, options);
		ratios[i] = our_rates[i] / their_rates[i];
		if (isnan(ratios[i])) {
			printf("%-18s %-22s could not run\n", comparison->name,
			       comparison->reference);
			return false;
		}
	}
	middle = median(ratios, n);
	printf("%-18s %-22s %9.0f %9.0f  %5.3f %5.3f-%5.3f\n", comparison->name,
	       comparison->reference, median(our_rates, n), median(their_rates, n), middle,
	       ratios[0], ratios[n - 1]);
	fflush(stdout);
	return true;
}

static bool compare_one(const struct comparison *comparison, const struct options *options)
{
	cpu_set_t before;
	bool well;

	if (!comparison->one_cpu)
		return compare_rates(comparison, options);
	pin(&before);
	well = compare_rates(comparison, options);
	sched_setaffinity(0, sizeof(before), &before);
	return well;
}

static bool show_trial(const char *name, const char *case_lines, double seconds)
{
	struct ours result;

	if (!ours_run(case_lines, seconds, true, &result))
		return false;
	printf("%-30s %10.0f %10.0f %14.3f %%\n", name, result.skew_median, result.skew_most,
	       result.own_share);
	fflush(stdout);
	return true;
}

static bool show_trials(double seconds)
{
	bool well = true;

	printf("\n%-30s %10s %10s %16s\n", "", "start skew of", "workers,", "own CPU time,");
	printf("%-30s %10s %10s %16s\n", "trial", "median us", "most us", "of one CPU");
	well &= show_trial("cpu, nr_cpus workers", "workload = cpu\n", seconds);
	well &= show_trial("cpu, 8 workers a CPU", "workload = cpu\nworkers = 8 * nr_cpus\n",
			   seconds);
	well &= show_trial("messaging, 40 tasks", "workload = messaging\n", seconds);
	return well;
}

int main(int argc, char **argv)
{
	struct options options = { .repeats = 7, .seconds = 1 };
	bool well = true;
	double load;

	if (argc < 2 || argc > 4 || !getenv("FAIRTRIAL")) {
		fprintf(stderr, "usage: FAIRTRIAL=PROGRAM bench-live FORK_LOOP [REPEATS "
				"[SECONDS]]\n");
		return 2;
	}
	options.fork_loop = argv[1];
	if (argc > 2)
		options.repeats = atoi(argv[2]);
	if (argc > 3)
		options.seconds = atof(argv[3]);
	if (options.repeats < 1 || options.repeats > REPEATS_MOST || !(options.seconds >= 1)) {
		fprintf(stderr, "bench-live: REPEATS is 1 to %d, SECONDS at least 1\n",
			REPEATS_MOST);
		return 2;
	}
	if (getloadavg(&load, 1) == 1)
		printf("load %.2f on %d CPUs\n", load, usable_cpus());
	printf("%-18s %-22s %9s %9s  %5s %s\n", "ours", "theirs", "ours 1/s", "theirs", "ratio",
	       "range");
	for (size_t i = 0; i < sizeof(comparisons) / sizeof(comparisons[0]); i++)
		well &= compare_one(&comparisons[i], &options);
	well &= show_trials(fmax(4, options.seconds));
	return well ? EXIT_SUCCESS : EXIT_FAILURE;
}
