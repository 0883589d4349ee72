/* SPDX-License-Identifier: GPL-2.0-only */
/* sample.h - a run that has something of everything, for the tests of the store */
#ifndef FT_TESTS_SAMPLE_H
#define FT_TESTS_SAMPLE_H

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "result/store.h"
#include "unit.h"

static const struct metric_desc sample_ops = { "ops", "1/s", BETTER_HIGHER, 1, "operations" };
static const struct metric_desc sample_delay = { "run_delay", "ms", BETTER_LOWER, 2, "waiting" };

static inline void sample_case(struct run *run, const char *name, int workers)
{
	struct result_case *instance = array_append(run->cases, run->n_cases);

	instance->name = memory_string(name);
	instance->workload = memory_string("spawn");
	instance->workload_version = 1;
	instance->params = json_pack("{s:i}", "workers", workers);
	instance->cpus = memory_string("0-3,8");
}

static inline void sample_variant(struct run *run, const char *name, int value)
{
	struct result_variant *variant = array_append(run->variants, run->n_variants);

	variant->name = memory_string(name);
	variant->settings = json_pack("{s:i}", "autogroup", value);
	variant->backend = memory_string("live");
}

static inline struct run *sample_run(const char *label)
{
	struct run *run = run_new();

	run->label = memory_string(label);
	run->plan_name = memory_string("autogroup");
	run->plan_text = memory_string("[plan]\ntrials = 3 ; \xc3\xa9\n");
	run->tool_version = memory_string("0.1.0");
	run->started = 1790000000.125;
	run->seed = UINT64_MAX;
	run->trials_planned = 3;
	json_object_set_new(run->environment, "kernel", json_string("6.12.1"));
	sample_case(run, "spawn workers=4", 4);
	sample_case(run, "spawn workers=8", 8);
	sample_variant(run, "off", 0);
	sample_variant(run, "on", 1);
	run->cases[1].program_version = memory_string("stress-ng 0.15.06");
	run->variants[1].machine = memory_string("epyc");
	run->variants[1].kernel = memory_string("tip");
	return run;
}

/* trial number @i: the last of each block fails */
static inline struct trial sample_trial(int i)
{
	const double workers[] = { i + 0.1, NAN, 1e300, 5e-324 };
	struct trial trial = { .case_index = i / 2 % 2, .variant_index = i % 2 };

	trial.block = i / 4;
	trial.position = i;
	trial.seed = 0x8000000000000000 + i;
	trial.started = 1790000001.5 + i;
	trial.duration = 10.0625;
	trial.environment = json_pack("{s:s}", "cgroup", "/user.slice");
	trial_add_metric(&trial, &sample_ops, 1.0 / 3 + i, workers, 4);
	trial.metrics[0].histogram = memory_zeroed(1, sizeof(struct histogram));
	for (int j = 0; j < i; j++)
		histogram_record(trial.metrics[0].histogram, 1000 + 77 * j);
	trial_add_unavailable(&trial, &sample_delay, "schedstat is off");
	if (i % 4 == 3) {
		trial.status = TRIAL_FAILED;
		trial.reason = memory_string("worker 2 died of signal 9");
	}
	return trial;
}

/* stores a run with @n trials; returns its id */
static inline int64_t sample_store(struct store *store, const char *label, int n)
{
	struct run *run = sample_run(label);
	int64_t id;

	ck_no_error(store_add_run(store, run));
	for (int i = 0; i < n; i++) {
		struct trial trial = sample_trial(i);

		ck_no_error(store_add_trial(store, run, &trial));
		ck_assert_int_gt(trial.id, 0);
		trial_clear(&trial);
	}
	id = run->id;
	run_free(run);
	return id;
}

/* a path in a new folder; sample_clean() removes both */
static inline char *sample_path(const char *name)
{
	const char *base = getenv("TMPDIR");
	char *folder = memory_format("%s/fairtrial-test-XXXXXX", base ? base : "/tmp");
	char *path;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	path = memory_format("%s/%s", folder, name);
	free(folder);
	return path;
}

static inline void sample_clean(char *path)
{
	static const char *const suffixes[] = { "", "-wal", "-shm", "-journal" };
	char *slash = strrchr(path, '/');

	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
		char *name = memory_format("%s%s", path, suffixes[i]);

		unlink(name);
		free(name);
	}
	*slash = '\0';
	rmdir(path);
	free(path);
}

#endif
