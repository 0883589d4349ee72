// SPDX-License-Identifier: GPL-2.0-only
/* What a plan says of `command`: the first line is its arguments, the second a metric, the rest output. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "workload/program.h"
#include "workload/program/pattern.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *take_line(char **at)
{
	char *line = *at;

	*at += strcspn(line, "\n");
	if (**at)
		*(*at)++ = '\0';
	return line;
}

/* words have no more characters than the text */
static void check_words(const char *text)
{
	struct program_args args = { 0 };
	struct error *error = args_split(&args, text);
	size_t length = 0;

	for (int i = 0; i < args.n; i++)
		length += strlen(args.items[i]);
	if (length > strlen(text) || (error && error->code != ERR_INPUT))
		abort();
	args_clear(&args);
	error_free(error);
}

static void check_pattern(const char *spec, const char *text)
{
	struct pattern pattern;
	struct error *error = pattern_read(spec, &pattern);
	json_t *json = NULL;
	double value = NAN;

	if (error) {
		if (error->code != ERR_INPUT || pattern.name)
			abort();
		error_free(error);
		return;
	}
	error_free(json_parse(text, "fuzz", 1, &json));
	error = pattern_find(&pattern, text, json, &value);
	if ((error == NULL) == (isnan(value) != 0))
		abort();
	error_free(error);
	json_decref(json);
	pattern_clear(&pattern);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = memory_zeroed(size + 1, 1), *at = text;
	const char *command, *spec;

	memcpy(text, data, size);
	command = take_line(&at);
	spec = take_line(&at);
	check_words(command);
	check_pattern(spec, at);
	free(text);
	return 0;
}
