// SPDX-License-Identifier: GPL-2.0-only
/* rm.c - `fairtrial rm`: removes runs from the store */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "cmd/store_option.h"

static const struct option_desc options[] = {
	STORE_OPTION,
	{ 0 },
};

static struct error *remove_run(struct store *store, const struct run_summary *run)
{
	autofree char *started = utc_time(run->started);
	struct error *error = store_remove_run(store, run->id);

	if (error)
		return error;
	printf("removed run %lld, label %s, started %s UTC, %d trial%s\n", (long long)run->id,
	       run->label ? run->label : "-", started, run->n_trials,
	       run->n_trials == 1 ? "" : "s");
	return NULL;
}

static struct error *remove_runs(struct store *store, const int64_t *ids, int n)
{
	struct run_summary *runs;
	int n_runs;
	struct error *error = store_list(store, NULL, &runs, &n_runs);

	if (error)
		return error;
	for (int i = 0; !error && i < n; i++)
		for (int j = 0; !error && j < n_runs; j++)
			if (runs[j].id == ids[i])
				error = remove_run(store, &runs[j]);
	run_summaries_free(runs, n_runs);
	return error;
}

/* all names are looked up before the first run is removed */
static struct error *run(const struct arguments *arguments, int *status)
{
	struct store *store, *reader;
	int64_t *ids = NULL;
	int n = 0;
	/* reading first: a mistyped --store must not make a new store */
	struct error *error = open_store(arguments, STORE_READ, &reader);

	(void)status;
	if (error)
		return error;
	error = runs_of_words(reader, arguments, &ids, &n);
	store_close(reader);
	if (error)
		return error;
	error = open_store(arguments, STORE_WRITE, &store);
	if (!error) {
		error = remove_runs(store, ids, n);
		store_close(store);
	}
	free(ids);
	return error;
}

const struct verb verb_rm = {
	.name = "rm",
	.usage = "ID|LABEL...",
	.summary = "remove runs with all their trials from the store",
	.options = options,
	.min_words = 1,
	.max_words = -1,
	.run = run,
};
