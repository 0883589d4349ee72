/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * text.h - strict parsing of numbers, times and sizes; words; "did you mean"
 *
 * A parser here accepts the whole string or nothing: no silent truncation, no locale.
 */
#ifndef FT_BASE_TEXT_H
#define FT_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* text_integer - a decimal integer within [min, max]; ERR_INPUT says what is accepted */
struct error *text_integer(const char *text, int64_t min, int64_t max, int64_t *out);

/* text_number - a finite decimal number (strtod without hexadecimal, nan and inf) */
struct error *text_number(const char *text, double *out);

/*
 * text_duration - "10s", "500ms", "20us", "100ns", "2min", "1h"; a bare number is refused except 0
 * @out: nanoseconds
 */
struct error *text_duration(const char *text, uint64_t *out);

/* text_duration_format - the shortest exact form of @nanoseconds that text_duration() reads */
char *text_duration_format(uint64_t nanoseconds);

/* text_size - bytes: a bare number, or with K, KiB, M, MiB, G, GiB (powers of 1024) */
struct error *text_size(const char *text, uint64_t *out);

/* text_size_format - the shortest exact form of @bytes that text_size() reads: "64K" */
char *text_size_format(uint64_t bytes);

/* text_bool - 0 1 no yes off on false true */
struct error *text_bool(const char *text, bool *out);

/* text_trim - skips white space at both ends, in place; returns a pointer into @text */
char *text_trim(char *text);

/* text_is_utf8 - well-formed UTF-8 without overlong forms, surrogates and NUL */
bool text_is_utf8(const char *text, size_t length);

/* text_to_utf8 - a copy in which every byte that is not UTF-8 is replaced by U+FFFD; a new string */
char *text_to_utf8(const char *text);

/* text_printable - replaces control characters by '?', in place: for text from files on a terminal */
void text_printable(char *text);

/*
 * text_split - splits at @separator, trims each part; empty parts are kept
 * @count: number of parts, at least 1
 *
 * Returns an array of new strings, freed with text_split_free().
 */
char **text_split(const char *text, char separator, int *count);
void text_split_free(char **parts, int count);

/* text_join - the parts with @separator between them; a new string */
char *text_join(char *const *parts, int count, const char *separator);

/*
 * text_nearest - the candidate closest to @word by edit distance, for "did you mean";
 * two neighbours that changed places count as one edit
 * @candidates: NULL-terminated
 *
 * Returns NULL when nothing is close (more than a third of the letters differ).
 */
const char *text_nearest(const char *word, const char *const *candidates);

#endif
