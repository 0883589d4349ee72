/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * import.h - recordings of other tools, and our own, into a sink
 *
 * All of these sort by time within a window, pass on what can be read, tell what cannot, and return an
 * error after the sink has seen its end if something could not.
 */
#ifndef FT_EVENTS_IMPORT_H
#define FT_EVENTS_IMPORT_H

#include <stdio.h>

#include "events/event.h"
#include "events/source.h"

/* A kind of recording. */
struct event_format {
	const char *name;    /* as --format takes it */
	const char *summary; /* one line */
	/* what files of it begin with; NULL: only by name */
	const char *const *signatures;
	bool by_path; /* another program reads it: it must be a file */
	struct error *(*read)(struct event_source *source, const struct machine *machine,
			      struct event_sink *sink);
};

/* event_formats - ends with NULL */
const struct event_format *const *event_formats(void);

/*
 * event_import - reads a recording into a sink
 * @path:    "-" is standard input (as all pipes for text and our own files only)
 * @format:  a name, or NULL: by what it begins with, else text
 * @machine: where it was taken, if the caller knows better than the file; may be NULL
 *
 * Errors: of the sink; ERR_INPUT for an unknown format or a file that is not of it (the sink sees
 * nothing then), ERR_UNAVAILABLE if a program that is needed is missing; after the end ERR_INPUT when
 * something was damaged.
 */
struct error *event_import(const char *path, const char *format, const struct machine *machine,
			   struct event_sink *sink);

/*
 * event_import_text - lines of trace_pipe, trace-cmd report, perf script, or of our own export
 * @name:   for messages
 * @source: for the information that the sink gets
 * @nr_cpus: 0: not known; a file that can be read twice is counted
 */
struct error *event_import_text(FILE *stream, const char *name, const char *source, int nr_cpus,
				const struct machine *machine, struct event_sink *sink);

struct error *event_import_perf(struct event_source *source, const struct machine *machine,
				struct event_sink *sink);
struct error *event_import_trace_dat(struct event_source *source, const struct machine *machine,
				     struct event_sink *sink);

/*
 * event_check_perf, event_check_trace_dat - is all there that the file's own tables speak of?
 * Errors: ERR_INPUT "name, byte N: ..." with the format and what is wrong.
 */
struct error *event_check_perf(const struct event_source *source);
struct error *event_check_trace_dat(const struct event_source *source);

#endif
