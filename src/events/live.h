/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * live.h - the scheduling events of this machine, from the kernel's ring buffers (tracefs)
 *
 * A recording has an instance of its own below tracefs' instances/, with the trace clock "mono"
 * (CLOCK_MONOTONIC), so it neither sees nor changes what other tracers do. A thread copies the CPUs' raw
 * buffers into memory while the recording runs, which is cheap; they are decoded at the end, or
 * before when they are too many.
 * An instance whose process died is removed by the next start of any verb: event_live_recover().
 */
#ifndef FT_EVENTS_LIVE_H
#define FT_EVENTS_LIVE_H

#include "events/event.h"

struct event_live;

struct event_live_options {
	const struct machine
		*machine; /* this one, for the head of the stream; outlives the recording */
	hwloc_const_bitmap_t cpus; /* record these CPUs only; NULL: all */
	hwloc_const_bitmap_t
		avoid; /* the thread stays off these CPUs if there are others; or NULL */
	/* of each CPU's buffer in the kernel; 0: 16 MiB, all together at most a 16th of the memory */
	uint64_t buffer_bytes;
	uint64_t interval_ns; /* decode at least so often, not at the end only; 0: no */
	bool without_idle;    /* leave out EVENT_IDLE_ENTER and _EXIT */
};

/*
 * event_live_check - can events be recorded here? Changes nothing that stays.
 * Errors: ERR_PERMISSION or ERR_UNAVAILABLE, with the reason and what would help.
 */
struct error *event_live_check(void);

/*
 * event_live_start - begins to record, into the kernel's buffers
 * @sink: sees the stream's begin and the tasks that are there now, and everything else at the latest in
 *        event_live_finish(), from a thread; stays the caller's
 *
 * What is read out needs event_live_read(). Until then the process has no thread, no open file
 * and little memory of the recording, so that processes may be forked that shall inherit none.
 * Errors: as event_live_check(); of the sink.
 */
struct error *event_live_start(const struct event_live_options *options, struct event_sink *sink,
			       struct event_live **out);

/*
 * event_live_read - begins to read the buffers, in a thread
 *
 * Soon after the start: what the buffers cannot hold until then is lost, and counted. The descriptions
 * of the events (libtraceevent, 11 MiB with the kernel's symbols) are loaded here.
 */
struct error *event_live_read(struct event_live *live);

/* event_live_mark - now; @workers and @note are copied */
void event_live_mark(struct event_live *live, enum event_mark_kind kind, const int32_t *workers,
		     int n_workers, const char *note);

/* event_live_stop - no events are recorded from now on; may be left out before finish */
void event_live_stop(struct event_live *live);

/* What recording cost. */
struct event_live_cost {
	double seconds;	       /* from start to stop */
	double reader_seconds; /* CPU time of the thread in that time */
	double decode_seconds; /* of these, for decoding, because there was too much to be kept */
	uint64_t bytes;	       /* read from the kernel */
};

/*
 * event_live_finish - stops, removes the instance, passes on the rest of the stream and its end
 * @cost: may be NULL
 */
struct error *event_live_finish(struct event_live *live, struct event_live_cost *cost);

/* event_live_free - also without finish: removes the instance; NULL is allowed */
void event_live_free(struct event_live *live);

/* event_live_recover - removes instances of processes that do not live any more */
void event_live_recover(void);

#endif
