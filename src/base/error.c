// SPDX-License-Identifier: GPL-2.0-only
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

static struct error *error_make(enum error_code code, const char *file, int line, char *message)
{
	struct error *error = memory_zeroed(1, sizeof(*error));

	error->code = code;
	error->message = message;
	error->file = file ? memory_string(file) : NULL;
	error->line = line;
	return error;
}

struct error *error_new(enum error_code code, const char *format, ...)
{
	va_list args;
	char *message;

	va_start(args, format);
	message = memory_vformat(format, args);
	va_end(args);
	return error_make(code, NULL, 0, message);
}

struct error *error_at(enum error_code code, const char *file, int line, const char *format, ...)
{
	va_list args;
	char *message;

	va_start(args, format);
	message = memory_vformat(format, args);
	va_end(args);
	return error_make(code, file, line, message);
}

struct error *error_errno(const char *format, ...)
{
	int number = errno;
	va_list args;
	char *message, *whole;

	va_start(args, format);
	message = memory_vformat(format, args);
	va_end(args);
	whole = memory_format("%s: %s", message, strerror(number));
	free(message);
	return error_make(number == EPERM || number == EACCES ? ERR_PERMISSION : ERR_SYSTEM, NULL,
			  0, whole);
}

struct error *error_prefix(struct error *error, const char *format, ...)
{
	va_list args;
	char *context, *whole;

	if (!error)
		return NULL;
	va_start(args, format);
	context = memory_vformat(format, args);
	va_end(args);
	whole = memory_format("%s: %s", context, error->message);
	free(context);
	free(error->message);
	error->message = whole;
	return error;
}

char *error_text(const struct error *error)
{
	if (error->file && error->line)
		return memory_format("%s:%d: %s", error->file, error->line, error->message);
	if (error->file)
		return memory_format("%s: %s", error->file, error->message);
	return memory_string(error->message);
}

void error_report(FILE *stream, const struct error *error)
{
	char *text = error_text(error);

	text_printable(text); /* a key or name from a file may hold anything */
	fprintf(stream, "fairtrial: %s\n", text);
	free(text);
}

int error_exit_status(const struct error *error)
{
	if (!error)
		return 0;
	return error->code == ERR_USAGE ? 2 : 1;
}

void error_free(struct error *error)
{
	if (!error)
		return;
	free(error->message);
	free(error->file);
	free(error);
}
