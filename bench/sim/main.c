// SPDX-License-Identifier: GPL-2.0-only
/*
 * How fast the simulator is: simulated seconds and entries of CPUs per second of this machine's CPU
 * time, for machines of 4, 64 and 640 CPUs and workloads that compute, pass messages and fork; and
 * the memory that a simulated CPU and task take. One process a row, one at a time.
 *
 * main KERNEL [SECONDS [MACHINE WORKLOAD [WORKERS]]] - KERNEL is a name, or the path of a library
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "backend/sim_kernel.h"
#include "base/memory.h"
#include "plan/plan.h"
#include "sim/sim.h"

struct row {
	const char *machine, *workload, *plan;
	double seconds; /* simulated */
	struct error *(*setup)(struct team *team,
			       const struct params *params); /* or the workload's */
};

/* ---- tasks that sleep most of the time: timers, idle CPUs and wakeups ------------------------------ */

static void sleeper(struct task *task, void *data)
{
	struct compute *compute = task_compute_new(task, COMPUTE_INT128, 0);

	(void)data;
	while (compute && task_running(task) && task_sleep(task, 1000000)) {
		task_compute(task, compute, 5, 0); /* about 30 us */
		task_count(task, 0, 1);
	}
	task_compute_free(task, compute);
}

static struct error *set_up_sleepers(struct team *team, const struct params *params)
{
	int64_t n = params_number(params, "workers");

	for (int64_t i = 0; i < n; i++)
		team_add(team, &(struct worker_spec){ .body = sleeper, .process = -1 });
	return NULL;
}

/* ---- rows -------------------------------------------------------------------------------------------- */

static const char plan_text[] = "[plan]\nruntime = %.3fs\nwarmup = 0\n[variant v]\n[case c]\n"
				"workload = %s\n%s\n";

static const struct row rows[] = {
	{ "m6a-xlarge", "cpu", "workers = 4", 100 },
	{ "m6a-xlarge", "messaging", "groups = 1\nsenders = 4\nreceivers = 4", 1 },
	{ "m6a-xlarge", "spawn", "workers = 4", 10 },
	{ "epyc-7502p", "cpu", "workers = 64", 30 },
	{ "epyc-7502p", "messaging", "groups = 4", 0.5 },
	{ "epyc-7502p", "spawn", "workers = 64", 1 },
	{ "epyc-9845-2s", "cpu", "workers = 384\ngate = spin\ncpus = node:0-11", 10 },
	{ "epyc-9845-2s", "messaging", "groups = 20", 0.05 },
	{ "epyc-9845-2s", "spawn", "workers = 640", 0.1 },
	{ "pack:2 numa:16 l3:1 core:16 pu:2", "sleepers", "workers = 1500", 0.1, set_up_sleepers },
};

static void die(struct error *error)
{
	if (!error)
		return;
	error_report(stderr, error);
	exit(1);
}

static double cpu_time(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static long resident(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_maxrss; /* KiB */
}

/*
 * A number that changes with any result of the trial: a change of the simulator that is to make it
 * faster, and nothing else, leaves it alone.
 */
static uint64_t digest(const struct team_report *report, const struct sim_usage *usage)
{
	uint64_t hash = 0xcbf29ce484222325; /* FNV-1a of 64 bits, by words */

	for (int i = 0; i < report->n_workers; i++) {
		const struct worker_report *w = &report->workers[i];

		hash = (hash ^ w->start_ns) * 0x100000001b3;
		hash = (hash ^ w->end_ns) * 0x100000001b3;
		hash = (hash ^ (uint64_t)(w->cpu_seconds * 1e9)) * 0x100000001b3;
		for (int j = 0; j < TEAM_MAX_COUNTERS; j++)
			hash = (hash ^ w->counters[j]) * 0x100000001b3;
	}
	for (int i = 0; i < KSCHED_NR_COSTS; i++)
		hash = (hash ^ usage->count[i]) * 0x100000001b3;
	hash = (hash ^ usage->events) * 0x100000001b3;
	return hash ^ hash >> 32;
}

static void run(const struct row *row, const char *kernel_name)
{
	autofree char *text = memory_format(plan_text, row->seconds,
					    row->setup ? "cpu" : row->workload, row->plan);
	struct case_instance *cases;
	struct sim_kernel *kernel;
	struct team_report report;
	struct machine *machine;
	struct sim_usage usage;
	struct sim_model *model;
	struct plan *plan;
	struct team *team;
	struct sim *sim;
	long before, booted, ended;
	double start, took;
	int n;

	die(plan_read_text("bench", text, NULL, 0, &plan));
	die(machine_open(row->machine, &machine));
	die(plan_expand(plan, machine, &cases, &n));
	die(model_read(machine, &model));
	die(sim_kernel_find(kernel_name, &kernel));
	before = resident();
	die(sim_boot(machine, model, kernel->library, false, &sim));
	booted = resident();
	team = sim_team_new(sim, &(struct sim_options){ .cpus = cases[0].cpus,
							.runtime_ns = plan->runtime_ns,
							.stop_limit_ns = plan->stop_limit_ns,
							.seed = 1 });
	die((row->setup ? row->setup : cases[0].workload->setup)(team, &cases[0].params));
	start = cpu_time();
	die(sim_team_run(team, &report));
	took = cpu_time() - start;
	ended = resident();
	if (report.failure) {
		fprintf(stderr, "bench: %s %s: %s\n", row->machine, row->workload, report.failure);
		exit(1);
	}
	sim_team_usage(team, &usage);
	printf("%-13.12s%-10s%5d%6d%8.2f%8.2f%9.3f%8.3f%7.0f%7.1f%7.1f  %08x\n", row->machine,
	       row->workload, machine->n_cpus, report.n_workers, row->seconds, took,
	       row->seconds / took, (double)usage.events / took / 1e6,
	       took * 1e9 / (double)usage.events, (double)(booted - before) / machine->n_cpus,
	       (double)(ended - booted) / report.n_workers, (unsigned)digest(&report, &usage));
}

static void run_row(const struct row *row, const char *kernel)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		run(row, kernel);
		fflush(stdout);
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || status)
		exit(1);
}

int main(int argc, char **argv)
{
	const char *kernel = argc > 1 && *argv[1] ? argv[1] : NULL;
	double seconds = argc > 2 ? atof(argv[2]) : 0;

	printf("%-13s%-10s%5s%6s%8s%8s%9s%8s%7s%7s%7s  %s\n", "machine", "workload", "CPUs",
	       "tasks", "sim s", "CPU s", "sim/CPU", "M ent/s", "ns/ent", "KiB/CPU", "KiB/tsk",
	       "results");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct row row = rows[i];

		if (argc > 3 && strcmp(argv[3], row.machine) != 0)
			continue;
		if (argc > 4 && strcmp(argv[4], row.workload) != 0)
			continue;
		if (seconds > 0)
			row.seconds = seconds;
		run_row(&row, kernel);
	}
	return 0;
}
