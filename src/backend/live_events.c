// SPDX-License-Identifier: GPL-2.0-only
#include "backend/live_events.h"

#include <stdlib.h>

#include "backend/trial_events.h"
#include "base/memory.h"
#include "events/live.h"

struct live_recording {
	const struct trial_order *order;
	struct trial_events *events;
	struct event_live *live;
	char *unavailable; /* why there is none, or NULL */
};

static bool needs_file(const struct trial_order *order)
{
	return order->events_file || order->plan->events;
}

static struct error *start(const struct trial_order *order, hwloc_const_bitmap_t cpus,
			   struct live_recording *recording)
{
	struct event_live_options options = {
		.machine = order->machine,
		.avoid = cpus,
		.buffer_bytes = order->events_buffer,
		.without_idle = order->events_without_idle,
	};
	struct error *error = event_live_check();

	if (!error)
		error = trial_events_new(order, cpus, false, &recording->events);
	if (!error)
		error = event_live_start(&options, trial_events_sink(recording->events),
					 &recording->live);
	return error;
}

struct error *live_recording_start(const struct trial_order *order, hwloc_const_bitmap_t cpus,
				   struct live_recording **out)
{
	struct live_recording *recording;
	struct error *error;

	*out = NULL;
	if (!trial_events_wanted(order))
		return NULL;
	recording = memory_zeroed(1, sizeof(*recording));
	recording->order = order;
	error = start(order, cpus, recording);
	if (error && needs_file(order)) {
		live_recording_free(recording);
		return error;
	}
	if (error) {
		recording->unavailable = error_text(error);
		error_free(error);
	}
	*out = recording;
	return NULL;
}

struct error *live_recording_read(struct live_recording *recording)
{
	struct error *error;

	if (!recording || !recording->live)
		return NULL;
	error = event_live_read(recording->live);
	if (!error || needs_file(recording->order))
		return error;
	recording->unavailable = error_text(error);
	error_free(error);
	event_live_free(recording->live);
	recording->live = NULL;
	return NULL;
}

void live_recording_mark(struct live_recording *recording, bool start_of, const pid_t *pids,
			 int n_pids)
{
	if (!recording || !recording->live)
		return;
	if (start_of) {
		event_live_mark(recording->live, EVENT_MARK_BEGIN, pids, n_pids,
				trial_events_note(recording->events));
		return;
	}
	event_live_mark(recording->live, EVENT_MARK_END, NULL, 0,
			trial_events_note(recording->events));
	event_live_stop(recording->live);
}

struct error *live_recording_report(struct live_recording *recording, struct trial *trial)
{
	struct event_live_cost cost;
	struct error *error;

	if (!recording)
		return NULL;
	if (!recording->live) {
		trial_events_unavailable(recording->order->plan, recording->unavailable, trial);
		return NULL;
	}
	error = event_live_finish(recording->live, &cost);
	if (!error)
		error = trial_events_report(recording->events, trial);
	if (error)
		return error;
	json_object_set_new(trial->environment, "events_recorder",
			    json_pack("{s:f, s:f, s:I}", "seconds", cost.seconds,
				      "reader_cpu_seconds", cost.reader_seconds, "bytes",
				      (json_int_t)cost.bytes));
	return NULL;
}

void live_recording_probe(const struct plan *plan, struct trial *out)
{
	struct error *error = event_live_check();
	autofree char *reason = error ? error_text(error) : NULL;

	if (error)
		trial_events_unavailable(plan, reason, out);
	error_free(error);
}

void live_recording_free(struct live_recording *recording)
{
	if (!recording)
		return;
	event_live_free(recording->live);
	trial_events_free(recording->events);
	free(recording->unavailable);
	free(recording);
}
