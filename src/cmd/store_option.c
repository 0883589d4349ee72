// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/store_option.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "base/memory.h"
#include "result/select.h"

struct error *open_store(const struct arguments *arguments, enum store_mode mode,
			 struct store **out)
{
	return store_open(option_value(arguments, "store", NULL), mode, out);
}

static bool holds(const int64_t *ids, int n, int64_t id)
{
	for (int i = 0; i < n; i++)
		if (ids[i] == id)
			return true;
	return false;
}

struct error *runs_of_words(struct store *store, const struct arguments *arguments, int64_t **ids,
			    int *n)
{
	struct error *error = NULL;
	int64_t *found = NULL;
	int count = 0;

	for (int i = 0; !error && i < arguments->n_words; i++) {
		int64_t *more = NULL;
		int n_more = 0;

		error = store_resolve_runs(store, arguments->words[i], &more, &n_more);
		for (int j = 0; j < n_more; j++)
			if (!holds(found, count, more[j]))
				*array_append(found, count) = more[j];
		free(more);
	}
	if (error) {
		free(found);
		return error;
	}
	*ids = found;
	*n = count;
	return NULL;
}

char *utc_time(double seconds)
{
	time_t whole = isfinite(seconds) && fabs(seconds) < 1e11 ? (time_t)seconds : 0;
	char text[64];
	struct tm parts;

	gmtime_r(&whole, &parts);
	strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &parts);
	return memory_string(text);
}

void print_json(json_t *value)
{
	json_dumpf(value, stdout, JSON_INDENT(2) | JSON_SORT_KEYS);
	putchar('\n');
	json_decref(value);
}
