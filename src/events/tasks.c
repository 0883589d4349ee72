// SPDX-License-Identifier: GPL-2.0-only
/* tasks.c - a hash table with open addressing; entries are allocated one by one and do not move */
#include "events/tasks.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define LEAST_SLOTS 64

struct event_tasks {
	struct event_task **slots; /* NULL: free */
	size_t n_slots;		   /* a power of two, at least twice the number of entries */
	int count;
	size_t data_size;
};

/* the owner's bytes stand behind an entry, aligned for anything */
#define DATA_OFFSET ((sizeof(struct event_task) + 15) / 16 * 16)

static size_t home(const struct event_tasks *tasks, int32_t pid)
{
	/* Fibonacci hashing (Knuth, volume 3, 6.4): neighbouring ids spread out */
	return ((uint32_t)pid * UINT32_C(2654435769)) & (tasks->n_slots - 1);
}

struct event_tasks *event_tasks_new(size_t data_size)
{
	struct event_tasks *tasks = memory_zeroed(1, sizeof(*tasks));

	tasks->n_slots = LEAST_SLOTS;
	tasks->slots = memory_zeroed(tasks->n_slots, sizeof(*tasks->slots));
	tasks->data_size = data_size;
	return tasks;
}

void event_tasks_free(struct event_tasks *tasks)
{
	if (!tasks)
		return;
	for (size_t i = 0; i < tasks->n_slots; i++)
		free(tasks->slots[i]);
	free(tasks->slots);
	free(tasks);
}

/* the slot of a task, or the free one where it would be */
static size_t find_slot(const struct event_tasks *tasks, int32_t pid)
{
	size_t slot = home(tasks, pid);

	while (tasks->slots[slot] && tasks->slots[slot]->pid != pid)
		slot = (slot + 1) & (tasks->n_slots - 1);
	return slot;
}

static void grow(struct event_tasks *tasks)
{
	struct event_task **before = tasks->slots;
	size_t n = tasks->n_slots;

	tasks->n_slots = n * 2;
	tasks->slots = memory_zeroed(tasks->n_slots, sizeof(struct event_task *));
	for (size_t i = 0; i < n; i++)
		if (before[i])
			tasks->slots[find_slot(tasks, before[i]->pid)] = before[i];
	free(before);
}

struct event_task *event_tasks_find(const struct event_tasks *tasks, int32_t pid)
{
	return tasks->slots[find_slot(tasks, pid)];
}

void *event_tasks_data(struct event_task *task)
{
	return (char *)task + DATA_OFFSET;
}

struct event_task *event_tasks_tell(struct event_tasks *tasks, const struct event_task *task)
{
	size_t slot = find_slot(tasks, task->pid);
	struct event_task *entry = tasks->slots[slot];

	if (!entry) {
		if ((size_t)tasks->count * 2 >= tasks->n_slots) {
			grow(tasks);
			slot = find_slot(tasks, task->pid);
		}
		entry = memory_zeroed(1, DATA_OFFSET + tasks->data_size);
		tasks->slots[slot] = entry;
		tasks->count++;
	} else if (task->reason == EVENT_TASK_FORKED && tasks->data_size) {
		memset(event_tasks_data(entry), 0, tasks->data_size);
	}
	*entry = *task;
	return entry;
}

const char *event_tasks_name(const struct event_tasks *tasks, int32_t pid)
{
	const struct event_task *task = pid ? event_tasks_find(tasks, pid) : NULL;

	if (!pid)
		return "swapper";
	return task && *task->name ? task->name : "?";
}

/* takes an entry out; those behind it move up, so that no search ends too early (Knuth, 6.4 R) */
static void remove_slot(struct event_tasks *tasks, size_t hole)
{
	size_t mask = tasks->n_slots - 1, next = hole;

	free(tasks->slots[hole]);
	tasks->slots[hole] = NULL;
	tasks->count--;
	for (;;) {
		next = (next + 1) & mask;
		if (!tasks->slots[next])
			return;
		/* stays if its home is behind the hole */
		if (((next - home(tasks, tasks->slots[next]->pid)) & mask) < ((next - hole) & mask))
			continue;
		tasks->slots[hole] = tasks->slots[next];
		tasks->slots[next] = NULL;
		hole = next;
	}
}

void event_tasks_passed(struct event_tasks *tasks, const struct event *event)
{
	size_t slot;

	if (event->kind != EVENT_SWITCH || !(event->state & EVENT_STATE_ENDED) || event->pid <= 0)
		return;
	slot = find_slot(tasks, event->pid);
	if (tasks->slots[slot])
		remove_slot(tasks, slot);
}

int event_tasks_count(const struct event_tasks *tasks)
{
	return tasks->count;
}

void event_tasks_each(const struct event_tasks *tasks,
		      void (*fn)(void *arg, struct event_task *task), void *arg)
{
	for (size_t i = 0; i < tasks->n_slots; i++)
		if (tasks->slots[i])
			fn(arg, tasks->slots[i]);
}
