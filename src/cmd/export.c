// SPDX-License-Identifier: GPL-2.0-only
/* export.c - `fairtrial export`: runs as JSON lines */
#include <stdlib.h>

#include "base/output.h"
#include "cmd/store_option.h"

static const struct option_desc options[] = {
	{ "output", 'o', "FILE", "write into a new file instead of standard output", false },
	{ "force", 'f', NULL, "let --output replace a file", false },
	STORE_OPTION,
	{ 0 },
};

static struct error *write_runs(struct store *store, const struct arguments *arguments,
				const int64_t *ids, int n)
{
	const char *file = option_value(arguments, "output", "-");
	struct output *output;
	struct error *error;

	error = output_open(file, option_given(arguments, "force"), 0666, &output);
	if (error)
		return error;
	return output_close(output, store_export(store, ids, n, output_stream(output)));
}

static struct error *run(const struct arguments *arguments, int *status)
{
	struct store *store;
	int64_t *ids = NULL;
	int n = 0;
	struct error *error;

	(void)status;
	if (option_given(arguments, "force") && !option_given(arguments, "output"))
		return error_new(ERR_USAGE, "export: --force needs --output");
	error = open_store(arguments, STORE_READ, &store);
	if (error)
		return error;
	if (arguments->n_words)
		error = runs_of_words(store, arguments, &ids, &n);
	if (!error)
		error = write_runs(store, arguments, ids, n);
	free(ids);
	store_close(store);
	return error;
}

const struct verb verb_export = {
	.name = "export",
	.usage = "[ID|LABEL]...",
	.summary = "print runs (all by default) as JSON lines",
	.options = options,
	.min_words = 0,
	.max_words = -1,
	.run = run,
};
