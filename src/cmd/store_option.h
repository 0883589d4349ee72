/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * store_option.h - what the verbs on the store share: -d/--store, runs by ID or LABEL, times
 */
#ifndef FT_CMD_STORE_OPTION_H
#define FT_CMD_STORE_OPTION_H

#include "cmd/verb.h"
#include "result/store.h"

#define STORE_OPTION                                                                               \
	{                                                                                          \
		"store", 'd', "FILE", "where results are kept", false                              \
	}

/* open_store - the store of --store, or the default one */
struct error *open_store(const struct arguments *arguments, enum store_mode mode,
			 struct store **out);

/* runs_of_words - the runs that the words of the command line name, each once, in that order */
struct error *runs_of_words(struct store *store, const struct arguments *arguments, int64_t **ids,
			    int *n);

/* utc_time - "2026-11-30 21:10:05", a new string */
char *utc_time(double seconds);

/* print_json - as indented text and a newline; takes @value over */
void print_json(json_t *value);

#endif
