// SPDX-License-Identifier: GPL-2.0-only
/* rtapp_read.c - rt-app files: the whole, `global`, tasks and phases */
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "workload/rtapp_read.h"

#define US_MAX	 ((int64_t)1000000 * 3600 * 24 * 7)
#define LOOP_MAX ((int64_t)1 << 40)

#ifndef SCHED_DEADLINE
#define SCHED_DEADLINE 6
#endif

/* The built-in file: two small periodic tasks beside one that sleeps and computes. */
static const char periodic[] = "{\n"
			       "\t\"tasks\" : {\n"
			       "\t\t\"periodic\" : {\n"
			       "\t\t\t\"instance\" : 2,\n"
			       "\t\t\t\"run\" : 3000,\n"
			       "\t\t\t\"timer\" : { \"ref\" : \"unique\", \"period\" : 16000 }\n"
			       "\t\t},\n"
			       "\t\t\"background\" : {\n"
			       "\t\t\t\"run\" : 10000,\n"
			       "\t\t\t\"sleep\" : 5000\n"
			       "\t\t}\n"
			       "\t}\n"
			       "}\n";

/* ---- values ---- */

struct error *rtapp_wrong(const struct rtapp_at *at, const char *format, ...)
{
	autofree char *text = NULL;
	va_list args;

	va_start(args, format);
	text = memory_vformat(format, args);
	va_end(args);
	return error_at(ERR_INPUT, at->file->name, at->value->line, "column %d: %s: %s",
			at->value->column, at->path, text);
}

static struct error *wrong_type(const struct rtapp_at *at, const char *wanted)
{
	return rtapp_wrong(at, "%s is accepted here, not %s", wanted,
			   ojson_type_name(at->value->type));
}

struct error *rtapp_integer(const struct rtapp_at *at, int64_t min, int64_t max, int64_t *out)
{
	if (at->value->type != OJSON_INTEGER)
		return wrong_type(at, "an integer");
	if (at->value->integer < min || at->value->integer > max)
		return rtapp_wrong(at, "%" PRId64 ": from %" PRId64 " to %" PRId64 " are accepted",
				   at->value->integer, min, max);
	*out = at->value->integer;
	return NULL;
}

struct error *rtapp_microseconds(const struct rtapp_at *at, uint64_t *ns)
{
	int64_t value;
	struct error *error = rtapp_integer(at, 0, US_MAX, &value);

	if (!error)
		*ns = (uint64_t)value * 1000;
	return error;
}

static struct error *boolean(const struct rtapp_at *at, bool *out)
{
	if (at->value->type != OJSON_BOOL)
		return wrong_type(at, "true or false");
	*out = at->value->boolean;
	return NULL;
}

struct error *rtapp_string(const struct rtapp_at *at, const char **out)
{
	if (at->value->type != OJSON_STRING)
		return wrong_type(at, "a string");
	*out = at->value->string;
	return NULL;
}

struct error *rtapp_object_of(const struct rtapp_at *at)
{
	return at->value->type == OJSON_OBJECT ? NULL : wrong_type(at, "an object");
}

struct error *rtapp_unknown(const struct rtapp_at *at, const char *const *known)
{
	const char *near = text_nearest(at->value->key, known);

	return rtapp_wrong(at, "there is no such key here%s%s%s", near ? " (did you mean '" : "",
			   near ? near : "", near ? "'?)" : "");
}

struct error *rtapp_twice(const struct rtapp_at *at, const struct ojson *object, int index)
{
	for (int i = 0; i < index; i++)
		if (!strcmp(object->items[i].key, object->items[index].key))
			return rtapp_wrong(at, "it is given twice, first in line %d",
					   object->items[i].line);
	return NULL;
}

/* ---- global ---- */

static void no_effect(struct rtapp_file *file, const char *path)
{
	*array_append(file->without_effect, file->n_without_effect) = memory_string(path);
}

/* "CPU3"; how fast a CPU computes is measured there */
static struct error *read_calibration(const struct rtapp_at *at, struct rtapp_file *file)
{
	const char *name;
	struct error *error;
	int64_t cpu;

	if (at->value->type == OJSON_INTEGER)
		return rtapp_wrong(at,
				   "%" PRId64
				   ": a number is the ns of a loop of rt-app's own, which "
				   "`run` does not compute here; a name as CPU0 is accepted, or no "
				   "calibration: how fast a CPU is, is measured before each trial",
				   at->value->integer);
	error = rtapp_string(at, &name);
	if (error)
		return error;
	if (strncmp(name, "CPU", 3) != 0)
		return rtapp_wrong(at, "'%s': a name as CPU0 is accepted", name);
	error = text_integer(name + 3, 0, 65535, &cpu);
	if (error) {
		error_free(error);
		return rtapp_wrong(at, "'%s': a name as CPU0 is accepted", name);
	}
	file->calibration_cpu = (int)cpu;
	return NULL;
}

static struct error *read_duration(const struct rtapp_at *at, struct rtapp_file *file)
{
	int64_t seconds;
	struct error *error = rtapp_integer(at, -1, US_MAX / 1000000, &seconds);

	if (!error && !seconds)
		return rtapp_wrong(at, "0: seconds from 1 on, or -1 for no end, are accepted");
	if (!error && seconds > 0)
		file->duration_ns = (uint64_t)seconds * 1000000000;
	return error;
}

static struct error *read_inheritance(const struct rtapp_at *at)
{
	bool wanted;
	struct error *error = boolean(at, &wanted);

	if (!error && wanted)
		return rtapp_wrong(at, "priority inheritance of mutexes is not supported");
	return error;
}

static struct error *read_global_key(const struct rtapp_at *at, struct rtapp_file *file)
{
	static const char *const meaningful[] = {
		"duration", "calibration", "default_policy", "pi_enabled", "cumulative_slack", NULL,
	};
	static const char *const without[] = {
		"lock_pages", "logdir",	   "log_basename",    "log_size", "ftrace",
		"gnuplot",    "io_device", "mem_buffer_size", "frag",
	};
	const char *key = at->value->key;

	for (size_t i = 0; i < ARRAY_SIZE(without); i++)
		if (!strcmp(key, without[i])) {
			no_effect(file, at->path);
			return NULL;
		}
	if (!strcmp(key, "duration"))
		return read_duration(at, file);
	if (!strcmp(key, "calibration"))
		return read_calibration(at, file);
	if (!strcmp(key, "default_policy"))
		return rtapp_policy(at, &file->default_policy);
	if (!strcmp(key, "pi_enabled"))
		return read_inheritance(at);
	if (!strcmp(key, "cumulative_slack"))
		return boolean(at, &file->cumulative_slack);
	return rtapp_unknown(at, meaningful);
}

/* calls @read for each member of an object, none of them twice */
static struct error *each_member(const struct rtapp_at *at, struct rtapp_file *file,
				 struct error *(*read)(const struct rtapp_at *,
						       struct rtapp_file *))
{
	struct error *error = rtapp_object_of(at);

	for (int i = 0; !error && i < at->value->n; i++) {
		const struct ojson *member = &at->value->items[i];
		autofree char *path = at->path ? memory_format("%s/%s", at->path, member->key)
					       : memory_string(member->key);
		struct rtapp_at inner = { at->file, member, path };

		error = rtapp_twice(&inner, at->value, i);
		if (!error)
			error = read(&inner, file);
	}
	return error;
}

/* ---- phases ---- */

/* of a thread object that has phases: the older names of the deadline class */
static bool is_old_deadline(const char *key)
{
	return !strcmp(key, "runtime") || !strcmp(key, "deadline") || !strcmp(key, "period");
}

static struct error *read_old_deadline(const struct rtapp_at *at,
				       struct rtapp_properties *properties)
{
	const char *key = at->value->key;
	uint64_t *into = !strcmp(key, "runtime")    ? &properties->dl_runtime
			 : !strcmp(key, "deadline") ? &properties->dl_deadline
						    : &properties->dl_period;

	properties->given = true;
	if (!properties->path) {
		properties->line = at->value->line;
		properties->path = memory_string(at->path);
	}
	return rtapp_microseconds(at, into);
}

static struct error *unknown_in_phase(const struct rtapp_at *at, const char *const *own)
{
	const char *known[64];
	int n = 0;

	for (const char *const *name = own; *name; name++)
		known[n++] = *name;
	for (const char *const *name = rtapp_event_names; *name; name++)
		known[n++] = *name;
	for (const char *const *name = rtapp_property_names; *name; name++)
		known[n++] = *name;
	known[n] = NULL;
	return rtapp_unknown(at, known);
}

static struct error *read_phase_key(const struct rtapp_at *at, struct rtapp_file *file,
				    struct rtapp_task *task, struct rtapp_phase *phase,
				    const struct ojson *object, int index)
{
	static const char *const own[] = { "loop", NULL };
	const char *key = at->value->key;
	struct error *error;

	if (rtapp_is_event(key))
		return rtapp_read_event(at, file, task, phase);
	error = rtapp_twice(at, object, index);
	if (error)
		return error;
	if (!strcmp(key, "loop"))
		return rtapp_integer(at, -1, LOOP_MAX, &phase->loop);
	if (rtapp_is_property(key))
		return rtapp_read_property(at, &phase->properties);
	return unknown_in_phase(at, own);
}

static struct error *read_phase(const struct rtapp_at *at, struct rtapp_file *file,
				struct rtapp_task *task)
{
	struct error *error = rtapp_object_of(at);
	struct rtapp_phase *phase;

	if (error)
		return error;
	phase = array_append(task->phases, task->n_phases);
	phase->loop = 1;
	phase->properties.policy = -1;
	for (int i = 0; !error && i < at->value->n; i++) {
		const struct ojson *member = &at->value->items[i];
		autofree char *path = memory_format("%s/%s", at->path, member->key);
		struct rtapp_at inner = { at->file, member, path };

		error = read_phase_key(&inner, file, task, phase, at->value, i);
	}
	if (!error && !phase->n_events)
		error = rtapp_wrong(at, "a phase without an event");
	return error;
}

static struct error *read_phases(const struct rtapp_at *at, struct rtapp_file *file,
				 struct rtapp_task *task)
{
	struct error *error = rtapp_object_of(at);

	for (int i = 0; !error && i < at->value->n; i++) {
		const struct ojson *member = &at->value->items[i];
		autofree char *path = memory_format("%s/%s", at->path, member->key);
		struct rtapp_at inner = { at->file, member, path };

		error = read_phase(&inner, file, task);
	}
	return error;
}

/* ---- tasks ---- */

static const struct ojson *member_of(const struct ojson *object, const char *key)
{
	for (int i = 0; i < object->n; i++)
		if (!strcmp(object->items[i].key, key))
			return &object->items[i];
	return NULL;
}

/* the number of threads is needed while events are read, wherever it stands */
static struct error *read_instances(const struct rtapp_at *at, struct rtapp_task *task)
{
	const struct ojson *member = member_of(at->value, "instance");
	autofree char *path = memory_format("%s/instance", at->path);
	struct rtapp_at inner = { at->file, member, path };

	task->instances = 1;
	return member ? rtapp_integer(&inner, 0, RTAPP_THREADS, &task->instances) : NULL;
}

/* without `phases` the thread object is its only phase */
static struct error *read_task_key(const struct rtapp_at *at, struct rtapp_file *file,
				   struct rtapp_task *task, const struct ojson *object, int index)
{
	static const char *const own[] = { "instance", "loop", "delay", "phases", NULL };
	bool has_phases = member_of(object, "phases");
	const char *key = at->value->key;
	struct error *error;

	if (rtapp_is_event(key) && !has_phases)
		return rtapp_read_event(at, file, task, &task->phases[0]);
	error = rtapp_twice(at, object, index);
	if (error || !strcmp(key, "instance"))
		return error;
	if (!strcmp(key, "loop"))
		return rtapp_integer(at, -1, LOOP_MAX, &task->loop);
	if (!strcmp(key, "delay"))
		return rtapp_microseconds(at, &task->delay_ns);
	if (!strcmp(key, "phases"))
		return read_phases(at, file, task);
	if (has_phases && is_old_deadline(key))
		return read_old_deadline(at, &task->properties);
	if (rtapp_is_property(key))
		return rtapp_read_property(at, &task->properties);
	if (rtapp_is_event(key))
		return rtapp_wrong(at, "an event beside \"phases\": it would have no place in "
				       "their order");
	return unknown_in_phase(at, own);
}

static struct error *check_task(const struct rtapp_at *at, const struct rtapp_file *file,
				const struct rtapp_task *task)
{
	int policy = task->properties.policy >= 0 ? task->properties.policy : file->default_policy;
	struct error *error = rtapp_check_properties(file, &task->properties, policy);
	int n_events = 0;

	for (int i = 0; i < task->n_phases && !error; i++) {
		const struct rtapp_properties *properties = &task->phases[i].properties;

		n_events += task->phases[i].n_events;
		if (properties->policy >= 0)
			policy = properties->policy;
		error = rtapp_check_properties(file, properties, policy);
	}
	if (!error && !n_events)
		error = rtapp_wrong(at, "a task without an event");
	if (!error && file->default_policy == SCHED_DEADLINE && !task->properties.dl_runtime)
		error = rtapp_wrong(at, "default_policy SCHED_DEADLINE: the task needs dl-runtime");
	return error;
}

static struct error *read_task(const struct rtapp_at *at, struct rtapp_file *file)
{
	struct error *error = rtapp_object_of(at);
	struct rtapp_task *task;

	if (error)
		return error;
	task = array_append(file->tasks, file->n_tasks);
	task->name = memory_string(at->value->key);
	task->loop = -1;
	task->properties.policy = -1;
	if (!member_of(at->value, "phases")) {
		struct rtapp_phase *phase = array_append(task->phases, task->n_phases);

		phase->loop = 1;
		phase->properties.policy = -1;
	}
	error = read_instances(at, task);
	for (int i = 0; !error && i < at->value->n; i++) {
		const struct ojson *member = &at->value->items[i];
		autofree char *path = memory_format("%s/%s", at->path, member->key);
		struct rtapp_at inner = { at->file, member, path };

		error = read_task_key(&inner, file, task, at->value, i);
	}
	return error ? error : check_task(at, file, task);
}

/* ---- the whole ---- */

/* made as they are used, as in rt-app itself; the object is of its old versions */
static struct error *read_resource(const struct rtapp_at *at, struct rtapp_file *file)
{
	no_effect(file, at->path);
	return rtapp_object_of(at);
}

static struct error *read_top_key(const struct rtapp_at *at, struct rtapp_file *file)
{
	static const char *const known[] = { "global", "tasks", "resources", NULL };
	const char *key = at->value->key;

	if (!strcmp(key, "global") || !strcmp(key, "tasks"))
		return NULL; /* read in their order of need */
	if (!strcmp(key, "resources"))
		return each_member(at, file, read_resource);
	return rtapp_unknown(at, known);
}

static struct error *
read_section(const struct ojson *top, const char *name, struct rtapp_file *file,
	     struct error *(*read)(const struct rtapp_at *, struct rtapp_file *))
{
	const struct ojson *member = member_of(top, name);
	struct rtapp_at at = { file, member, name };

	return member ? each_member(&at, file, read) : NULL;
}

static struct error *check_file(const struct rtapp_at *at, const struct rtapp_file *file)
{
	int64_t threads = rtapp_threads(file);

	if (!threads)
		return error_at(ERR_INPUT, file->name, at->value->line,
				"there is no task with an instance");
	if (threads > RTAPP_THREADS)
		return error_at(ERR_INPUT, file->name, at->value->line,
				"%" PRId64 " threads: at most %d are accepted", threads,
				RTAPP_THREADS);
	return NULL;
}

static struct error *read_file(const struct ojson *top, struct rtapp_file *file)
{
	struct rtapp_at at = { file, top, NULL };
	struct error *error;

	if (top->type != OJSON_OBJECT)
		return error_at(ERR_INPUT, file->name, top->line,
				"column %d: an object is accepted here, not %s", top->column,
				ojson_type_name(top->type));
	error = each_member(&at, file, read_top_key);
	if (!error)
		error = read_section(top, "global", file, read_global_key);
	if (!error)
		error = read_section(top, "tasks", file, read_task);
	if (!error)
		error = check_file(&at, file);
	return error ? error : rtapp_check_waits(file);
}

struct error *rtapp_parse(const char *name, const char *text, size_t length,
			  struct rtapp_file **out)
{
	struct rtapp_file *file = memory_zeroed(1, sizeof(*file));
	struct ojson *top = NULL;
	struct error *error;

	file->name = memory_string(name);
	file->calibration_cpu = -1;
	file->default_policy = SCHED_OTHER;
	error = ojson_parse(name, text, length, &top);
	if (!error)
		error = read_file(top, file);
	ojson_free(top);
	if (error) {
		rtapp_free(file);
		return error;
	}
	*out = file;
	return NULL;
}

struct error *rtapp_open(const char *name, struct rtapp_file **out)
{
	struct error *error;
	size_t length;
	char *text;

	if (!strcmp(name, "periodic"))
		return rtapp_parse(name, periodic, strlen(periodic), out);
	error = file_read(name, &text, &length);
	if (error)
		return error_prefix(error, "an rt-app file ('periodic' is built in)");
	error = rtapp_parse(name, text, length, out);
	free(text);
	return error;
}

int64_t rtapp_threads(const struct rtapp_file *file)
{
	int64_t n = 0;

	for (int i = 0; i < file->n_tasks; i++)
		n += file->tasks[i].instances;
	return n;
}
