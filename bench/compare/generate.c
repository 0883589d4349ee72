// SPDX-License-Identifier: GPL-2.0-only
/*
 * generate FILE - a store with one run: 500 blocks of two variants (1,000 trials), 10 metrics each
 * with 640 values per worker, as of one trial a block on a machine of 640 CPUs
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "result/store.h"

#define BLOCKS	500
#define METRICS 10
#define WORKERS 640

static uint64_t state = 1;

static double uniform(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state >> 11) * 0x1p-53;
}

static struct run *new_run(void)
{
	static const char *const names[] = { "before", "after" };
	struct run *run = run_new();
	struct result_case *instance = array_append(run->cases, run->n_cases);

	run->label = memory_string("bench");
	run->plan_name = memory_string("bench");
	run->plan_text = memory_string("[plan]\n");
	run->tool_version = memory_string("bench");
	run->started = 1790000000;
	run->trials_planned = BLOCKS;
	instance->name = memory_string("cpu workers=640");
	instance->workload = memory_string("bench");
	instance->workload_version = 1;
	instance->params = json_pack("{s:i}", "workers", WORKERS);
	instance->cpus = memory_string("0-639");
	for (int i = 0; i < 2; i++) {
		struct result_variant *variant = array_append(run->variants, run->n_variants);

		variant->name = memory_string(names[i]);
		variant->settings = json_object();
		variant->backend = memory_string("live");
		variant->machine = memory_string("live");
	}
	return run;
}

static void add_metric(struct trial *trial, int number)
{
	autofree char *name = memory_format("metric_%d", number);
	struct metric_desc desc = { name, "1/s", BETTER_HIGHER, 1, "" };
	double workers[WORKERS], sum = 0;

	for (int i = 0; i < WORKERS; i++) {
		workers[i] = 1000 * (1 + 0.1 * uniform());
		sum += workers[i];
	}
	trial_add_metric(trial, &desc, sum, workers, WORKERS);
}

static struct error *add_trials(struct store *store, struct run *run)
{
	struct error *error = NULL;

	for (int i = 0; i < 2 * BLOCKS && !error; i++) {
		struct trial trial = { .variant_index = i % 2, .block = i / 2, .position = i };

		trial.started = run->started + i;
		trial.duration = 1;
		trial.environment = json_object();
		for (int number = 0; number < METRICS; number++)
			add_metric(&trial, number);
		error = store_add_trial(store, run, &trial);
		trial_clear(&trial);
	}
	return error;
}

int main(int argc, char **argv)
{
	struct run *run = new_run();
	struct store *store = NULL;
	struct error *error;

	if (argc != 2) {
		fprintf(stderr, "usage: generate FILE\n");
		return 2;
	}
	error = store_open(argv[1], STORE_WRITE, &store);
	if (!error)
		error = store_add_run(store, run);
	if (!error)
		error = add_trials(store, run);
	if (!error)
		error = store_complete_run(store, run);
	store_close(store);
	run_free(run);
	if (error) {
		error_report(stderr, error);
		error_free(error);
		return 1;
	}
	return 0;
}
