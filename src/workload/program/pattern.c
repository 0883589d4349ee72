// SPDX-License-Identifier: GPL-2.0-only
#include "workload/program/pattern.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

/* the next word of *@at, a new string; "" at the end */
static char *take_word(const char **at)
{
	size_t length;
	char *word;

	*at += strspn(*at, " \t");
	length = strcspn(*at, " \t");
	word = memory_string_n(*at, length);
	*at += length + strspn(*at + length, " \t");
	return word;
}

static struct error *read_expression(const char *source, struct pattern *out)
{
	size_t length = strlen(source);
	char message[160];
	int result;

	if (length < 3 || source[length - 1] != '/')
		return error_new(ERR_INPUT, "'%s': /EXPRESSION/ is accepted", source);
	out->source = memory_string_n(source + 1, length - 2);
	result = regcomp(&out->expression, out->source, REG_EXTENDED | REG_NEWLINE);
	if (result) {
		regerror(result, &out->expression, message, sizeof(message));
		out->is_path = true; /* nothing to free */
		return error_new(ERR_INPUT, "'%s' is no extended regular expression: %s", source,
				 message);
	}
	if (out->expression.re_nsub != 1)
		return error_new(ERR_INPUT,
				 "'%s' has %zu groups: one, in parentheses, is the number", source,
				 out->expression.re_nsub);
	return NULL;
}

/*
 * One step of a path: ".name", "[3]" or "[\"name\"]"
 * @name: of a step by name, a new string, else NULL
 * Returns what follows, or NULL if it is no step.
 */
static const char *take_step(const char *at, char **name, size_t *index)
{
	size_t length;
	char *end;

	*name = NULL;
	if (*at == '.') {
		length = strcspn(at + 1, ".[");
		if (!length)
			return NULL;
		*name = memory_string_n(at + 1, length);
		return at + 1 + length;
	}
	if (*at != '[')
		return NULL;
	if (at[1] == '"') {
		length = strcspn(at + 2, "\"");
		if (strncmp(at + 2 + length, "\"]", 2))
			return NULL;
		*name = memory_string_n(at + 2, length);
		return at + 2 + length + 2;
	}
	if (at[1] < '0' || at[1] > '9')
		return NULL;
	*index = strtoull(at + 1, &end, 10);
	return *end == ']' ? end + 1 : NULL;
}

/* with @value NULL the path is only checked; else *out is what it leads to, or NULL */
static bool walk(const char *path, const json_t *value, const json_t **out)
{
	const char *at = path + 1;

	while (at && *at) {
		size_t index = 0;
		char *name;

		at = take_step(at, &name, &index);
		if (at && value)
			value = name ? json_object_get(value, name) : json_array_get(value, index);
		free(name);
	}
	if (out)
		*out = value;
	return at;
}

static struct error *read_source(const char *source, struct pattern *out)
{
	if (*source == '/')
		return read_expression(source, out);
	out->is_path = true;
	out->source = memory_string(source);
	if (*source != '$' || !walk(source, NULL, NULL))
		return error_new(ERR_INPUT,
				 "'%s': /EXPRESSION/, or a path in JSON such as $.a.b[0], is "
				 "accepted",
				 source);
	return NULL;
}

struct error *pattern_read(const char *text, struct pattern *out)
{
	const char *at = text;
	autofree char *better = NULL;
	struct error *error = NULL;

	*out = (struct pattern){ .is_path = true };
	out->name = take_word(&at);
	out->unit = take_word(&at);
	better = take_word(&at);
	if (!*out->name || !*out->unit || !*better || !*at)
		error = error_new(ERR_INPUT,
				  "'%s': NAME UNIT BETTER and /EXPRESSION/ or a path in JSON are "
				  "accepted, as in: p99 us lower /99th: ([0-9]+)/",
				  text);
	else if (!better_parse(better, &out->better))
		error = error_new(ERR_INPUT, "'%s': higher, lower or neither is accepted", better);
	if (!error) {
		out->is_path = false;
		error = read_source(at, out);
	}
	if (error)
		pattern_clear(out);
	return error;
}

void pattern_clear(struct pattern *pattern)
{
	if (!pattern->is_path && pattern->name)
		regfree(&pattern->expression);
	free(pattern->name);
	free(pattern->unit);
	free(pattern->source);
	*pattern = (struct pattern){ 0 };
}

static struct error *find_by_path(const struct pattern *pattern, const json_t *json, double *out)
{
	const json_t *value;

	if (!json)
		return error_new(ERR_INPUT, "metric %s: it is no JSON", pattern->name);
	walk(pattern->source, json, &value);
	if (!json_is_number(value))
		return error_new(ERR_INPUT, "metric %s: %s leads to no number", pattern->name,
				 pattern->source);
	*out = json_number_value(value);
	return NULL;
}

/* numbers as people print them: 12,345.6 */
static struct error *to_number(const struct pattern *pattern, const char *start, size_t length,
			       double *out)
{
	autofree char *text = memory_string_n(start, length);
	char *to = text;
	struct error *error;

	for (const char *at = text; *at; at++)
		if (*at != ',')
			*to++ = *at;
	*to = '\0';
	error = text_number(text_trim(text), out);
	return error_prefix(error, "metric %s", pattern->name);
}

static struct error *find_by_expression(const struct pattern *pattern, const char *text,
					double *out)
{
	regmatch_t match[2], last = { -1, -1 };
	const char *at = text, *last_at = NULL;
	int flags = 0;

	while (!regexec(&pattern->expression, at, 2, match, flags)) {
		if (match[1].rm_so >= 0) {
			last = match[1];
			last_at = at;
		}
		/* an empty match must not be found again for ever */
		at += match[0].rm_eo;
		if (!*at)
			break;
		at += !match[0].rm_eo;
		flags = at > text && at[-1] == '\n' ? 0 : REG_NOTBOL;
	}
	if (!last_at)
		return error_new(ERR_INPUT, "metric %s: nothing matches /%s/", pattern->name,
				 pattern->source);
	return to_number(pattern, last_at + last.rm_so, last.rm_eo - last.rm_so, out);
}

struct error *pattern_find(const struct pattern *pattern, const char *text, const json_t *json,
			   double *out)
{
	return pattern->is_path ? find_by_path(pattern, json, out)
				: find_by_expression(pattern, text, out);
}
