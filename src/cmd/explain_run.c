// SPDX-License-Identifier: GPL-2.0-only
/*
 * explain_run.c - base and test, each with and without an experiment's settings, interleaved
 *
 * If the difference between base and test depends on what the experiment removes, it must change when
 * both go without. That is judged by the ratio of the two effects over blocks, not by two
 * verdicts side by side.
 */
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "backend/session.h"
#include "base/memory.h"
#include "cmd/explain.h"
#include "cmd/interrupt.h"
#include "report/format.h"
#include "report/in_force.h"
#include "stats/multiplicity.h"

#define EXPERIMENTS_DEFAULT 2

/* ---- the plan ---- */

static bool sets(const struct experiment *experiment, const char *key)
{
	for (int i = 0; experiment && i < EXPERIMENT_SETTINGS && experiment->settings[i]; i++) {
		autofree char *own = experiment_key(experiment->settings[i]);

		if (in_force_same_key(own, key))
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
	/* machines of several cases are named by the cases themselves */
	if (variant->machine && !strchr(variant->machine, ','))
		text = place_line(text, "machine", variant->machine);
	if (variant->kernel && strcmp(variant->kernel, "running") != 0 &&
	    strcmp(variant->kernel, "default") != 0)
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

static char *plan_text(const struct run *run, int base, int test, const struct experiment **list,
		       int n)
{
	const struct result_variant *sides[2] = { &run->variants[base], &run->variants[test] };
	char *text = without_variants(run->plan_text);

	text = memory_append(text, "\n");
	for (int side = 0; side < 2; side++)
		text = variant_text(text, sides[side], NULL);
	for (int i = 0; i < n; i++)
		for (int side = 0; side < 2; side++)
			text = variant_text(text, sides[side], list[i]);
	return text;
}

/* ---- which experiments ---- */

/* those that were named, or NULL with 0: a name twice is one */
static const struct experiment **named(const struct arguments *arguments, int *n)
{
	const struct experiment **list = NULL;
	int n_names;
	autofree const char **names = option_values(arguments, "experiment", &n_names);

	*n = 0;
	for (int i = 0; i < n_names; i++) {
		const struct experiment *experiment = experiment_find(names[i]);
		bool known = false;

		for (int j = 0; j < *n; j++)
			known |= list[j] == experiment;
		if (!known)
			*array_append(list, *n) = experiment;
	}
	return list;
}

/* takes out what would tell nothing: of those that were named it is said why */
static struct error *choose(const struct arguments *arguments, const struct table *table,
			    const struct experiment ***out, int *n_out)
{
	int n, n_used = 0;
	const struct experiment **list = named(arguments, &n);
	bool asked = n > 0;

	if (!asked)
		list = explain_experiments(table, &n);
	for (int i = 0; i < n && (asked || n_used < EXPERIMENTS_DEFAULT); i++) {
		autofree char *why = NULL;

		if (experiment_use(table, list[i], &why) == EXPERIMENT_USEFUL)
			list[n_used++] = list[i];
		else if (asked)
			fprintf(stderr, "fairtrial: experiment %s left out: %s\n", list[i]->name,
				why);
	}
	*out = list;
	*n_out = n_used;
	if (n_used)
		return NULL;
	free(list);
	*out = NULL;
	if (asked)
		return error_new(ERR_INPUT, "no experiment is left to run: it would tell nothing "
					    "about the difference");
	return error_new(ERR_INPUT, "no experiment is proposed for what moved; --experiment NAME "
				    "runs one, --list-experiments prints them");
}

/* ---- running it ---- */

/* is there a run of this plan that was cut off? Only of the same study: its label has the number */
static bool was_cut_off(struct store *store, const struct plan *plan, const char *label)
{
	struct run *run;
	struct error *error = session_find(store, plan->text, &run);
	bool found = !error && run->label && !strcmp(run->label, label);

	if (!error)
		run_free(run);
	error_free(error);
	return found;
}

/* a study that was imported, or made before a boot: its experiments are made here and now all the same */
static void warn_of_host(const struct run *study, const struct run *made)
{
	static const char *const keys[] = { "kernel_release", "cpu", "machine" };

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const json_t *then = json_object_get(study->environment, keys[i]);
		const json_t *now = json_object_get(made->environment, keys[i]);

		if (!then || !now || json_equal(then, now))
			continue;
		fprintf(stderr,
			"fairtrial: warning: run %lld was made on another host or kernel (%s is "
			"not the same); the experiments run here\n",
			(long long)study->id, keys[i]);
		return;
	}
}

static struct error *begin(struct session *session, struct store *store, const char *label)
{
	struct error *error;

	if (was_cut_off(store, session->plan, label)) {
		error = session_resume(session, store);
		if (!error) {
			fprintf(stderr,
				"fairtrial: goes on with run %lld, which was cut off after %d of "
				"%d trials\n",
				(long long)session->run->id, session->run->n_trials,
				session->n_steps);
			return NULL;
		}
		/* the kernel or the program is another one by now */
		fprintf(stderr, "fairtrial: %s\n", error->message);
		error_free(error);
	}
	error = session_find_loads(session);
	return error ? error : session_create(session, store);
}

/* trials are worth more than a reader of the report who has gone */
static struct error *run_trials(struct session *session, struct store *store, int *n_failed)
{
	void (*before)(int) = signal(SIGPIPE, SIG_IGN);
	struct error *error = session_run(session, store, n_failed);

	signal(SIGPIPE, before);
	if (error && error->code == ERR_INTERRUPTED) {
		int kept = 0;

		for (int i = 0; i < session->n_steps; i++)
			kept += session->done[i];
		error_free(error);
		return error_new(ERR_INTERRUPTED,
				 "interrupted: run %lld (label %s) has %d of %d trials, which are "
				 "kept; the same command goes on with it",
				 (long long)session->run->id, session->run->label, kept,
				 session->n_steps);
	}
	return error;
}

static struct error *run_plan(const struct arguments *arguments, struct store *store,
			      const struct run *study, const struct plan *plan, const char *label,
			      int64_t *id, int *n_failed)
{
	struct session_options options = {
		.label = label,
		.skip_unavailable = true,
		.interrupted = interrupt_flag(),
	};
	struct session *session = NULL;
	long jobs;
	struct error *error = option_integer(arguments, "jobs", 1, 1024, 0, &jobs);

	options.jobs = (int)jobs;
	if (!error)
		error = session_new(plan, &options, &session);
	if (error)
		return error;
	interrupt_catch();
	error = begin(session, store, label);
	if (!error)
		warn_of_host(study, session->run);
	if (!error)
		error = run_trials(session, store, n_failed);
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

/* One question: does the difference in a metric of a case depend on an experiment? */
struct question {
	const struct experiment *experiment;
	const char *case_name, *metric;
	struct outcome outcome;
	struct error *error; /* why there is no answer, or NULL */
};

struct questions {
	struct question *list;
	int n;
};

static void ask(struct questions *questions, const struct run *run, int case_index,
		const struct experiment *experiment, const int variants[4], const char *metric,
		double level)
{
	struct question *question = array_append(questions->list, questions->n);
	double *values[4];

	question->experiment = experiment;
	question->case_name = run->cases[case_index].name;
	question->metric = metric;
	for (int i = 0; i < 4; i++)
		values[i] = block_values(run, case_index, variants[i], metric, run->trials_planned);
	question->error = explain_outcome((const double *const *)values, run->trials_planned, level,
					  &question->outcome);
	for (int i = 0; i < 4; i++)
		free(values[i]);
}

/* the results that were called R or I; where none was, the metric that the workload is about */
static void ask_case(struct questions *questions, const struct table *table, const struct run *run,
		     int case_index, const struct experiment *experiment, const int variants[4])
{
	const char *name = run->cases[case_index].name, *metric = main_metric(run, case_index);
	double level = table->options.level;
	bool any = false;

	for (int i = 0; i < table->n_rows; i++) {
		const struct row *row = &table->rows[i];

		if (strcmp(row->case_name, name) || row->between_workers ||
		    (row->cells[1].verdict != VERDICT_REGRESSION &&
		     row->cells[1].verdict != VERDICT_IMPROVEMENT) ||
		    row->role != ROLE_MAIN)
			continue;
		ask(questions, run, case_index, experiment, variants, row->metric, level);
		any = true;
	}
	if (!any && metric)
		ask(questions, run, case_index, experiment, variants, metric, level);
	if (!metric)
		printf("%s, %s: no trial gave a result\n", name, experiment->name);
}

static int variant_named(const struct run *run, const char *name,
			 const struct experiment *experiment)
{
	autofree char *full =
		experiment ? memory_format("%s+%s", name, experiment->name) : memory_string(name);

	return run_variant_index(run, full);
}

static void ask_experiment(struct questions *questions, const struct table *table,
			   const struct run *run, const char *base, const char *test,
			   const struct experiment *experiment)
{
	int variants[4] = { variant_named(run, base, NULL), variant_named(run, test, NULL),
			    variant_named(run, base, experiment),
			    variant_named(run, test, experiment) };

	for (int i = 0; i < 4; i++) {
		const char *skipped = run->variants[variants[i]].skipped;

		if (!skipped)
			continue;
		printf("%s: not run: %s\n", experiment->name, skipped);
		return;
	}
	for (int c = 0; c < run->n_cases; c++)
		ask_case(questions, table, run, c, experiment, variants);
}

/* allowed for all that were asked together, as the table of results does */
static void adjust(struct questions *questions)
{
	autofree double *p = memory_zeroed((size_t)questions->n, sizeof(*p));

	for (int i = 0; i < questions->n; i++)
		p[i] = questions->list[i].error ? NAN : questions->list[i].outcome.ratio.p_value;
	adjust_p_values(p, questions->n, p);
	for (int i = 0; i < questions->n; i++)
		questions->list[i].outcome.adjusted = p[i];
}

static bool same_heading(const struct question *a, const struct question *b)
{
	return a->experiment == b->experiment && !strcmp(a->case_name, b->case_name);
}

/* one question, or several of a case that all had the same answer to the last digit; how many */
static int print_answer(const struct question *list, int n, double level)
{
	autofree char *names = memory_string(list[0].metric);
	int taken = 1;

	if (list[0].error) {
		printf("    %s: %s\n", names, list[0].error->message);
		return 1;
	}
	while (list[0].outcome.identical && taken < n && same_heading(&list[taken], &list[0]) &&
	       !list[taken].error && list[taken].outcome.identical)
		names = memory_append(names, ", %s", list[taken++].metric);
	explain_outcome_print(stdout, names, &list[0].outcome, level);
	return taken;
}

static void print_answers(const struct questions *questions, double level)
{
	for (int i = 0; i < questions->n;) {
		const struct question *question = &questions->list[i];

		if (!i || question->experiment != question[-1].experiment) {
			putchar('\n');
			explain_experiment_print(stdout, question->experiment);
		}
		if (!i || !same_heading(question, question - 1))
			printf("  %s\n", question->case_name);
		i += print_answer(question, questions->n - i, level);
	}
}

static void print_outcomes(const struct table *table, const struct run *run, const char *base,
			   const char *test, const struct experiment **used, int n)
{
	struct questions questions = { 0 };
	autofree char *legend = NULL;

	printf("\nexperiments (run %lld, %d interleaved block%s)\n", (long long)run->id,
	       run->trials_planned, run->trials_planned == 1 ? "" : "s");
	for (int i = 0; i < n; i++)
		ask_experiment(&questions, table, run, base, test, used[i]);
	adjust(&questions);
	print_answers(&questions, table->options.level);
	legend = memory_format(
		"A -> B: the change from %s to %s as they are, and with the setting in both; ratio: "
		"the second over the first. %d ratio%s tested%s; parts of the difference are those "
		"of its logarithm.",
		base, test, questions.n, questions.n == 1 ? " was" : "s were",
		questions.n > 1 ? ", p-values adjusted over all (Benjamini-Hochberg)" : "");
	putchar('\n');
	print_wrapped(stdout, legend, 0, 2);
	for (int i = 0; i < questions.n; i++)
		error_free(questions.list[i].error);
	free(questions.list);
}

static struct error *make_and_print(const struct arguments *arguments, struct store *store,
				    const struct table *table, const struct run *run, int base,
				    int test, const struct experiment **used, int n)
{
	autofree char *text = plan_text(run, base, test, used, n);
	autofree char *label = memory_format("explain-%lld", (long long)run->id);
	const char *trials = option_value(arguments, "trials", NULL);
	autofree char *override = trials ? memory_format("trials=%s", trials) : NULL;
	const char *overrides[] = { override };
	struct plan *plan;
	struct run *made;
	int64_t id = 0;
	int n_failed = 0;
	struct error *error =
		plan_read_text(EXPLAIN_PLAN, text, overrides, override ? 1 : 0, &plan);

	if (error)
		return error;
	error = run_plan(arguments, store, run, plan, label, &id, &n_failed);
	plan_free(plan);
	if (!error)
		error = store_load_run(store, id, LOAD_VALUES, &made);
	if (error)
		return error;
	print_outcomes(table, made, run->variants[base].name, run->variants[test].name, used, n);
	run_free(made);
	if (n_failed)
		return error_new(ERR_INPUT, "%d trials failed; fairtrial show %lld tells more",
				 n_failed, (long long)id);
	return NULL;
}

struct error *explain_run(const struct arguments *arguments, struct store *store,
			  const struct table *table)
{
	const struct side_part *base = &table->sides[0].parts[table->sides[0].n_parts - 1];
	const struct side_part *test = &table->sides[1].parts[table->sides[1].n_parts - 1];
	autofree const struct experiment **used = NULL;
	struct error *error;
	int n;

	if (base->run != test->run)
		return error_new(ERR_INPUT,
				 "--run needs two variants of one run; %s is of run "
				 "%lld, %s of run %lld",
				 table->sides[0].name, (long long)base->run->id,
				 table->sides[1].name, (long long)test->run->id);
	if (!base->run->plan_text || !*base->run->plan_text)
		return error_new(ERR_INPUT, "run %lld has no plan: it was not made by fairtrial",
				 (long long)base->run->id);
	error = choose(arguments, table, &used, &n);
	if (error)
		return error;
	/* the report is out before trials run, which take their time */
	fflush(stdout);
	return make_and_print(arguments, store, table, base->run, base->variant, test->variant,
			      used, n);
}
