// SPDX-License-Identifier: GPL-2.0-only
/*
 * explain_run.c - base and test, each with and without an experiment's settings, interleaved
 *
 * If the difference between base and test depends on what the experiment removes, it must change when
 * both go without. That is judged by the ratio of the two effects over blocks, not by two
 * verdicts side by side.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/session.h"
#include "base/memory.h"
#include "cmd/explain.h"
#include "cmd/interrupt.h"

#define EXPERIMENTS_DEFAULT 2

/* ---- the plan ---- */

/* "key = value": the key, a new string */
static char *key_of(const char *setting)
{
	return memory_string_n(setting, strcspn(setting, " ="));
}

static const char *setting_value(const struct result_variant *variant, const char *key)
{
	return json_string_value(json_object_get(variant->settings, key));
}

/* may it be set in both? Not if it is what the two differ in */
static bool usable(const struct result_variant *base, const struct result_variant *test,
		   const struct experiment *experiment)
{
	for (int i = 0; i < EXPERIMENT_SETTINGS && experiment->settings[i]; i++) {
		autofree char *key = key_of(experiment->settings[i]);
		const char *a = setting_value(base, key), *b = setting_value(test, key);

		if (!a != !b || (a && strcmp(a, b) != 0)) {
			fprintf(stderr,
				"fairtrial: experiment %s left out: %s is what %s and %s "
				"differ in\n",
				experiment->name, key, base->name, test->name);
			return false;
		}
	}
	return true;
}

static bool sets(const struct experiment *experiment, const char *key)
{
	for (int i = 0; experiment && i < EXPERIMENT_SETTINGS && experiment->settings[i]; i++) {
		autofree char *own = key_of(experiment->settings[i]);

		if (!strcmp(own, key))
			return true;
	}
	return false;
}

static char *place_line(char *text, const char *key, const char *value)
{
	return value ? memory_append(text, "%s = %s\n", key, value) : text;
}

static char *variant_text(char *text, const struct result_variant *variant,
			  const struct experiment *experiment)
{
	const char *key;
	json_t *value;

	text = memory_append(text, "[variant %s%s%s]\n", variant->name, experiment ? "+" : "",
			     experiment ? experiment->name : "");
	text = place_line(text, "backend", variant->backend);
	text = place_line(text, "machine", variant->machine);
	text = place_line(text, "kernel", variant->kernel);
	json_object_foreach(variant->settings, key, value)
	{
		if (!sets(experiment, key))
			text = place_line(text, key, json_string_value(value));
	}
	for (int i = 0; experiment && i < EXPERIMENT_SETTINGS && experiment->settings[i]; i++)
		text = memory_append(text, "%s\n", experiment->settings[i]);
	return text;
}

/* the plan without its variants: the lines of other sections */
static char *without_variants(const char *plan)
{
	char *text = memory_string("");
	bool in_variant = false;

	while (*plan) {
		size_t length = strcspn(plan, "\n") + (plan[strcspn(plan, "\n")] != '\0');
		const char *start = plan + strspn(plan, " \t");

		if (*start == '[')
			in_variant = !strncmp(start, "[variant", 8);
		if (!in_variant)
			text = memory_append(text, "%.*s", (int)length, plan);
		plan += length;
	}
	return text;
}

char *explain_plan(const struct run *run, int base, int test, const struct experiment **list, int n,
		   int most, const struct experiment **used, int *n_used)
{
	const struct result_variant *sides[2] = { &run->variants[base], &run->variants[test] };
	char *text;

	*n_used = 0;
	for (int i = 0; i < n && *n_used < most; i++)
		if (usable(sides[0], sides[1], list[i]))
			used[(*n_used)++] = list[i];
	if (!*n_used)
		return NULL;
	text = without_variants(run->plan_text);
	text = memory_append(text, "\n");
	for (int side = 0; side < 2; side++)
		text = variant_text(text, sides[side], NULL);
	for (int i = 0; i < *n_used; i++)
		for (int side = 0; side < 2; side++)
			text = variant_text(text, sides[side], used[i]);
	return text;
}

/* ---- running it ---- */

static struct error *choose(const struct arguments *arguments, const struct table *table,
			    const struct experiment ***list, int *n)
{
	int n_names;
	autofree const char **names = option_values(arguments, "experiment", &n_names);

	*list = NULL;
	*n = 0;
	for (int i = 0; i < n_names; i++)
		*array_append(*list, *n) = experiment_find(names[i]);
	for (int i = 0; i < table->n_cases && !n_names; i++) {
		int n_findings, n_proposed;
		autofree struct finding *findings = explain_findings(table, i, &n_findings);
		autofree const struct experiment **proposed =
			explain_experiments(findings, n_findings, &n_proposed);

		for (int j = 0; j < n_proposed; j++) {
			bool known = false;

			for (int k = 0; k < *n; k++)
				known |= (*list)[k] == proposed[j];
			if (!known)
				*array_append(*list, *n) = proposed[j];
		}
	}
	if (!*n)
		return error_new(ERR_INPUT, "no experiment is proposed for what moved; "
					    "--experiment NAME runs one nevertheless");
	return NULL;
}

static struct error *run_plan(const struct arguments *arguments, struct store *store,
			      const struct plan *plan, const char *label, int64_t *id)
{
	struct session_options options = {
		.label = label,
		.skip_unavailable = true,
		.interrupted = interrupt_flag(),
	};
	struct session *session = NULL;
	int n_failed = 0;
	long jobs;
	struct error *error = option_integer(arguments, "jobs", 1, 1024, 0, &jobs);

	options.jobs = (int)jobs;
	if (!error)
		error = session_new(plan, &options, &session);
	if (error)
		return error;
	interrupt_catch();
	error = session_find_loads(session);
	if (!error)
		error = session_create(session, store);
	if (!error)
		error = session_run(session, store, &n_failed);
	if (session->run)
		*id = session->run->id;
	session_free(session);
	return error;
}

/* ---- what came out ---- */

/* values of a metric by block, NAN where there is none */
static double *block_values(const struct run *run, int case_index, int variant, const char *metric,
			    int n_blocks)
{
	double *values = memory_zeroed((size_t)n_blocks, sizeof(*values));

	for (int i = 0; i < n_blocks; i++)
		values[i] = NAN;
	for (int i = 0; i < run->n_trials; i++) {
		const struct trial *trial = &run->trials[i];
		const struct metric *found;

		if (trial->case_index != case_index || trial->variant_index != variant ||
		    trial->status != TRIAL_OK || trial->block >= n_blocks)
			continue;
		found = trial_metric(trial, metric);
		if (found)
			values[trial->block] = found->value;
	}
	return values;
}

/* the first metric of the case that has a direction: what the workload is about */
static const char *main_metric(const struct run *run, int case_index)
{
	for (int i = 0; i < run->n_trials; i++) {
		const struct trial *trial = &run->trials[i];

		if (trial->case_index != case_index || trial->status != TRIAL_OK)
			continue;
		for (int m = 0; m < trial->n_metrics; m++)
			if (trial->metrics[m].better != BETTER_NEITHER)
				return trial->metrics[m].name;
	}
	return NULL;
}

static void print_outcome(const struct run *run, int case_index,
			  const struct experiment *experiment, const int variants[4], double level)
{
	const char *metric = main_metric(run, case_index);
	struct outcome outcome;
	struct error *error = NULL;
	double *values[4];

	if (!metric) {
		printf("%s: no trial gave a result\n", run->cases[case_index].name);
		return;
	}
	for (int i = 0; i < 4; i++)
		values[i] = block_values(run, case_index, variants[i], metric, run->trials_planned);
	error = explain_outcome((const double *const *)values, run->trials_planned, level,
				&outcome);
	if (error)
		printf("%s, %s: %s\n", run->cases[case_index].name, experiment->name,
		       error->message);
	else
		explain_outcome_print(stdout, experiment, run->cases[case_index].name, metric,
				      &outcome, level);
	error_free(error);
	for (int i = 0; i < 4; i++)
		free(values[i]);
}

static int variant_named(const struct run *run, const char *name,
			 const struct experiment *experiment)
{
	autofree char *full =
		experiment ? memory_format("%s+%s", name, experiment->name) : memory_string(name);

	return run_variant_index(run, full);
}

static void print_outcomes(const struct run *run, const char *base, const char *test,
			   const struct experiment **used, int n, double level)
{
	printf("\nexperiments (run %lld, %d interleaved blocks)\n\n", (long long)run->id,
	       run->trials_planned);
	for (int i = 0; i < n; i++) {
		int variants[4] = { variant_named(run, base, NULL), variant_named(run, test, NULL),
				    variant_named(run, base, used[i]),
				    variant_named(run, test, used[i]) };
		const char *skipped = NULL;

		for (int j = 0; j < 4; j++)
			if (run->variants[variants[j]].skipped)
				skipped = run->variants[variants[j]].skipped;
		if (skipped) {
			printf("%s: not run: %s\n", used[i]->name, skipped);
			continue;
		}
		for (int c = 0; c < run->n_cases; c++)
			print_outcome(run, c, used[i], variants, level);
	}
}

static struct error *make_and_print(const struct arguments *arguments, struct store *store,
				    const struct run *run, int base, int test, const char *text,
				    const struct experiment **used, int n, double level)
{
	autofree char *label = memory_format("explain-%lld", (long long)run->id);
	const char *trials = option_value(arguments, "trials", NULL);
	autofree char *override = trials ? memory_format("trials=%s", trials) : NULL;
	const char *overrides[] = { override };
	struct plan *plan;
	struct run *made;
	int64_t id = 0;
	struct error *error = plan_read_text("explain", text, overrides, override ? 1 : 0, &plan);

	if (error)
		return error;
	error = run_plan(arguments, store, plan, label, &id);
	plan_free(plan);
	if (!error)
		error = store_load_run(store, id, LOAD_VALUES, &made);
	if (error)
		return error;
	print_outcomes(made, run->variants[base].name, run->variants[test].name, used, n, level);
	run_free(made);
	return NULL;
}

struct error *explain_run(const struct arguments *arguments, struct store *store,
			  const struct table *table, const struct comparison *comparison)
{
	const struct side_part *base = &table->sides[0].parts[table->sides[0].n_parts - 1];
	const struct side_part *test = &table->sides[1].parts[table->sides[1].n_parts - 1];
	const struct experiment **list;
	autofree const struct experiment **used = NULL;
	int n, n_used;
	char *text;
	struct error *error;

	if (base->run != test->run)
		return error_new(ERR_INPUT,
				 "--run needs two variants of one run; %s is of run "
				 "%lld, %s of run %lld",
				 table->sides[0].name, (long long)base->run->id,
				 table->sides[1].name, (long long)test->run->id);
	if (!base->run->plan_text)
		return error_new(ERR_INPUT, "run %lld has no plan: it was not made by fairtrial",
				 (long long)base->run->id);
	error = choose(arguments, table, &list, &n);
	if (error)
		return error;
	used = memory_zeroed((size_t)n, sizeof(*used));
	/* those that are proposed are many: the first ones, of the largest changes */
	text = explain_plan(base->run, base->variant, test->variant, list, n,
			    option_given(arguments, "experiment") ? n : EXPERIMENTS_DEFAULT, used,
			    &n_used);
	free(list);
	if (!text)
		return error_new(ERR_INPUT, "no experiment is left to run");
	error = make_and_print(arguments, store, base->run, base->variant, test->variant, text,
			       used, n_used, comparison->level);
	free(text);
	return error;
}
