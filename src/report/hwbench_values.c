// SPDX-License-Identifier: GPL-2.0-only
#include "report/hwbench_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "workload/workload.h"

/* what monitors may call it; the first one that has values in this unit is taken */
static const struct {
	enum hwbench_quantity quantity;
	const char *metric, *unit;
	double factor; /* to the unit of the quantity */
} measured[] = {
	{ HWBENCH_POWER, "package_power", "W", 1 },
	{ HWBENCH_CLOCK, "clock", "MHz", 1 },
	{ HWBENCH_CLOCK, "worker_clock", "MHz", 1 },
	{ HWBENCH_CLOCK, "cpufreq_clock", "MHz", 1 },
	{ HWBENCH_IPC, "ipc", "1", 1 },
};

/* calls for each trial of a case of one side that was not a failure */
typedef void (*visitor)(const struct run *run, const struct trial *trial, void *data);

static void visit(const struct side *side, const char *case_name, visitor call, void *data)
{
	for (int part = 0; part < side->n_parts; part++) {
		const struct run *run = side->parts[part].run;
		int case_index = run_case_index(run, case_name);

		for (int i = 0; case_index >= 0 && i < run->n_trials; i++)
			if (run->trials[i].case_index == case_index &&
			    run->trials[i].variant_index == side->parts[part].variant &&
			    run->trials[i].status == TRIAL_OK)
				call(run, &run->trials[i], data);
	}
}

struct mean {
	const char *metric, *unit;
	double sum;
	int n;
};

static void add_value(const struct run *run, const struct trial *trial, void *data)
{
	struct mean *mean = data;
	const struct metric *metric = trial_metric(trial, mean->metric);

	(void)run;
	if (!metric || isnan(metric->value) || strcmp(metric->unit, mean->unit) != 0)
		return;
	mean->sum += metric->value;
	mean->n++;
}

/* a monitor's metric is hidden in most tables, so it is taken from the trials */
static double measured_value(const struct side *side, const char *case_name,
			     enum hwbench_quantity quantity)
{
	for (size_t i = 0; i < ARRAY_SIZE(measured); i++) {
		struct mean mean = { .metric = measured[i].metric, .unit = measured[i].unit };

		if (measured[i].quantity != quantity)
			continue;
		visit(side, case_name, add_value, &mean);
		if (mean.n)
			return measured[i].factor * mean.sum / mean.n;
	}
	return NAN;
}

struct workers {
	const char *metric;
	int most;
};

static void count_workers(const struct run *run, const struct trial *trial, void *data)
{
	struct workers *workers = data;
	const struct metric *metric = trial_metric(trial, workers->metric);

	(void)run;
	if (metric && metric->n_workers > workers->most)
		workers->most = metric->n_workers;
}

/* of the values per worker; else the parameter, as text or number */
static double worker_count(const struct side *side, const struct table_case *table_case,
			   const char *metric)
{
	struct workers workers = { metric, 0 };
	const json_t *param = json_object_get(table_case->description->params, "workers");

	visit(side, table_case->name, count_workers, &workers);
	if (workers.most)
		return workers.most;
	if (json_is_string(param))
		return strtod(json_string_value(param), NULL);
	return json_is_number(param) ? json_number_value(param) : NAN;
}

/* "case_machines" says where each case ran; runs of older versions have the host alone */
static double core_count(const struct side *side, const char *case_name)
{
	for (int part = 0; part < side->n_parts; part++) {
		const struct run *run = side->parts[part].run;
		const json_t *name, *machine;

		if (run_case_index(run, case_name) < 0)
			continue;
		name = json_object_get(json_object_get(run->environment, "case_machines"),
				       case_name);
		machine = json_object_get(json_object_get(run->environment, "machines"),
					  json_is_string(name) ? json_string_value(name) : "");
		if (!machine && side->parts[part].variant >= 0 &&
		    strcmp(run->variants[side->parts[part].variant].backend
				   ? run->variants[side->parts[part].variant].backend
				   : "live",
			   "live") == 0)
			machine = json_object_get(run->environment, "machine");
		machine = json_object_get(machine, "nr_cores");
		return json_is_integer(machine) ? (double)json_integer_value(machine) : NAN;
	}
	return NAN;
}

static void fill_side(const struct table *table, struct hwbench_section *section, int side)
{
	const struct row *row = section->row;
	const struct table_case *table_case = &table->cases[row->case_index];
	const struct side *own = &table->sides[side];
	const struct sample *sample = &row->cells[side].sample;
	double *values = section->values[side];

	for (int i = 0; i < N_HWBENCH_QUANTITIES; i++)
		values[i] = measured_value(own, row->case_name, i);
	values[HWBENCH_WORKERS] = worker_count(own, table_case, row->metric);
	values[HWBENCH_PERF] = isnan(sample->geometric) ? sample->mean : sample->geometric;
	values[HWBENCH_PER_CORE] = values[HWBENCH_PERF] / core_count(own, row->case_name);
	if (row->better == BETTER_HIGHER)
		values[HWBENCH_PER_WATT] = values[HWBENCH_PERF] / values[HWBENCH_POWER];
	if (section->spread)
		values[HWBENCH_COV] = section->spread->cells[side].sample.mean;
}

/* ---- linearity ---- */

/* counts may differ between the steps of a scaling, sizes and methods may not */
static bool is_count(const char *workload_name, const char *param_name)
{
	const struct workload *workload = workload_find(workload_name);

	if (!workload)
		return !strcmp(param_name, "workers");
	for (const struct param *param = workload->params; param->name; param++)
		if (!strcmp(param->name, param_name))
			return param->type == PARAM_COUNT;
	return false;
}

static bool same_but_counts(const struct result_case *a, const struct result_case *b)
{
	const char *key;
	json_t *value;

	if (strcmp(a->workload, b->workload) != 0 ||
	    json_object_size(a->params) != json_object_size(b->params))
		return false;
	json_object_foreach(a->params, key, value)
	{
		if (!is_count(a->workload, key) &&
		    !json_equal(value, json_object_get(b->params, key)))
			return false;
	}
	return true;
}

/* names of cases begin with that of their section in the plan, which has no blank */
static bool same_section(const char *a, const char *b)
{
	size_t length = strcspn(a, " ");

	return length == strcspn(b, " ") && !strncmp(a, b, length);
}

/*
 * Would twice the workers do twice as much, if each had a CPU? Not where they wait for each other (groups,
 * pairs) or for clients. Of a workload that this build does not have it is taken to be so.
 */
static bool has_independent_workers(const char *workload_name)
{
	static const char *const words[] = { "workers", "instances", "copies", "threads" };
	const struct workload *workload = workload_find(workload_name);

	if (!workload)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (workload->load && !strcmp(workload->load, words[i]))
			return true;
	return false;
}

static bool same_scaling(const struct table *table, const struct row *a, const struct row *b)
{
	return !strcmp(a->metric, b->metric) && same_section(a->case_name, b->case_name) &&
	       same_but_counts(table->cases[a->case_index].description,
			       table->cases[b->case_index].description);
}

/*
 * How far the rate is from that of the step with the fewest workers, times the workers:
 * 100 * perf / (perf_0 / workers_0 * workers) - 100. NAN where there is one step only.
 */
static double linearity(const struct table *table, const struct hwbench_section *sections, int n,
			const struct hwbench_section *section, int side)
{
	const struct hwbench_section *first = NULL;
	const double *own = section->values[side], *base;
	int steps = 0;

	for (int i = 0; i < n; i++) {
		if (!same_scaling(table, section->row, sections[i].row))
			continue;
		steps++;
		if (!first || sections[i].values[side][HWBENCH_WORKERS] <
				      first->values[side][HWBENCH_WORKERS])
			first = &sections[i];
	}
	if (steps < 2 || section->row->better != BETTER_HIGHER ||
	    !has_independent_workers(table->cases[section->row->case_index].description->workload))
		return NAN;
	base = first->values[side];
	return 100 * own[HWBENCH_PERF] /
		       (base[HWBENCH_PERF] / base[HWBENCH_WORKERS] * own[HWBENCH_WORKERS]) -
	       100;
}

/* ---- all sections ---- */

static const struct row *spread_of_row(const struct table *table, const struct row *row)
{
	autofree char *name = memory_format("%s CoV", row->metric);

	for (int i = 0; i < table->n_rows; i++)
		if (table->rows[i].between_workers &&
		    table->rows[i].case_index == row->case_index &&
		    !strcmp(table->rows[i].metric, name))
			return &table->rows[i];
	return NULL;
}

struct hwbench_section *hwbench_sections(const struct table *table, int *n)
{
	struct hwbench_section *sections = NULL;

	*n = 0;
	for (int i = 0; i < table->n_rows; i++) {
		const struct row *row = &table->rows[i];
		struct hwbench_section *section;

		if (!row->shown || row->role != ROLE_MAIN || row->better == BETTER_NEITHER ||
		    row->between_workers)
			continue;
		section = array_append(sections, *n);
		section->row = row;
		section->spread = spread_of_row(table, row);
		section->values = memory_zeroed(table->n_sides, sizeof(*section->values));
		for (int side = 0; side < table->n_sides; side++)
			fill_side(table, section, side);
	}
	for (int i = 0; i < *n; i++)
		for (int side = 0; side < table->n_sides; side++)
			sections[i].values[side][HWBENCH_LINEARITY] =
				linearity(table, sections, *n, &sections[i], side);
	return sections;
}

void hwbench_sections_free(struct hwbench_section *sections, int n)
{
	for (int i = 0; i < n; i++)
		free(sections[i].values);
	free(sections);
}

double hwbench_ratio(const struct hwbench_section *section, int side,
		     enum hwbench_quantity quantity)
{
	double base = section->values[0][quantity];

	return base > 0 ? section->values[side][quantity] / base : NAN;
}
