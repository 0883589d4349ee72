// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ini.h"
#include "base/memory.h"
#include "base/text.h"
#include "monitor/monitor.h"
#include "workload/workload.h"

#define MARGIN_DEFAULT 0.01

/* the runs that are loaded, each once, and the sides made of them */
struct loaded {
	struct run **runs;
	int n_runs;
	struct side *sides;
	int n_sides;
};

struct comparison comparison_default(void)
{
	return (struct comparison){
		.level = 0.95,
		.margin = NAN,
		.style = style_find("summary"),
		.stream = stdout,
	};
}

/* ---- what a metric is ---- */

struct metric_choice {
	bool all;
	char **names; /* NULL: the default */
	int n;
};

static bool is_shown_by_monitor(const char *name)
{
	for (const struct monitor *const *monitor = monitor_all(); *monitor; monitor++)
		for (const struct metric_desc *desc = (*monitor)->metrics; desc->name; desc++)
			if ((*monitor)->shown && !strcmp(desc->name, name))
				return true;
	return false;
}

/* of a workload that this build does not have, what has a direction is taken as its own */
bool comparison_is_result(const char *workload_name, const struct metric *metric)
{
	const struct workload *workload = workload_find(workload_name);

	/* of `command` the metrics are the plan's */
	if (!workload || !workload->metrics[0].desc.name)
		return metric->better != BETTER_NEITHER;
	return workload_has_metric(workload, metric->name);
}

static enum metric_role default_role(const char *workload, const struct metric *metric)
{
	if (comparison_is_result(workload, metric))
		return metric->better == BETTER_NEITHER ? ROLE_CONTEXT : ROLE_MAIN;
	return is_shown_by_monitor(metric->name) ? ROLE_CONTEXT : ROLE_HIDDEN;
}

static enum metric_role role_of(const char *workload, const struct metric *metric, void *data)
{
	const struct metric_choice *choice = data;

	if (choice->all)
		return metric->better == BETTER_NEITHER ? ROLE_CONTEXT : ROLE_MAIN;
	if (!choice->names)
		return default_role(workload, metric);
	for (int i = 0; i < choice->n; i++)
		if (!strcmp(choice->names[i], metric->name))
			return metric->better == BETTER_NEITHER ? ROLE_CONTEXT : ROLE_MAIN;
	return ROLE_HIDDEN;
}

static bool run_has_metric(const struct run *run, const char *name)
{
	for (int i = 0; i < run->n_trials; i++)
		if (trial_metric(&run->trials[i], name))
			return true;
	return false;
}

/* every name that was asked for must be there, or it would be passed over in silence */
static struct error *check_names(const struct metric_choice *choice, const struct loaded *loaded)
{
	for (int i = 0; i < choice->n; i++) {
		const char **known = NULL;
		const char *nearest;
		struct error *error = NULL;
		bool found = false;
		int n = 0;

		for (int run = 0; run < loaded->n_runs; run++) {
			const struct run *at = loaded->runs[run];

			found |= run_has_metric(at, choice->names[i]);
			for (int m = 0; at->n_trials && m < at->trials[0].n_metrics; m++)
				*array_append(known, n) = at->trials[0].metrics[m].name;
		}
		*array_append(known, n) = NULL;
		nearest = text_nearest(choice->names[i], known);
		if (!found)
			error = error_new(ERR_INPUT, "no trial has a metric '%s'%s%s%s",
					  choice->names[i], nearest ? "; did you mean " : "",
					  nearest ? nearest : "", nearest ? "?" : "");
		free(known);
		if (error)
			return error;
	}
	return NULL;
}

/* ---- loading ---- */

static struct error *load_run(struct store *store, int64_t id, enum load_depth depth,
			      struct loaded *loaded, const struct run **out)
{
	struct run *run;
	struct error *error;

	for (int i = 0; i < loaded->n_runs; i++) {
		if (loaded->runs[i]->id == id) {
			*out = loaded->runs[i];
			return NULL;
		}
	}
	error = store_load_run(store, id, depth, &run);
	if (error)
		return error;
	*array_append(loaded->runs, loaded->n_runs) = run;
	*out = run;
	return NULL;
}

static struct error *add_side(struct store *store, const char *name,
			      const struct selection *selections, int n, enum load_depth depth,
			      struct loaded *loaded)
{
	struct side *side = array_append(loaded->sides, loaded->n_sides);
	struct side_part *parts = memory_zeroed(n, sizeof(*parts));

	side->name = *name == ':' ? name + 1 : name;
	side->parts = parts;
	side->n_parts = n;
	for (int i = 0; i < n; i++) {
		struct error *error =
			load_run(store, selections[i].run, depth, loaded, &parts[i].run);

		if (error)
			return error;
		parts[i].variant = selections[i].variant;
	}
	return NULL;
}

/* the length of what stands before ":VARIANT" in a side's name, 0 without */
static size_t prefix_length(const struct side *side)
{
	const struct side_part *part = &side->parts[0];
	const char *variant = part->run->variants[part->variant].name;
	size_t length = strlen(side->name), own = strlen(variant);

	if (length <= own || side->name[length - own - 1] != ':' ||
	    strcmp(side->name + length - own, variant) != 0)
		return 0;
	return length - own;
}

/* LABEL:A and LABEL:B are A and B in a table, the header tells the label; not if both are A */
static void drop_common_label(struct loaded *loaded)
{
	size_t length = loaded->n_sides ? prefix_length(&loaded->sides[0]) : 0;

	for (int i = 1; i < loaded->n_sides; i++)
		if (prefix_length(&loaded->sides[i]) != length ||
		    strncmp(loaded->sides[i].name, loaded->sides[0].name, length) != 0 ||
		    !strcmp(loaded->sides[i].name, loaded->sides[0].name))
			return;
	for (int i = 0; i < loaded->n_sides; i++)
		loaded->sides[i].name += length;
}

static void loaded_clear(struct loaded *loaded)
{
	for (int i = 0; i < loaded->n_sides; i++)
		free((void *)loaded->sides[i].parts);
	free(loaded->sides);
	for (int i = 0; i < loaded->n_runs; i++)
		run_free(loaded->runs[i]);
	free(loaded->runs);
}

/* ---- the margin of a plan ---- */

static struct error *find_margin(void *data, int line, const char *section, const char *key,
				 const char *value)
{
	double *margin = data;
	autofree char *digits = memory_string(value ? value : "");
	bool percent = *digits && digits[strlen(digits) - 1] == '%';
	double number;
	struct error *error;

	(void)line;
	if (!key || strcmp(section, "plan") || strcmp(key, "margin"))
		return NULL;
	if (percent)
		digits[strlen(digits) - 1] = '\0';
	error = text_number(text_trim(digits), &number);
	if (!error)
		*margin = percent ? number / 100 : number;
	error_free(error);
	return NULL;
}

/* a plan that was stored was read without an error before */
static double plan_margin(const struct run *run)
{
	double margin = MARGIN_DEFAULT;
	struct error *error = NULL;

	if (run->plan_text)
		error = ini_read("plan", run->plan_text, strlen(run->plan_text), find_margin,
				 &margin);
	error_free(error);
	return margin;
}

/* ---- printing ---- */

static struct error *print_loaded(const struct loaded *loaded, const struct comparison *comparison,
				  bool *regression)
{
	struct metric_choice choice = { 0 };
	const struct side *base = &loaded->sides[0];
	struct table_options options = {
		.level = comparison->level,
		.margin = comparison->margin,
		.worker_rows = comparison->worker_rows,
		.force = comparison->force,
		.role = role_of,
		.role_data = &choice,
	};
	struct report_options report = { report_wants_colour(comparison->stream) };
	struct table *table;
	struct error *error = NULL;

	if (isnan(options.margin))
		options.margin = plan_margin(base->parts[base->n_parts - 1].run);
	choice.all = comparison->metrics && !strcmp(comparison->metrics, "all");
	if (comparison->metrics && !choice.all) {
		choice.names = text_split(comparison->metrics, ',', &choice.n);
		error = check_names(&choice, loaded);
	}
	if (!error)
		error = table_new(loaded->sides, loaded->n_sides, &options, &table);
	if (choice.names)
		text_split_free(choice.names, choice.n);
	if (error)
		return error;
	comparison->style->print(comparison->stream, table, &report);
	if (regression)
		*regression = table_has_regression(table);
	table_free(table);
	return NULL;
}

static enum load_depth depth_of(const struct comparison *comparison)
{
	return comparison->worker_rows == WORKER_ROWS_NONE ? LOAD_VALUES : LOAD_WORKERS;
}

static struct error *load_names(struct store *store, const char *const *names, int n_names,
				enum load_depth depth, struct loaded *loaded)
{
	struct error *error = NULL;

	for (int i = 0; i < n_names && !error; i++) {
		struct selection *selections;
		int n;

		error = store_resolve(store, names[i], &selections, &n);
		if (error)
			break;
		error = add_side(store, names[i], selections, n, depth, loaded);
		free(selections);
	}
	return error;
}

struct error *comparison_print(struct store *store, const char *const *names, int n_names,
			       const struct comparison *comparison, bool *regression)
{
	struct loaded loaded = { 0 };
	struct error *error = load_names(store, names, n_names, depth_of(comparison), &loaded);

	if (!error) {
		drop_common_label(&loaded);
		error = print_loaded(&loaded, comparison, regression);
	}
	loaded_clear(&loaded);
	return error;
}

struct error *comparison_table_new(struct store *store, const char *const *names, int n_names,
				   const struct comparison *comparison,
				   enum metric_role (*role)(const char *workload,
							    const struct metric *metric,
							    void *data),
				   void *role_data, struct comparison_table *out)
{
	struct table_options options = {
		.level = comparison->level,
		.margin = comparison->margin,
		.worker_rows = comparison->worker_rows,
		.force = comparison->force,
		.role = role,
		.role_data = role_data,
	};
	struct loaded *loaded = memory_zeroed(1, sizeof(*loaded));
	struct error *error = load_names(store, names, n_names, LOAD_ALL, loaded);

	*out = (struct comparison_table){ .loaded = loaded };
	for (int i = 0; !error && comparison->shown && i < n_names; i++) {
		const char *name = comparison->shown[i];

		loaded->sides[i].name = *name == ':' ? name + 1 : name;
	}
	if (!error)
		drop_common_label(loaded);
	if (!error && isnan(options.margin))
		options.margin =
			plan_margin(loaded->sides[0].parts[loaded->sides[0].n_parts - 1].run);
	if (!error)
		error = table_new(loaded->sides, loaded->n_sides, &options, &out->table);
	if (error)
		comparison_table_clear(out);
	return error;
}

void comparison_table_clear(struct comparison_table *table)
{
	if (table->table)
		table_free(table->table);
	if (table->loaded)
		loaded_clear(table->loaded);
	free(table->loaded);
	*table = (struct comparison_table){ 0 };
}

struct error *comparison_print_run(struct store *store, int64_t id,
				   const struct comparison *comparison, bool *regression)
{
	struct loaded loaded = { 0 };
	const struct run *run;
	struct error *error = load_run(store, id, depth_of(comparison), &loaded, &run);

	for (int i = 0; !error && i < run->n_variants; i++) {
		struct selection selection = { id, i };

		if (!run->variants[i].skipped)
			error = add_side(store, run->variants[i].name, &selection, 1,
					 depth_of(comparison), &loaded);
	}
	if (!error && loaded.n_sides < 2)
		error = error_new(ERR_TOO_FEW, "run %lld has one variant: nothing to compare",
				  (long long)id);
	if (!error)
		error = print_loaded(&loaded, comparison, regression);
	loaded_clear(&loaded);
	return error;
}
