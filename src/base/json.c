// SPDX-License-Identifier: GPL-2.0-only
#include "base/json.h"

#include "base/memory.h"

char *json_text(const json_t *value)
{
	char *text = json_dumps(value, JSON_SORT_KEYS | JSON_COMPACT | JSON_ENCODE_ANY);

	return text ? text : memory_string("null");
}

struct error *json_parse(const char *text, const char *file, int line, json_t **out)
{
	json_error_t problem;
	json_t *value = json_loads(text, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &problem);

	if (!value)
		return error_at(ERR_INPUT, file, line + (problem.line > 0 ? problem.line - 1 : 0),
				"not valid JSON: %s (column %d)", problem.text, problem.column);
	*out = value;
	return NULL;
}
