// SPDX-License-Identifier: GPL-2.0-only
/*
 * feed.c - items wait in an array of pointers sorted by time; most come nearly in order, so a new
 * one is put in from the end with few steps
 */
#include "events/feed.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "events/tasks.h"

enum item_kind {
	ITEM_EVENT,
	ITEM_TASK,
	ITEM_MARK,
	ITEM_LOST
};

struct item {
	uint64_t time;
	enum item_kind kind;
	union {
		struct event_found found;
		struct event_task task;
		struct event_mark mark; /* workers and note are the item's own */
		struct event_lost lost;
	};
};

struct event_feed {
	struct event_sink *sink;
	struct event_tasks *tasks;
	struct item **waiting; /* a ring: the earliest at `first` */
	int first, n, room;    /* room: a power of two above the window */
	int window;
	struct item **spare; /* for reuse */
	int n_spare;
	struct event_totals totals;
	hwloc_bitmap_t gone; /* CPUs that are off */
	bool any;	     /* something was passed on */
	uint64_t last;	     /* time of what was passed on last */
};

struct event_found event_found_blank(enum event_kind kind, uint64_t time, int32_t cpu)
{
	return (struct event_found){
		.event = event_blank(kind, time, cpu),
		.current_tgid = EVENT_NONE,
		.other_tgid = EVENT_NONE,
	};
}

void event_name_copy(char to[EVENT_NAME_SIZE], const char *from, size_t length)
{
	size_t n = strnlen(from, length);

	if (n > EVENT_NAME_SIZE - 1)
		n = EVENT_NAME_SIZE - 1;
	memset(to, 0, EVENT_NAME_SIZE);
	memcpy(to, from, n);
	if (!text_is_utf8(to, n))
		for (size_t i = 0; i < n; i++)
			if ((unsigned char)to[i] >= 0x80)
				to[i] = '?';
	text_printable(to);
}

struct event_feed *event_feed_new(struct event_sink *sink, int window)
{
	struct event_feed *feed = memory_zeroed(1, sizeof(*feed));

	feed->sink = sink;
	feed->tasks = event_tasks_new(0);
	feed->window = window;
	feed->gone = hwloc_bitmap_alloc();
	for (feed->room = 2; feed->room <= window;)
		feed->room *= 2;
	feed->waiting = memory_zeroed(feed->room, sizeof(*feed->waiting));
	feed->spare = memory_zeroed(feed->room, sizeof(*feed->spare));
	return feed;
}

static void drop(struct event_feed *feed, struct item *item)
{
	if (item->kind == ITEM_MARK) {
		free((void *)item->mark.workers);
		free((void *)item->mark.note);
	}
	if (feed->n_spare < feed->room)
		feed->spare[feed->n_spare++] = item;
	else
		free(item);
}

static struct item **slot(struct event_feed *feed, int i)
{
	return &feed->waiting[(feed->first + i) & (feed->room - 1)];
}

void event_feed_free(struct event_feed *feed)
{
	if (!feed)
		return;
	for (int i = 0; i < feed->n; i++)
		drop(feed, *slot(feed, i));
	for (int i = 0; i < feed->n_spare; i++)
		free(feed->spare[i]);
	free(feed->spare);
	free(feed->waiting);
	hwloc_bitmap_free(feed->gone);
	event_tasks_free(feed->tasks);
	free(feed);
}

struct error *event_feed_begin(struct event_feed *feed, const struct event_info *info)
{
	if (info->online)
		hwloc_bitmap_not(feed->gone, info->online);
	return event_sink_begin(feed->sink, info);
}

/* ---- what is known of tasks ---- */

static struct error *tell(struct event_feed *feed, const struct event_task *task)
{
	event_tasks_tell(feed->tasks, task);
	return event_sink_task(feed->sink, task);
}

/*
 * a task that an event names; @name may be empty, @tgid EVENT_NONE
 * @weak: the name is only for a task that is not known: tools print the name that a task had at some
 *        time before the line, and that in the event's fields is the right one
 */
static struct error *mention(struct event_feed *feed, uint64_t time, int32_t pid, const char *name,
			     bool weak, int32_t tgid)
{
	const struct event_task *known;
	struct event_task task;

	if (pid <= 0)
		return NULL;
	known = event_tasks_find(feed->tasks, pid);
	if (known && weak)
		name = "";
	if (known && (!*name || !memcmp(known->name, name, EVENT_NAME_SIZE)) &&
	    (tgid == EVENT_NONE || tgid == known->tgid))
		return NULL;
	if (known) {
		task = *known;
		task.reason = EVENT_TASK_NAMED;
		if (tgid != EVENT_NONE)
			task.tgid = tgid;
	} else {
		task = (struct event_task){ .pid = pid, .tgid = tgid, .parent = EVENT_NONE };
	}
	task.time = time;
	if (*name)
		memcpy(task.name, name, EVENT_NAME_SIZE);
	return tell(feed, &task);
}

/* a child takes its parent's name, and is a process of its own unless somebody tells otherwise */
static struct error *mention_child(struct event_feed *feed, const struct event_found *found)
{
	const struct event_task *parent = event_tasks_find(feed->tasks, found->event.pid);
	const struct event_task *known = event_tasks_find(feed->tasks, found->event.other);
	struct event_task task = {
		.time = found->event.time,
		.pid = found->event.other,
		.tgid = found->other_tgid,
		.parent = found->event.pid,
		.reason = EVENT_TASK_FORKED,
	};

	/* the source told it by event_feed_task() just before */
	if (known && known->reason == EVENT_TASK_FORKED && known->parent == found->event.pid &&
	    known->time <= task.time && task.time - known->time < 1000000)
		return NULL;
	if (*found->other_name)
		memcpy(task.name, found->other_name, EVENT_NAME_SIZE);
	else if (parent)
		memcpy(task.name, parent->name, EVENT_NAME_SIZE);
	task.kernel = parent && parent->pid == 2;
	return tell(feed, &task);
}

static struct error *mention_all(struct event_feed *feed, const struct event_found *found)
{
	const struct event *event = &found->event;
	struct error *error = mention(feed, event->time, event->current, found->current_name, true,
				      found->current_tgid);

	if (!error)
		error = mention(feed, event->time, event->pid, found->name, false, EVENT_NONE);
	if (error)
		return error;
	if (event->kind == EVENT_FORK)
		return mention_child(feed, found);
	if (event->kind == EVENT_SWITCH)
		return mention(feed, event->time, event->other, found->other_name, false,
			       EVENT_NONE);
	return NULL;
}

/* ---- passing on ---- */

/* a CPU goes and comes in many steps; the first one counts */
static bool is_known_of_cpu(struct event_feed *feed, const struct event *event)
{
	bool goes = event->kind == EVENT_CPU_OFFLINE;

	if ((!goes && event->kind != EVENT_CPU_ONLINE) || event->target < 0)
		return false;
	if (!hwloc_bitmap_isset(feed->gone, event->target) != goes)
		return true;
	if (goes)
		hwloc_bitmap_set(feed->gone, event->target);
	else
		hwloc_bitmap_clr(feed->gone, event->target);
	return false;
}

static struct error *pass_event(struct event_feed *feed, const struct event_found *found)
{
	struct error *error;

	if (is_known_of_cpu(feed, &found->event))
		return NULL;
	error = mention_all(feed, found);
	if (!error)
		error = event_sink_event(feed->sink, &found->event);
	event_tasks_passed(feed->tasks, &found->event);
	if (!feed->totals.events++)
		feed->totals.first = found->event.time;
	feed->totals.last = found->event.time;
	return error;
}

static struct error *pass_lost(struct event_feed *feed, const struct event_lost *lost)
{
	feed->totals.lost += lost->count;
	feed->totals.lost_unknown |= !lost->count;
	return event_sink_lost(feed->sink, lost);
}

/*
 * What a source tells of a task, completed by what is known: a thread that is forked has its parent's
 * process, and a task that changes its name stays the same task.
 */
static struct error *pass_task(struct event_feed *feed, const struct event_task *told)
{
	const struct event_task *known = event_tasks_find(feed->tasks, told->pid);
	struct event_task task = *told;

	if (task.reason == EVENT_TASK_FORKED) {
		const struct event_task *parent = event_tasks_find(feed->tasks, task.parent);

		if (task.tgid == EVENT_NONE && parent)
			task.tgid = parent->tgid;
		return tell(feed, &task);
	}
	if (!known) {
		task.reason = EVENT_TASK_FOUND;
		return tell(feed, &task);
	}
	task.reason = EVENT_TASK_NAMED;
	task.kernel |= known->kernel;
	if (task.tgid == EVENT_NONE)
		task.tgid = known->tgid;
	if (task.parent == EVENT_NONE)
		task.parent = known->parent;
	if (!memcmp(known->name, task.name, EVENT_NAME_SIZE) && known->tgid == task.tgid &&
	    known->parent == task.parent && known->kernel == task.kernel)
		return NULL;
	return tell(feed, &task);
}

/* an item that comes too late is passed on at the time of the one before it, and counted */
static void hold_time(struct event_feed *feed, struct item *item)
{
	uint64_t by;

	if (!feed->any || item->time >= feed->last)
		return;
	by = feed->last - item->time;
	item->time = feed->last;
	if (item->kind == ITEM_EVENT) {
		item->found.event.time = feed->last;
		feed->totals.late++;
		if (by > feed->totals.late_most_ns)
			feed->totals.late_most_ns = by;
	} else if (item->kind == ITEM_TASK) {
		item->task.time = feed->last;
	} else if (item->kind == ITEM_MARK) {
		item->mark.time = feed->last;
	}
}

static struct error *pass(struct event_feed *feed)
{
	struct item *item = *slot(feed, 0);
	struct error *error = NULL;

	feed->first = (feed->first + 1) & (feed->room - 1);
	feed->n--;
	hold_time(feed, item);
	feed->any = true;
	feed->last = item->time;
	switch (item->kind) {
	case ITEM_EVENT:
		error = pass_event(feed, &item->found);
		break;
	case ITEM_TASK:
		error = pass_task(feed, &item->task);
		break;
	case ITEM_MARK:
		error = event_sink_mark(feed->sink, &item->mark);
		break;
	case ITEM_LOST:
		error = pass_lost(feed, &item->lost);
		break;
	}
	drop(feed, item);
	return error;
}

static struct item *item_new(struct event_feed *feed, enum item_kind kind, uint64_t time)
{
	struct item *item;

	item = feed->n_spare ? feed->spare[--feed->n_spare] : memory_zeroed(1, sizeof(*item));
	item->kind = kind;
	item->time = time;
	return item;
}

/* behind all that are not later: items of one time keep their order */
static struct error *put(struct event_feed *feed, struct item *item)
{
	int i = feed->n++;

	for (; i && (*slot(feed, i - 1))->time > item->time; i--)
		*slot(feed, i) = *slot(feed, i - 1);
	*slot(feed, i) = item;
	return feed->n > feed->window ? pass(feed) : NULL;
}

struct error *event_feed_event(struct event_feed *feed, const struct event_found *found)
{
	struct item *item = item_new(feed, ITEM_EVENT, found->event.time);

	item->found = *found;
	return put(feed, item);
}

struct error *event_feed_task(struct event_feed *feed, const struct event_task *task)
{
	struct item *item = item_new(feed, ITEM_TASK, task->time);

	item->task = *task;
	return put(feed, item);
}

struct error *event_feed_mark(struct event_feed *feed, const struct event_mark *mark)
{
	struct item *item = item_new(feed, ITEM_MARK, mark->time);

	item->mark = *mark;
	item->mark.workers = memory_copy(mark->workers ? mark->workers : (int32_t[]){ 0 },
					 mark->n_workers * sizeof(*mark->workers));
	item->mark.note = mark->note ? memory_string(mark->note) : NULL;
	return put(feed, item);
}

struct error *event_feed_lost(struct event_feed *feed, const struct event_lost *lost)
{
	struct item *item = item_new(feed, ITEM_LOST, lost->to ? lost->to : feed->last);

	item->lost = *lost;
	return put(feed, item);
}

struct error *event_feed_passed(struct event_feed *feed, uint64_t time)
{
	struct error *error = NULL;

	while (!error && feed->n && (*slot(feed, 0))->time < time)
		error = pass(feed);
	return error;
}

struct error *event_feed_end(struct event_feed *feed, const char *damage)
{
	struct error *error = NULL;

	while (!error && feed->n)
		error = pass(feed);
	feed->totals.damage = damage;
	return error ? error : event_sink_end(feed->sink, &feed->totals);
}
