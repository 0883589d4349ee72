/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * record.h - private to import and export: strict reading of one JSON object, and its writing
 *
 * A record keeps its first error, so callers read all keys and look once, at record.error.
 * Messages point at file and line, and name the key and what is accepted.
 */
#ifndef FT_RESULT_RECORD_H
#define FT_RESULT_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"

struct record {
	const char *file;
	int line;
	const char *what; /* "a run", "a metric": for messages */
	const json_t *object;
	struct error *error;
};

/*
 * record_start - @value must be an object with exactly the keys of @keys (NULL-terminated)
 * @value, @keys stay the caller's
 */
struct record record_start(const char *file, int line, const char *what, const json_t *value,
			   const char *const *keys);

/* record_fail - keeps "WHAT: message" as the error, unless there is one already */
void record_fail(struct record *record, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Values by key. After an error, and for null where that is accepted: "", NULL, 0, NAN, false. */
const char *record_text(struct record *record, const char *key);
const char *record_name(struct record *record, const char *key); /* not empty */
const char *record_text_or_null(struct record *record, const char *key);
char *record_copy_or_null(struct record *record, const char *key); /* a new string */
int64_t record_integer(struct record *record, const char *key, int64_t min, int64_t max);
double record_number(struct record *record, const char *key);
double record_number_or_null(struct record *record, const char *key);
bool record_bool(struct record *record, const char *key);
json_t *record_object(struct record *record, const char *key); /* a copy; {} after an error */
const json_t *record_array(struct record *record, const char *key);
const json_t *record_array_or_null(struct record *record, const char *key);

/* record_unsigned - an unsigned 64-bit number as a string of digits: JSON numbers are doubles to
 * many readers */
uint64_t record_unsigned(struct record *record, const char *key);

/* record_put_* - the reverse: text (bytes that are not UTF-8 replaced, NULL as null), a number (NAN
 * and infinity as null), an unsigned 64-bit number as digits */
void record_put_text(json_t *object, const char *key, const char *text);
void record_put_number(json_t *object, const char *key, double number);
void record_put_unsigned(json_t *object, const char *key, uint64_t number);

#endif
