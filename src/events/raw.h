/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * raw.h - records of the kernel's ring buffer into a feed
 *
 * Where the fields are is read from the kernel's own descriptions (the "format" files), through
 * libtraceevent, once; the records are then read directly.
 */
#ifndef FT_EVENTS_RAW_H
#define FT_EVENTS_RAW_H

#include <event-parse.h>

#include "events/feed.h"

struct raw_decoder;

/* An event of the kernel that a stream is made of. */
struct raw_event {
	const char *system, *name;
	bool needed;	/* no stream without it */
	bool idle_only; /* told only if idle states are asked for */
};

/* raw_events - ends with name == NULL */
const struct raw_event *raw_events(void);

/*
 * raw_decoder_new - for the events whose descriptions @tep has; it outlives the decoder
 * Errors: ERR_UNAVAILABLE if sched_switch is not among them or is not as expected.
 */
struct error *raw_decoder_new(struct tep_handle *tep, struct raw_decoder **out);
void raw_decoder_free(struct raw_decoder *decoder);

/* raw_decode - one record; one of another event is passed over */
struct error *raw_decode(const struct raw_decoder *decoder, struct event_feed *feed, int cpu,
			 uint64_t time, const void *record, size_t size);

#endif
