// SPDX-License-Identifier: GPL-2.0-only
/*
 * The compute kernels on this machine beside what the simulator makes of the default figures (sim/model.c)
 * for one core of this machine's clock: ns a unit, and their ratio, in one run.
 *
 * speeds [KERNEL] - a name, or the path of a library
 *
 * Of each kernel a fast one of many short pieces counts, in CPU time: other programs on the
 * machine make pieces longer. The clock is measured by additions that wait for each other, one a
 * cycle. Sets beyond L2 depend on caches and memory, whose default figures are of another machine.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "backend/sim_kernel.h"
#include "base/file.h"
#include "base/memory.h"
#include "sim/sim.h"
#include "task/compute.h"

#define PIECES	   120
#define PIECE_NS   1e6
#define ADDITIONS  100000
#define SIMULATED  400000000 /* ns */
#define BEYOND_ROW 13	     /* from here on: sets beyond L2 */

static const struct row {
	const char *name;
	enum compute_method method;
	size_t bytes;
} rows[] = {
	{ "int128", COMPUTE_INT128, 0 },	   { "double", COMPUTE_DOUBLE, 0 },
	{ "matrix", COMPUTE_MATRIX, 64 << 10 },	   { "matrix", COMPUTE_MATRIX, 192 << 10 },
	{ "chase", COMPUTE_CHASE, 128 << 10 },	   { "copy", COMPUTE_COPY, 96 << 10 },
	{ "scale", COMPUTE_SCALE, 96 << 10 },	   { "add", COMPUTE_ADD, 96 << 10 },
	{ "triad", COMPUTE_TRIAD, 96 << 10 },	   { "core", COMPUTE_CORE, 64 << 10 },
	{ "core", COMPUTE_CORE, 192 << 10 },	   { "ep", COMPUTE_EP, 0 },
	{ "objects", COMPUTE_OBJECTS, 192 << 10 }, { "matrix", COMPUTE_MATRIX, 4 << 20 },
	{ "core", COMPUTE_CORE, 4 << 20 },	   { "objects", COMPUTE_OBJECTS, 4 << 20 },
	{ "chase", COMPUTE_CHASE, 4 << 20 },	   { "chase", COMPUTE_CHASE, 128 << 20 },
	{ "copy", COMPUTE_COPY, 192 << 20 },	   { "triad", COMPUTE_TRIAD, 192 << 20 },
};

static void die(struct error *error)
{
	if (!error)
		return;
	error_report(stderr, error);
	exit(1);
}

static double cpu_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* ns of an addition; 0 where we do not know how to write them */
static double cycle_now(void)
{
#if defined(__x86_64__) || defined(__aarch64__)
	double before = cpu_ns();
	unsigned long x = 0;

	for (int i = 0; i < ADDITIONS; i++)
#ifdef __x86_64__
		__asm__ volatile("add $1, %0\n\tadd $1, %0\n\tadd $1, %0\n\tadd $1, %0" : "+r"(x));
#else
		__asm__ volatile("add %0, %0, #1\n\tadd %0, %0, #1\n\tadd %0, %0, #1\n\t"
				 "add %0, %0, #1"
				 : "+r"(x));
#endif
	return (cpu_ns() - before) / (4.0 * ADDITIONS);
#else
	return 0;
#endif
}

static int order(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* a tenth is faster: a hypervisor's corrections of the CPU time make some pieces too short */
static double fast_one(double *times)
{
	qsort(times, PIECES, sizeof(*times), order);
	return times[PIECES / 10];
}

/* ns a unit; @cycle: ns of one, meanwhile */
static double measure(const struct row *row, double *cycle)
{
	struct compute *compute = compute_new(row->method, row->bytes);
	double units[PIECES], cycles[PIECES], before = cpu_ns();
	uint64_t n;

	if (!compute) {
		perror("speeds");
		exit(1);
	}
	compute_run(compute, 1);
	n = (uint64_t)(PIECE_NS / (cpu_ns() - before)) + 1;
	for (int i = 0; i < PIECES; i++) {
		cycles[i] = cycle_now();
		before = cpu_ns();
		compute_run(compute, n);
		units[i] = (cpu_ns() - before) / (double)n;
	}
	compute_free(compute);
	*cycle = fast_one(cycles);
	return fast_one(units);
}

/* ---- the simulated side --------------------------------------------------------------------------- */

/* one core with the clock and the caches of this machine; everything else is the default */
static char *machine_text(double clock)
{
	long l2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
	uint64_t llc = 32 << 20;
	struct machine *here;

	die(machine_open(NULL, &here));
	if (here->n_groups[LEVEL_LLC] && here->groups[LEVEL_LLC][0].bytes)
		llc = here->groups[LEVEL_LLC][0].bytes;
	machine_close(here);
	if (l2 <= 0)
		l2 = 512 << 10;
	return memory_format("[topology]\nsynthetic = pack:1 numa:1 l3:1(size=%" PRIu64 "KiB) "
			     "l2:1(size=%ldKiB) core:1 pu:1\nmemory = 16G\n"
			     "[speed]\nclock-one = %.0fMHz\nclock-all = %.0fMHz\nl2-size = %ldK\n"
			     "[noise]\nirq-rate = 0/s\nkworker-period = 0s\ndaemons = 0\n",
			     llc >> 10, l2 >> 10, clock * 1e3, clock * 1e3, l2 >> 10);
}

static void body(struct task *task, void *data)
{
	const struct row *row = data;
	struct compute *compute = task_compute_new(task, row->method, row->bytes);

	task_compute(task, compute, UINT64_MAX, 0);
	task_compute_free(task, compute);
}

/* ns of CPU time a unit */
static double simulate(const struct row *row, const char *path, const char *kernel_name)
{
	struct worker_spec spec = { .body = body, .data = (void *)row, .process = -1 };
	struct sim_kernel *kernel;
	struct team_report report;
	struct machine *machine;
	struct sim_model *model;
	struct team *team;
	struct sim *sim;

	die(machine_open(path, &machine));
	die(model_read(machine, &model));
	die(sim_kernel_find(kernel_name, &kernel));
	die(sim_boot(machine, model, kernel->library, false, &sim));
	team = sim_team_new(sim, &(struct sim_options){ .cpus = machine->usable,
							.runtime_ns = SIMULATED,
							.warmup_ns = SIMULATED / 10,
							.stop_limit_ns = SIMULATED,
							.seed = 1 });
	team_add(team, &spec);
	die(sim_team_run(team, &report));
	if (report.failure) {
		fprintf(stderr, "speeds: %s: %s\n", row->name, report.failure);
		exit(1);
	}
	return report.workers[0].cpu_seconds * 1e9 / (double)report.workers[0].counters[0];
}

static bool print_row(const struct row *row, double live, const char *path, const char *kernel)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		double simulated = simulate(row, path, kernel);

		printf("%-9s%8zuK%14.1f%14.1f%10.2f\n", row->name, row->bytes >> 10, live,
		       simulated, live / simulated);
		fflush(stdout);
		_exit(0);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && !status;
}

int main(int argc, char **argv)
{
	char path[] = "/tmp/speeds-XXXXXX.machine";
	const char *kernel = argc > 1 && *argv[1] ? argv[1] : NULL;
	double live[ARRAY_SIZE(rows)], cycles[ARRAY_SIZE(rows)], clock;
	autofree char *text = NULL;
	bool done = true;
	FILE *file;
	int fd;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		live[i] = measure(&rows[i], &cycles[i]);
	qsort(cycles, ARRAY_SIZE(rows), sizeof(*cycles), order);
	clock = 1 / cycles[ARRAY_SIZE(rows) / 2];
	if (isinf(clock)) {
		fputs("speeds: this architecture's clock cannot be measured here\n", stderr);
		return 1;
	}
	text = machine_text(clock);
	fd = mkstemps(path, (int)strlen(".machine"));
	file = fd < 0 ? NULL : fdopen(fd, "w");
	if (!file || fputs(text, file) < 0 || fclose(file)) {
		perror(path);
		return 1;
	}
	printf("clock %.2f GHz\n%-9s%9s%14s%14s%10s\n", clock, "kernel", "set", "here, ns",
	       "simulated, ns", "ratio");
	for (size_t i = 0; i < ARRAY_SIZE(rows) && done; i++) {
		if (i == BEYOND_ROW)
			puts("beyond L2, where the simulated caches and memory are assumed:");
		done = print_row(&rows[i], live[i], path, kernel);
	}
	unlink(path);
	return !done;
}
