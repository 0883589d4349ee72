/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * verb.h - the verbs of the command line: one constant description and one file each
 *
 * main.c only dispatches: finds the verb, reads its options, calls run(), prints the error and turns
 * it into the exit status: 0 done, 1 error, 2 usage, 3 a regression was found (--exit-code only).
 */
#ifndef FT_CMD_VERB_H
#define FT_CMD_VERB_H

#include <stdbool.h>

#include "base/error.h"

#define EXIT_REGRESSION 3

/* One option of a verb. All options are long; a letter is an alias. */
struct option_desc {
	const char *name;
	char letter;	      /* 0: none */
	const char *argument; /* name of its argument for the help, NULL: it takes none */
	const char *help;     /* one line */
	bool many;	      /* may be given more than once */
};

/* The command line of a verb after reading. */
struct arguments {
	const struct verb *verb;
	const char *const *words; /* what is not an option, without the verb's own name */
	int n_words;
	struct option_value *values; /* private: use the functions below */
	int n_values;
	bool help; /* it was asked for and is printed; nothing else was looked at */
};

struct verb {
	const char *name;		   /* one word */
	const char *usage;		   /* of its words, "BASE TEST..." */
	const char *summary;		   /* one line */
	const struct option_desc *options; /* ends with name == NULL; --help is added to all */
	int min_words, max_words;	   /* -1: any number */
	bool changes_settings; /* must not start while settings of a dead run cannot be put back */
	/* Errors are printed by main. @status: what main exits with when there is no error. */
	struct error *(*run)(const struct arguments *arguments, int *status);
};

const struct verb *verb_find(const char *name);
const struct verb *const *verb_all(void); /* ends with NULL, in the order of the help */

/* option_given - was it there; option_value - its (last) argument, or @otherwise */
bool option_given(const struct arguments *arguments, const char *name);
const char *option_value(const struct arguments *arguments, const char *name,
			 const char *otherwise);

/* option_values - all arguments of an option that may be given more than once; freed by the caller */
const char **option_values(const struct arguments *arguments, const char *name, int *n);

/* option_integer - as option_value(), checked; ERR_USAGE names the option and what is accepted */
struct error *option_integer(const struct arguments *arguments, const char *name, long min,
			     long max, long otherwise, long *out);

/* arguments_read - reads argv after the verb; ERR_USAGE says what is wrong, with "did you mean" */
struct error *arguments_read(const struct verb *verb, int argc, char **argv, struct arguments *out);
void arguments_clear(struct arguments *arguments);

#endif
