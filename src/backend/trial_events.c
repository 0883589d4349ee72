// SPDX-License-Identifier: GPL-2.0-only
#include "backend/trial_events.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/output.h"
#include "events/analysis.h"
#include "events/file.h"
#include "monitor/monitor.h"

struct trial_events {
	struct analysis *analysis; /* NULL: not asked for */
	struct event_sink *writer; /* NULL: no file */
	struct event_sink both;	   /* passes on to those that are there */
	struct output *output;	   /* what it writes to, until the trial is over */
	char *path, *note;
};

static bool analysis_wanted(const struct trial_order *order)
{
	for (int i = 0; i < order->plan->n_monitors; i++)
		if (monitor_find(order->plan->monitors[i])->recorded)
			return true;
	return false;
}

bool trial_events_wanted(const struct trial_order *order)
{
	return order->events_file || order->plan->events || analysis_wanted(order);
}

/* ---- the sink ---- */

#define BOTH(name, type)                                                                           \
	static struct error *both_##name(struct event_sink *sink, const struct type *item)         \
	{                                                                                          \
		struct trial_events *events =                                                      \
			(struct trial_events *)((char *)sink -                                     \
						offsetof(struct trial_events, both));              \
		struct error *error = NULL;                                                        \
                                                                                                   \
		if (events->analysis)                                                              \
			error = event_sink_##name(analysis_sink(events->analysis), item);          \
		if (!error && events->writer)                                                      \
			error = event_sink_##name(events->writer, item);                           \
		return error;                                                                      \
	}

BOTH(begin, event_info)
BOTH(task, event_task)
BOTH(event, event)
BOTH(lost, event_lost)
BOTH(mark, event_mark)
BOTH(end, event_totals)

/* ---- the file ---- */

/* letters that need no quoting; everything else becomes '_' */
static void plain_name(char *text)
{
	for (; *text; text++)
		if (!isalnum((unsigned char)*text) && !strchr("-_.=", *text))
			*text = '_';
}

/* PREFIX-CASE-VARIANT-BLOCK.fttrace; a new string */
static char *file_name(const struct trial_order *order)
{
	autofree char *instance = memory_string(order->instance->name);
	autofree char *variant = memory_string(order->variant->name);

	if (order->events_file)
		return memory_string(order->events_file);
	if (!order->plan->events)
		return NULL;
	plain_name(instance);
	plain_name(variant);
	return memory_format("%s-%s-%s-%d.fttrace", order->plan->events, instance, variant,
			     order->block);
}

static struct error *open_file(const struct trial_order *order, struct trial_events *events)
{
	struct error *error;

	if (!order->events_file && !access(events->path, F_OK))
		return error_new(ERR_INPUT, "%s exists; files of events are not written over",
				 events->path);
	error = file_make_folders(events->path);
	if (!error)
		error = output_open(events->path, order->events_force, 0600, &events->output);
	if (!error)
		events->writer = event_writer_new(output_fd(events->output), events->path);
	return error;
}

struct error *trial_events_new(const struct trial_order *order, hwloc_const_bitmap_t cpus,
			       bool starts_idle, struct trial_events **out)
{
	struct analysis_options options = { .cpus = cpus, .starts_idle = starts_idle };
	struct trial_events *events = memory_zeroed(1, sizeof(*events));

	events->both = (struct event_sink){ both_begin, both_task, both_event, both_lost,
					    both_mark,	both_end,  NULL };
	events->note = memory_format("%s, variant %s, block %d", order->instance->name,
				     order->variant->name, order->block);
	events->path = file_name(order);
	if (events->path) {
		struct error *error = open_file(order, events);

		if (error) {
			trial_events_free(events);
			return error;
		}
	}
	if (analysis_wanted(order))
		events->analysis = analysis_new(&options);
	*out = events;
	return NULL;
}

struct event_sink *trial_events_sink(struct trial_events *events)
{
	return &events->both;
}

const char *trial_events_note(const struct trial_events *events)
{
	return events->note;
}

struct error *trial_events_report(struct trial_events *events, struct trial *trial)
{
	struct output *output = events->output;
	struct error *error;

	events->output = NULL;
	error = output ? output_close(output, NULL) : NULL;
	if (error)
		return error;
	if (events->analysis)
		analysis_report(events->analysis, trial);
	if (events->path)
		json_object_set_new(trial->environment, "events_file", json_string(events->path));
	return NULL;
}

void trial_events_unavailable(const struct plan *plan, const char *reason, struct trial *trial)
{
	for (int i = 0; i < plan->n_monitors; i++) {
		const struct monitor *monitor = monitor_find(plan->monitors[i]);

		for (const struct metric_desc *desc = monitor->metrics;
		     monitor->recorded && desc->name; desc++)
			trial_add_unavailable(trial, desc, reason);
	}
}

void trial_events_free(struct trial_events *events)
{
	if (!events)
		return;
	analysis_free(events->analysis);
	event_sink_free(events->writer);
	/* the trial failed: what there is of its events goes */
	if (events->output)
		error_free(output_close(events->output,
					error_new(ERR_INTERRUPTED, "the trial did not end")));
	free(events->path);
	free(events->note);
	free(events);
}
