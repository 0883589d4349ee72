// SPDX-License-Identifier: GPL-2.0-only
/* rtapp_event.c - the events of a phase: their order in the file is the program */
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "workload/rtapp_read.h"

/* Forms of values: a time in us; a name; a name that may be empty; an object with these members. */
enum form {
	FORM_TIME,
	FORM_NAME,
	FORM_EMPTY,
	FORM_TIMER,
	FORM_CONDITION,
	FORM_NOT
};

static const struct description {
	const char *name;
	enum rtapp_event_kind kind;
	enum form form;
	enum rtapp_object_kind object;
	const char *why_not;
} descriptions[] = {
	/* "runtime" in front of "run": the first name that fits is taken */
	{ "runtime", RTAPP_RUNTIME, FORM_TIME },
	{ "run", RTAPP_RUN, FORM_TIME },
	{ "sleep", RTAPP_SLEEP, FORM_TIME },
	{ "timer", RTAPP_TIMER, FORM_TIMER, RTAPP_A_TIMER },
	{ "lock", RTAPP_LOCK, FORM_NAME, RTAPP_MUTEX },
	{ "unlock", RTAPP_UNLOCK, FORM_NAME, RTAPP_MUTEX },
	{ "wait", RTAPP_WAIT, FORM_CONDITION, RTAPP_CONDITION },
	{ "signal", RTAPP_SIGNAL, FORM_NAME, RTAPP_CONDITION },
	{ "broad", RTAPP_BROAD, FORM_NAME, RTAPP_CONDITION },
	{ "sync", RTAPP_SYNC, FORM_CONDITION, RTAPP_CONDITION },
	{ "suspend", RTAPP_SUSPEND, FORM_EMPTY, RTAPP_SUSPENSION },
	{ "resume", RTAPP_RESUME, FORM_NAME, RTAPP_SUSPENSION },
	{ "barrier", RTAPP_BARRIER, FORM_NAME, RTAPP_A_BARRIER },
	{ "yield", RTAPP_YIELD, FORM_EMPTY },
	{ "mem", N_RTAPP_EVENTS, FORM_NOT, RTAPP_NO_OBJECT,
	  "writing to memory is not supported; `run` computes in registers" },
	{ "iorun", N_RTAPP_EVENTS, FORM_NOT, RTAPP_NO_OBJECT,
	  "writing to a device is not supported; workload loadfile works on files" },
	{ "fork", N_RTAPP_EVENTS, FORM_NOT, RTAPP_NO_OBJECT,
	  "tasks that are started by others are not supported; `delay` or `suspend` and `resume` "
	  "start a task later" },
};

const char *const rtapp_event_names[] = {
	"run",	 "runtime", "sleep",   "timer",	 "lock",    "unlock", "wait", "signal",
	"broad", "sync",    "suspend", "resume", "barrier", "yield",  NULL,
};

/* rt-app goes by the beginning alone; a misspelled key is better found than taken for another */
static const struct description *describe(const char *key)
{
	for (size_t i = 0; i < ARRAY_SIZE(descriptions); i++) {
		size_t length = strlen(descriptions[i].name);

		if (strncmp(key, descriptions[i].name, length) != 0)
			continue;
		if (!key[length] || strchr("0123456789_-", key[length]))
			return &descriptions[i];
	}
	return NULL;
}

bool rtapp_is_event(const char *key)
{
	return describe(key) != NULL;
}

static int object_named(struct rtapp_file *file, enum rtapp_object_kind kind, const char *name)
{
	struct rtapp_object *object;

	for (int i = 0; i < file->n_objects; i++)
		if (file->objects[i].kind == kind && !strcmp(file->objects[i].name, name))
			return i;
	object = array_append(file->objects, file->n_objects);
	object->kind = kind;
	object->name = memory_string(name);
	object->unique = kind == RTAPP_A_TIMER && !strncmp(name, "unique", strlen("unique"));
	return file->n_objects - 1;
}

static struct error *read_mode(const struct rtapp_at *at, bool *absolute)
{
	const char *mode;
	struct error *error = rtapp_string(at, &mode);

	if (error)
		return error;
	*absolute = !strcmp(mode, "absolute");
	if (*absolute || !strcmp(mode, "relative"))
		return NULL;
	return rtapp_wrong(at, "'%s': relative or absolute are accepted", mode);
}

/* a member of the object of timer, wait or sync */
static struct error *read_member(const struct rtapp_at *at, struct rtapp_file *file,
				 const struct description *description, struct rtapp_event *event)
{
	static const char *const of_timer[] = { "ref", "period", "mode", NULL };
	static const char *const of_condition[] = { "ref", "mutex", NULL };
	bool timer = description->form == FORM_TIMER;
	const char *key = at->value->key, *name;
	struct error *error;

	if (timer && !strcmp(key, "period"))
		return rtapp_microseconds(at, &event->ns);
	if (timer && !strcmp(key, "mode"))
		return read_mode(at, &event->absolute);
	if (strcmp(key, "ref") != 0 && (timer || strcmp(key, "mutex") != 0))
		return rtapp_unknown(at, timer ? of_timer : of_condition);
	error = rtapp_string(at, &name);
	if (error)
		return error;
	if (!*name)
		return rtapp_wrong(at, "a name is missing");
	if (!strcmp(key, "ref"))
		event->object = object_named(file, description->object, name);
	else
		event->mutex = object_named(file, RTAPP_MUTEX, name);
	return NULL;
}

static struct error *read_members(const struct rtapp_at *at, struct rtapp_file *file,
				  const struct description *description, struct rtapp_event *event)
{
	struct error *error = rtapp_object_of(at);

	for (int i = 0; !error && i < at->value->n; i++) {
		const struct ojson *member = &at->value->items[i];
		autofree char *path = memory_format("%s/%s", at->path, member->key);
		struct rtapp_at inner = { at->file, member, path };

		error = rtapp_twice(&inner, at->value, i);
		if (!error)
			error = read_member(&inner, file, description, event);
	}
	if (error)
		return error;
	if (event->object < 0)
		return rtapp_wrong(at, "\"ref\" is missing");
	if (description->form == FORM_TIMER && !event->ns)
		return rtapp_wrong(at, "\"period\" is missing, or 0");
	if (description->form == FORM_CONDITION && event->mutex < 0)
		return rtapp_wrong(at, "\"mutex\" is missing");
	return NULL;
}

/* a name; an empty one of suspend is that of the task */
static struct error *read_name(const struct rtapp_at *at, struct rtapp_file *file,
			       const struct description *description, const struct rtapp_task *task,
			       struct rtapp_event *event)
{
	const char *name = "";
	struct error *error = NULL;

	if (at->value->type != OJSON_NONE || description->form != FORM_EMPTY)
		error = rtapp_string(at, &name);
	if (error)
		return error;
	if (!description->object)
		return NULL;
	if (!*name && description->form != FORM_EMPTY)
		return rtapp_wrong(at, "a name is missing");
	event->object = object_named(file, description->object, *name ? name : task->name);
	return NULL;
}

/* a task that came twice to one barrier would have to be two */
static struct error *count_user(const struct rtapp_at *at, struct rtapp_file *file,
				const struct rtapp_task *task, const struct rtapp_event *event)
{
	struct rtapp_object *barrier = &file->objects[event->object];

	for (int i = 0; i < task->n_phases; i++)
		for (int j = 0; j < task->phases[i].n_events; j++) {
			const struct rtapp_event *other = &task->phases[i].events[j];

			if (other != event && other->object == event->object)
				return rtapp_wrong(at,
						   "task %s has this barrier in line %d already; a "
						   "name is one meeting point",
						   task->name, other->line);
		}
	barrier->users += (int)task->instances;
	return NULL;
}

struct error *rtapp_read_event(const struct rtapp_at *at, struct rtapp_file *file,
			       const struct rtapp_task *task, struct rtapp_phase *phase)
{
	const struct description *description = describe(at->value->key);
	struct rtapp_event *event;
	struct error *error = NULL;

	if (description->form == FORM_NOT)
		return rtapp_wrong(at, "%s", description->why_not);
	event = array_append(phase->events, phase->n_events);
	event->kind = description->kind;
	event->object = -1;
	event->mutex = -1;
	event->line = at->value->line;
	event->path = memory_string(at->path);
	switch (description->form) {
	case FORM_TIME:
		return rtapp_microseconds(at, &event->ns);
	case FORM_TIMER:
	case FORM_CONDITION:
		return read_members(at, file, description, event);
	default:
		error = read_name(at, file, description, task, event);
	}
	if (!error && event->kind == RTAPP_BARRIER)
		error = count_user(at, file, task, event);
	return error;
}
