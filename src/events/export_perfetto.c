// SPDX-License-Identifier: GPL-2.0-only
/*
 * export_perfetto.c - a Perfetto trace (protobuf): ftrace events as Perfetto's own recorder writes them,
 * so that ui.perfetto.dev shows what ran on which CPU, thread states and wakers
 *
 * Numbers of fields are those of Perfetto's protos: trace/trace_packet.proto,
 * trace/ftrace/{ftrace_event_bundle,ftrace_event,sched,power,ftrace}.proto, trace/ps/process_tree.proto.
 * Encoding: protobuf's "varint" (0) and "length-delimited" (2) wire types.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "events/export.h"
#include "events/file.h"
#include "events/tasks.h"

/* Trace */
#define PACKET 1
/* TracePacket */
#define FTRACE_EVENTS 1
#define PROCESS_TREE  2
#define TIMESTAMP     8
#define SEQUENCE_ID   10
#define CLOCK_ID      58
/* FtraceEventBundle; FtraceEvent */
#define BUNDLE_CPU   1
#define BUNDLE_EVENT 2
#define EVENT_TIME   1
#define EVENT_PID    2
#define EVENT_PRINT  3
/* ProcessTree */
#define TREE_PROCESS 1
#define TREE_THREAD  2

#define CLOCK_BOOTTIME_ID 6 /* ClockSnapshot.BuiltinClocks: the trace's own clock */

/* a bundle holds events of one CPU; it is written when it has this many bytes */
#define BUNDLE_SIZE 32768
#define MOST_CPUS   65536

struct bundle {
	struct event_buffer bytes;
};

struct perfetto {
	struct export_base base;
	struct bundle *bundles; /* by CPU */
	int n_bundles;
	struct event_buffer event, inner, packet;
};

/* ---- protobuf ---- */

static void put_varint(struct event_buffer *to, uint64_t number)
{
	event_buffer_reserve(to, 10);
	for (; number >= 0x80; number >>= 7)
		to->bytes[to->n++] = (unsigned char)(number | 0x80);
	to->bytes[to->n++] = (unsigned char)number;
}

/* negative numbers of int32 and int64 fields take ten bytes */
static void put_number(struct event_buffer *to, int field, int64_t number)
{
	put_varint(to, (uint64_t)field << 3);
	put_varint(to, (uint64_t)number);
}

static void put_bytes(struct event_buffer *to, int field, const void *bytes, size_t n)
{
	put_varint(to, (uint64_t)field << 3 | 2);
	put_varint(to, n);
	event_buffer_reserve(to, n);
	memcpy(to->bytes + to->n, bytes, n);
	to->n += n;
}

static void put_text(struct event_buffer *to, int field, const char *text)
{
	put_bytes(to, field, text, strlen(text));
}

static void put_id(struct event_buffer *to, int field, int32_t id)
{
	if (id != EVENT_NONE)
		put_number(to, field, id);
}

static void put_prio(struct event_buffer *to, int field, int16_t prio)
{
	if (prio != EVENT_PRIO_NONE)
		put_number(to, field, prio);
}

/* writes the packet that was put together; its sequence is 1 */
static void write_packet(struct perfetto *perfetto)
{
	struct event_buffer head = { 0 };

	put_number(&perfetto->packet, SEQUENCE_ID, 1);
	put_varint(&head, PACKET << 3 | 2);
	put_varint(&head, perfetto->packet.n);
	fwrite(head.bytes, 1, head.n, perfetto->base.stream);
	fwrite(perfetto->packet.bytes, 1, perfetto->packet.n, perfetto->base.stream);
	perfetto->packet.n = 0;
	free(head.bytes);
}

/* ---- events ---- */

static void flush(struct perfetto *perfetto, int cpu)
{
	struct event_buffer *bundle = &perfetto->bundles[cpu].bytes;

	if (!bundle->n)
		return;
	perfetto->inner.n = 0;
	put_number(&perfetto->inner, BUNDLE_CPU, cpu);
	event_buffer_reserve(&perfetto->inner, bundle->n);
	memcpy(perfetto->inner.bytes + perfetto->inner.n, bundle->bytes, bundle->n);
	perfetto->inner.n += bundle->n;
	bundle->n = 0;
	put_bytes(&perfetto->packet, FTRACE_EVENTS, perfetto->inner.bytes, perfetto->inner.n);
	write_packet(perfetto);
}

/* FtraceEvent with the message of its kind, into the bundle of its CPU */
static struct error *add_event(struct perfetto *perfetto, int cpu, uint64_t time, int32_t current,
			       int field)
{
	struct event_buffer *event = &perfetto->event;

	if (cpu < 0 || cpu >= MOST_CPUS)
		return NULL;
	while (perfetto->n_bundles <= cpu)
		array_append(perfetto->bundles, perfetto->n_bundles);
	event->n = 0;
	put_number(event, EVENT_TIME, (int64_t)time);
	put_number(event, EVENT_PID, current == EVENT_NONE ? 0 : current);
	put_bytes(event, field, perfetto->inner.bytes, perfetto->inner.n);
	put_bytes(&perfetto->bundles[cpu].bytes, BUNDLE_EVENT, event->bytes, event->n);
	if (perfetto->bundles[cpu].bytes.n >= BUNDLE_SIZE)
		flush(perfetto, cpu);
	return export_check(&perfetto->base);
}

static const char *name_of(const struct perfetto *perfetto, int32_t pid)
{
	return event_tasks_name(perfetto->base.tasks, pid);
}

static int put_wake(const struct perfetto *perfetto, const struct event *event,
		    struct event_buffer *to)
{
	put_text(to, 1, name_of(perfetto, event->pid));
	put_id(to, 2, event->pid);
	put_prio(to, 3, event->prio);
	put_number(to, 4, 1); /* success */
	put_id(to, 5, event->target);
	return event->kind == EVENT_WAKING ? 20 : event->kind == EVENT_WAKEUP ? 17 : 114;
}

/* the message of an event; returns the number of its field in FtraceEvent, 0: Perfetto has none */
static int put_message(const struct perfetto *perfetto, const struct event *event,
		       struct event_buffer *to)
{
	const char *name = name_of(perfetto, event->pid);

	switch (event->kind) {
	case EVENT_SWITCH:
		put_text(to, 1, name);
		put_id(to, 2, event->pid);
		put_prio(to, 3, event->prio);
		put_number(to, 4, event->state);
		put_text(to, 5, name_of(perfetto, event->other));
		put_id(to, 6, event->other);
		put_prio(to, 7, event->other_prio);
		return 4;
	case EVENT_WAKING:
	case EVENT_WAKEUP:
	case EVENT_WAKEUP_NEW:
		return put_wake(perfetto, event, to);
	case EVENT_FORK:
		put_text(to, 1, name);
		put_id(to, 2, event->pid);
		put_text(to, 3, name_of(perfetto, event->other));
		put_id(to, 4, event->other);
		return 239;
	case EVENT_EXEC:
		put_text(to, 1, name);
		put_id(to, 2, event->pid);
		put_id(to, 3, event->other);
		return 237;
	case EVENT_EXIT:
		put_text(to, 1, name);
		put_id(to, 2, event->pid);
		put_prio(to, 4, event->prio);
		return 238;
	case EVENT_WAIT:
		put_text(to, 1, name);
		put_id(to, 2, event->other);
		put_prio(to, 3, event->prio);
		return 242;
	case EVENT_IDLE_ENTER:
	case EVENT_IDLE_EXIT:
		put_number(to, 1, event->kind == EVENT_IDLE_EXIT ? UINT32_MAX : event->state);
		put_number(to, 2, event->cpu);
		return 13;
	}
	return 0;
}

static struct error *perfetto_event(struct event_sink *sink, const struct event *event)
{
	struct perfetto *perfetto = (struct perfetto *)sink;
	struct error *error = NULL;
	int field;

	perfetto->inner.n = 0;
	field = put_message(perfetto, event, &perfetto->inner);
	if (field)
		error = add_event(perfetto, event->cpu, event->time, event->current, field);
	event_tasks_passed(perfetto->base.tasks, event);
	return error;
}

/* ---- tasks, marks, lost events ---- */

/* a thread goes to its process; one whose process is not known is a process of its own */
static struct error *perfetto_task(struct event_sink *sink, const struct event_task *task)
{
	struct perfetto *perfetto = (struct perfetto *)sink;
	int32_t tgid = task->tgid == EVENT_NONE ? task->pid : task->tgid;
	struct event_buffer tree = { 0 };

	event_tasks_tell(perfetto->base.tasks, task);
	perfetto->inner.n = 0;
	if (tgid == task->pid) {
		put_number(&perfetto->inner, 1, tgid);
		put_number(&perfetto->inner, 2, task->parent == EVENT_NONE ? 0 : task->parent);
		put_text(&perfetto->inner, 3, task->name);
		put_bytes(&tree, TREE_PROCESS, perfetto->inner.bytes, perfetto->inner.n);
	} else {
		put_number(&perfetto->inner, 1, task->pid);
		put_text(&perfetto->inner, 2, task->name);
		put_number(&perfetto->inner, 3, tgid);
		put_bytes(&tree, TREE_THREAD, perfetto->inner.bytes, perfetto->inner.n);
	}
	put_bytes(&perfetto->packet, PROCESS_TREE, tree.bytes, tree.n);
	put_number(&perfetto->packet, TIMESTAMP, (int64_t)task->time);
	put_number(&perfetto->packet, CLOCK_ID, CLOCK_BOOTTIME_ID);
	write_packet(perfetto);
	free(tree.bytes);
	return export_check(&perfetto->base);
}

/* PrintFtraceEvent with a text of atrace's form: an instant of process 0 */
static struct error *print(struct perfetto *perfetto, int cpu, uint64_t time, const char *text)
{
	perfetto->inner.n = 0;
	put_text(&perfetto->inner, 2, text);
	return add_event(perfetto, cpu, time, 0, EVENT_PRINT);
}

static struct error *perfetto_mark(struct event_sink *sink, const struct event_mark *mark)
{
	autofree char *text = memory_format("I|0|measured time %s%s%s\n",
					    mark->kind == EVENT_MARK_BEGIN ? "begins" : "ends",
					    mark->note ? ": " : "", mark->note ? mark->note : "");

	return print((struct perfetto *)sink, 0, mark->time, text);
}

static struct error *perfetto_lost(struct event_sink *sink, const struct event_lost *lost)
{
	autofree char *count = lost->count ? memory_format("%llu", (unsigned long long)lost->count)
					   : memory_string("some");
	autofree char *text = memory_format("I|0|%s events were lost\n", count);

	if (!lost->to) /* nobody knows when */
		return NULL;
	return print((struct perfetto *)sink, lost->cpu == EVENT_NONE ? 0 : lost->cpu, lost->to,
		     text);
}

static struct error *perfetto_end(struct event_sink *sink, const struct event_totals *totals)
{
	struct perfetto *perfetto = (struct perfetto *)sink;

	for (int cpu = 0; cpu < perfetto->n_bundles; cpu++)
		flush(perfetto, cpu);
	return export_end(sink, totals);
}

static void perfetto_free(struct event_sink *sink)
{
	struct perfetto *perfetto = (struct perfetto *)sink;

	for (int cpu = 0; cpu < perfetto->n_bundles; cpu++)
		free(perfetto->bundles[cpu].bytes.bytes);
	free(perfetto->bundles);
	free(perfetto->event.bytes);
	free(perfetto->inner.bytes);
	free(perfetto->packet.bytes);
	export_free(sink);
}

static struct event_sink *perfetto_open(FILE *stream, const char *name)
{
	static const struct event_sink sink = { NULL,	       perfetto_task, perfetto_event,
						perfetto_lost, perfetto_mark, perfetto_end,
						perfetto_free };

	return &export_new(sizeof(struct perfetto), &sink, stream, name)->sink;
}

const struct event_export export_perfetto = {
	.name = "perfetto",
	.summary = "a Perfetto trace, for ui.perfetto.dev",
	.ending = ".pftrace",
	.binary = true,
	.open = perfetto_open,
};
