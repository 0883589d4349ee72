/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * live_events.h - the scheduling events of a trial on this machine, recorded around it
 */
#ifndef FT_BACKEND_LIVE_EVENTS_H
#define FT_BACKEND_LIVE_EVENTS_H

#include <sys/types.h>

#include "backend/backend.h"

struct live_recording;

/*
 * live_recording_start - in the trial's process, before the workers are made
 * @out: NULL if nothing is to be recorded
 *
 * A trial that only analyses goes on without if events cannot be had here, and says why with each
 * metric. Errors: where a file was asked for, why it cannot be made.
 */
struct error *live_recording_start(const struct trial_order *order, hwloc_const_bitmap_t cpus,
				   struct live_recording **out);

/*
 * live_recording_read - when the workers have been made: begins to read what is recorded
 *
 * Not before: a worker that is forked from a process with the reader's thread and memory makes
 * forks that are ten times slower, and the trial would measure that. Errors: as
 * live_recording_start(). NULL is allowed.
 */
struct error *live_recording_read(struct live_recording *recording);

/* live_recording_mark - the measured time begins or has ended; the latter ends the recording */
void live_recording_mark(struct live_recording *recording, bool start, const pid_t *pids,
			 int n_pids);

/* live_recording_report - after the workers have ended: adds the metrics and what it cost */
struct error *live_recording_report(struct live_recording *recording, struct trial *trial);

/* live_recording_probe - adds metrics of the plan's recorded monitors if events cannot be had here */
void live_recording_probe(const struct plan *plan, struct trial *out);

/* live_recording_free - NULL is allowed */
void live_recording_free(struct live_recording *recording);

#endif
