// SPDX-License-Identifier: GPL-2.0-only
/* export_csv.c - a line an event, a column a field; empty where a kind has no such field */
#include <inttypes.h>
#include <string.h>

#include "events/export.h"
#include "events/tasks.h"

static struct error *csv_begin(struct event_sink *sink, const struct event_info *info)
{
	const struct export_base *csv = (struct export_base *)sink;

	(void)info;
	fputs("time_ns,cpu,event,task,task_name,other,other_name,state,from_cpu,target_cpu,prio,"
	      "other_prio,current\n",
	      csv->stream);
	return export_check(csv);
}

static void put_id(FILE *stream, int32_t id)
{
	putc(',', stream);
	if (id != EVENT_NONE)
		fprintf(stream, "%" PRId32, id);
}

static void put_text(FILE *stream, const char *text)
{
	putc(',', stream);
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, stream);
		return;
	}
	putc('"', stream);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', stream);
		putc(*text, stream);
	}
	putc('"', stream);
}

static void put_task(const struct export_base *csv, int32_t pid)
{
	put_id(csv->stream, pid);
	put_text(csv->stream, pid == EVENT_NONE ? "" : event_tasks_name(csv->tasks, pid));
}

static void put_prio(FILE *stream, int16_t prio)
{
	put_id(stream, prio == EVENT_PRIO_NONE ? EVENT_NONE : prio);
}

static struct error *csv_event(struct event_sink *sink, const struct event *event)
{
	const struct export_base *csv = (struct export_base *)sink;
	FILE *stream = csv->stream;
	char state[16] = "";

	if (event->kind == EVENT_SWITCH)
		event_state_text(event->state, state);
	else if (event->kind == EVENT_IDLE_ENTER)
		snprintf(state, sizeof(state), "%d", event->state);
	fprintf(stream, "%" PRIu64 ",%" PRId32 ",%s", event->time, event->cpu,
		event_kind_name(event->kind));
	put_task(csv, event->pid);
	put_task(csv, event->other);
	fprintf(stream, ",%s", state);
	put_id(stream, event->from);
	put_id(stream, event->target);
	put_prio(stream, event->prio);
	put_prio(stream, event->other_prio);
	put_id(stream, event->current);
	putc('\n', stream);
	event_tasks_passed(csv->tasks, event);
	return export_check(csv);
}

static struct error *csv_task(struct event_sink *sink, const struct event_task *task)
{
	event_tasks_tell(((struct export_base *)sink)->tasks, task);
	return NULL;
}

/* task: how many, 0 if that is not known */
static struct error *csv_lost(struct event_sink *sink, const struct event_lost *lost)
{
	FILE *stream = ((struct export_base *)sink)->stream;

	fprintf(stream, "%" PRIu64, lost->to);
	put_id(stream, lost->cpu);
	fprintf(stream, ",lost,%" PRIu64 ",,,,,,,,,\n", lost->count);
	return NULL;
}

static struct error *csv_mark(struct event_sink *sink, const struct event_mark *mark)
{
	FILE *stream = ((struct export_base *)sink)->stream;

	fprintf(stream, "%" PRIu64 ",,%s,", mark->time,
		mark->kind == EVENT_MARK_BEGIN ? "measured_begin" : "measured_end");
	put_text(stream, mark->note ? mark->note : "");
	fputs(",,,,,,,,\n", stream);
	return NULL;
}

static struct event_sink *csv_open(FILE *stream, const char *name)
{
	static const struct event_sink sink = { csv_begin, csv_task,   csv_event,  csv_lost,
						csv_mark,  export_end, export_free };

	return &export_new(sizeof(struct export_base), &sink, stream, name)->sink;
}

const struct event_export export_csv = {
	.name = "csv",
	.summary = "a line an event, for spreadsheets and scripts",
	.ending = ".csv",
	.open = csv_open,
};
