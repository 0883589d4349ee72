// SPDX-License-Identifier: GPL-2.0-only
/* explain.c - `fairtrial explain`: which scheduling metrics moved with the result */
#include "cmd/explain.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "cmd/store_option.h"

static const struct option_desc explain_options[] = {
	STORE_OPTION,
	{ "run", 0, NULL, "run the experiments and say what each showed", false },
	{ "experiment", 'e', "NAME", "with --run: this one instead of the first two proposed",
	  true },
	{ "list-experiments", 0, NULL, "print all experiments and what they set", false },
	{ "trials", 0, "N", "with --run: trials of each variant; default: as the run had", false },
	{ "jobs", 'j', "N", "with --run: trials at once, where the backend allows it", false },
	{ "force", 'f', NULL, "compare what does not compare, with a warning", false },
	{ NULL },
};

/* results are judged; everything else is a scheduling metric that may have moved */
static enum metric_role role_of(const char *workload, const struct metric *metric, void *data)
{
	(void)data;
	if (comparison_is_result(workload, metric))
		return metric->better == BETTER_NEITHER ? ROLE_HIDDEN : ROLE_MAIN;
	return ROLE_CONTEXT;
}

static void list_experiments(void)
{
	for (const struct experiment *experiment = experiments; experiment->name; experiment++) {
		printf("%s: without %s\n", experiment->name, experiment->removes);
		for (int i = 0; i < EXPERIMENT_SETTINGS && experiment->settings[i]; i++)
			printf("    %s\n", experiment->settings[i]);
	}
}

static struct error *check_experiments(const struct arguments *arguments)
{
	int n;
	autofree const char **names = option_values(arguments, "experiment", &n);

	if (n && !option_given(arguments, "run"))
		return error_new(ERR_USAGE, "explain: --experiment needs --run");
	for (int i = 0; i < n; i++)
		if (!experiment_find(names[i]))
			return error_new(ERR_USAGE,
					 "explain: --experiment: '%s' is none; "
					 "--list-experiments prints them",
					 names[i]);
	if (!option_given(arguments, "run") &&
	    (option_given(arguments, "trials") || option_given(arguments, "jobs")))
		return error_new(ERR_USAGE, "explain: --trials and --jobs need --run");
	return NULL;
}

/* the run that the newest run's experiments are of, or 0 */
static int64_t study_of_newest(struct store *store)
{
	size_t length = strlen(EXPLAIN_LABEL);
	struct run *run = NULL;
	int64_t id = 0, study = 0;
	struct error *error = store_newest(store, NULL, &id);

	if (!error)
		error = store_load_run(store, id, LOAD_RUN, &run);
	if (!error && run->plan_name && !strcmp(run->plan_name, EXPLAIN_PLAN) && run->label &&
	    !strncmp(run->label, EXPLAIN_LABEL, length)) {
		struct error *bad = text_integer(run->label + length, 1, INT64_MAX, &study);

		error_free(bad);
	}
	run_free(run);
	error_free(error);
	return study;
}

static bool has_variant(struct store *store, int64_t id, const char *name)
{
	struct run *run = NULL;
	struct error *error = store_load_run(store, id, LOAD_RUN, &run);
	bool has = !error && run_variant_index(run, name) >= 0;

	run_free(run);
	error_free(error);
	return has;
}

/*
 * A variant by its bare name is one of the newest run. If that run is experiments, those of the study
 * they were made for are meant: the same command gives the same report before and after --run.
 */
static char *study_name(struct store *store, const char *name)
{
	int64_t study;

	if (strpbrk(name, "#:"))
		return memory_string(name);
	study = study_of_newest(store);
	if (!study || !has_variant(store, study, name))
		return memory_string(name);
	return memory_format("#%lld:%s", (long long)study, name);
}

static struct error *explain_names(const struct arguments *arguments)
{
	struct comparison comparison = comparison_default();
	struct report_options options = { report_wants_colour(stdout) };
	bool run = option_given(arguments, "run");
	struct comparison_table table;
	struct store *store;
	struct error *error;

	comparison.force = option_given(arguments, "force");
	comparison.shown = arguments->words;
	error = open_store(arguments, run ? STORE_WRITE : STORE_READ, &store);
	if (error)
		return error;
	{
		autofree char *base = study_name(store, arguments->words[0]);
		autofree char *test = study_name(store, arguments->words[1]);
		const char *names[] = { base, test };

		error = comparison_table_new(store, names, 2, &comparison, role_of, NULL, &table);
	}
	if (!error) {
		explain_print(stdout, table.table, &options);
		if (run)
			error = explain_run(arguments, store, table.table);
		comparison_table_clear(&table);
	}
	store_close(store);
	return error;
}

static struct error *explain(const struct arguments *arguments, int *status)
{
	struct error *error = check_experiments(arguments);

	(void)status;
	if (error)
		return error;
	if (option_given(arguments, "list-experiments")) {
		list_experiments();
		return NULL;
	}
	if (arguments->n_words != 2)
		return error_new(ERR_USAGE, "explain: two variants are needed; usage: fairtrial "
					    "explain [OPTION]... BASE TEST");
	return explain_names(arguments);
}

const struct verb verb_explain = {
	.name = "explain",
	.usage = "BASE TEST",
	.summary = "which scheduling metrics moved with the result, and what tells causes apart",
	.options = explain_options,
	.min_words = 0,
	.max_words = 2,
	.changes_settings = true,
	.run = explain,
};
