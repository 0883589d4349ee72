/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * source.h - what an import reads: a file, or a pipe whose first bytes were looked at
 */
#ifndef FT_EVENTS_SOURCE_H
#define FT_EVENTS_SOURCE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

#define SOURCE_FIRST 16

struct event_source {
	const char *name; /* for messages */
	const char *path; /* what another program can open; NULL: standard input, or a pipe */
	int fd;
	uint64_t size; /* of a file; 0: a pipe */
	unsigned char first[SOURCE_FIRST];
	size_t n_first;
	bool taken; /* the first bytes were read and do not come again from fd */
};

/*
 * event_source_open - @path: "-" is standard input
 * Errors: as file_open(); ERR_INPUT if it is empty.
 */
struct error *event_source_open(const char *path, struct event_source *out);
void event_source_close(struct event_source *source);

/* event_source_stream - all of it, from the first byte; fclose() it before the source is closed */
FILE *event_source_stream(struct event_source *source);

/* event_source_read - up to @n bytes at a place of a file; how many there are */
size_t event_source_read(const struct event_source *source, uint64_t at, void *bytes, size_t n);

#endif
