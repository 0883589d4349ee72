// SPDX-License-Identifier: GPL-2.0-only
#include "ours.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "reference.h"
#include "result/store.h"

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec + time.tv_nsec / 1e9;
}

static void pause_for(double seconds)
{
	struct timespec time = { (time_t)seconds, (seconds - (time_t)seconds) * 1e9 };

	nanosleep(&time, NULL);
}

/* ---- the CPU time of fairtrial itself ---- */

/* CPU seconds of a single-threaded process, from its schedstat (the first field, nanoseconds) */
static double cpu_seconds(pid_t pid)
{
	autofree char *path = memory_format("/proc/%d/schedstat", pid);
	autofree char *line = file_read_line(path);

	return line ? strtod(line, NULL) / 1e9 : NAN;
}

/* the trial's process: the first child of the program; 0 while there is none */
static pid_t first_child(pid_t pid)
{
	autofree char *path = memory_format("/proc/%d/task/%d/children", pid, pid);
	autofree char *line = file_read_line(path);

	return line ? atoi(line) : 0;
}

/* in the middle of the measured time: between a quarter and three quarters of it */
static double watch_share(pid_t program, double seconds)
{
	double limit = now() + 10, begin, before;
	pid_t trial;

	while (!(trial = first_child(program)) && now() < limit)
		pause_for(0.01);
	if (!trial)
		return NAN;
	pause_for(seconds / 4);
	before = cpu_seconds(program) + cpu_seconds(trial);
	begin = now();
	pause_for(seconds / 2);
	return 100 * (cpu_seconds(program) + cpu_seconds(trial) - before) / (now() - begin);
}

/* ---- one trial ---- */

static pid_t start(const char *plan, const char *store)
{
	const char *program = getenv("FAIRTRIAL");
	pid_t pid = fork();
	int null;

	if (pid)
		return pid;
	null = open("/dev/null", O_WRONLY);
	dup2(null, STDOUT_FILENO);
	execl(program, program, "run", "--quiet", "-d", store, plan, (char *)NULL);
	perror(program);
	_exit(127);
}

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void take_skew(const struct metric *metric, struct ours *out)
{
	autofree double *values =
		memory_copy(metric->per_worker, metric->n_workers * sizeof(*values));

	qsort(values, metric->n_workers, sizeof(*values), compare);
	out->skew_median = values[metric->n_workers / 2];
	out->skew_most = values[metric->n_workers - 1];
}

static bool take_results(const char *path, struct ours *out)
{
	struct store *store;
	struct run *run = NULL;
	struct error *error = store_open(path, STORE_READ, &store);
	int64_t id;
	bool done = false;

	if (!error) {
		error = store_newest(store, NULL, &id);
		if (!error)
			error = store_load_run(store, id, LOAD_WORKERS, &run);
		store_close(store);
	}
	if (error) {
		error_report(stderr, error);
		error_free(error);
		return false;
	}
	if (run->n_trials == 1 && run->trials[0].status == TRIAL_OK) {
		const struct metric *skew = trial_metric(&run->trials[0], "start_skew");

		out->rate = run->trials[0].metrics[0].value;
		if (skew && skew->n_workers)
			take_skew(skew, out);
		done = true;
	} else {
		fprintf(stderr, "bench: the trial failed: %s\n",
			run->n_trials ? run->trials[0].reason : "there is none");
	}
	run_free(run);
	return done;
}

static bool write_plan(const char *path, const char *case_lines, double seconds)
{
	autofree char *text = memory_format("[plan]\ntrials = 1\nruntime = %.0fms\n"
					    "warmup = %.0fms\n[variant it]\n[case c]\n%s",
					    seconds * 1e3, OURS_WARMUP_SECONDS * 1e3, case_lines);
	struct error *error = file_replace(path, text, strlen(text), 0600);

	if (error)
		error_report(stderr, error);
	error_free(error);
	return !error;
}

static void remove_all(const char *folder)
{
	static const char *const names[] = { "plan", "store", "store-wal", "store-shm" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		autofree char *path = memory_format("%s/%s", folder, names[i]);

		unlink(path);
	}
	rmdir(folder);
}

bool ours_run(const char *case_lines, double seconds, bool watch, struct ours *out)
{
	char folder[] = "/tmp/fairtrial-bench-XXXXXX";
	autofree char *plan = NULL, *store = NULL;
	int status = -1;
	bool done;

	*out = (struct ours){ NAN, NAN, NAN, NAN, NAN };
	if (!mkdtemp(folder)) {
		perror(folder);
		return false;
	}
	plan = memory_format("%s/plan", folder);
	store = memory_format("%s/store", folder);
	done = write_plan(plan, case_lines, seconds);
	if (done) {
		double before = effort_cpu_seconds();
		pid_t pid = start(plan, store);

		if (watch)
			out->own_share = watch_share(pid, seconds);
		waitpid(pid, &status, 0);
		out->cpu_seconds = effort_cpu_seconds() - before;
		done = !status && take_results(store, out);
	}
	remove_all(folder);
	return done;
}
