/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tasks.h - the tasks that live at this moment of a stream
 *
 * A sink that needs names feeds a table with all tasks and events that it gets, and asks it. A task
 * leaves the table after its last switch, or when its id is used again, so the table grows with the
 * tasks that live at once, not with those of the whole stream.
 */
#ifndef FT_EVENTS_TASKS_H
#define FT_EVENTS_TASKS_H

#include "events/event.h"

struct event_tasks;

/* event_tasks_new - @data_size: bytes, zeroed, that the owner may use for each task */
struct event_tasks *event_tasks_new(size_t data_size);
void event_tasks_free(struct event_tasks *tasks);

/*
 * event_tasks_tell - what the stream told of a task; the data of a task that is forked anew is zeroed
 * Returns its entry, valid as long as the task is in the table.
 */
struct event_task *event_tasks_tell(struct event_tasks *tasks, const struct event_task *task);

/* event_tasks_find - the living task of that id, or NULL */
struct event_task *event_tasks_find(const struct event_tasks *tasks, int32_t pid);

/* event_tasks_data - the owner's bytes of an entry */
void *event_tasks_data(struct event_task *task);

/* event_tasks_name - its name; "swapper" for 0, "?" if it is not known */
const char *event_tasks_name(const struct event_tasks *tasks, int32_t pid);

/* event_tasks_passed - after an event was handled: forgets a task that it was the last of */
void event_tasks_passed(struct event_tasks *tasks, const struct event *event);

int event_tasks_count(const struct event_tasks *tasks);

/* event_tasks_each - all living tasks, in no order; @fn must not change the table */
void event_tasks_each(const struct event_tasks *tasks,
		      void (*fn)(void *arg, struct event_task *task), void *arg);

#endif
