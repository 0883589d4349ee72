// SPDX-License-Identifier: GPL-2.0-only
/*
 * store.c - what the store costs: 1,000 trials of 640 workers and 10 metrics
 *
 * Prints the time of a commit beside that of a bare write and fsync of as many bytes, and the time
 * of loading beside that of reading the file, all in one run; then the time of `fairtrial compare`
 * over the store.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/subprocess.h"
#include "result/store.h"

#define N_TRIALS  1000
#define N_WORKERS 640
#define N_METRICS 10

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec + time.tv_nsec * 1e-9;
}

static void check(struct error *error)
{
	if (!error)
		return;
	error_report(stderr, error);
	exit(error_exit_status(error));
}

static struct run *make_run(void)
{
	struct run *run = run_new();
	struct result_case *instance = array_append(run->cases, run->n_cases);

	run->label = memory_string("bench");
	run->plan_name = memory_string("bench");
	run->trials_planned = N_TRIALS / 2;
	run->started = 1790000000;
	instance->name = memory_string("spawn workers=640");
	instance->workload = memory_string("spawn");
	instance->workload_version = 1;
	array_append(run->variants, run->n_variants)->name = memory_string("off");
	array_append(run->variants, run->n_variants)->name = memory_string("on");
	return run;
}

static struct trial make_trial(int number)
{
	struct trial trial = {
		.variant_index = number % 2,
		.block = number / 2,
		.position = number,
		.started = 1790000001 + number,
		.duration = 1,
	};

	for (int m = 0; m < N_METRICS; m++) {
		char name[16];
		struct metric_desc desc = { name, "1/s", BETTER_HIGHER, 1, "" };
		double workers[N_WORKERS], sum = 0;

		snprintf(name, sizeof(name), "metric%d", m);
		for (int w = 0; w < N_WORKERS; w++)
			sum += workers[w] = 1000 + drand48();
		trial_add_metric(&trial, &desc, sum, workers, N_WORKERS);
	}
	return trial;
}

static double write_store(const char *path)
{
	struct run *run = make_run();
	struct store *store;
	double spent = 0;

	check(store_open(path, STORE_WRITE, &store));
	check(store_add_run(store, run));
	for (int i = 0; i < N_TRIALS; i++) {
		struct trial trial = make_trial(i);
		double start = now();

		check(store_add_trial(store, run, &trial));
		spent += now() - start;
		trial_clear(&trial);
	}
	check(store_complete_run(store, run));
	store_close(store);
	run_free(run);
	return spent;
}

/* as many bytes to the disk as often, without a database */
static double write_bare(const char *path)
{
	size_t size = N_METRICS * N_WORKERS * sizeof(double);
	autofree char *data = memory_zeroed(1, size);
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	double start = now();

	for (int i = 0; i < N_TRIALS; i++) {
		memset(data, i, size);
		if (write(fd, data, size) != (ssize_t)size || fdatasync(fd))
			check(error_errno("cannot write %s", path));
	}
	close(fd);
	unlink(path);
	return now() - start;
}

static double load(const char *path, enum load_depth depth)
{
	double start = now();
	struct store *store;
	struct run *run;

	check(store_open(path, STORE_READ, &store));
	check(store_load_run(store, 1, depth, &run));
	store_close(store);
	if (run->n_trials != N_TRIALS)
		exit(EXIT_FAILURE);
	start = now() - start;
	run_free(run);
	return start;
}

static double read_bare(const char *path)
{
	double start = now();
	char *text;

	check(file_read(path, &text, NULL));
	free(text);
	return now() - start;
}

static double compare(const char *path)
{
	const char *program = getenv("FAIRTRIAL");
	const char *const argv[] = { program, "compare",      "-d",  path, "--metrics",
				     "all",   "--per-worker", "off", "on", NULL };
	struct subprocess_output output;
	double start = now();

	if (!program)
		return -1;
	check(subprocess_check(argv, NULL, 60, &output));
	subprocess_free(&output);
	return now() - start;
}

int main(void)
{
	char folder[] = "store-bench-XXXXXX";
	autofree char *path = NULL, *bare = NULL;
	double store, plain, reading;

	if (!mkdtemp(folder))
		check(error_errno("cannot make a folder here"));
	path = memory_format("%s/results.db", folder);
	bare = memory_format("%s/bare", folder);
	store = write_store(path);
	plain = write_bare(bare);
	printf("%d trials, %d values by worker, %d metrics\n", N_TRIALS, N_WORKERS, N_METRICS);
	printf("commit of a trial          %8.2f ms   write and fdatasync %8.2f ms   ratio %.2f\n",
	       store, plain, store / plain);
	load(path, LOAD_WORKERS); /* the first read brings the file into the page cache */
	reading = read_bare(path);
	printf("load with workers          %8.3f s    reading the file    %8.3f s    ratio %.2f\n",
	       load(path, LOAD_WORKERS), reading, load(path, LOAD_WORKERS) / reading);
	printf("load of the values alone   %8.3f s\n", load(path, LOAD_VALUES));
	printf("compare all, per worker     %8.3f s    (aim: below 1 s)\n", compare(path));
	unlink(path);
	rmdir(folder);
	return EXIT_SUCCESS;
}
