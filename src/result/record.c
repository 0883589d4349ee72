// SPDX-License-Identifier: GPL-2.0-only
#include "result/record.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

void record_fail(struct record *record, const char *format, ...)
{
	autofree char *message = NULL;
	va_list args;

	if (record->error)
		return;
	va_start(args, format);
	message = memory_vformat(format, args);
	va_end(args);
	record->error =
		error_at(ERR_INPUT, record->file, record->line, "%s: %s", record->what, message);
}

static bool is_key(const char *key, const char *const *keys)
{
	for (; *keys; keys++)
		if (!strcmp(key, *keys))
			return true;
	return false;
}

static void check_keys(struct record *record, const char *const *keys)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)record->object, key, value)
	{
		const char *nearest = text_nearest(key, keys);

		if (!is_key(key, keys) && nearest)
			record_fail(record, "unknown key '%s'; did you mean '%s'?", key, nearest);
		else if (!is_key(key, keys))
			record_fail(record, "unknown key '%s'", key);
	}
	for (int i = 0; keys[i]; i++)
		if (!json_object_get(record->object, keys[i]))
			record_fail(record, "the key '%s' is missing", keys[i]);
}

struct record record_start(const char *file, int line, const char *what, const json_t *value,
			   const char *const *keys)
{
	struct record record = { .file = file, .line = line, .what = what, .object = value };

	if (json_is_object(value))
		check_keys(&record, keys);
	else
		record_fail(&record, "a JSON object is expected");
	return record;
}

static const json_t *get(struct record *record, const char *key)
{
	return record->error ? NULL : json_object_get(record->object, key);
}

static void wrong(struct record *record, const char *key, const char *expected)
{
	record_fail(record, "'%s' must be %s", key, expected);
}

const char *record_text(struct record *record, const char *key)
{
	const json_t *value = get(record, key);

	if (!json_is_string(value)) {
		wrong(record, key, "a string");
		return "";
	}
	return json_string_value(value);
}

const char *record_name(struct record *record, const char *key)
{
	const char *text = record_text(record, key);

	if (!*text)
		wrong(record, key, "a string that is not empty");
	return text;
}

const char *record_text_or_null(struct record *record, const char *key)
{
	const json_t *value = get(record, key);

	if (json_is_null(value))
		return NULL;
	if (!json_is_string(value)) {
		wrong(record, key, "a string or null");
		return NULL;
	}
	return json_string_value(value);
}

char *record_copy_or_null(struct record *record, const char *key)
{
	const char *text = record_text_or_null(record, key);

	return text ? memory_string(text) : NULL;
}

int64_t record_integer(struct record *record, const char *key, int64_t min, int64_t max)
{
	const json_t *value = get(record, key);
	int64_t number = json_integer_value(value);

	if (json_is_integer(value) && number >= min && number <= max)
		return number;
	record_fail(record, "'%s' must be an integer from %lld to %lld", key, (long long)min,
		    (long long)max);
	return 0;
}

double record_number(struct record *record, const char *key)
{
	const json_t *value = get(record, key);

	if (json_is_number(value))
		return json_number_value(value);
	wrong(record, key, "a number");
	return NAN;
}

double record_number_or_null(struct record *record, const char *key)
{
	const json_t *value = get(record, key);

	if (json_is_number(value))
		return json_number_value(value);
	if (!json_is_null(value))
		wrong(record, key, "a number or null");
	return NAN;
}

bool record_bool(struct record *record, const char *key)
{
	const json_t *value = get(record, key);

	if (!json_is_boolean(value))
		wrong(record, key, "true or false");
	return json_is_true(value);
}

json_t *record_object(struct record *record, const char *key)
{
	const json_t *value = get(record, key);

	if (!json_is_object(value))
		wrong(record, key, "an object");
	return record->error ? json_object() : json_deep_copy(value);
}

const json_t *record_array(struct record *record, const char *key)
{
	const json_t *value = get(record, key);

	if (!json_is_array(value))
		wrong(record, key, "an array");
	return record->error ? NULL : value;
}

const json_t *record_array_or_null(struct record *record, const char *key)
{
	const json_t *value = get(record, key);

	if (!json_is_array(value) && !json_is_null(value))
		wrong(record, key, "an array or null");
	return record->error || json_is_null(value) ? NULL : value;
}

uint64_t record_unsigned(struct record *record, const char *key)
{
	const char *text = record_text(record, key);
	uint64_t number;
	char *end;

	errno = 0;
	number = strtoull(text, &end, 10);
	/* strtoull() takes signs and spaces; a leading 0 would not come back as it was */
	if (!isdigit((unsigned char)*text) || *end || errno || (*text == '0' && text[1])) {
		wrong(record, key, "a string of digits below 2^64");
		return 0;
	}
	return number;
}

void record_put_text(json_t *object, const char *key, const char *text)
{
	autofree char *clean = text ? text_to_utf8(text) : NULL;

	json_object_set_new(object, key, clean ? json_string(clean) : json_null());
}

void record_put_number(json_t *object, const char *key, double number)
{
	json_object_set_new(object, key, isfinite(number) ? json_real(number) : json_null());
}

void record_put_unsigned(json_t *object, const char *key, uint64_t number)
{
	autofree char *text = memory_format("%llu", (unsigned long long)number);

	record_put_text(object, key, text);
}
