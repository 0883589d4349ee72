// SPDX-License-Identifier: GPL-2.0-only
/* list.c - `fairtrial list`: the runs in the store, or what comes with the program */
#include <stdlib.h>

#include "base/memory.h"
#include "cmd/list_ready.h"
#include "cmd/store_option.h"
#include "report/grid.h"

static const struct option_desc options[] = {
	{ "label", 'l', "L", "only the runs of this label", false },
	{ "json", 0, NULL, "print a JSON array", false },
	{ "plans", 0, NULL, "the ready plans instead, which run takes by name", false },
	{ "workloads", 0, NULL, "the workloads instead, and what each exercises", false },
	STORE_OPTION,
	{ 0 },
};

static const char *text_of(const char *text)
{
	return text ? text : "-";
}

/* @beside: the variants are a column; else they stand below their run */
static struct grid *make_table(const struct run_summary *runs, int n, bool beside)
{
	static const char *const heads[] = { ">ID",	"<LABEL",    "<PLAN",
					     ">TRIALS", ">FAILED",   "<STARTED (UTC)",
					     "<STATE",	"<VARIANTS", NULL };
	static const char *const fewer[] = { ">ID",	"<LABEL",	  "<PLAN",  ">TRIALS",
					     ">FAILED", "<STARTED (UTC)", "<STATE", NULL };
	struct grid *grid = grid_new(beside ? heads : fewer, 1);

	for (int i = 0; i < n; i++) {
		autofree char *started = utc_time(runs[i].started);

		grid_add(grid, "%lld", (long long)runs[i].id);
		grid_add(grid, "%s", text_of(runs[i].label));
		grid_add(grid, "%s", text_of(runs[i].plan_name));
		grid_add(grid, "%d/%d", runs[i].n_trials, runs[i].n_planned);
		grid_add(grid, "%d", runs[i].n_failed);
		grid_add(grid, "%.16s", started);
		grid_add(grid, "%s", runs[i].complete ? "complete" : "partial");
		if (beside)
			grid_add(grid, "%s", runs[i].variants);
		else
			grid_note(grid, "%s", runs[i].variants);
	}
	return grid;
}

static void print_table(const struct run_summary *runs, int n)
{
	struct grid *grid = make_table(runs, n, true);

	if (grid_width(grid) > GRID_WIDTH) {
		grid_end(grid, NULL, 0);
		grid = make_table(runs, n, false);
	}
	grid_end(grid, stdout, 0);
}

static json_t *summary_json(const struct run_summary *run)
{
	json_t *object =
		json_pack("{s:I, s:s?, s:s?, s:f, s:i, s:i, s:i, s:b}", "id", (json_int_t)run->id,
			  "label", run->label, "plan", run->plan_name, "started", run->started,
			  "trials", run->n_trials, "failed", run->n_failed, "planned",
			  run->n_planned, "complete", (int)run->complete);

	json_object_set_new(object, "variants", json_string(run->variants));
	return object;
}

static void print_array(const struct run_summary *runs, int n)
{
	json_t *array = json_array();

	for (int i = 0; i < n; i++)
		json_array_append_new(array, summary_json(&runs[i]));
	print_json(array);
}

/* @done: a list of what comes with the program was asked for */
static struct error *list_ready(const struct arguments *arguments, bool *done)
{
	bool plans = option_given(arguments, "plans"),
	     workloads = option_given(arguments, "workloads");

	*done = plans || workloads;
	if (*done && (plans + workloads > 1 || option_given(arguments, "label") ||
		      option_given(arguments, "json") || option_given(arguments, "store")))
		return error_new(ERR_USAGE,
				 "list: --plans and --workloads go with no other option");
	if (plans)
		list_plans();
	if (workloads)
		list_workloads();
	return NULL;
}

static struct error *list_runs(const struct arguments *arguments)
{
	const char *label = option_value(arguments, "label", NULL);
	struct run_summary *runs;
	struct store *store;
	struct error *error = open_store(arguments, STORE_READ, &store);
	int n;

	if (error)
		return error;
	error = store_list(store, label, &runs, &n);
	store_close(store);
	if (error)
		return error;
	if (option_given(arguments, "json"))
		print_array(runs, n);
	else if (n)
		print_table(runs, n);
	else if (label)
		fprintf(stderr, "there is no run with the label '%s'\n", label);
	else
		fprintf(stderr, "there is no run in the store\n");
	run_summaries_free(runs, n);
	return NULL;
}

static struct error *run(const struct arguments *arguments, int *status)
{
	bool done;
	struct error *error = list_ready(arguments, &done);

	(void)status;
	return done ? error : list_runs(arguments);
}

const struct verb verb_list = {
	.name = "list",
	.usage = "",
	.summary = "the runs in the store",
	.options = options,
	.min_words = 0,
	.max_words = 0,
	.run = run,
};
