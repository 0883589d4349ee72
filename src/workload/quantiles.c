// SPDX-License-Identifier: GPL-2.0-only
#include "workload/quantiles.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define NS_PER_US 1e3

static const struct {
	const char *suffix;
	double q;
} quantiles[] = {
	{ "p50", 0.5 }, { "p90", 0.9 }, { "p99", 0.99 }, { "p99.9", 0.999 }, { "max", 1 },
};

static char *name_of(const struct metric_desc *desc, size_t quantile)
{
	return memory_format("%s_%s", desc->name, quantiles[quantile].suffix);
}

bool quantiles_has(const struct metric_desc *desc, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(quantiles); i++) {
		autofree char *own = name_of(desc, i);

		if (!strcmp(own, name))
			return true;
	}
	return false;
}

struct histogram *quantiles_merged(const struct team_report *report, int index)
{
	struct histogram *merged = memory_zeroed(1, sizeof(*merged));

	for (int i = 0; i < report->n_workers; i++)
		if (report->workers[i].histograms)
			histogram_merge(merged, &report->workers[i].histograms[index]);
	return merged;
}

static struct metric *add_quantile(struct trial *trial, const struct metric_desc *desc,
				   const struct team_report *report, int index, double q,
				   const struct histogram *merged)
{
	autofree double *values = memory_zeroed(report->n_workers, sizeof(*values));

	for (int i = 0; i < report->n_workers; i++)
		values[i] =
			histogram_quantile(&report->workers[i].histograms[index], q) / NS_PER_US;
	return trial_add_metric(trial, desc, histogram_quantile(merged, q) / NS_PER_US, values,
				report->n_workers);
}

void quantiles_add(struct trial *trial, const struct metric_desc *base,
		   const struct team_report *report, int index)
{
	struct histogram *merged = quantiles_merged(report, index);

	for (size_t i = 0; i < ARRAY_SIZE(quantiles); i++) {
		autofree char *name = name_of(base, i);
		struct metric_desc desc = *base;
		struct metric *metric;

		desc.name = name;
		desc.unit = "us";
		if (!merged->count) {
			trial_add_unavailable(trial, &desc, "no value was recorded");
			continue;
		}
		metric = add_quantile(trial, &desc, report, index, quantiles[i].q, merged);
		if (!i)
			metric->histogram = memory_copy(merged, sizeof(*merged));
	}
	free(merged);
}
