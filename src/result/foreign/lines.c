// SPDX-License-Identifier: GPL-2.0-only
#include "result/foreign/lines.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

struct lines lines_start(const char *file, const char *text)
{
	return (struct lines){ .file = file, .next = text };
}

void lines_end(struct lines *lines)
{
	free(lines->text);
	lines->text = NULL;
}

bool lines_next(struct lines *lines)
{
	size_t length = strcspn(lines->next, "\n");
	const char *end = lines->next + length;

	lines_end(lines);
	if (!*lines->next)
		return false;
	if (length && lines->next[length - 1] == '\r')
		length--;
	lines->text = memory_string_n(lines->next, length);
	lines->next = *end ? end + 1 : end;
	lines->number++;
	return true;
}

static struct error *problem_at(const char *file, int line, const char *format, va_list args)
{
	autofree char *message = memory_vformat(format, args);

	text_printable(message);
	return error_at(ERR_INPUT, file, line, "%s", message);
}

struct error *lines_problem(const struct lines *lines, const char *format, ...)
{
	struct error *error;
	va_list args;

	va_start(args, format);
	error = problem_at(lines->file, lines->number, format, args);
	va_end(args);
	return error;
}

struct error *lines_missing(const char *file, const char *format, ...)
{
	struct error *error;
	va_list args;

	va_start(args, format);
	error = problem_at(file, 0, format, args);
	va_end(args);
	return error;
}

static const char *skip_blanks(const char *text)
{
	return text + strspn(text, " \t");
}

struct error *lines_number(const struct lines *lines, const char *what, const char *at, double *out,
			   const char **rest)
{
	const char *start = skip_blanks(at), *from = start;
	char digits[64];
	size_t length = 0;
	struct error *error;

	while (length < sizeof(digits) - 1 && *from && strchr("+-.,eE0123456789", *from)) {
		if (*from == ',' && !(length && isdigit((unsigned char)from[1])))
			break;
		/* the 'e' of a word that follows is not an exponent */
		if ((*from == 'e' || *from == 'E') && !strchr("+-0123456789", from[1]))
			break;
		if (*from != ',')
			digits[length++] = *from;
		from++;
	}
	digits[length] = '\0';
	error = text_number(digits, out);
	if (error) {
		error_free(error);
		return lines_problem(lines, "%s: '%.40s' is not a number", what, start);
	}
	if (rest)
		*rest = from;
	return NULL;
}

const char *lines_after(const struct lines *lines, const char *key)
{
	const char *at = skip_blanks(lines->text);
	size_t length = strlen(key);

	return strncmp(at, key, length) ? NULL : skip_blanks(at + length);
}

bool text_has_line(const char *text, const char *prefix)
{
	size_t length = strlen(prefix);

	while (*text) {
		if (!strncmp(skip_blanks(text), prefix, length))
			return true;
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	return false;
}

struct foreign_result *foreign_add(struct foreign *foreign, const char *case_name)
{
	struct foreign_result *result = array_append(foreign->results, foreign->n);

	result->case_name = memory_string(case_name);
	result->params = json_object();
	result->trial.environment = json_object();
	result->trial.duration = NAN;
	return result;
}

void foreign_param(struct foreign_result *result, const char *key, const char *format, ...)
{
	autofree char *text = NULL;
	va_list args;

	va_start(args, format);
	text = memory_vformat(format, args);
	va_end(args);
	json_object_set_new(result->params, key, json_string(text));
}

void foreign_metric(struct foreign_result *result, const char *name, const char *unit,
		    enum better better, double value, const double *per_worker, int n_workers)
{
	struct metric_desc desc = { name, unit, better, 1, NULL };

	trial_add_metric(&result->trial, &desc, value, per_worker, n_workers);
}

bool foreign_has(const struct foreign_result *result, const char *name)
{
	return trial_metric(&result->trial, name);
}
