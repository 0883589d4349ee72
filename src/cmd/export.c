// SPDX-License-Identifier: GPL-2.0-only
/* export.c - `fairtrial export`: runs as JSON lines */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "cmd/store_option.h"

static const struct option_desc options[] = {
	{ "output", 'o', "FILE", "write into a new file instead of standard output", false },
	{ "force", 'f', NULL, "let --output replace a file", false },
	STORE_OPTION,
	{ 0 },
};

/* written beside it first, so that FILE is whole or not there */
static struct error *open_output(const char *file, bool force, char **temporary, FILE **stream)
{
	int fd;

	if (!force && !access(file, F_OK))
		return error_new(ERR_INPUT, "%s is there already; --force replaces it", file);
	*temporary = memory_format("%s.%ld.new", file, (long)getpid());
	fd = open(*temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return error_errno("cannot make %s", *temporary);
	*stream = fdopen(fd, "w");
	return NULL;
}

static struct error *close_output(const char *file, const char *temporary, FILE *stream,
				  struct error *error)
{
	if (!error && (fflush(stream) || fsync(fileno(stream))))
		error = error_errno("cannot write %s", file);
	if (fclose(stream) && !error)
		error = error_errno("cannot write %s", file);
	if (!error && rename(temporary, file))
		error = error_errno("cannot replace %s", file);
	if (error)
		unlink(temporary);
	return error;
}

static struct error *write_runs(struct store *store, const struct arguments *arguments,
				const int64_t *ids, int n)
{
	const char *file = option_value(arguments, "output", NULL);
	autofree char *temporary = NULL;
	FILE *stream = stdout;
	struct error *error;

	if (!file)
		return store_export(store, ids, n, stdout);
	error = open_output(file, option_given(arguments, "force"), &temporary, &stream);
	if (error)
		return error;
	return close_output(file, temporary, stream, store_export(store, ids, n, stream));
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
