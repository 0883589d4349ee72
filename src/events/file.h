/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * file.h - a stream in a file (.fttrace): written and read piece by piece
 *
 * The format is in docs/events.md. Blocks stand alone and have checksums, so that what is damaged is
 * left out and the rest is read.
 */
#ifndef FT_EVENTS_FILE_H
#define FT_EVENTS_FILE_H

#include "events/event.h"
#include "events/source.h"

/* first bytes of a file; a version number follows */
#define EVENT_FILE_SIGNATURE "fttrace\n"
#define EVENT_FILE_VERSION   1

/*
 * event_writer_new - a sink that writes to a descriptor, which stays the caller's
 * @name: for messages
 *
 * What was written without end() has no end: readers say that it is cut off.
 */
struct event_sink *event_writer_new(int fd, const char *name);

/*
 * event_file_read - reads a stream from a descriptor into a sink
 * @machine: in place of the one that the file tells of; NULL: that one
 *
 * What is damaged is reported to the sink as lost, what follows is delivered, and the sink sees its
 * end. Errors: of the sink; ERR_INPUT "name, byte N: ..." if the file is none of ours or newer (the
 * sink sees nothing then), or, after the end, when it is damaged or cut off.
 */
struct error *event_file_read(int fd, const char *name, const struct machine *machine,
			      struct event_sink *sink);

/* event_file_read_source - the same of what was opened already; _path - of a file */
struct error *event_file_read_source(const struct event_source *source,
				     const struct machine *machine, struct event_sink *sink);
struct error *event_file_read_path(const char *path, const struct machine *machine,
				   struct event_sink *sink);

/* ---- how items are coded, in code.c ---- */

/* A growing piece of a file. */
struct event_buffer {
	unsigned char *bytes;
	size_t n, room;
};

void event_buffer_reserve(struct event_buffer *buffer, size_t more);

/* What both sides know at a place within a block. */
struct event_coder {
	uint64_t time;
	int32_t cpu;
	int32_t *current; /* by CPU: what runs there after the last switch; EVENT_NONE: not known */
	int32_t n_cpus;
};

/* event_coder_start - at the beginning of a block whose first item has that time */
void event_coder_start(struct event_coder *coder, uint64_t time);
void event_coder_clear(struct event_coder *coder);

void event_code_event(struct event_coder *coder, struct event_buffer *to,
		      const struct event *event);
void event_code_task(struct event_coder *coder, struct event_buffer *to,
		     const struct event_task *task);
void event_code_lost(struct event_coder *coder, struct event_buffer *to,
		     const struct event_lost *lost);
void event_code_mark(struct event_coder *coder, struct event_buffer *to,
		     const struct event_mark *mark);

enum event_item_kind {
	EVENT_ITEM_EVENT,
	EVENT_ITEM_TASK,
	EVENT_ITEM_LOST,
	EVENT_ITEM_MARK
};

/* One item that was read. */
struct event_item {
	enum event_item_kind kind;
	union {
		struct event event;
		struct event_task task;
		struct event_lost lost;
		struct event_mark mark; /* points into what the reader owns until the next item */
	};
	int32_t *workers; /* space for a mark, owned, kept from item to item */
	char *note;
};

/*
 * event_decode - the next item of [*at, end); moves *at behind it
 * Returns NULL, or what is wrong with it (constant text).
 */
const char *event_decode(struct event_coder *coder, const unsigned char **at,
			 const unsigned char *end, struct event_item *item);

/* event_checksum - 64 bits: FNV-1a over words of 8 bytes, little endian, the last filled with 0,
 * and the length (Fowler, Noll, Vo; RFC 9923 gives the constants) */
uint64_t event_checksum(const void *bytes, size_t n);

#endif
