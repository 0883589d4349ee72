/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * json.h - jansson with our errors
 */
#ifndef FT_BASE_JSON_H
#define FT_BASE_JSON_H

#include <jansson.h>

#include "base/error.h"

/* json_text - @value as one line, keys sorted so that equal objects give equal bytes; a new string */
char *json_text(const json_t *value);

/* json_parse - @file and @line say where @text comes from, for the message (ERR_INPUT) */
struct error *json_parse(const char *text, const char *file, int line, json_t **out);

#endif
