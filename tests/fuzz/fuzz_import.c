// SPDX-License-Identifier: GPL-2.0-only
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "result/store_open.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct error *read_into(struct store *store, const uint8_t *data, size_t size, int *n)
{
	/* fmemopen() refuses an empty buffer */
	FILE *stream = size ? fmemopen((void *)data, size, "r") : fopen("/dev/null", "r");
	struct error *error = store_import(store, stream, "fuzz", n);

	fclose(stream);
	return error;
}

static int count(struct store *store)
{
	struct run_summary *list;
	int n;
	struct error *error = store_list(store, NULL, &list, &n);

	if (error)
		abort();
	run_summaries_free(list, n);
	return n;
}

/* what is accepted comes out again in a form that is accepted; what is refused leaves nothing */
static void check(struct store *store, const struct error *error, int n)
{
	struct store *copy;
	char *text = NULL;
	size_t size;
	FILE *stream;
	int again = 0;

	if (error && (error->code != ERR_INPUT || error->line < 1 || count(store)))
		abort();
	if (error)
		return;
	stream = open_memstream(&text, &size);
	if (count(store) != n || store_export(store, NULL, 0, stream) || fclose(stream) ||
	    store_open_memory(&copy) || read_into(copy, (const uint8_t *)text, size, &again) ||
	    again != n)
		abort();
	store_close(copy);
	free(text);
}

/* a store is used until something was accepted: what is refused must not leave a trace in it */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct store *store;
	struct error *error;
	int n = 0;

	if (!store && store_open_memory(&store))
		abort();
	error = read_into(store, data, size, &n);
	check(store, error, n);
	if (!error) {
		store_close(store);
		store = NULL;
	}
	error_free(error);
	return 0;
}
