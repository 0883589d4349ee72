/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * text.h - one line of the text that trace_pipe, trace-cmd report and perf script print
 *
 *	  COMM-PID (TGID) [CPU] flags SECONDS.FRACTION: EVENT: FIELDS		ftrace
 *	  COMM PID/TID [CPU] SECONDS.FRACTION: SYSTEM:EVENT: FIELDS		perf script
 *
 * The process id, the flags and perf's "PID/" may be missing. A name may hold anything.
 */
#ifndef FT_EVENTS_TEXT_H
#define FT_EVENTS_TEXT_H

#include "events/feed.h"

enum text_kind {
	TEXT_NOTHING, /* a comment, a head line, an event of another kind */
	TEXT_EVENT,
	TEXT_TASK,
	TEXT_LOST,
	TEXT_MARK,  /* a comment of our own export */
	TEXT_BEGIN, /* the same */
};

/* What a line says. */
struct text_item {
	enum text_kind kind;
	struct event_found found;
	struct event_task task;
	struct event_lost lost;
	struct event_mark mark; /* workers: the item's own; note points into the line */
	int32_t *workers;
	const char *info; /* TEXT_BEGIN: "key=value" words, within the line */
};

/*
 * text_parse - reads a line without its newline, which is changed
 * Returns NULL, or what is wrong (constant text: what was expected).
 */
const char *text_parse(char *line, struct text_item *item);

/* ---- text_fields.c ---- */

/* The part of a line before the fields of the event. */
struct text_line {
	char comm[EVENT_NAME_SIZE];
	int32_t pid, tgid; /* of what ran; EVENT_NONE if not told */
	int32_t cpu;
	uint64_t time;
	const char *event; /* without the system */
	size_t event_length;
	const char *fields;
};

/* text_fields - the event itself; as text_parse() */
const char *text_fields(const struct text_line *line, struct text_item *item);

/* text_int - a decimal number at *at that fits; moves behind it */
bool text_int(const char **at, int64_t min, int64_t max, int64_t *out);

#endif
