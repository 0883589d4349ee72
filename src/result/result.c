// SPDX-License-Identifier: GPL-2.0-only
#include "result/result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static void metric_clear(struct metric *metric)
{
	free(metric->name);
	free(metric->unit);
	free(metric->unavailable);
	free(metric->per_worker);
	free(metric->histogram);
}

void trial_clear(struct trial *trial)
{
	for (int i = 0; i < trial->n_metrics; i++)
		metric_clear(&trial->metrics[i]);
	free(trial->metrics);
	free(trial->reason);
	json_decref(trial->environment);
	*trial = (struct trial){ 0 };
}

static void case_clear(struct result_case *instance)
{
	free(instance->name);
	free(instance->workload);
	free(instance->program_version);
	free(instance->cpus);
	json_decref(instance->params);
}

static void variant_clear(struct result_variant *variant)
{
	free(variant->name);
	free(variant->backend);
	free(variant->machine);
	free(variant->kernel);
	free(variant->skipped);
	json_decref(variant->settings);
}

struct run *run_new(void)
{
	struct run *run = memory_zeroed(1, sizeof(*run));

	run->environment = json_object();
	return run;
}

void run_free(struct run *run)
{
	if (!run)
		return;
	for (int i = 0; i < run->n_trials; i++)
		trial_clear(&run->trials[i]);
	for (int i = 0; i < run->n_cases; i++)
		case_clear(&run->cases[i]);
	for (int i = 0; i < run->n_variants; i++)
		variant_clear(&run->variants[i]);
	free(run->trials);
	free(run->cases);
	free(run->variants);
	free(run->identity);
	free(run->label);
	free(run->plan_name);
	free(run->plan_text);
	free(run->tool_version);
	json_decref(run->environment);
	free(run);
}

struct metric *trial_add_metric(struct trial *trial, const struct metric_desc *desc, double value,
				const double *per_worker, int n_workers)
{
	struct metric *metric = array_append(trial->metrics, trial->n_metrics);

	metric->name = memory_string(desc->name);
	metric->unit = memory_string(desc->unit);
	metric->better = desc->better;
	metric->version = desc->version;
	metric->value = isinf(value) ? NAN : value;
	if (!isfinite(value))
		metric->unavailable =
			memory_string(isnan(value) ? "no value" : "the value is infinite");
	if (n_workers > 0) {
		metric->per_worker = memory_copy(per_worker, n_workers * sizeof(*per_worker));
		metric->n_workers = n_workers;
		for (int i = 0; i < n_workers; i++)
			if (isinf(metric->per_worker[i]))
				metric->per_worker[i] = NAN;
	}
	return metric;
}

void trial_add_unavailable(struct trial *trial, const struct metric_desc *desc, const char *reason)
{
	struct metric *metric = trial_add_metric(trial, desc, NAN, NULL, 0);

	free(metric->unavailable);
	metric->unavailable = memory_string(reason);
}

const struct metric *trial_metric(const struct trial *trial, const char *name)
{
	for (int i = 0; i < trial->n_metrics; i++)
		if (!strcmp(trial->metrics[i].name, name))
			return &trial->metrics[i];
	return NULL;
}

int run_case_index(const struct run *run, const char *name)
{
	for (int i = 0; i < run->n_cases; i++)
		if (!strcmp(run->cases[i].name, name))
			return i;
	return -1;
}

int run_variant_index(const struct run *run, const char *name)
{
	for (int i = 0; i < run->n_variants; i++)
		if (!strcmp(run->variants[i].name, name))
			return i;
	return -1;
}
