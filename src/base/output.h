/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * output.h - a file that the user named for output: whole, or as it was before
 *
 * What is written goes to FILE.PID.unfinished in the same folder, which takes the place of FILE at the end.
 * Whatever goes wrong before - a full disk, bad input, Ctrl-C - leaves an old FILE untouched and nothing
 * beside it. Only a process that cannot clean up (SIGKILL) leaves its FILE.PID.unfinished; the next one that
 * writes FILE removes it.
 *
 * "-" and what /dev/stdout and /dev/fd/N name are written directly, and so are pipes and character
 * devices.
 */
#ifndef FT_BASE_OUTPUT_H
#define FT_BASE_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/error.h"

struct output;

/*
 * output_open - begins to write
 * @replace: an old regular file of that name may be replaced; no effect on pipes and devices
 * @mode:    of the file, less the umask and, where one is replaced, what the old one did not allow
 *
 * Errors: ERR_INPUT if the file exists and @replace is not given (says --force), or is a folder, a link, a
 * socket or a disk; the system's.
 */
struct error *output_open(const char *path, bool replace, mode_t mode, struct output **out);

/* output_check - the errors of output_open() that are there before anything is made; for long work */
struct error *output_check(const char *path, bool replace);

/* output_fd, output_stream - where to write: one of them alone; both stay the output's */
int output_fd(const struct output *output);
FILE *output_stream(struct output *output);

/* output_name - for messages; output_replaces - is there an old file that this one takes the place of? */
const char *output_name(const struct output *output);
bool output_replaces(const struct output *output);

/*
 * output_close - ends it and frees @output
 * @error: what went wrong so far: the file is dropped and @error returned. NULL: all is written to the
 *         disk, then the file is put in place.
 *
 * Errors: of @error, of writing, or of putting it in place (a file that came meanwhile is not replaced
 * without @replace).
 */
struct error *output_close(struct output *output, struct error *error)
	__attribute__((warn_unused_result));

/* output_remove_unfinished - for the handlers of signals that end the process: removes what this process
 * has not put in place. Async-signal-safe. */
void output_remove_unfinished(void);

#endif
