/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trial_events.h - what becomes of the scheduling events of a trial: analysed, kept, both or neither
 *
 * Made in the trial's process. A plan asks for the analysis by the monitor `events`, and for files
 * by `events = PREFIX`; `trace record` asks for one file.
 */
#ifndef FT_BACKEND_TRIAL_EVENTS_H
#define FT_BACKEND_TRIAL_EVENTS_H

#include "backend/backend.h"
#include "events/event.h"

struct trial_events;

/* trial_events_wanted - is anything to be recorded in this trial? */
bool trial_events_wanted(const struct trial_order *order);

/*
 * trial_events_new - opens the file, if one is to be kept, and prepares the analysis
 * @cpus:        those of the trial, kept by the caller
 * @starts_idle: as in struct analysis_options
 *
 * Errors: ERR_INPUT if the file exists, or the system's.
 */
struct error *trial_events_new(const struct trial_order *order, hwloc_const_bitmap_t cpus,
			       bool starts_idle, struct trial_events **out);

/* trial_events_sink - where the stream goes; stays that of @events */
struct event_sink *trial_events_sink(struct trial_events *events);

/* trial_events_note - "case, variant, block N": for marks */
const char *trial_events_note(const struct trial_events *events);

/*
 * trial_events_report - after the stream's end: adds the metrics of the analysis, if it was asked for,
 * and where the file is to the trial's environment
 */
struct error *trial_events_report(struct trial_events *events, struct trial *trial);

/* trial_events_unavailable - instead: why there is no stream */
void trial_events_unavailable(const struct plan *plan, const char *reason, struct trial *trial);

/* trial_events_free - NULL is allowed */
void trial_events_free(struct trial_events *events);

#endif
