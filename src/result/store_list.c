// SPDX-License-Identifier: GPL-2.0-only
/* store_list.c - which runs there are */
#include <stdlib.h>

#include "base/memory.h"
#include "result/store_open.h"

static const char listing[] = "cannot list the runs";

static struct error *list_rows(struct store *store, const char *label, struct run_summary **out,
			       int *n)
{
	/* variants that were left out make no trials */
	struct query query = query_start(
		store, listing,
		"SELECT id, label, plan_name, started, complete, "
		"(SELECT count(*) FROM trial WHERE trial.run = run.id), "
		"(SELECT count(*) FROM trial WHERE trial.run = run.id AND status = 'failed'), "
		"trials_planned * (SELECT count(*) FROM run_case WHERE run_case.run = run.id) * "
		"(SELECT count(*) FROM run_variant WHERE run_variant.run = run.id "
		"AND skipped IS NULL), "
		"(SELECT group_concat(name, ', ') FROM (SELECT name FROM run_variant "
		"WHERE run_variant.run = run.id ORDER BY number)) "
		"FROM run WHERE ?1 IS NULL OR label = ?1 ORDER BY id");

	query_text(&query, 1, label);
	while (query_row(&query)) {
		struct run_summary *summary = array_append(*out, *n);

		summary->id = column_integer(&query, 0);
		summary->label = column_string(&query, 1);
		summary->plan_name = column_string(&query, 2);
		summary->started = column_real(&query, 3);
		summary->complete = column_integer(&query, 4);
		summary->n_trials = column_integer(&query, 5);
		summary->n_failed = column_integer(&query, 6);
		summary->n_planned = column_integer(&query, 7);
		summary->variants = column_string(&query, 8);
		if (!summary->variants)
			summary->variants = memory_string("");
	}
	return query_end(&query);
}

struct error *store_list(struct store *store, const char *label, struct run_summary **out, int *n)
{
	struct run_summary *summaries = NULL;
	int count = 0;
	struct error *error = list_rows(store, label, &summaries, &count);

	if (error) {
		run_summaries_free(summaries, count);
		return error;
	}
	*out = summaries;
	*n = count;
	return NULL;
}

void run_summaries_free(struct run_summary *summaries, int n)
{
	for (int i = 0; i < n; i++) {
		free(summaries[i].label);
		free(summaries[i].plan_name);
		free(summaries[i].variants);
	}
	free(summaries);
}

struct error *store_newest(struct store *store, const char *label, int64_t *id)
{
	struct query query = query_start(store, listing,
					 "SELECT id FROM run WHERE ?1 IS NULL OR label = ?1 "
					 "ORDER BY started DESC, id DESC LIMIT 1");
	int64_t newest = 0;
	struct error *error;

	query_text(&query, 1, label);
	if (query_row(&query))
		newest = column_integer(&query, 0);
	error = query_end(&query);
	if (error)
		return error;
	if (!newest)
		return label ? error_new(ERR_INPUT, "there is no run with the label '%s' in %s",
					 label, store->path)
			     : error_new(ERR_INPUT, "there is no run in %s", store->path);
	*id = newest;
	return NULL;
}
