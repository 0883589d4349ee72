// SPDX-License-Identifier: GPL-2.0-only
#include "base/ini.h"

#include <ctype.h>
#include <ini.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

struct reading {
	const char *file;
	const char *at, *end; /* what is not read yet */
	int line;
	char *section; /* NULL before the first header */
	ini_callback callback;
	void *data;
	struct error *error;
};

static void refuse(struct reading *reading, const char *reason)
{
	reading->error = error_at(ERR_INPUT, reading->file, reading->line, "%s", reason);
}

/* "[name]", and nothing but a comment behind it */
static void read_header(struct reading *reading, char *line)
{
	char *close = strchr(line, ']'), *name;

	if (!close)
		return refuse(reading, "a section header needs a closing ']'");
	*close = '\0';
	name = text_trim(line + 1);
	close = text_trim(close + 1);
	if (*close && *close != ';' && *close != '#')
		return refuse(reading, "text after a section header: it must end with ']'");
	if (!*name)
		return refuse(reading, "a section header without a name");
	free(reading->section);
	reading->section = memory_string(name);
	reading->error =
		reading->callback(reading->data, reading->line, reading->section, NULL, NULL);
}

/* cuts off what follows white space and ';' */
static char *without_comment(char *line)
{
	for (char *at = line; (at = strchr(at, ';')); at++) {
		if (at > line && isspace((unsigned char)at[-1])) {
			*at = '\0';
			break;
		}
	}
	return text_trim(line);
}

static void check_entry(struct reading *reading, const char *line)
{
	size_t key = strcspn(line, "=:");

	if (!line[key])
		return refuse(reading, "neither a '[section]' nor 'key = value'");
	if (line[key] == ':')
		return refuse(reading, "a key ends with '=', not with ':'");
	if (!key)
		return refuse(reading, "a value without a key");
	if (!reading->section)
		return refuse(reading, "a key before the first '[section]'");
}

/* inih's reader: hands over a line that it can hold and understand, or "" for one that we handle */
static char *next_line(char *buffer, int size, void *stream)
{
	struct reading *reading = stream;
	const char *end;
	autofree char *copy = NULL;
	char *line;
	size_t length;

	if (reading->error || reading->at >= reading->end)
		return NULL;
	reading->line++;
	end = memchr(reading->at, '\n', reading->end - reading->at);
	length = (end ? end : reading->end) - reading->at;
	if (!text_is_utf8(reading->at, length)) {
		refuse(reading, memchr(reading->at, '\0', length)
					? "a NUL byte: this is not a text file"
					: "bytes that are not UTF-8 text");
		return NULL;
	}
	copy = memory_string_n(reading->at, length);
	reading->at = end ? end + 1 : reading->end;
	buffer[0] = '\0';
	line = text_trim(copy);
	if (!*line || *line == ';' || *line == '#')
		return buffer;
	line = without_comment(line);
	length = strlen(line);
	for (const char *at = line; *at; at++) {
		if (iscntrl((unsigned char)*at) && *at != '\t') {
			refuse(reading, "a control character: this is not a text file");
			return NULL;
		}
	}
	if (length > INI_LINE_LIMIT || (int)length >= size) {
		reading->error = error_at(ERR_INPUT, reading->file, reading->line,
					  "a line of %zu bytes: at most %d are accepted", length,
					  INI_LINE_LIMIT);
		return NULL;
	}
	if (*line == '[')
		read_header(reading, line);
	else
		check_entry(reading, line);
	if (reading->error)
		return NULL;
	if (*line != '[')
		memcpy(buffer, line, length + 1);
	return buffer;
}

static int take_entry(void *user, const char *section, const char *key, const char *value)
{
	struct reading *reading = user;

	(void)section;
	if (reading->error)
		return 0;
	if (!value || !*value)
		reading->error = error_at(ERR_INPUT, reading->file, reading->line,
					  "key '%s' has no value", key);
	else
		reading->error = reading->callback(reading->data, reading->line, reading->section,
						   key, value);
	return !reading->error;
}

struct error *ini_read(const char *file, const char *text, size_t length, ini_callback callback,
		       void *data)
{
	struct reading reading = {
		.file = file,
		.at = text,
		.end = text + length,
		.callback = callback,
		.data = data,
	};
	int status;

	if (length >= 3 && !memcmp(text, "\xEF\xBB\xBF", 3))
		reading.at += 3;
	status = ini_parse_stream(next_line, &reading, take_entry, &reading);
	free(reading.section);
	if (!reading.error && status)
		reading.error = error_at(ERR_INPUT, file, status > 0 ? status : 0,
					 "neither a '[section]' nor 'key = value'");
	return reading.error;
}
