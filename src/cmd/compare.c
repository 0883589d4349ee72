// SPDX-License-Identifier: GPL-2.0-only
/* compare.c - `fairtrial compare`: variants against a base, with intervals and verdicts */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "cmd/comparison.h"
#include "cmd/store_option.h"
#include "cmd/verb.h"

static const struct option_desc compare_options[] = {
	STORE_OPTION,
	{ "style", 0, "STYLE", "summary (default), mmtests, hwbench, grid, json, csv", false },
	{ "json", 0, NULL, "the same as --style json", false },
	{ "csv", 0, NULL, "the same as --style csv", false },
	{ "metrics", 'm', "LIST", "metrics to compare, separated by commas, or all", false },
	{ "margin", 0, "M", "within M is no change: 1% or 0.01; default: the plan's, else 1%",
	  false },
	{ "level", 0, "L", "level of intervals and verdicts: 95% or 0.95 (default)", false },
	{ "per-worker", 0, NULL, "show the spread between workers also where it is unchanged",
	  false },
	{ "no-per-worker", 0, NULL, "do not look at the spread between workers", false },
	{ "force", 'f', NULL, "compare what does not compare, with a warning", false },
	{ "exit-code", 0, NULL, "exit with 3 if there is a regression", false },
	{ NULL },
};

/* a share: "1%" or "0.01" */
static struct error *read_share(const struct arguments *arguments, const char *name, double least,
				double below, double *out)
{
	const char *text = option_value(arguments, name, NULL);
	autofree char *digits = memory_string(text ? text : "");
	size_t length = strlen(digits);
	bool percent = length && digits[length - 1] == '%';
	struct error *error;
	double value = 0;

	if (!text)
		return NULL;
	if (percent)
		digits[length - 1] = '\0';
	error = text_number(digits, &value);
	value = percent ? value / 100 : value;
	if (!error && value >= least && value < below) {
		*out = value;
		return NULL;
	}
	error_free(error);
	return error_new(ERR_USAGE,
			 "compare: --%s: '%s' is not a share from %g to below %g, as 0.01 or 1%%",
			 name, text, least, below);
}

static struct error *unknown_style(const char *name)
{
	const char **known = NULL;
	const char *nearest;
	struct error *error;
	char *list = memory_string("");
	int n = 0;

	for (const struct report_style *const *style = style_all(); *style; style++) {
		list = memory_append(list, "%s%s", n ? ", " : "", (*style)->name);
		*array_append(known, n) = (*style)->name;
	}
	*array_append(known, n) = NULL;
	nearest = text_nearest(name, known);
	error = error_new(ERR_USAGE, "compare: --style: '%s' is none of %s%s%s%s", name, list,
			  nearest ? "; did you mean " : "", nearest ? nearest : "",
			  nearest ? "?" : "");
	free(known);
	free(list);
	return error;
}

static struct error *read_style(const struct arguments *arguments, const struct report_style **out)
{
	const char *name = option_value(arguments, "style", NULL);
	int given =
		(name != NULL) + option_given(arguments, "json") + option_given(arguments, "csv");

	if (given > 1)
		return error_new(ERR_USAGE, "compare: only one of --style, --json, --csv");
	if (option_given(arguments, "json"))
		name = "json";
	else if (option_given(arguments, "csv"))
		name = "csv";
	if (!name)
		return NULL;
	*out = style_find(name);
	return *out ? NULL : unknown_style(name);
}

static struct error *read_options(const struct arguments *arguments, struct comparison *comparison)
{
	struct error *error = read_style(arguments, &comparison->style);

	if (!error)
		error = read_share(arguments, "margin", 0, 1, &comparison->margin);
	if (!error)
		error = read_share(arguments, "level", 0.5, 1, &comparison->level);
	if (error)
		return error;
	if (option_given(arguments, "per-worker") && option_given(arguments, "no-per-worker"))
		return error_new(ERR_USAGE, "compare: only one of --per-worker, --no-per-worker");
	if (option_given(arguments, "per-worker"))
		comparison->worker_rows = WORKER_ROWS_ALL;
	if (option_given(arguments, "no-per-worker"))
		comparison->worker_rows = WORKER_ROWS_NONE;
	comparison->metrics = option_value(arguments, "metrics", NULL);
	comparison->force = option_given(arguments, "force");
	return NULL;
}

static struct error *compare_run(const struct arguments *arguments, int *status)
{
	struct comparison comparison = comparison_default();
	struct error *error = read_options(arguments, &comparison);
	bool regression = false;
	struct store *store;

	if (!error)
		error = open_store(arguments, STORE_READ, &store);
	if (error)
		return error;
	error = comparison_print(store, arguments->words, arguments->n_words, &comparison,
				 &regression);
	store_close(store);
	if (!error && regression && option_given(arguments, "exit-code"))
		*status = EXIT_REGRESSION;
	return error;
}

const struct verb verb_compare = {
	.name = "compare",
	.usage = "BASE TEST...",
	.summary = "compare variants with a base: intervals and verdicts",
	.options = compare_options,
	.min_words = 2,
	.max_words = -1,
	.run = compare_run,
};
