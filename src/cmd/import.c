// SPDX-License-Identifier: GPL-2.0-only
/* import.c - `fairtrial import`: exports of fairtrial, or files of other programs, into the store */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "cmd/import_foreign.h"
#include "cmd/store_option.h"

static const struct option_desc options[] = {
	STORE_OPTION,
	{ "format", 0, "FORMAT", "what the files are; 'list' prints the formats", false },
	{ "variant", 0, "NAME", "the variant of all results [of the file, else imported]", false },
	{ "case", 0, "NAME", "the case of all results [of the file]", false },
	{ "label", 0, "LABEL", "the label of the new run [imported]", false },
	{ "program-version", 0, "TEXT", "of the program, where its files do not tell", false },
	{ 0 },
};

/* what --format calls an export of fairtrial */
#define OWN_FORMAT "fairtrial"

/* ---- exports of fairtrial ---- */

static struct error *import_export(struct store *store, const char *file)
{
	bool standard = !strcmp(file, "-");
	FILE *stream = stdin;
	struct error *error = standard ? NULL : file_open_stream(file, &stream);
	int n = 0;

	if (error)
		return error;
	error = store_import(store, stream, standard ? "<stdin>" : file, &n);
	if (!standard)
		fclose(stream);
	if (!error)
		printf("imported %d run%s from %s\n", n, n == 1 ? "" : "s", file);
	return error;
}

static struct error *import_exports(const struct arguments *arguments)
{
	struct store *store;
	struct error *error = open_store(arguments, STORE_WRITE, &store);

	if (error)
		return error;
	for (int i = 0; !error && i < arguments->n_words; i++)
		error = import_export(store, arguments->words[i]);
	store_close(store);
	return error;
}

/* ---- files of other programs ---- */

static void print_formats(void)
{
	printf("  %-16s %s\n", OWN_FORMAT, "JSON lines of fairtrial export (needs no --format)");
	for (const struct foreign_format *const *at = foreign_format_all(); *at; at++)
		printf("  %-16s %s\n", (*at)->name, (*at)->summary);
}

static struct error *find_format(const char *name, const struct foreign_format **out)
{
	const char **names = NULL;
	const char *nearest;
	struct error *error;
	int n = 0;

	*out = foreign_format_find(name);
	if (*out)
		return NULL;
	for (const struct foreign_format *const *at = foreign_format_all(); *at; at++)
		*array_append(names, n) = (*at)->name;
	*array_append(names, n) = OWN_FORMAT;
	*array_append(names, n) = NULL;
	nearest = text_nearest(name, names);
	error = error_new(ERR_USAGE, "import: unknown format '%s'%s%s%s; see --format list", name,
			  nearest ? "; did you mean " : "", nearest ? nearest : "",
			  nearest ? "?" : "");
	free(names);
	return error;
}

static void say_imported(const struct run *run)
{
	printf("imported %d trial%s of %d case%s as run %lld, label %s\n", run->n_trials,
	       run->n_trials == 1 ? "" : "s", run->n_cases, run->n_cases == 1 ? "" : "s",
	       (long long)run->id, run->label);
}

static struct error *import_foreign(const struct arguments *arguments,
				    const struct foreign_options *how)
{
	struct store *store;
	struct run *run;
	struct error *error = foreign_run(arguments->words, arguments->n_words, how, &run);

	if (error)
		return error;
	error = open_store(arguments, STORE_WRITE, &store);
	if (!error) {
		error = store_add_whole_run(store, run);
		store_close(store);
	}
	if (!error)
		say_imported(run);
	run_free(run);
	return error;
}

/* a pipe, and a file that cannot be opened, are left to the import of exports */
static bool is_export(const char *file)
{
	char start[256] = "";
	struct stat status;
	struct error *error;
	FILE *stream;
	size_t got;

	if (!strcmp(file, "-") || stat(file, &status) || !S_ISREG(status.st_mode))
		return true;
	error = file_open_stream(file, &stream);
	if (error) {
		error_free(error);
		return true;
	}
	got = fread(start, 1, sizeof(start) - 1, stream);
	fclose(stream);
	start[got] = '\0';
	return foreign_is_export(start);
}

static struct error *run(const struct arguments *arguments, int *status)
{
	struct foreign_options how = {
		.variant = option_value(arguments, "variant", NULL),
		.case_name = option_value(arguments, "case", NULL),
		.label = option_value(arguments, "label", NULL),
		.program_version = option_value(arguments, "program-version", NULL),
	};
	const char *format = option_value(arguments, "format", NULL);
	bool named = how.variant || how.case_name || how.label || how.program_version;
	bool own = format && !strcmp(format, OWN_FORMAT);
	bool all_exports = own || (!format && !named);
	struct error *error;

	(void)status;
	if (format && !strcmp(format, "list")) {
		print_formats();
		return NULL;
	}
	if (!arguments->n_words)
		return error_new(ERR_USAGE,
				 "import: FILE... is missing; see fairtrial import --help");
	if (own && named)
		return error_new(ERR_USAGE, "import: runs of --format " OWN_FORMAT
					    " keep their labels, variants and cases; leave out the "
					    "options that name them");
	if (format && !own) {
		error = find_format(format, &how.format);
		if (error)
			return error;
	}
	for (int i = 0; all_exports && !own && i < arguments->n_words; i++)
		all_exports = is_export(arguments->words[i]);
	return all_exports ? import_exports(arguments) : import_foreign(arguments, &how);
}

const struct verb verb_import = {
	.name = "import",
	.usage = "FILE...",
	.summary = "add exported runs, or results of other programs, to the store",
	.options = options,
	.min_words = 0,
	.max_words = -1,
	.run = run,
};
