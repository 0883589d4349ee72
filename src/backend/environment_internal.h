/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * environment_internal.h - what the two files of environment.h share
 */
#ifndef FT_BACKEND_ENVIRONMENT_INTERNAL_H
#define FT_BACKEND_ENVIRONMENT_INTERNAL_H

#include "base/error.h"
#include "base/json.h"

/* environment_unavailable - "not available: reason"; takes the error */
json_t *environment_unavailable(struct error *error);

/* environment_text - a JSON string, or that it is not UTF-8, which JSON cannot hold */
json_t *environment_text(const char *text);

/* environment_file - the content of a file without white space at its ends, or why there is none */
json_t *environment_file(const char *root, const char *path);

#endif
