/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ordered_json.h - JSON in which the order of an object's members is kept, and members of one name too
 *
 * For files in which the members of an object are a program, as those of rt-app are. (jansson, which
 * base/json.h is, keeps one of several members of a name.) Every value knows where it stands.
 *
 * Accepted beyond RFC 8259, because such files have it: comments (slash-star and two slashes), a comma behind
 * the last member, and a member without ':' and value, whose value is then OJSON_NONE.
 */
#ifndef FT_BASE_ORDERED_JSON_H
#define FT_BASE_ORDERED_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum ojson_type {
	OJSON_NONE, /* of a member without a value */
	OJSON_NULL,
	OJSON_BOOL,
	OJSON_INTEGER, /* without fraction and exponent, within int64_t */
	OJSON_REAL,
	OJSON_STRING,
	OJSON_ARRAY,
	OJSON_OBJECT,
};

struct ojson {
	enum ojson_type type;
	char *key;	  /* of a member of an object, else NULL */
	int line, column; /* of the key, or of the value where there is none; from 1, in bytes */
	bool boolean;
	int64_t integer;
	double real;
	char *string;
	struct ojson *items; /* of an array or object, in their order */
	int n;
};

#define OJSON_DEPTH 64 /* arrays and objects within each other, at most */

/*
 * ojson_parse - @file for messages
 * Errors: ERR_INPUT with file and line; the message begins with "column N: ".
 */
struct error *ojson_parse(const char *file, const char *text, size_t length, struct ojson **out);
void ojson_free(struct ojson *value);

/* ojson_type_name - "a string", "an object", ... for messages */
const char *ojson_type_name(enum ojson_type type);

#endif
