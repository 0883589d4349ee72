/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lines.h - private to the parsers of foreign text: lines, numbers in them, results
 */
#ifndef FT_RESULT_FOREIGN_LINES_H
#define FT_RESULT_FOREIGN_LINES_H

#include "result/foreign.h"

/* A walk over the lines of a text. */
struct lines {
	const char *file;
	const char *next; /* what comes after the current line */
	char *text;	  /* the current line, without its end; valid until lines_next() */
	int number;	  /* of the current line, from 1 */
};

struct lines lines_start(const char *file, const char *text);
/* lines_next - false after the last line; the walk is cleared then */
bool lines_next(struct lines *lines);
/* lines_end - for a walk that is left before its end */
void lines_end(struct lines *lines);

/* lines_problem - ERR_INPUT at the current line; lines_missing - about the whole file */
struct error *lines_problem(const struct lines *lines, const char *format, ...)
	__attribute__((format(printf, 2, 3), returns_nonnull));
struct error *lines_missing(const char *file, const char *format, ...)
	__attribute__((format(printf, 2, 3), returns_nonnull));

/*
 * lines_number - the number at the start of @at, after blanks; thousands may be set off by commas
 * @rest: what follows it; may be NULL
 *
 * Errors: ERR_INPUT at the current line: "@what: '...' is not a number".
 */
struct error *lines_number(const struct lines *lines, const char *what, const char *at, double *out,
			   const char **rest);

/*
 * lines_after - what follows @key in the current line (NULL if it does not begin with it, blanks
 * before it aside), without blanks in front
 */
const char *lines_after(const struct lines *lines, const char *key);

/* text_has_line - has the text a line that begins with @prefix (blanks before it aside)? */
bool text_has_line(const char *text, const char *prefix);

/* foreign_add - a new result of that case; @case_name is copied. Valid until the next one is added */
struct foreign_result *foreign_add(struct foreign *foreign, const char *case_name);

/* foreign_param - sets params[@key] to @text */
void foreign_param(struct foreign_result *result, const char *key, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * foreign_metric - adds a metric of definition version 1
 * @per_worker: copied; NULL with 0
 */
void foreign_metric(struct foreign_result *result, const char *name, const char *unit,
		    enum better better, double value, const double *per_worker, int n_workers);

/* foreign_has - has it that metric already? */
bool foreign_has(const struct foreign_result *result, const char *name);

#endif
