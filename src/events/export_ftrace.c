// SPDX-License-Identifier: GPL-2.0-only
/*
 * export_ftrace.c - the text of trace_pipe with process ids and nanoseconds. What that form cannot
 * say (tasks that were there, marks, where events were lost) is in comments that our own import reads
 * back, so that the stream stays the same.
 */
#include <inttypes.h>

#include "events/export.h"
#include "events/tasks.h"

static struct error *ftrace_begin(struct event_sink *sink, const struct event_info *info)
{
	const struct export_base *ftrace = (struct export_base *)sink;

	fprintf(ftrace->stream,
		"# tracer: nop\n#\n"
		"# fairtrial begin source=%s; clock=%s; kernel=%s; nr_cpus=%d\n#\n"
		"#           TASK-PID    (   TGID) CPU#  ||||   TIMESTAMP  FUNCTION\n",
		info->source, info->clock, info->kernel ? info->kernel : "", info->nr_cpus);
	return export_check(ftrace);
}

static int known(int32_t id)
{
	return id == EVENT_NONE ? -1 : id;
}

static struct error *ftrace_task(struct event_sink *sink, const struct event_task *task)
{
	const struct export_base *ftrace = (struct export_base *)sink;

	event_tasks_tell(ftrace->tasks, task);
	fprintf(ftrace->stream,
		"# fairtrial %" PRIu64 " task %d tgid %d parent %d reason %d kernel %d %s\n",
		task->time, task->pid, known(task->tgid), known(task->parent), task->reason,
		task->kernel, task->name);
	return NULL;
}

/* "       COMM-PID     (   TGID) [CPU] ....  SECONDS.NANOSECONDS: EVENT: " */
static void put_head(const struct export_base *ftrace, const struct event *event, const char *name)
{
	const struct event_task *task = event_tasks_find(ftrace->tasks, event->current);
	char tgid[16] = "-------";

	if (task && task->tgid != EVENT_NONE)
		snprintf(tgid, sizeof(tgid), "%7d", task->tgid);
	if (event->current == EVENT_NONE)
		fprintf(ftrace->stream, "%16s-%-7s", "<...>", "?");
	else
		fprintf(ftrace->stream, "%16s-%-7d",
			event->current ? event_tasks_name(ftrace->tasks, event->current) : "<idle>",
			event->current);
	fprintf(ftrace->stream, " (%s) [%03d] .... %5" PRIu64 ".%09" PRIu64 ": %s: ", tgid,
		event->cpu, event->time / 1000000000, event->time % 1000000000, name);
}

static const char *name_of(const struct export_base *ftrace, int32_t pid)
{
	return event_tasks_name(ftrace->tasks, pid);
}

static const char *const names[N_EVENT_KINDS] = {
	[EVENT_SWITCH] = "sched_switch",	[EVENT_WAKING] = "sched_waking",
	[EVENT_WAKEUP] = "sched_wakeup",	[EVENT_WAKEUP_NEW] = "sched_wakeup_new",
	[EVENT_MIGRATE] = "sched_migrate_task", [EVENT_FORK] = "sched_process_fork",
	[EVENT_EXEC] = "sched_process_exec",	[EVENT_EXIT] = "sched_process_exit",
	[EVENT_WAIT] = "sched_process_wait",	[EVENT_IDLE_ENTER] = "cpu_idle",
	[EVENT_IDLE_EXIT] = "cpu_idle",		[EVENT_CPU_OFFLINE] = "cpuhp_enter",
	[EVENT_CPU_ONLINE] = "cpuhp_enter",
};

static void put_switch(const struct export_base *ftrace, const struct event *event)
{
	char state[16];

	event_state_text(event->state, state);
	fprintf(ftrace->stream,
		"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s ==> next_comm=%s next_pid=%d "
		"next_prio=%d",
		name_of(ftrace, event->pid), known(event->pid), event->prio, state,
		name_of(ftrace, event->other), known(event->other), event->other_prio);
}

/* the fields as the kernel prints them */
static void put_fields(const struct export_base *ftrace, const struct event *event)
{
	FILE *stream = ftrace->stream;
	const char *name = name_of(ftrace, event->pid);
	int pid = known(event->pid), other = known(event->other);

	switch (event->kind) {
	case EVENT_SWITCH:
		put_switch(ftrace, event);
		break;
	case EVENT_WAKING:
	case EVENT_WAKEUP:
	case EVENT_WAKEUP_NEW:
		fprintf(stream, "comm=%s pid=%d prio=%d target_cpu=%03d", name, pid, event->prio,
			known(event->target));
		break;
	case EVENT_MIGRATE:
		fprintf(stream, "comm=%s pid=%d prio=%d orig_cpu=%d dest_cpu=%d", name, pid,
			event->prio, known(event->from), known(event->target));
		break;
	case EVENT_FORK:
		fprintf(stream, "comm=%s pid=%d child_comm=%s child_pid=%d", name, pid,
			name_of(ftrace, event->other), other);
		break;
	case EVENT_EXEC:
		fprintf(stream, "filename=%s pid=%d old_pid=%d", name, pid, other);
		break;
	case EVENT_EXIT:
		fprintf(stream, "comm=%s pid=%d prio=%d", name, pid, event->prio);
		break;
	case EVENT_WAIT:
		fprintf(stream, "comm=%s pid=%d prio=%d", name, other, event->prio);
		break;
	case EVENT_IDLE_ENTER:
		fprintf(stream, "state=%u cpu_id=%d", event->state, event->cpu);
		break;
	case EVENT_IDLE_EXIT:
		fprintf(stream, "state=%u cpu_id=%d", UINT32_MAX, event->cpu);
		break;
	default:
		fprintf(stream, "cpu: %04d target: %3d step: %3d (-)", known(event->target),
			event->kind == EVENT_CPU_ONLINE, 1);
	}
	putc('\n', stream);
}

static struct error *ftrace_event(struct event_sink *sink, const struct event *event)
{
	const struct export_base *ftrace = (struct export_base *)sink;

	put_head(ftrace, event, names[event->kind]);
	put_fields(ftrace, event);
	event_tasks_passed(ftrace->tasks, event);
	return export_check(ftrace);
}

static struct error *ftrace_lost(struct event_sink *sink, const struct event_lost *lost)
{
	FILE *stream = ((struct export_base *)sink)->stream;

	fprintf(stream, "CPU:%d [LOST ", known(lost->cpu));
	if (lost->count)
		fprintf(stream, "%" PRIu64 " ", lost->count);
	fprintf(stream, "EVENTS]");
	if (lost->from || lost->to)
		fprintf(stream, " # from %" PRIu64 " to %" PRIu64, lost->from, lost->to);
	putc('\n', stream);
	return NULL;
}

static struct error *ftrace_mark(struct event_sink *sink, const struct event_mark *mark)
{
	FILE *stream = ((struct export_base *)sink)->stream;

	fprintf(stream, "# fairtrial %" PRIu64 " mark %d workers", mark->time, mark->kind);
	for (int i = 0; i < mark->n_workers; i++)
		fprintf(stream, " %d", known(mark->workers[i]));
	fprintf(stream, "%s%s\n", mark->note ? "; " : "", mark->note ? mark->note : "");
	return NULL;
}

static struct event_sink *ftrace_open(FILE *stream, const char *name)
{
	static const struct event_sink sink = { ftrace_begin, ftrace_task, ftrace_event,
						ftrace_lost,  ftrace_mark, export_end,
						export_free };

	return &export_new(sizeof(struct export_base), &sink, stream, name)->sink;
}

const struct event_export export_ftrace = {
	.name = "ftrace",
	.summary = "the text of trace_pipe; import reads it back as the same stream",
	.ending = ".ftrace",
	.open = ftrace_open,
};
