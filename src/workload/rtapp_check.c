// SPDX-License-Identifier: GPL-2.0-only
/*
 * rtapp_check.c - what of locks and of waiting goes wrong in every run of an rt-app file
 *
 * A task has no branches, so the mutexes that it holds are known ahead: its events are gone through once,
 * and what is repeated a second time, because what a loop leaves locked is found when it begins anew.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "workload/rtapp_read.h"

struct walk {
	const struct rtapp_file *file;
	int task;
	const struct rtapp_event **held; /* by object: the event that locked it, or NULL */
};

static struct error *wrong(const struct walk *walk, const struct rtapp_event *event,
			   const char *format, ...) __attribute__((format(printf, 3, 4)));

static struct error *wrong(const struct walk *walk, const struct rtapp_event *event,
			   const char *format, ...)
{
	autofree char *text = NULL;
	va_list args;

	va_start(args, format);
	text = memory_vformat(format, args);
	va_end(args);
	return error_at(ERR_INPUT, walk->file->name, event->line, "%s: %s", event->path, text);
}

static const char *name_of(const struct walk *walk, int object)
{
	return walk->file->objects[object].name;
}

/* ---- what other threads do ---- */

typedef bool (*event_test)(const struct rtapp_event *event, int object);

static bool task_has(const struct rtapp_task *task, event_test test, int object)
{
	for (int i = 0; i < task->n_phases; i++)
		for (int j = 0; j < task->phases[i].n_events; j++)
			if (test(&task->phases[i].events[j], object))
				return true;
	return false;
}

/* does a thread that is not the walk's do it? Other instances of the same task are others */
static bool others_have(const struct walk *walk, event_test test, int object)
{
	const struct rtapp_file *file = walk->file;

	for (int i = 0; i < file->n_tasks; i++)
		if (file->tasks[i].instances > (i == walk->task) &&
		    task_has(&file->tasks[i], test, object))
			return true;
	return false;
}

static bool is_wakeup(const struct rtapp_event *event, int condition)
{
	return event->object == condition &&
	       (event->kind == RTAPP_SIGNAL || event->kind == RTAPP_BROAD ||
		event->kind == RTAPP_SYNC);
}

static bool is_resume(const struct rtapp_event *event, int suspension)
{
	return event->object == suspension && event->kind == RTAPP_RESUME;
}

static bool is_suspend(const struct rtapp_event *event, int suspension)
{
	return event->object == suspension && event->kind == RTAPP_SUSPEND;
}

static bool wants_mutex(const struct rtapp_event *event, int mutex)
{
	return (event->object == mutex && event->kind == RTAPP_LOCK) ||
	       (event->mutex == mutex && event->kind == RTAPP_SYNC);
}

/* ---- an event ---- */

static struct error *check_lock(struct walk *walk, const struct rtapp_event *event)
{
	const struct rtapp_event *before = walk->held[event->object];

	if (before)
		return wrong(walk, event,
			     "the task holds mutex '%s' already, locked in line %d (%s): it would "
			     "wait for itself",
			     name_of(walk, event->object), before->line, before->path);
	walk->held[event->object] = event;
	return NULL;
}

static struct error *check_unlock(struct walk *walk, const struct rtapp_event *event)
{
	if (!walk->held[event->object])
		return wrong(walk, event, "the task does not hold mutex '%s' here: a lock in front",
			     name_of(walk, event->object));
	walk->held[event->object] = NULL;
	return NULL;
}

static struct error *check_wait(struct walk *walk, const struct rtapp_event *event)
{
	if (event->kind == RTAPP_WAIT && !walk->held[event->mutex])
		return wrong(walk, event, "the task does not hold mutex '%s' here: a lock in front",
			     name_of(walk, event->mutex));
	if (!others_have(walk, is_wakeup, event->object))
		return wrong(walk, event,
			     "no other thread signals '%s': it would wait for ever; signal, broad "
			     "or sync of another one ends it",
			     name_of(walk, event->object));
	return NULL;
}

static struct error *check_suspend(struct walk *walk, const struct rtapp_event *event)
{
	if (others_have(walk, is_resume, event->object))
		return NULL;
	return wrong(walk, event, "no other thread resumes '%s': it would be suspended for ever",
		     name_of(walk, event->object));
}

static struct error *check_resume(struct walk *walk, const struct rtapp_event *event)
{
	if (others_have(walk, is_suspend, event->object))
		return NULL;
	return wrong(walk, event,
		     "no other thread is suspended as '%s': the name of a task with a suspend, or "
		     "that of a suspend, is accepted",
		     name_of(walk, event->object));
}

static struct error *check_event(struct walk *walk, const struct rtapp_event *event)
{
	switch (event->kind) {
	case RTAPP_LOCK:
		return check_lock(walk, event);
	case RTAPP_UNLOCK:
		return check_unlock(walk, event);
	case RTAPP_WAIT:
	case RTAPP_SYNC:
		return check_wait(walk, event);
	case RTAPP_SUSPEND:
		return check_suspend(walk, event);
	case RTAPP_RESUME:
		return check_resume(walk, event);
	default:
		return NULL;
	}
}

/* ---- a task ---- */

static bool waits_under(const struct rtapp_phase *phase, int mutex)
{
	for (int i = 0; i < phase->n_events; i++)
		if (phase->events[i].mutex == mutex)
			return true;
	return false;
}

/* @last: the phase that never ends; NULL: the task has ended */
static struct error *check_left(const struct walk *walk, const struct rtapp_phase *last)
{
	for (int i = 0; i < walk->file->n_objects; i++)
		if (walk->held[i] && !(last && waits_under(last, i)) &&
		    others_have(walk, wants_mutex, i))
			return wrong(walk, walk->held[i],
				     "mutex '%s' is never unlocked%s: others would wait for it for "
				     "ever",
				     name_of(walk, i), last ? "" : " before the task ends");
	return NULL;
}

static struct error *check_phase(struct walk *walk, const struct rtapp_phase *phase)
{
	int64_t times = phase->loop < 0 || phase->loop > 2 ? 2 : phase->loop;
	struct error *error = NULL;

	for (int64_t i = 0; i < times; i++)
		for (int j = 0; j < phase->n_events && !error; j++)
			error = check_event(walk, &phase->events[j]);
	if (!error && phase->loop < 0)
		error = check_left(walk, phase);
	return error;
}

/* *endless: a phase has no end, and what is behind it is never reached */
static struct error *check_phases(struct walk *walk, bool *endless)
{
	const struct rtapp_task *task = &walk->file->tasks[walk->task];
	struct error *error = NULL;

	for (int i = 0; i < task->n_phases && !error && !*endless; i++) {
		error = check_phase(walk, &task->phases[i]);
		*endless = task->phases[i].loop < 0;
	}
	return error;
}

static struct error *check_task(struct walk *walk)
{
	const struct rtapp_task *task = &walk->file->tasks[walk->task];
	int64_t times = task->loop < 0 || task->loop > 2 ? 2 : task->loop;
	struct error *error = NULL;
	bool endless = false;

	for (int64_t i = 0; i < times && !error && !endless; i++)
		error = check_phases(walk, &endless);
	if (!error && task->loop >= 0 && !endless)
		error = check_left(walk, NULL);
	return error;
}

struct error *rtapp_check_waits(const struct rtapp_file *file)
{
	struct error *error = NULL;

	for (int i = 0; i < file->n_tasks && !error; i++) {
		struct walk walk = { file, i, NULL };

		if (!file->tasks[i].instances)
			continue;
		walk.held = memory_zeroed(file->n_objects, sizeof(walk.held[0]));
		error = check_task(&walk);
		free(walk.held);
	}
	return error;
}
