// SPDX-License-Identifier: GPL-2.0-only
#include "result/foreign/csv.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

/* the field at @at, copied; *end is behind it; NULL if its quote does not end */
static char *take_field(const char *at, const char **end)
{
	char *field = memory_zeroed(strlen(at) + 1, 1), *to = field;

	at += strspn(at, " \t");
	if (*at != '"') {
		size_t length = strcspn(at, ",");

		memcpy(field, at, length);
		*end = at + length;
		return field;
	}
	for (at++; *at; at++) {
		if (*at != '"') {
			*to++ = *at;
		} else if (at[1] == '"') {
			*to++ = *at++;
		} else {
			*end = at + 1 + strspn(at + 1, " \t");
			return field;
		}
	}
	free(field);
	return NULL;
}

struct error *csv_split(const struct lines *lines, char ***fields, int *n)
{
	const char *at = lines->text;
	char **list = NULL;
	int count = 0;

	for (;;) {
		char *field = take_field(at, &at);

		if (field) {
			*array_append(list, count) = memory_string(text_trim(field));
			free(field);
		}
		if (!field || (*at && *at != ',')) {
			text_split_free(list, count);
			return lines_problem(lines,
					     "a quote in field %d is not closed, or text follows "
					     "it",
					     count + !field);
		}
		if (!*at++)
			break;
	}
	*fields = list;
	*n = count;
	return NULL;
}
