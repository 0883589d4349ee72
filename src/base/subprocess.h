/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * subprocess.h - run a program without a shell, with a time limit, and take its output
 */
#ifndef FT_BASE_SUBPROCESS_H
#define FT_BASE_SUBPROCESS_H

#include <stddef.h>
#include <stdio.h>

#include "base/error.h"

struct subprocess_output {
	char *out, *err; /* what the program wrote, NUL-terminated; freed with subprocess_free() */
	size_t out_length, err_length;
	int status; /* as waitpid() gives it */
};

/*
 * subprocess_run - runs argv[0] (looked up in PATH) to its end
 * @argv:       NULL-terminated
 * @directory:  working directory of the program, or NULL for ours
 * @seconds:    time limit; when it is over the program's process group is killed. 0: none
 *
 * Standard input is /dev/null. A program that ends with a status other than 0 is no error here:
 * look at @output->status. Errors: ERR_UNAVAILABLE if it cannot be started (the message names it),
 * ERR_SYSTEM, or ERR_INPUT when the time limit was exceeded.
 */
struct error *subprocess_run(const char *const *argv, const char *directory, double seconds,
			     struct subprocess_output *output);

/* subprocess_check - as subprocess_run(), and a status other than 0 is an error that quotes the
 * first line of the program's stderr */
struct error *subprocess_check(const char *const *argv, const char *directory, double seconds,
			       struct subprocess_output *output);

void subprocess_free(struct subprocess_output *output);

/* A program whose output is read while it runs. */
struct subprocess_stream;

/*
 * subprocess_open - starts argv[0] as subprocess_run() does, without a time limit
 * Errors: ERR_UNAVAILABLE if it cannot be started.
 */
struct error *subprocess_open(const char *const *argv, struct subprocess_stream **out);

/* subprocess_stream_file - its standard output */
FILE *subprocess_stream_file(const struct subprocess_stream *stream);

/*
 * subprocess_close - ends the program if it still runs, waits for it and frees the stream
 * Errors: ERR_INPUT if it had ended by itself with a status other than 0; quotes its last message.
 */
struct error *subprocess_close(struct subprocess_stream *stream);

/* subprocess_find - the full path of a program in PATH, a new string, or NULL */
char *subprocess_find(const char *program);

#endif
