// SPDX-License-Identifier: GPL-2.0-only
/* raw.c - where the fields of each event are, and what they mean */
#include "events/raw.h"

#include <byteswap.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define MOST_FIELDS  7
#define MOST_TYPES   65536
#define FLAG_THREAD  0x10000 /* CLONE_THREAD of <linux/sched.h> */
#define STATE_REPORT 0xff    /* TASK_REPORT and TASK_REPORT_IDLE of <linux/sched.h>, since 4.14 */

struct field {
	uint32_t offset, size;
	bool there, is_signed, dynamic, relative;
};

/* A record that is being decoded. */
struct record {
	const struct raw_decoder *decoder;
	const struct field *fields; /* of its event, in the order of the table's names */
	const unsigned char *bytes;
	size_t size;
	struct event_found found;
	struct event_task task;
	bool is_task, is_nothing;
};

struct raw_kind {
	const char *system, *name;
	enum event_kind kind;
	const char *fields[MOST_FIELDS]; /* a '?' before the name: may be missing */
	void (*decode)(struct record *record);
};

static void decode_switch(struct record *record);
static void decode_wake(struct record *record);
static void decode_migrate(struct record *record);
static void decode_fork(struct record *record);
static void decode_exec(struct record *record);
static void decode_exit(struct record *record);
static void decode_wait(struct record *record);
static void decode_idle(struct record *record);
static void decode_hotplug(struct record *record);
static void decode_newtask(struct record *record);
static void decode_rename(struct record *record);

static const struct raw_kind kinds[] = {
	{ "sched",
	  "sched_switch",
	  EVENT_SWITCH,
	  { "prev_comm", "prev_pid", "prev_prio", "prev_state", "next_comm", "next_pid",
	    "next_prio" },
	  decode_switch },
	{ "sched",
	  "sched_waking",
	  EVENT_WAKING,
	  { "comm", "pid", "prio", "target_cpu", "?success" },
	  decode_wake },
	{ "sched",
	  "sched_wakeup",
	  EVENT_WAKEUP,
	  { "comm", "pid", "prio", "target_cpu", "?success" },
	  decode_wake },
	{ "sched",
	  "sched_wakeup_new",
	  EVENT_WAKEUP_NEW,
	  { "comm", "pid", "prio", "target_cpu", "?success" },
	  decode_wake },
	{ "sched",
	  "sched_migrate_task",
	  EVENT_MIGRATE,
	  { "comm", "pid", "prio", "orig_cpu", "dest_cpu" },
	  decode_migrate },
	{ "sched",
	  "sched_process_fork",
	  EVENT_FORK,
	  { "parent_comm", "parent_pid", "child_comm", "child_pid" },
	  decode_fork },
	{ "sched",
	  "sched_process_exec",
	  EVENT_EXEC,
	  { "filename", "pid", "old_pid" },
	  decode_exec },
	{ "sched", "sched_process_exit", EVENT_EXIT, { "comm", "pid", "prio" }, decode_exit },
	{ "sched", "sched_process_wait", EVENT_WAIT, { "comm", "pid", "prio" }, decode_wait },
	{ "task", "task_newtask", EVENT_FORK, { "pid", "comm", "clone_flags" }, decode_newtask },
	{ "task", "task_rename", EVENT_EXEC, { "pid", "newcomm" }, decode_rename },
	{ "cpuhp", "cpuhp_enter", EVENT_CPU_OFFLINE, { "cpu", "target" }, decode_hotplug },
	{ "power", "cpu_idle", EVENT_IDLE_ENTER, { "state", "cpu_id" }, decode_idle },
};

#define N_KINDS ARRAY_SIZE(kinds)

struct raw_decoder {
	bool swap; /* the records are of the other byte order */
	struct field type, pid;
	struct field fields[N_KINDS][MOST_FIELDS];
	uint8_t *kind_of_type; /* kind + 1 by the number of the event; 0: another event */
};

const struct raw_event *raw_events(void)
{
	static const struct raw_event events[] = {
		{ "sched", "sched_switch", true, false },
		{ "sched", "sched_waking", true, false },
		{ "sched", "sched_wakeup", true, false },
		{ "sched", "sched_wakeup_new", true, false },
		{ "sched", "sched_migrate_task", true, false },
		{ "sched", "sched_process_fork", true, false },
		{ "sched", "sched_process_exec", true, false },
		{ "sched", "sched_process_exit", true, false },
		{ "sched", "sched_process_wait", true, false },
		{ "task", "task_newtask", false, false },
		{ "task", "task_rename", false, false },
		{ "cpuhp", "cpuhp_enter", false, false },
		{ "power", "cpu_idle", false, true },
		{ NULL },
	};

	return events;
}

/* ---- fields ---- */

static struct field field_of(const struct tep_format_field *format)
{
	if (!format)
		return (struct field){ 0 };
	return (struct field){
		.offset = (uint32_t)format->offset,
		.size = (uint32_t)format->size,
		.there = true,
		.is_signed = format->flags & TEP_FIELD_IS_SIGNED,
		.dynamic = format->flags & TEP_FIELD_IS_DYNAMIC,
		.relative = format->flags & TEP_FIELD_IS_RELATIVE,
	};
}

static bool find_fields(struct tep_event *event, const struct raw_kind *kind, struct field *fields)
{
	for (int i = 0; i < MOST_FIELDS && kind->fields[i]; i++) {
		bool optional = kind->fields[i][0] == '?';

		fields[i] = field_of(tep_find_field(event, kind->fields[i] + optional));
		if (!fields[i].there && !optional)
			return false;
	}
	return true;
}

struct error *raw_decoder_new(struct tep_handle *tep, struct raw_decoder **out)
{
	struct raw_decoder *decoder = memory_zeroed(1, sizeof(*decoder));
	struct tep_event *first = NULL;

	decoder->swap = tep_is_file_bigendian(tep) != (BYTE_ORDER == BIG_ENDIAN);
	decoder->kind_of_type = memory_zeroed(MOST_TYPES, 1);
	for (size_t i = 0; i < N_KINDS; i++) {
		struct tep_event *event =
			tep_find_event_by_name(tep, kinds[i].system, kinds[i].name);

		if (!event || event->id < 0 || event->id >= MOST_TYPES ||
		    !find_fields(event, &kinds[i], decoder->fields[i]))
			continue;
		decoder->kind_of_type[event->id] = (uint8_t)(i + 1);
		if (!i)
			first = event;
	}
	if (first) {
		decoder->type = field_of(tep_find_common_field(first, "common_type"));
		decoder->pid = field_of(tep_find_common_field(first, "common_pid"));
	}
	if (!decoder->type.there || !decoder->pid.there) {
		raw_decoder_free(decoder);
		return error_new(ERR_UNAVAILABLE,
				 "the kernel's description of sched_switch is missing or of a form "
				 "that is not known");
	}
	*out = decoder;
	return NULL;
}

void raw_decoder_free(struct raw_decoder *decoder)
{
	if (!decoder)
		return;
	free(decoder->kind_of_type);
	free(decoder);
}

static int64_t get(const struct record *record, const struct field *field)
{
	const unsigned char *at = record->bytes + field->offset;
	bool swap = record->decoder->swap;
	uint64_t wide;
	uint32_t word;
	uint16_t half;

	if (!field->there || field->offset + field->size > record->size)
		return 0;
	switch (field->size) {
	case 8:
		memcpy(&wide, at, 8);
		return (int64_t)(swap ? bswap_64(wide) : wide);
	case 4:
		memcpy(&word, at, 4);
		word = swap ? bswap_32(word) : word;
		return field->is_signed ? (int64_t)(int32_t)word : (int64_t)word;
	case 2:
		memcpy(&half, at, 2);
		half = swap ? bswap_16(half) : half;
		return field->is_signed ? (int64_t)(int16_t)half : (int64_t)half;
	case 1:
		return *at;
	}
	return 0;
}

static int64_t number(const struct record *record, int field)
{
	return get(record, &record->fields[field]);
}

static int32_t id(const struct record *record, int field)
{
	int64_t value = number(record, field);

	return value < 0 || value > INT32_MAX ? EVENT_NONE : (int32_t)value;
}

static int16_t prio(const struct record *record, int field)
{
	int64_t value = number(record, field);

	return value < -1 || value > 1000 ? EVENT_PRIO_NONE : (int16_t)value;
}

/* the bytes of a text field; a dynamic one says where they are (__data_loc, __rel_loc) */
static const char *text(const struct record *record, int index, size_t *length)
{
	const struct field *field = &record->fields[index];
	size_t offset = field->offset, size = field->size;

	if (field->dynamic) {
		struct field where = { .offset = field->offset, .size = 4, .there = true };
		uint32_t place = (uint32_t)get(record, &where);

		offset = place & 0xffff;
		size = place >> 16;
		if (field->relative)
			offset += field->offset + 4;
	}
	if (offset > record->size)
		offset = record->size;
	if (size > record->size - offset)
		size = record->size - offset;
	*length = strnlen((const char *)record->bytes + offset, size);
	return (const char *)record->bytes + offset;
}

static void name(const struct record *record, int field, char to[EVENT_NAME_SIZE])
{
	size_t length;
	const char *from = text(record, field, &length);

	event_name_copy(to, from, length);
}

/* ---- events ---- */

static void decode_switch(struct record *record)
{
	struct event_found *found = &record->found;
	struct event *event = &found->event;
	int64_t state = number(record, 3);

	name(record, 0, found->name);
	event->pid = id(record, 1);
	event->prio = prio(record, 2);
	event->state = state & (STATE_REPORT | EVENT_STATE_PREEMPTED);
	name(record, 4, found->other_name);
	event->other = id(record, 5);
	event->other_prio = prio(record, 6);
}

static void decode_wake(struct record *record)
{
	struct event *event = &record->found.event;

	name(record, 0, record->found.name);
	event->pid = id(record, 1);
	event->prio = prio(record, 2);
	event->target = id(record, 3);
	/* kernels before 4.3 told of wakeups that were none */
	record->is_nothing = record->fields[4].there && !number(record, 4);
}

static void decode_migrate(struct record *record)
{
	struct event *event = &record->found.event;

	name(record, 0, record->found.name);
	event->pid = id(record, 1);
	event->prio = prio(record, 2);
	event->from = id(record, 3);
	event->target = id(record, 4);
}

static void decode_fork(struct record *record)
{
	name(record, 0, record->found.name);
	record->found.event.pid = id(record, 1);
	name(record, 2, record->found.other_name);
	record->found.event.other = id(record, 3);
}

/* the program's name becomes that of the task */
static void decode_exec(struct record *record)
{
	size_t length;
	const char *path = text(record, 0, &length);
	const char *slash = memrchr(path, '/', length);
	const char *base = slash ? slash + 1 : path;

	event_name_copy(record->found.name, base, length - (size_t)(base - path));
	record->found.event.pid = id(record, 1);
	record->found.event.other = id(record, 2);
}

static void decode_exit(struct record *record)
{
	name(record, 0, record->found.name);
	record->found.event.pid = id(record, 1);
	record->found.event.prio = prio(record, 2);
}

/* name and priority are those of the task that waits, pid is whom it waits for */
static void decode_wait(struct record *record)
{
	struct event *event = &record->found.event;

	name(record, 0, record->found.name);
	event->pid = event->current;
	event->other = id(record, 1);
	event->prio = prio(record, 2);
}

static void decode_idle(struct record *record)
{
	struct event *event = &record->found.event;
	int64_t state = number(record, 0);

	event->cpu = id(record, 1);
	if ((uint32_t)state == UINT32_MAX) /* PWR_EVENT_EXIT */
		event->kind = EVENT_IDLE_EXIT;
	else
		event->state = (uint16_t)state;
	record->is_nothing = event->cpu < 0;
}

static void decode_hotplug(struct record *record)
{
	struct event *event = &record->found.event;

	event->target = id(record, 0);
	if (number(record, 1) > 0)
		event->kind = EVENT_CPU_ONLINE;
}

static void decode_newtask(struct record *record)
{
	struct event_task *task = &record->task;

	record->is_task = true;
	task->reason = EVENT_TASK_FORKED;
	task->pid = id(record, 0);
	name(record, 1, task->name);
	task->parent = record->found.event.current;
	/* the process of a thread is its parent's; the feed knows it */
	if (!(number(record, 2) & FLAG_THREAD))
		task->tgid = task->pid;
	task->kernel = task->parent == 2;
}

static void decode_rename(struct record *record)
{
	record->is_task = true;
	record->task.reason = EVENT_TASK_NAMED;
	record->task.pid = id(record, 0);
	name(record, 1, record->task.name);
}

struct error *raw_decode(const struct raw_decoder *decoder, struct event_feed *feed, int cpu,
			 uint64_t time, const void *bytes, size_t size)
{
	struct record record = { .decoder = decoder, .bytes = bytes, .size = size };
	int64_t type = get(&record, &decoder->type), pid;
	const struct raw_kind *kind;

	if (type < 0 || type >= MOST_TYPES || !decoder->kind_of_type[type])
		return NULL;
	kind = &kinds[decoder->kind_of_type[type] - 1];
	record.fields = decoder->fields[kind - kinds];
	record.found = event_found_blank(kind->kind, time, cpu);
	pid = get(&record, &decoder->pid);
	record.found.event.current = pid < 0 || pid > INT32_MAX ? EVENT_NONE : (int32_t)pid;
	record.task = (struct event_task){ .time = time, .tgid = EVENT_NONE, .parent = EVENT_NONE };
	kind->decode(&record);
	if (record.is_nothing || (record.is_task && record.task.pid < 0))
		return NULL;
	return record.is_task ? event_feed_task(feed, &record.task)
			      : event_feed_event(feed, &record.found);
}
