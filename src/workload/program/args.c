// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "workload/program.h"

void args_add(struct program_args *args, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	*array_append(args->items, args->n) = memory_vformat(format, list);
	va_end(list);
}

void args_count(struct program_args *args, const char *option, const struct params *params,
		const char *param)
{
	args_add(args, "%s", option);
	args_add(args, "%" PRId64, params_number(params, param));
}

void args_clear(struct program_args *args)
{
	for (int i = 0; i < args->n; i++)
		free(args->items[i]);
	free(args->items);
	*args = (struct program_args){ 0 };
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* one character or quoted part of a word, to @to; returns what follows, or NULL with @error */
static const char *take_part(const char *at, char **to, struct error **error)
{
	char quote = *at == '\'' || *at == '"' ? *at++ : '\0';

	if (!quote) {
		if (*at == '\\' && !*++at) {
			*error = error_new(ERR_INPUT, "a \\ at the end: a character is expected "
						      "behind it");
			return NULL;
		}
		*(*to)++ = *at++;
		return at;
	}
	for (; *at && *at != quote; at++) {
		if (quote == '"' && *at == '\\' && (at[1] == '"' || at[1] == '\\'))
			at++;
		*(*to)++ = *at;
	}
	if (!*at) {
		*error = error_new(ERR_INPUT, "a %c that is not closed", quote);
		return NULL;
	}
	return at + 1;
}

struct error *args_split(struct program_args *args, const char *text)
{
	struct error *error = NULL;

	while (is_blank(*text))
		text++;
	while (*text && !error) {
		char *word = memory_zeroed(strlen(text) + 1, 1), *to = word;

		while (text && *text && !is_blank(*text))
			text = take_part(text, &to, &error);
		if (error) {
			free(word);
			return error;
		}
		*array_append(args->items, args->n) = word;
		while (is_blank(*text))
			text++;
	}
	return error;
}
