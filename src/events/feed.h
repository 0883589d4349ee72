/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * feed.h - from what a source finds to what a sink may see: order, names, counts
 *
 * A source hands in items as it finds them, with the names that stand beside them. The feed sorts
 * them by time within a window, tells tasks before they are named, tells a new name when one differs
 * from what was known, and counts. It is between every source but our own files and its sink.
 */
#ifndef FT_EVENTS_FEED_H
#define FT_EVENTS_FEED_H

#include "events/event.h"

struct event_feed;

/* An event as a source finds it. Names that the source does not tell are empty. */
struct event_found {
	struct event event;
	char name[EVENT_NAME_SIZE];	    /* of event.pid */
	char other_name[EVENT_NAME_SIZE];   /* of event.other */
	char current_name[EVENT_NAME_SIZE]; /* of event.current */
	int32_t current_tgid;		    /* EVENT_NONE if not told */
	int32_t other_tgid;		    /* of EVENT_FORK: the child's; EVENT_NONE if not told */
};

/* event_found_blank - as event_blank(), nothing told */
struct event_found event_found_blank(enum event_kind kind, uint64_t time, int32_t cpu);

/*
 * event_feed_new - @sink stays the caller's
 * @window: most items that wait to be sorted. An item is passed on when event_feed_passed() says that
 *          nothing earlier can come, or when more than the window wait.
 */
struct event_feed *event_feed_new(struct event_sink *sink, int window);
void event_feed_free(struct event_feed *feed);

/* event_feed_begin - passes the information on */
struct error *event_feed_begin(struct event_feed *feed, const struct event_info *info);

struct error *event_feed_event(struct event_feed *feed, const struct event_found *found);
struct error *event_feed_task(struct event_feed *feed, const struct event_task *task);
struct error *event_feed_mark(struct event_feed *feed, const struct event_mark *mark);

/* event_feed_lost - is sorted in by lost->to, or now if that is not known */
struct error *event_feed_lost(struct event_feed *feed, const struct event_lost *lost);

/* event_feed_passed - no item before @time will come any more */
struct error *event_feed_passed(struct event_feed *feed, uint64_t time);

/* event_feed_end - passes on what waits, then the totals; @damage as in struct event_totals */
struct error *event_feed_end(struct event_feed *feed, const char *damage);

/* event_name_copy - @length bytes of a name that may be anything, as struct event_task wants it */
void event_name_copy(char to[EVENT_NAME_SIZE], const char *from, size_t length);

#endif
