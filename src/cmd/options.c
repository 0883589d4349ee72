// SPDX-License-Identifier: GPL-2.0-only
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "cmd/verb.h"

struct option_value {
	const struct option_desc *option;
	const char *argument; /* points into argv; "" for an option without */
};

static int option_count(const struct verb *verb)
{
	int n = 0;

	while (verb->options && verb->options[n].name)
		n++;
	return n;
}

static const struct option_desc *option_of_letter(const struct verb *verb, int letter)
{
	for (int i = 0; i < option_count(verb); i++)
		if (verb->options[i].letter && verb->options[i].letter == letter)
			return &verb->options[i];
	return NULL;
}

static struct option *long_options(const struct verb *verb)
{
	int n = option_count(verb);
	struct option *options = memory_zeroed(n + 2, sizeof(*options));

	for (int i = 0; i < n; i++) {
		options[i].name = verb->options[i].name;
		options[i].has_arg = verb->options[i].argument ? required_argument : no_argument;
	}
	options[n].name = "help";
	return options;
}

/* ":" first: a missing argument is told apart from an unknown option */
static char *short_options(const struct verb *verb)
{
	char *letters = memory_string(":h");

	for (int i = 0; i < option_count(verb); i++) {
		if (!verb->options[i].letter)
			continue;
		letters = memory_append(letters, "%c%s", verb->options[i].letter,
					verb->options[i].argument ? ":" : "");
	}
	return letters;
}

static struct error *unknown_option(const struct verb *verb, const char *word)
{
	const char **names = memory_zeroed(option_count(verb) + 2, sizeof(*names));
	autofree char *bare = memory_string_n(word, strcspn(word, "="));
	const char *nearest;
	struct error *error;

	for (int i = 0; i < option_count(verb); i++)
		names[i] = verb->options[i].name;
	names[option_count(verb)] = "help";
	nearest = strlen(bare) > 2 ? text_nearest(bare + 2, names) : NULL;
	if (nearest)
		error = error_new(ERR_USAGE, "%s: unknown option '%s'; did you mean --%s?",
				  verb->name, bare, nearest);
	else
		error = error_new(ERR_USAGE, "%s: unknown option '%s'; see fairtrial %s --help",
				  verb->name, bare, verb->name);
	free(names);
	return error;
}

/* what getopt_long() answered with '?': an option that there is not, or one with an argument too much */
static struct error *refused_option(const struct verb *verb, const char *word)
{
	const char *name = strncmp(word, "--", 2) ? NULL : word + 2;
	size_t length = name ? strcspn(name, "=") : 0;

	if (optopt && !option_of_letter(verb, optopt))
		return error_new(ERR_USAGE, "%s: unknown option '-%c'; see fairtrial %s --help",
				 verb->name, optopt, verb->name);
	for (int i = 0; name && name[length] && i < option_count(verb); i++)
		if (strlen(verb->options[i].name) == length &&
		    !strncmp(verb->options[i].name, name, length))
			return error_new(ERR_USAGE, "%s: option '--%s' takes no argument",
					 verb->name, verb->options[i].name);
	return unknown_option(verb, word);
}

static struct error *add_value(struct arguments *out, const struct option_desc *option,
			       const char *argument)
{
	struct option_value *value;

	if (!option->many && option_given(out, option->name))
		return error_new(ERR_USAGE, "%s: --%s is given more than once", out->verb->name,
				 option->name);
	value = array_append(out->values, out->n_values);
	value->option = option;
	value->argument = argument ? argument : "";
	return NULL;
}

static void print_help(const struct verb *verb)
{
	printf("Usage: fairtrial %s [OPTION]...%s%s\n%s.\n\n", verb->name, *verb->usage ? " " : "",
	       verb->usage, verb->summary);
	for (int i = 0; i < option_count(verb); i++) {
		const struct option_desc *option = &verb->options[i];
		autofree char *letter =
			option->letter ? memory_format("-%c,", option->letter) : memory_string("");
		autofree char *left = memory_format("  %-3s --%s%s%s", letter, option->name,
						    option->argument ? "=" : "",
						    option->argument ? option->argument : "");

		printf("%-30s%s%s%s\n", left, strlen(left) > 29 ? "\n" : "",
		       strlen(left) > 29 ? "                              " : "", option->help);
	}
	printf("%-30s%s\n", "  -h, --help", "show this help");
}

static struct error *read_options(const struct verb *verb, int argc, char **argv,
				  struct arguments *out)
{
	autofree struct option *options = long_options(verb);
	autofree char *letters = short_options(verb);
	struct error *error = NULL;
	int index, found;

	opterr = 0;
	optind = 0;
	while (!error && (found = getopt_long(argc, argv, letters, options, &index)) != -1) {
		const struct option_desc *option;

		if (found == 'h' || (found == 0 && index == option_count(verb))) {
			print_help(verb);
			out->help = true;
			return NULL;
		}
		if (found == '?')
			return refused_option(verb, argv[optind - 1]);
		if (found == ':')
			return error_new(ERR_USAGE, "%s: option '%s' needs an argument", verb->name,
					 argv[optind - 1]);
		option = found ? option_of_letter(verb, found) : &verb->options[index];
		error = add_value(out, option, optarg);
	}
	return error;
}

struct error *arguments_read(const struct verb *verb, int argc, char **argv, struct arguments *out)
{
	struct error *error;
	int n;

	*out = (struct arguments){ .verb = verb };
	error = read_options(verb, argc, argv, out);
	n = argc - optind;
	if (!error && !out->help &&
	    (n < verb->min_words || (verb->max_words >= 0 && n > verb->max_words)))
		error = error_new(ERR_USAGE,
				  "%s: too %s words; usage: fairtrial %s [OPTION]...%s%s",
				  verb->name, n < verb->min_words ? "few" : "many", verb->name,
				  *verb->usage ? " " : "", verb->usage);
	if (error) {
		arguments_clear(out);
		return error;
	}
	out->words = (const char *const *)(argv + optind);
	out->n_words = n;
	return NULL;
}

void arguments_clear(struct arguments *arguments)
{
	free(arguments->values);
	arguments->values = NULL;
	arguments->n_values = 0;
}

/* a name that the verb does not have is a mistake of its code, not of the user */
static void check_name(const struct verb *verb, const char *name)
{
	for (int i = 0; i < option_count(verb); i++)
		if (!strcmp(verb->options[i].name, name))
			return;
	fprintf(stderr, "fairtrial: verb %s asks for an option --%s that it does not have\n",
		verb->name, name);
	abort();
}

bool option_given(const struct arguments *arguments, const char *name)
{
	return option_value(arguments, name, NULL) != NULL;
}

const char *option_value(const struct arguments *arguments, const char *name, const char *otherwise)
{
	check_name(arguments->verb, name);
	for (int i = arguments->n_values - 1; i >= 0; i--)
		if (!strcmp(arguments->values[i].option->name, name))
			return arguments->values[i].argument;
	return otherwise;
}

const char **option_values(const struct arguments *arguments, const char *name, int *n)
{
	const char **found = NULL;

	check_name(arguments->verb, name);
	*n = 0;
	for (int i = 0; i < arguments->n_values; i++)
		if (!strcmp(arguments->values[i].option->name, name))
			*array_append(found, *n) = arguments->values[i].argument;
	return found;
}

struct error *option_integer(const struct arguments *arguments, const char *name, long min,
			     long max, long otherwise, long *out)
{
	const char *text = option_value(arguments, name, NULL);
	struct error *error;
	int64_t value;

	if (!text) {
		*out = otherwise;
		return NULL;
	}
	error = text_integer(text, min, max, &value);
	if (error) {
		error->code = ERR_USAGE;
		return error_prefix(error, "%s: --%s", arguments->verb->name, name);
	}
	*out = value;
	return NULL;
}
