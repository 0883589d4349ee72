/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sim_events.h - the scheduling events of a simulated machine as a stream
 */
#ifndef FT_BACKEND_SIM_EVENTS_H
#define FT_BACKEND_SIM_EVENTS_H

#include "events/event.h"
#include "sim/sim.h"

struct sim_events;

/*
 * sim_events_new - fills @options' part about events
 * @sink: gets the stream; stays the caller's
 * @note: for the marks, outlives the trial; may be NULL
 */
struct sim_events *sim_events_new(struct sim *sim, const struct machine *machine,
				  const char *kernel, struct event_sink *sink, const char *note,
				  struct sim_options *options);

/* sim_events_begin - right before sim_team_run() */
void sim_events_begin(struct sim_events *events);

/* sim_events_end - right after it: passes on the rest. Errors: what the sink said at any time. */
struct error *sim_events_end(struct sim_events *events);
void sim_events_free(struct sim_events *events);

#endif
