/* SPDX-License-Identifier: GPL-2.0-only */
/* fixture.h - runs in memory, for tests of tables and reports */
#ifndef FT_TESTS_FIXTURE_H
#define FT_TESTS_FIXTURE_H

#include "result/result.h"
#include "stats/table.h"
#include "unit.h"

static const struct metric_desc fixture_ops = { "ops", "1/s", BETTER_HIGHER, 1, "operations" };
static const struct metric_desc fixture_time = { "time", "s", BETTER_LOWER, 1, "time" };
static const struct metric_desc fixture_idle = { "idle", "%", BETTER_NEITHER, 1, "idle share" };

static inline void fixture_case(struct run *run, const char *name)
{
	struct result_case *instance = array_append(run->cases, run->n_cases);

	instance->name = memory_string(name);
	instance->workload = memory_string("spawn");
	instance->workload_version = 1;
	instance->params = json_pack("{s:i}", "workers", 4);
	instance->cpus = memory_string("0-3");
}

static inline void fixture_variant(struct run *run, const char *name)
{
	struct result_variant *variant = array_append(run->variants, run->n_variants);

	variant->name = memory_string(name);
	variant->settings = json_object();
	variant->backend = memory_string("live");
}

/* a run with one case "spawn" and variants "off", "on" ... of @variants, separated by a blank */
static inline struct run *fixture_run(int64_t id, const char *variants)
{
	struct run *run = run_new();
	char *copy = memory_string(variants), *rest = copy;

	run->id = id;
	run->label = memory_string("fixture");
	run->plan_name = memory_string("fixture.plan");
	run->started = 1790000000;
	run->complete = true;
	fixture_case(run, "spawn");
	for (char *word; (word = strsep(&rest, " "));)
		fixture_variant(run, word);
	free(copy);
	return run;
}

/* a trial without metrics; valid until the next one is added */
static inline struct trial *fixture_trial(struct run *run, int case_index, int variant, int block)
{
	struct trial *trial = array_append(run->trials, run->n_trials);

	trial->case_index = case_index;
	trial->variant_index = variant;
	trial->block = block;
	return trial;
}

/* trials of one metric, a value a block; NAN: the trial failed */
static inline void fixture_values(struct run *run, int variant, const struct metric_desc *metric,
				  const double *values, int n)
{
	for (int i = 0; i < n; i++) {
		struct trial *trial = fixture_trial(run, 0, variant, i);

		if (values[i] == values[i]) {
			trial_add_metric(trial, metric, values[i], NULL, 0);
		} else {
			trial->status = TRIAL_FAILED;
			trial->reason = memory_string("worker 1 died of signal 9");
		}
	}
}

static inline struct run *fixture_pair_of(const char *variants, const struct metric_desc *metric,
					  const double *base, int n_base, const double *test,
					  int n_test)
{
	struct run *run = fixture_run(1, variants);

	fixture_values(run, 0, metric, base, n_base);
	fixture_values(run, 1, metric, test, n_test);
	return run;
}

/* a run of two variants with trials of one metric, as many as the arrays hold values */
#define fixture_pair(variants, metric, base, test)                                                 \
	fixture_pair_of(variants, metric, base, ARRAY_SIZE(base), test, ARRAY_SIZE(test))

static inline enum metric_role fixture_role(const char *workload, const struct metric *metric,
					    void *data)
{
	(void)workload;
	(void)data;
	return metric->better == BETTER_NEITHER ? ROLE_CONTEXT : ROLE_MAIN;
}

static inline struct table_options fixture_options(void)
{
	return (struct table_options){ .level = 0.95, .margin = 0.01, .role = fixture_role };
}

/* sides of one run: all of its variants in order; at most 8 */
struct fixture_sides {
	struct side_part parts[8];
	struct side sides[8];
	int n;
};

static inline void fixture_add_side(struct fixture_sides *sides, const struct run *run, int variant)
{
	sides->parts[sides->n] = (struct side_part){ run, variant };
	sides->sides[sides->n] =
		(struct side){ run->variants[variant].name, &sides->parts[sides->n], 1 };
	sides->n++;
}

static inline void fixture_sides_of(struct fixture_sides *sides, const struct run *run)
{
	sides->n = 0;
	for (int i = 0; i < run->n_variants; i++)
		fixture_add_side(sides, run, i);
}

#endif
