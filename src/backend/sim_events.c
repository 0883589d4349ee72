// SPDX-License-Identifier: GPL-2.0-only
/*
 * sim_events.c - CPUs of a simulated machine run ahead of each other, so their events are sorted; up to
 * when that is possible the engine's own time says
 */
#include "backend/sim_events.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "events/feed.h"

/* never reached: the engine says when no earlier event can come */
#define WINDOW (1 << 20)

struct sim_events {
	struct sim *sim;
	const struct machine *machine;
	const char *kernel, *note;
	struct event_feed *feed;
	struct error *error; /* the first one: the simulation goes on, without events */
	int32_t *current;    /* what runs, by CPU of the simulation */
};

static const enum event_kind kinds[KSCHED_NR_EVENTS] = {
	[KSCHED_EV_SWITCH] = EVENT_SWITCH,   [KSCHED_EV_WAKING] = EVENT_WAKING,
	[KSCHED_EV_WAKEUP] = EVENT_WAKEUP,   [KSCHED_EV_WAKEUP_NEW] = EVENT_WAKEUP_NEW,
	[KSCHED_EV_MIGRATE] = EVENT_MIGRATE, [KSCHED_EV_FORK] = EVENT_FORK,
	[KSCHED_EV_EXEC] = EVENT_EXEC,	     [KSCHED_EV_EXIT] = EVENT_EXIT,
	[KSCHED_EV_WAIT] = EVENT_WAIT,
};

#define WANTED                                                                                     \
	(1u << KSCHED_EV_SWITCH | 1u << KSCHED_EV_WAKING | 1u << KSCHED_EV_WAKEUP |                \
	 1u << KSCHED_EV_WAKEUP_NEW | 1u << KSCHED_EV_MIGRATE | 1u << KSCHED_EV_FORK |             \
	 1u << KSCHED_EV_EXEC | 1u << KSCHED_EV_EXIT | 1u << KSCHED_EV_WAIT)

static struct event_task describe(const struct ksched_task *task, uint64_t time,
				  enum event_task_reason reason)
{
	struct event_task told = { .time = time,
				   .pid = task->pid,
				   .tgid = task->tgid,
				   .parent = EVENT_NONE,
				   .reason = reason,
				   .kernel = task->kthread };

	event_name_copy(told.name, task->comm, sizeof(task->comm));
	return told;
}

static void keep(struct sim_events *events, struct error *error)
{
	if (events->error)
		error_free(error);
	else
		events->error = error;
}

static void tell(struct sim_events *events, const struct ksched_task *task, uint64_t time,
		 enum event_task_reason reason, int32_t parent)
{
	struct event_task told = describe(task, time, reason);

	told.parent = parent;
	if (task->pid > 0)
		keep(events, event_feed_task(events->feed, &told));
}

static void take_fields(struct sim_events *events, const struct ksched_event *from,
			struct event *event)
{
	event->pid = from->task->pid;
	switch (event->kind) {
	case EVENT_SWITCH:
		event->other = from->other->pid;
		event->state = (uint16_t)from->arg;
		events->current[from->cpu] = from->other->pid;
		break;
	case EVENT_WAKING:
	case EVENT_WAKEUP:
	case EVENT_WAKEUP_NEW:
		event->target = sim_machine_cpu(events->sim, from->target_cpu);
		break;
	case EVENT_MIGRATE:
		event->from = sim_machine_cpu(events->sim, (int)from->arg);
		event->target = sim_machine_cpu(events->sim, from->target_cpu);
		break;
	case EVENT_FORK:
		event->other = from->other->pid;
		break;
	case EVENT_EXEC:
		event->other = event->pid;
		break;
	case EVENT_WAIT:
		event->other = 0;
		break;
	}
}

static void on_event(void *data, const struct ksched_event *from)
{
	struct sim_events *events = data;
	enum event_kind kind = kinds[from->kind];
	struct event_found found =
		event_found_blank(kind, from->time, sim_machine_cpu(events->sim, from->cpu));

	if (events->error)
		return;
	found.event.current = events->current[from->cpu];
	take_fields(events, from, &found.event);
	if (kind == EVENT_FORK)
		tell(events, from->other, from->time, EVENT_TASK_FORKED, from->task->pid);
	else if (kind == EVENT_EXEC)
		tell(events, from->task, from->time, EVENT_TASK_NAMED, EVENT_NONE);
	keep(events, event_feed_event(events->feed, &found));
	keep(events, event_feed_passed(events->feed, sim_time(events->sim)));
}

static void on_mark(void *data, bool start, uint64_t time, const int *pids, int n_pids)
{
	struct sim_events *events = data;
	struct event_mark mark = {
		.time = time,
		.kind = start ? EVENT_MARK_BEGIN : EVENT_MARK_END,
		.workers = start ? pids : NULL,
		.n_workers = start ? n_pids : 0,
		.note = events->note,
	};

	if (!events->error)
		keep(events, event_feed_mark(events->feed, &mark));
}

struct sim_events *sim_events_new(struct sim *sim, const struct machine *machine,
				  const char *kernel, struct event_sink *sink, const char *note,
				  struct sim_options *options)
{
	struct sim_events *events = memory_zeroed(1, sizeof(*events));

	events->sim = sim;
	events->machine = machine;
	events->kernel = kernel;
	events->note = note;
	events->feed = event_feed_new(sink, WINDOW);
	events->current = memory_zeroed(sim_n_cpus(sim), sizeof(*events->current));
	options->event = on_event;
	options->mark = on_mark;
	options->event_data = events;
	options->event_kinds = WANTED;
	return events;
}

static void found_task(void *data, struct ksched_task *task)
{
	tell(data, task, 0, EVENT_TASK_FOUND, EVENT_NONE);
}

void sim_events_begin(struct sim_events *events)
{
	struct event_info info = {
		.source = "sim",
		.clock = "simulated",
		.kernel = events->kernel,
		.machine_name = events->machine->name,
		.machine = events->machine,
		.nr_cpus = hwloc_bitmap_last(events->machine->online) + 1,
		.online = events->machine->online,
	};

	keep(events, event_feed_begin(events->feed, &info));
	if (!events->error)
		sim_kernel(events->sim)->each_task(found_task, events);
	for (int i = 0; i < sim_n_cpus(events->sim); i++)
		events->current[i] = sim_cpu_state(events->sim, i)->task->pid;
}

struct error *sim_events_end(struct sim_events *events)
{
	struct error *error = events->error;

	events->error = NULL;
	return error ? error : event_feed_end(events->feed, NULL);
}

void sim_events_free(struct sim_events *events)
{
	if (!events)
		return;
	error_free(events->error);
	event_feed_free(events->feed);
	free(events->current);
	free(events);
}
