// SPDX-License-Identifier: GPL-2.0-only
/*
 * live.c - is what we measure as fast as what the known programs measure?
 *
 * Usage: bench-live FORK_LOOP EXIT_PROGRAM [REPEATS [SECONDS [NAME]]]; FAIRTRIAL names the program
 * under test; only rows whose name begins with NAME. For each workload ours and theirs run next to each other, in alternating order; all rows
 * once, then all again, REPEATS times, so that a noisy minute hits each of them. Then the start
 * skew of workers, and the CPU time that fairtrial itself takes during a trial.
 *
 * On several CPUs a pair is fast or slow by where its halves happen to run, in ours and in theirs;
 * rows on one CPU do not have that, so they tell more of what a round costs. The machine should be
 * idle: the load at the start is printed.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "compare.h"
#include "ours.h"

static const struct comparison comparisons[] = {
	{ "pingpong, 1 CPU", "workload = pingpong\n", "perf sched pipe", REFERENCE_PERF_PIPE, 1e5,
	  .one_cpu = true },
	{ "pingpong", "workload = pingpong\n", "perf sched pipe", REFERENCE_PERF_PIPE, 1e5 },
	{ "messaging pipe", "workload = messaging\n", "hackbench -p", REFERENCE_HACKBENCH_PIPE, 3e5,
	  .ends = true },
	{ "messaging socket", "workload = messaging\nchannel = socket\n", "hackbench",
	  REFERENCE_HACKBENCH_SOCKET, 3e5, .ends = true },
	{ "messaging threads", "workload = messaging\nthreads = yes\n", "hackbench -p -T",
	  REFERENCE_HACKBENCH_THREADS, 3e5, .ends = true },
	{ "spawn, 1 CPU", "workload = spawn\n", "fork loop", REFERENCE_FORK_LOOP, 0,
	  .one_cpu = true },
	{ "spawn", "workload = spawn\n", "fork loop", REFERENCE_FORK_LOOP, 0 },
	{ "spawn exec, 1 CPU", "workload = spawn\nchild = exec\n", "vfork+exec loop",
	  REFERENCE_EXEC_LOOP, 0, .one_cpu = true },
};

#define N_COMPARISONS (sizeof(comparisons) / sizeof(comparisons[0]))

static bool wanted(const struct comparison *comparison, const char *name)
{
	return !strncmp(comparison->name, name, strlen(name));
}

static bool compare_all(const struct reference_programs *programs, int repeats, double seconds,
			const char *name)
{
	struct comparison_state *states = memory_zeroed(N_COMPARISONS, sizeof(*states));
	bool well = true;

	for (int i = 0; i < repeats; i++)
		for (size_t j = 0; j < N_COMPARISONS; j++)
			if (wanted(&comparisons[j], name))
				compare_repeat(&comparisons[j], programs, seconds, i % 2,
					       &states[j]);
	compare_heading();
	for (size_t j = 0; j < N_COMPARISONS; j++) {
		if (!wanted(&comparisons[j], name))
			continue;
		compare_print(&comparisons[j], &states[j]);
		well &= !states[j].failed && states[j].n;
	}
	fflush(stdout);
	free(states);
	return well;
}

static bool show_trial(const char *name, const char *case_lines, double seconds)
{
	struct ours result;

	if (!ours_run(case_lines, seconds, true, &result))
		return false;
	printf("%-24s %11.0f us %11.0f us %18.3f %%\n", name, result.skew_median, result.skew_most,
	       result.own_share);
	fflush(stdout);
	return true;
}

static bool show_trials(double seconds)
{
	bool well = true;

	printf("\nStart skew: from the opening of the gate to a worker's first instruction. Own "
	       "CPU time:\nof fairtrial's processes that are no workers, while the trial runs.\n");
	printf("%-24s %14s %14s %20s\n", "trial", "skew, median", "skew, most", "own, of one CPU");
	well &= show_trial("cpu, nr_cpus workers", "workload = cpu\n", seconds);
	well &= show_trial("cpu, 8 workers a CPU", "workload = cpu\nworkers = 8 * nr_cpus\n",
			   seconds);
	well &= show_trial("messaging, 40 tasks", "workload = messaging\n", seconds);
	printf("%-24s %14s %14s %20s\n", "aim", "", "", "< 0.5 %");
	return well;
}

int main(int argc, char **argv)
{
	struct reference_programs programs;
	int repeats = argc > 3 ? atoi(argv[3]) : 8;
	double seconds = argc > 4 ? atof(argv[4]) : 0.4, load;
	const char *name = argc > 5 ? argv[5] : "";
	bool well;

	if (argc < 3 || argc > 6 || !getenv("FAIRTRIAL")) {
		fprintf(stderr, "usage: FAIRTRIAL=PROGRAM bench-live FORK_LOOP EXIT_PROGRAM "
				"[REPEATS [SECONDS [NAME]]]\n");
		return 2;
	}
	programs = (struct reference_programs){ argv[1], argv[2] };
	if (repeats < 1 || repeats > COMPARE_REPEATS_MAX || !(seconds >= 0.2)) {
		fprintf(stderr, "bench-live: REPEATS is 1 to %d, SECONDS at least 0.2\n",
			COMPARE_REPEATS_MAX);
		return 2;
	}
	if (getloadavg(&load, 1) == 1)
		printf("load %.2f on %d CPUs before the start\n", load, compare_usable_cpus());
	printf("%d repeats of %g s (messaging: twice that); both ratios: aim >= 0.97\n", repeats,
	       seconds);
	fflush(stdout);
	well = compare_all(&programs, repeats, seconds, name);
	if (!*name)
		well &= show_trials(fmax(3, seconds));
	return well ? EXIT_SUCCESS : EXIT_FAILURE;
}
