/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * export.h - a stream for other tools: sinks that write a file
 *
 * docs/events.md says what each form holds and what it leaves out.
 */
#ifndef FT_EVENTS_EXPORT_H
#define FT_EVENTS_EXPORT_H

#include <stddef.h>
#include <stdio.h>

#include "events/event.h"

struct event_export {
	const char *name;    /* as --format takes it */
	const char *summary; /* one line */
	const char *ending;  /* of file names that ask for it, ".csv" */
	bool binary;	     /* not for a terminal */
	/* a sink that writes to @stream, which stays the caller's; @name: of the file, for messages.
	 * Errors of writing are seen at the latest by end(). */
	struct event_sink *(*open)(FILE *stream, const char *name);
};

extern const struct event_export export_perfetto, export_ftrace, export_csv;

/* event_exports - ends with NULL */
const struct event_export *const *event_exports(void);

/*
 * event_export_find - by name, or if that is NULL by the ending of a file's name
 * Errors: ERR_INPUT with the names there are.
 */
struct error *event_export_find(const char *name, const char *file,
				const struct event_export **out);

/* What all of them begin with: allocated, so that export_free() can end them. */
struct export_base {
	struct event_sink sink;
	FILE *stream;
	char *name;
	struct event_tasks *tasks; /* without data of an owner */
};

/* export_new - @size bytes that begin with an export_base; the rest is zeroed */
struct export_base *export_new(size_t size, const struct event_sink *sink, FILE *stream,
			       const char *name);

/* export_check - has writing failed so far? */
struct error *export_check(const struct export_base *base);

/* export_end - of a sink: the same after the last byte; export_free - all of an export_base */
struct error *export_end(struct event_sink *sink, const struct event_totals *totals);
void export_free(struct event_sink *sink);

#endif
