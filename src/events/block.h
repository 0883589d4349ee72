/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * block.h - the frame of a stream's file, private to writer.c and reader.c: docs/events.md
 */
#ifndef FT_EVENTS_BLOCK_H
#define FT_EVENTS_BLOCK_H

#include <endian.h>
#include <stddef.h>

#include "events/file.h"

/* the signature, the version (32 bits) and 4 bytes of 0 */
#define EVENT_SIGNATURE_SIZE 16

enum event_block_type {
	EVENT_BLOCK_HEAD = 1, /* JSON: what is known before the first event */
	EVENT_BLOCK_ITEMS = 2,
	EVENT_BLOCK_END = 3, /* JSON: what is known after the last */
};

#define EVENT_BLOCK_MAGIC 0x6b6c6266  /* "fblk" */
#define EVENT_BLOCK_MOST  (64u << 20) /* bytes of content */

/* Before each block's content; all numbers are little endian. */
struct event_block {
	uint32_t magic, type;
	uint32_t length;   /* of the content */
	uint32_t n_events; /* in it */
	uint64_t first;	   /* time of the first item */
	uint64_t sum;	   /* event_checksum() of the content */
	uint64_t head_sum; /* of what is before it */
};

_Static_assert(sizeof(struct event_block) == 40, "the size is part of the format");

#endif
