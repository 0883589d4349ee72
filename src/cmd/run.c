// SPDX-License-Identifier: GPL-2.0-only
/* run.c - `fairtrial run`: a plan from its file to its verdict */
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/others.h"
#include "backend/session.h"
#include "base/memory.h"
#include "base/ready.h"
#include "base/text.h"
#include "cmd/comparison.h"
#include "cmd/interrupt.h"
#include "cmd/verb.h"

static const struct option_desc run_options[] = {
	{ "backend", 0, "NAME", "where trials run: live or sim; in place of the plan's", false },
	{ "machine", 0, "M", "a machine file or the name of a ready one", false },
	{ "kernel", 0, "K", "a kernel by name (backend sim)", false },
	{ "set", 's', "KEY=VALUE", "a key of [plan], or SECTION.KEY, in place of the plan's",
	  true },
	{ "label", 'l', "L", "names the results; default: the plan's name", false },
	{ "store", 'd', "FILE", "where results are kept", false },
	{ "jobs", 'j', "N", "trials at once, where the backend allows more than one", false },
	{ "resume", 0, NULL, "complete the newest run of the plan (or of any) that was cut off",
	  false },
	{ "skip-unavailable", 0, NULL, "leave out variants and programs that are not here", false },
	{ "dry-run", 'n', NULL, "print the trials and the estimated time, run nothing", false },
	{ "quiet", 'q', NULL, "no comparison at the end", false },
	{ NULL },
};

struct run_command {
	const struct arguments *arguments;
	const char **overrides;
	int n_overrides;
	struct session_options options;
	struct plan *plan;
	struct store *store;
	struct session *session;
};

static struct error *read_command(struct run_command *command)
{
	const struct arguments *arguments = command->arguments;
	struct error *error;
	long jobs;

	command->overrides = option_values(arguments, "set", &command->n_overrides);
	error = option_integer(arguments, "jobs", 1, 1024, 0, &jobs);
	if (error)
		return error;
	command->options = (struct session_options){
		.backend = option_value(arguments, "backend", NULL),
		.machine = option_value(arguments, "machine", NULL),
		.kernel = option_value(arguments, "kernel", NULL),
		.label = option_value(arguments, "label", NULL),
		.overrides = command->overrides,
		.n_overrides = command->n_overrides,
		.skip_unavailable = option_given(arguments, "skip-unavailable"),
		.dry_run = option_given(arguments, "dry-run"),
		.jobs = jobs,
		.interrupted = interrupt_flag(),
	};
	if (option_given(arguments, "resume") && option_given(arguments, "label"))
		return error_new(ERR_USAGE, "run: --label does not go with --resume: a run that "
					    "goes on keeps its label");
	if (!arguments->n_words && !option_given(arguments, "resume"))
		return error_new(ERR_USAGE, "run: a plan file is needed; usage: fairtrial run "
					    "[OPTION]... PLAN");
	return NULL;
}

/* what a PLAN names that is no file; none where it looks like one, which then says what is wrong with it */
static struct error *find_plan(const char *name, char **path)
{
	autofree char *list = NULL;
	const char *nearest;
	struct error *error;
	char **names;
	int n;

	if (access(name, F_OK))
		*path = ready_find("plans", name, ".plan");
	if (*path || !access(name, F_OK) || strpbrk(name, "/."))
		return NULL;
	names = ready_names("plans", ".plan", &n);
	list = text_join(names, n, ", ");
	*array_append(names, n) = NULL;
	nearest = text_nearest(name, (const char *const *)names);
	if (nearest)
		error = error_new(ERR_INPUT, "no plan '%s'; did you mean '%s'?", name, nearest);
	else
		error = error_new(ERR_INPUT, "no plan '%s'; accepted: a file, or a ready plan: %s",
				  name, n > 1 ? list : "none is here");
	text_split_free(names, n);
	return error;
}

static struct error *read_plan(struct run_command *command)
{
	const struct arguments *arguments = command->arguments;
	struct error *error;
	struct run *run;

	if (arguments->n_words) {
		autofree char *path = NULL;

		error = find_plan(arguments->words[0], &path);
		if (error)
			return error;
		return plan_read(path ? path : arguments->words[0], command->overrides,
				 command->n_overrides, &command->plan);
	}
	error = session_find(command->store, NULL, &run);
	if (error)
		return error;
	error = plan_read_text(run->plan_name, run->plan_text, command->overrides,
			       command->n_overrides, &command->plan);
	run_free(run);
	return error;
}

/* a dry run looks into the store only for what is left to do there, and makes none */
static struct error *open_store(struct run_command *command)
{
	bool dry = option_given(command->arguments, "dry-run");

	if (dry && !option_given(command->arguments, "resume"))
		return NULL;
	return store_open(option_value(command->arguments, "store", NULL),
			  dry ? STORE_READ : STORE_WRITE, &command->store);
}

/* the verdict on the run; with one variant there is none, and `show` has the values */
static struct error *print_comparison(const struct run_command *command)
{
	const struct session *session = command->session;
	struct comparison comparison = comparison_default();
	int n = 0;

	for (int i = 0; i < session->plan->n_variants; i++)
		n += !session->skipped[i];
	if (option_given(command->arguments, "quiet"))
		return NULL;
	if (n < 2) {
		fprintf(stderr,
			"fairtrial: one variant, nothing to compare; its values: fairtrial show "
			"%lld\n",
			(long long)session->run->id);
		return NULL;
	}
	return comparison_print_run(command->store, session->run->id, &comparison, NULL);
}

/* on a busy machine each variant is measured beside what else runs there */
static void note_others(const struct session *session)
{
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
	bool live = false;
	double share;

	for (int i = 0; i < session->n_cases; i++)
		hwloc_bitmap_or(cpus, cpus, session->cases[i].cpus);
	for (int i = 0; i < session->plan->n_variants; i++)
		live |= !session->skipped[i] && session->backends[i] == &backend_live;
	share = live ? others_now("", cpus) : NAN;
	if (share >= OTHERS_NOTED)
		fprintf(stderr,
			"fairtrial: this machine is not idle: others take %.0f %% of the CPUs of "
			"the plan now (measured over 0.25 s)\n",
			share);
	hwloc_bitmap_free(cpus);
}

/* trials are worth more than a warning that nobody reads any more */
static struct error *run_through(struct session *session, struct store *store, int *n_failed)
{
	void (*before)(int) = signal(SIGPIPE, SIG_IGN);
	struct error *error;

	note_others(session);
	error = session_run(session, store, n_failed);
	signal(SIGPIPE, before);
	return error;
}

static struct error *run_trials(struct run_command *command)
{
	bool resume = option_given(command->arguments, "resume");
	struct session *session = command->session;
	struct error *error;
	int n_failed = 0;

	interrupt_catch();
	error = resume ? session_resume(session, command->store) : session_find_loads(session);
	if (!error && !resume)
		error = session_create(session, command->store);
	if (error)
		return error;
	error = run_through(session, command->store, &n_failed);
	if (!error)
		error = print_comparison(command);
	if (!error && n_failed)
		error = error_new(ERR_INPUT,
				  "%d of %d trials failed; fairtrial show %lld tells more",
				  n_failed, session->n_steps, (long long)session->run->id);
	return error;
}

/* prints what would run: with --resume, the trials that are missing */
static struct error *dry_run(const struct run_command *command)
{
	struct session *session = command->session;
	autofree struct plan_step *missing = NULL;
	struct error *error = NULL;
	int n = 0;

	if (option_given(command->arguments, "resume"))
		error = session_resume(session, command->store);
	if (error)
		return error;
	for (int i = 0; i < session->n_steps; i++)
		if (!session->done[i])
			*array_append(missing, n) = session->steps[i];
	plan_print(stdout, session->plan, session->machines[0], session->cases, session->n_cases,
		   missing, n, (const char *const *)session->skipped, session_seconds(session));
	return NULL;
}

static struct error *execute(struct run_command *command)
{
	struct error *error = read_command(command);

	if (!error)
		error = open_store(command);
	if (!error)
		error = read_plan(command);
	if (!error)
		error = session_new(command->plan, &command->options, &command->session);
	if (error)
		return error;
	return option_given(command->arguments, "dry-run") ? dry_run(command) : run_trials(command);
}

static struct error *run(const struct arguments *arguments, int *status)
{
	struct run_command command = { .arguments = arguments };
	struct error *error = execute(&command);

	(void)status;
	session_free(command.session);
	store_close(command.store);
	plan_free(command.plan);
	free(command.overrides);
	return error;
}

const struct verb verb_run = {
	.name = "run",
	.usage = "PLAN",
	.summary = "run the trials of a plan and print the comparison of its variants",
	.options = run_options,
	.min_words = 0,
	.max_words = 1,
	.changes_settings = true,
	.run = run,
};
