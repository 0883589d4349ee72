/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ini.h - INI files with right line numbers, nothing cut off and nothing passed over
 *
 * inih splits the lines; this adds what plan and machine files need on top: the line of every key,
 * sections without keys, and errors instead of inih's silent cuts (a line above its buffer, a
 * section name above 49 bytes, text after a header, a NUL byte). Indented lines are lines like all
 * others, not continuations. CRLF and a UTF-8 byte order mark at the start are accepted. A comment
 * is a line that starts with ';' or '#', or what follows white space and ';'.
 */
#ifndef FT_BASE_INI_H
#define FT_BASE_INI_H

#include <stddef.h>

#include "base/error.h"

/* Longest line in bytes, comment lines excepted: what an unmodified inih can hold. */
#define INI_LINE_LIMIT 197

/*
 * Called for each section header (@key and @value NULL) and each "key = value", in the order of the
 * file. An error ends the reading and is returned by ini_read().
 */
typedef struct error *(*ini_callback)(void *data, int line, const char *section, const char *key,
				      const char *value);

/*
 * ini_read - reads @length bytes of @text
 * @file: for messages
 *
 * Errors: ERR_INPUT with file and line, or what the callback returned. Empty keys and values, and
 * keys before the first section are refused here.
 */
struct error *ini_read(const char *file, const char *text, size_t length, ini_callback callback,
		       void *data);

#endif
