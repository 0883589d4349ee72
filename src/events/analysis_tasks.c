// SPDX-License-Identifier: GPL-2.0-only
/* analysis_tasks.c - a line for each task that ran or waited */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "events/analysis_private.h"

static struct analysis_task line_of(struct event_task *task)
{
	const struct tracked *t = tracked(task);
	struct analysis_task line = {
		.pid = task->pid,
		.n_tasks = 1,
		.run_ns = t->run_ns,
		.switches = t->switches,
		.wait_ns = t->wait_ns,
		.longest_ns = t->longest_ns,
		.longest_at = t->longest_at,
		.migrations = t->migrations,
	};

	memcpy(line.name, task->name, sizeof(line.name));
	return line;
}

static bool has_done_anything(const struct tracked *t)
{
	return t->run_ns || t->switches || t->migrations;
}

void past_add(struct analysis *analysis, struct event_task *task)
{
	if (analysis->options.keep_tasks && analysis->measuring && has_done_anything(tracked(task)))
		*array_append(analysis->past, analysis->n_past) = line_of(task);
}

struct list {
	struct analysis_task *lines;
	int n;
};

static void add_living(void *data, struct event_task *task)
{
	struct list *list = data;

	if (has_done_anything(tracked(task)))
		*array_append(list->lines, list->n) = line_of(task);
}

static int by_name_then_id(const void *a, const void *b)
{
	const struct analysis_task *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : (x->pid > y->pid) - (x->pid < y->pid);
}

static int longest_first(const void *a, const void *b)
{
	const struct analysis_task *x = a, *y = b;

	if (x->run_ns != y->run_ns)
		return x->run_ns < y->run_ns ? 1 : -1;
	return by_name_then_id(a, b);
}

static void merge(struct analysis_task *into, const struct analysis_task *from)
{
	into->n_tasks += from->n_tasks;
	into->run_ns += from->run_ns;
	into->switches += from->switches;
	into->wait_ns += from->wait_ns;
	into->migrations += from->migrations;
	if (from->longest_ns > into->longest_ns) {
		into->longest_ns = from->longest_ns;
		into->longest_at = from->longest_at;
	}
}

static void merge_names(struct list *list)
{
	int n = 0;

	for (int i = 0; i < list->n; i++) {
		if (n && !strcmp(list->lines[n - 1].name, list->lines[i].name))
			merge(&list->lines[n - 1], &list->lines[i]);
		else
			list->lines[n++] = list->lines[i];
	}
	list->n = n;
}

struct analysis_task *analysis_tasks(const struct analysis *analysis, bool by_name, int *n)
{
	struct list list = { 0 };

	for (int i = 0; i < analysis->n_past; i++)
		*array_append(list.lines, list.n) = analysis->past[i];
	event_tasks_each(analysis->tasks, add_living, &list);
	if (list.n)
		qsort(list.lines, (size_t)list.n, sizeof(*list.lines), by_name_then_id);
	if (by_name)
		merge_names(&list);
	if (list.n)
		qsort(list.lines, (size_t)list.n, sizeof(*list.lines), longest_first);
	*n = list.n;
	return list.lines ? list.lines : memory_zeroed(1, sizeof(*list.lines));
}
