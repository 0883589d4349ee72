// SPDX-License-Identifier: GPL-2.0-only
/* import.c - `fairtrial import`: JSON lines of export into the store */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/store_option.h"

static const struct option_desc options[] = {
	STORE_OPTION,
	{ 0 },
};

static struct error *import_file(struct store *store, const char *file)
{
	bool standard = !strcmp(file, "-");
	FILE *stream = standard ? stdin : fopen(file, "re");
	struct error *error;
	int n = 0;

	if (!stream)
		return error_errno("cannot open %s", file);
	error = store_import(store, stream, standard ? "<stdin>" : file, &n);
	if (!standard)
		fclose(stream);
	if (!error)
		printf("imported %d run%s from %s\n", n, n == 1 ? "" : "s", file);
	return error;
}

static struct error *run(const struct arguments *arguments, int *status)
{
	struct store *store;
	struct error *error = open_store(arguments, STORE_WRITE, &store);

	(void)status;
	if (error)
		return error;
	for (int i = 0; !error && i < arguments->n_words; i++)
		error = import_file(store, arguments->words[i]);
	store_close(store);
	return error;
}

const struct verb verb_import = {
	.name = "import",
	.usage = "FILE...",
	.summary = "add the runs of exported files to the store; '-' is standard input",
	.options = options,
	.min_words = 1,
	.max_words = -1,
	.run = run,
};
