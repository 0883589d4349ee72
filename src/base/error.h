/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * error.h - the one error type, the one way to return it, the one place that prints it
 *
 * A function that can fail returns `struct error *`: NULL for success, else an error that the
 * caller owns and either returns further, prints with error_report() or drops with error_free().
 * A message is one line without a newline and without "fairtrial:"; it says what is wrong and,
 * where that helps, what would be accepted. On error, output arguments are left untouched unless a
 * header says otherwise.
 */
#ifndef FT_BASE_ERROR_H
#define FT_BASE_ERROR_H

#include <stdio.h>

enum error_code {
	ERR_USAGE = 1,	 /* the command line cannot be understood: exit status 2 */
	ERR_INPUT,	 /* a file or value given by the user is wrong */
	ERR_DOMAIN,	 /* a number is outside of what a formula accepts */
	ERR_TOO_FEW,	 /* not enough data */
	ERR_MISMATCH,	 /* two things that must not be compared or mixed */
	ERR_UNAVAILABLE, /* this machine, kernel or build does not offer it */
	ERR_PERMISSION,	 /* needs a right that the process does not have */
	ERR_SYSTEM,	 /* a system call failed; the message ends with strerror() */
	ERR_STORE,	 /* the store is damaged, read-only, full or of another schema */
	ERR_INTERRUPTED, /* the user asked to stop */
};

struct error {
	enum error_code code;
	char *message;
	char *file; /* where the input is wrong, or NULL */
	int line;   /* from 1; 0 if there is none */
};

/* error_new - an error with a printf-style message. Never returns NULL. */
struct error *error_new(enum error_code code, const char *format, ...)
	__attribute__((format(printf, 2, 3), returns_nonnull, warn_unused_result));

/* error_at - as error_new(), pointing at a line of a file (line 0: the whole file) */
struct error *error_at(enum error_code code, const char *file, int line, const char *format, ...)
	__attribute__((format(printf, 4, 5), returns_nonnull, warn_unused_result));

/* error_errno - ERR_SYSTEM, or ERR_PERMISSION for EPERM and EACCES: "message: strerror(errno)" */
struct error *error_errno(const char *format, ...)
	__attribute__((format(printf, 1, 2), returns_nonnull, warn_unused_result));

/* error_prefix - puts "context: " before the message of @error and returns it; NULL stays NULL */
struct error *error_prefix(struct error *error, const char *format, ...)
	__attribute__((format(printf, 2, 3), warn_unused_result));

/* error_text - "file:line: message", a new string that the caller frees */
char *error_text(const struct error *error) __attribute__((warn_unused_result));

/* error_report - prints "fairtrial: file:line: message" as one line. Does not free. */
void error_report(FILE *stream, const struct error *error);

/* error_exit_status - 2 for ERR_USAGE, else 1; 0 for NULL */
int error_exit_status(const struct error *error);

/* error_free - NULL is allowed */
void error_free(struct error *error);

#endif
