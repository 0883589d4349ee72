// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "plan/internal.h"

/* what stands for the file in messages about a key that was given on the command line */
#define OVERRIDE_PLACE "--set"

static void place(struct error *error, const char *file, int line)
{
	free(error->file);
	error->file = memory_string(line > 0 ? file : OVERRIDE_PLACE);
	error->line = line > 0 ? line : 0;
}

struct error *plan_problem(const char *file, int line, const char *format, ...)
{
	autofree char *message = NULL;
	struct error *error;
	va_list args;

	va_start(args, format);
	message = memory_vformat(format, args);
	va_end(args);
	error = error_new(ERR_INPUT, "%s", message);
	place(error, file, line);
	return error;
}

struct error *plan_locate(struct error *error, const char *file, const struct plan_entry *entry)
{
	if (!error || error->file)
		return error;
	error = error_prefix(error, "%s", entry->key);
	place(error, file, entry->line);
	return error;
}

char *unknown_word(const char *word, const char *const *accepted)
{
	const char *nearest = text_nearest(word, accepted);
	char *text = nearest ? memory_format(": did you mean '%s'? Accepted: ", nearest)
			     : memory_string("; accepted: ");

	for (const char *const *at = accepted; *at; at++) {
		text = memory_append(text, "%s%s", *at, at[1] ? ", " : "");
	}
	return text;
}
