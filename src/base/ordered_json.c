// SPDX-License-Identifier: GPL-2.0-only
#include "base/ordered_json.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

struct reader {
	const char *file, *at, *end, *line_start;
	int line, depth;
};

static int column(const struct reader *reader)
{
	return (int)(reader->at - reader->line_start) + 1;
}

static struct error *wrong(const struct reader *reader, const char *what)
{
	return error_at(ERR_INPUT, reader->file, reader->line, "column %d: %s", column(reader),
			what);
}

/* "expected WHAT, found 'x'" */
static struct error *expected(const struct reader *reader, const char *what)
{
	unsigned char byte = reader->at < reader->end ? *reader->at : 0;
	autofree char *text = NULL;

	if (reader->at == reader->end)
		text = memory_format("expected %s, found the end of the file", what);
	else if (byte > ' ' && byte < 0x7f)
		text = memory_format("expected %s, found '%c'", what, byte);
	else
		text = memory_format("expected %s, found byte 0x%02x", what, byte);
	return wrong(reader, text);
}

/* ---- white space and comments ---- */

static void step(struct reader *reader)
{
	if (*reader->at++ == '\n') {
		reader->line++;
		reader->line_start = reader->at;
	}
}

static bool begins(const struct reader *reader, const char *word)
{
	size_t length = strlen(word);

	return (size_t)(reader->end - reader->at) >= length && !memcmp(reader->at, word, length);
}

static struct error *skip_comment(struct reader *reader)
{
	struct reader start = *reader;

	if (begins(reader, "//")) {
		while (reader->at < reader->end && *reader->at != '\n')
			step(reader);
		return NULL;
	}
	reader->at += 2;
	while (!begins(reader, "*/")) {
		if (reader->at == reader->end)
			return wrong(&start, "a comment without an end");
		step(reader);
	}
	reader->at += 2;
	return NULL;
}

static struct error *skip(struct reader *reader)
{
	struct error *error = NULL;

	while (!error && reader->at < reader->end) {
		if (strchr(" \t\r\n", *reader->at) && *reader->at)
			step(reader);
		else if (begins(reader, "//") || begins(reader, "/*"))
			error = skip_comment(reader);
		else
			break;
	}
	return error;
}

/* ---- strings ---- */

static struct error *hex4(struct reader *reader, unsigned *out)
{
	*out = 0;
	for (int i = 0; i < 4; i++, reader->at++) {
		static const char digits[] = "0123456789abcdef";
		const char *digit = NULL;

		if (reader->at < reader->end && *reader->at)
			digit = strchr(digits, *reader->at | 0x20);
		if (!digit)
			return expected(reader, "four hexadecimal digits");
		*out = *out * 16 + (unsigned)(digit - digits);
	}
	return NULL;
}

static size_t put_utf8(char *to, unsigned code)
{
	if (code < 0x80) {
		to[0] = (char)code;
		return 1;
	}
	if (code < 0x800) {
		to[0] = (char)(0xc0 | code >> 6);
		to[1] = (char)(0x80 | (code & 0x3f));
		return 2;
	}
	if (code < 0x10000) {
		to[0] = (char)(0xe0 | code >> 12);
		to[1] = (char)(0x80 | (code >> 6 & 0x3f));
		to[2] = (char)(0x80 | (code & 0x3f));
		return 3;
	}
	to[0] = (char)(0xf0 | code >> 18);
	to[1] = (char)(0x80 | (code >> 12 & 0x3f));
	to[2] = (char)(0x80 | (code >> 6 & 0x3f));
	to[3] = (char)(0x80 | (code & 0x3f));
	return 4;
}

/* behind "\u": one code, of a pair of surrogates too */
static struct error *read_code(struct reader *reader, char *to, size_t *length)
{
	unsigned code, low;
	struct error *error = hex4(reader, &code);

	if (error)
		return error;
	if (!code)
		return wrong(reader, "\\u0000 is not accepted");
	if (code >= 0xdc00 && code <= 0xdfff)
		return wrong(reader, "half of a pair of surrogates");
	if (code >= 0xd800 && code <= 0xdbff) {
		if (!begins(reader, "\\u"))
			return wrong(reader, "half of a pair of surrogates");
		reader->at += 2;
		error = hex4(reader, &low);
		if (error)
			return error;
		if (low < 0xdc00 || low > 0xdfff)
			return wrong(reader, "half of a pair of surrogates");
		code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
	}
	*length += put_utf8(to + *length, code);
	return NULL;
}

static struct error *read_escape(struct reader *reader, char *to, size_t *length)
{
	static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";
	const char *found;

	reader->at++;
	if (begins(reader, "u")) {
		reader->at++;
		return read_code(reader, to, length);
	}
	found = reader->at < reader->end && *reader->at ? strchr(from, *reader->at) : NULL;
	if (!found)
		return expected(reader, "one of \" \\ / b f n r t u behind '\\'");
	to[(*length)++] = into[found - from];
	reader->at++;
	return NULL;
}

/* bytes between the quotes, or up to the end of the line */
static size_t quoted_length(const struct reader *reader)
{
	const char *at = reader->at + 1;

	while (at < reader->end && *at != '"' && *at != '\n')
		at += at[0] == '\\' && at + 1 < reader->end && at[1] != '\n' ? 2 : 1;
	return (size_t)(at - reader->at);
}

/* at the opening quote; what is written is never longer than what is read */
static struct error *read_string(struct reader *reader, char **out)
{
	char *text = memory_zeroed(quoted_length(reader) + 1, 1);
	struct error *error = NULL;
	size_t length = 0;

	reader->at++;
	while (!error) {
		if (reader->at == reader->end || *reader->at == '\n')
			error = wrong(reader, "a string without a closing '\"'");
		else if (*reader->at == '"')
			break;
		else if (*reader->at == '\\')
			error = read_escape(reader, text, &length);
		else if ((unsigned char)*reader->at < ' ')
			error = wrong(reader, "a control character in a string");
		else
			text[length++] = *reader->at++;
	}
	if (error) {
		free(text);
		return error;
	}
	reader->at++;
	*out = memory_string_n(text, length);
	free(text);
	return NULL;
}

/* ---- numbers and words ---- */

static size_t digits(struct reader *reader)
{
	const char *start = reader->at;

	while (reader->at < reader->end && *reader->at >= '0' && *reader->at <= '9')
		reader->at++;
	return (size_t)(reader->at - start);
}

/* the form of a number; *real: with a fraction or exponent */
static struct error *scan_number(struct reader *reader, bool *real)
{
	*real = false;
	if (begins(reader, "-"))
		reader->at++;
	if (!digits(reader))
		return expected(reader, "a digit");
	if (begins(reader, ".")) {
		reader->at++;
		*real = true;
		if (!digits(reader))
			return expected(reader, "a digit behind '.'");
	}
	if (begins(reader, "e") || begins(reader, "E")) {
		reader->at++;
		*real = true;
		if (begins(reader, "+") || begins(reader, "-"))
			reader->at++;
		if (!digits(reader))
			return expected(reader, "a digit of an exponent");
	}
	return NULL;
}

static struct error *read_number(struct reader *reader, struct ojson *value)
{
	struct reader start = *reader;
	const char *first = reader->at;
	bool real;
	struct error *error = scan_number(reader, &real);
	autofree char *text = NULL;

	if (error)
		return error;
	text = memory_string_n(first, (size_t)(reader->at - first));
	if (first[first[0] == '-'] == '0' && strspn(text + (text[0] == '-'), "0123456789") > 1)
		return wrong(&start, "a number does not begin with 0");
	if (real) {
		value->type = OJSON_REAL;
		error = text_number(text, &value->real);
		if (error) {
			error_free(error);
			return wrong(&start, "a number that is too large");
		}
		return NULL;
	}
	value->type = OJSON_INTEGER;
	errno = 0;
	value->integer = strtoll(text, NULL, 10);
	return errno ? wrong(&start, "an integer that is too large") : NULL;
}

static struct error *read_word(struct reader *reader, struct ojson *value)
{
	static const struct {
		const char *word;
		enum ojson_type type;
		bool boolean;
	} words[] = {
		{ "null", OJSON_NULL, false },
		{ "true", OJSON_BOOL, true },
		{ "false", OJSON_BOOL, false },
		/* as Python writes them: rt-app's own documents do */
		{ "True", OJSON_BOOL, true },
		{ "False", OJSON_BOOL, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (begins(reader, words[i].word)) {
			value->type = words[i].type;
			value->boolean = words[i].boolean;
			reader->at += strlen(words[i].word);
			return NULL;
		}
	return expected(reader, "a value");
}

/* ---- arrays and objects ---- */

static struct error *read_value(struct reader *reader, struct ojson *value);

/* behind the key: ':' and a value, or neither */
static struct error *read_member_value(struct reader *reader, struct ojson *member)
{
	struct error *error = skip(reader);

	if (error)
		return error;
	if (begins(reader, ",") || begins(reader, "}")) {
		member->type = OJSON_NONE;
		return NULL;
	}
	if (!begins(reader, ":"))
		return expected(reader, "':' or ','");
	reader->at++;
	error = skip(reader);
	return error ? error : read_value(reader, member);
}

static struct error *read_item(struct reader *reader, struct ojson *container)
{
	struct ojson *item = array_append(container->items, container->n);
	struct error *error;

	item->line = reader->line;
	item->column = column(reader);
	if (container->type == OJSON_ARRAY)
		return read_value(reader, item);
	if (!begins(reader, "\""))
		return expected(reader, "a name in quotes or '}'");
	error = read_string(reader, &item->key);
	return error ? error : read_member_value(reader, item);
}

static struct error *read_items(struct reader *reader, struct ojson *container, const char *close)
{
	struct error *error;

	reader->at++;
	for (;;) {
		error = skip(reader);
		if (error)
			return error;
		if (begins(reader, close))
			break;
		error = read_item(reader, container);
		if (!error)
			error = skip(reader);
		if (error)
			return error;
		if (begins(reader, close))
			break;
		if (!begins(reader, ","))
			return expected(reader, *close == '}' ? "',' or '}'" : "',' or ']'");
		reader->at++;
	}
	reader->at++;
	return NULL;
}

static struct error *read_container(struct reader *reader, struct ojson *value)
{
	struct error *error;

	if (++reader->depth > OJSON_DEPTH)
		return wrong(reader, "more arrays and objects within each other than are accepted");
	value->type = *reader->at == '{' ? OJSON_OBJECT : OJSON_ARRAY;
	error = read_items(reader, value, value->type == OJSON_OBJECT ? "}" : "]");
	reader->depth--;
	return error;
}

static struct error *read_value(struct reader *reader, struct ojson *value)
{
	char first = reader->at < reader->end ? *reader->at : 0;

	if (first == '{' || first == '[')
		return read_container(reader, value);
	if (first == '"') {
		value->type = OJSON_STRING;
		return read_string(reader, &value->string);
	}
	if (first == '-' || (first >= '0' && first <= '9'))
		return read_number(reader, value);
	return read_word(reader, value);
}

/* ---- the whole ---- */

static void clear(struct ojson *value)
{
	for (int i = 0; i < value->n; i++)
		clear(&value->items[i]);
	free(value->items);
	free(value->string);
	free(value->key);
}

void ojson_free(struct ojson *value)
{
	if (!value)
		return;
	clear(value);
	free(value);
}

struct error *ojson_parse(const char *file, const char *text, size_t length, struct ojson **out)
{
	struct reader reader = { file, text, text + length, text, 1, 0 };
	struct ojson *value = memory_zeroed(1, sizeof(*value));
	struct error *error = NULL;

	if (!text_is_utf8(text, length))
		error = error_at(ERR_INPUT, file, 0, "this is no text in UTF-8");
	if (!error)
		error = skip(&reader);
	value->line = reader.line;
	value->column = column(&reader);
	if (!error)
		error = read_value(&reader, value);
	if (!error)
		error = skip(&reader);
	if (!error && reader.at < reader.end)
		error = expected(&reader, "the end of the file");
	if (error) {
		ojson_free(value);
		return error;
	}
	*out = value;
	return NULL;
}

const char *ojson_type_name(enum ojson_type type)
{
	static const char *const names[] = {
		[OJSON_NONE] = "nothing",
		[OJSON_NULL] = "null",
		[OJSON_BOOL] = "true or false",
		[OJSON_INTEGER] = "an integer",
		[OJSON_REAL] = "a number with a fraction",
		[OJSON_STRING] = "a string",
		[OJSON_ARRAY] = "an array",
		[OJSON_OBJECT] = "an object",
	};

	return names[type];
}
