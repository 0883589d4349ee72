// SPDX-License-Identifier: GPL-2.0-only
/*
 * text_fields.c - the fields of each event, as the kernel's "print fmt" writes them and, for the two
 * that libtraceevent's plugin prints in its own way, as trace-cmd report does
 */
#include "events/text.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* CLONE_THREAD of <linux/sched.h>: the child is a thread of its parent's process */
#define FLAG_THREAD 0x10000

bool text_int(const char **at, int64_t min, int64_t max, int64_t *out)
{
	const char *digits = *at;
	bool negative = *digits == '-';
	int64_t value = 0;

	digits += negative;
	if (*digits < '0' || *digits > '9')
		return false;
	for (; *digits >= '0' && *digits <= '9'; digits++) {
		if (value > (INT64_MAX - 9) / 10)
			return false;
		value = value * 10 + (*digits - '0');
	}
	value = negative ? -value : value;
	if (value < min || value > max)
		return false;
	*at = digits;
	*out = value;
	return true;
}

static bool skip(const char **at, const char *word)
{
	size_t length = strlen(word);

	if (strncmp(*at, word, length) != 0)
		return false;
	*at += length;
	return true;
}

/* "WORDnumber" */
static bool number_after(const char **at, const char *word, int64_t min, int64_t max, int64_t *out)
{
	return skip(at, word) && text_int(at, min, max, out);
}

/* "WORDname" up to where @next begins; a name may hold anything */
static bool name_until(const char **at, const char *word, const char *next,
		       char name[EVENT_NAME_SIZE])
{
	const char *end;

	if (!skip(at, word))
		return false;
	end = strstr(*at, next);
	if (!end)
		return false;
	event_name_copy(name, *at, (size_t)(end - *at));
	*at = end;
	return true;
}

static bool id_after(const char **at, const char *word, int32_t *out)
{
	int64_t number;

	if (!number_after(at, word, -1, INT32_MAX, &number))
		return false;
	*out = number < 0 ? EVENT_NONE : (int32_t)number;
	return true;
}

static bool cpu_after(const char **at, const char *word, int32_t *out)
{
	int64_t number;

	if (!number_after(at, word, -1, 65535, &number))
		return false;
	*out = number < 0 ? EVENT_NONE : (int32_t)number;
	return true;
}

static bool prio_after(const char **at, const char *word, int16_t *out)
{
	int64_t number;

	if (!number_after(at, word, EVENT_PRIO_NONE, 1000, &number))
		return false;
	*out = (int16_t)number;
	return true;
}

static bool state_at(const char **at, uint16_t *out)
{
	size_t length = strcspn(*at, " ");

	if (!event_state_parse(*at, length, out))
		return false;
	*at += length;
	return true;
}

/* ---- libtraceevent's own form: "NAME:PID [PRIO]" ---- */

static bool plugin_task(const char **at, char name[EVENT_NAME_SIZE], int32_t *pid, int16_t *prio)
{
	const char *bracket = strstr(*at, " ["), *colon = bracket;

	if (!bracket)
		return false;
	while (colon > *at && *colon != ':')
		colon--;
	if (*colon != ':')
		return false;
	event_name_copy(name, *at, (size_t)(colon - *at));
	*at = colon;
	return id_after(at, ":", pid) && prio_after(at, " [", prio) && skip(at, "]");
}

static bool plugin_switch(const char *at, struct event_found *found)
{
	struct event *event = &found->event;

	return plugin_task(&at, found->name, &event->pid, &event->prio) && skip(&at, " ") &&
	       state_at(&at, &event->state) && skip(&at, " ==> ") &&
	       plugin_task(&at, found->other_name, &event->other, &event->other_prio);
}

static bool plugin_wake(const char *at, struct event_found *found)
{
	struct event *event = &found->event;
	const char *cpu;

	if (!plugin_task(&at, found->name, &event->pid, &event->prio))
		return false;
	cpu = strstr(at, "CPU:");
	return cpu && cpu_after(&cpu, "CPU:", &event->target);
}

/* ---- the kernel's form ---- */

static const char *parse_switch(const char *at, struct text_item *item)
{
	struct event_found *found = &item->found;
	struct event *event = &found->event;

	if (strncmp(at, "prev_comm=", 10) != 0)
		return plugin_switch(at, found) ? NULL : "expected prev_comm=... ==> next_comm=...";
	if (!name_until(&at, "prev_comm=", " prev_pid=", found->name) ||
	    !id_after(&at, " prev_pid=", &event->pid) ||
	    !prio_after(&at, " prev_prio=", &event->prio) || !skip(&at, " prev_state=") ||
	    !state_at(&at, &event->state))
		return "expected prev_comm= prev_pid= prev_prio= prev_state=";
	if (!name_until(&at, " ==> next_comm=", " next_pid=", found->other_name) ||
	    !id_after(&at, " next_pid=", &event->other) ||
	    !prio_after(&at, " next_prio=", &event->other_prio))
		return "expected ==> next_comm= next_pid= next_prio=";
	return NULL;
}

static const char *parse_wake(const char *at, struct text_item *item)
{
	struct event_found *found = &item->found;
	struct event *event = &found->event;
	int64_t success = 1;

	if (strncmp(at, "comm=", 5) != 0)
		return plugin_wake(at, found) ? NULL : "expected comm= pid= prio= target_cpu=";
	if (!name_until(&at, "comm=", " pid=", found->name) ||
	    !id_after(&at, " pid=", &event->pid) || !prio_after(&at, " prio=", &event->prio))
		return "expected comm= pid= prio=";
	if (*at && !strncmp(at, " success=", 9) && !number_after(&at, " success=", 0, 1, &success))
		return "expected success=0 or 1";
	if (!cpu_after(&at, " target_cpu=", &event->target))
		return "expected target_cpu=";
	if (!success) /* kernels before 4.3 told of wakeups that were none */
		item->kind = TEXT_NOTHING;
	return NULL;
}

static const char *parse_migrate(const char *at, struct text_item *item)
{
	struct event *event = &item->found.event;

	if (!name_until(&at, "comm=", " pid=", item->found.name) ||
	    !id_after(&at, " pid=", &event->pid) || !prio_after(&at, " prio=", &event->prio) ||
	    !cpu_after(&at, " orig_cpu=", &event->from) ||
	    !cpu_after(&at, " dest_cpu=", &event->target))
		return "expected comm= pid= prio= orig_cpu= dest_cpu=";
	return NULL;
}

static const char *parse_fork(const char *at, struct text_item *item)
{
	struct event *event = &item->found.event;

	if (!name_until(&at, "comm=", " pid=", item->found.name) ||
	    !id_after(&at, " pid=", &event->pid) ||
	    !name_until(&at, " child_comm=", " child_pid=", item->found.other_name) ||
	    !id_after(&at, " child_pid=", &event->other))
		return "expected comm= pid= child_comm= child_pid=";
	return NULL;
}

/* the program's name becomes that of the task */
static const char *parse_exec(const char *at, struct text_item *item)
{
	struct event *event = &item->found.event;
	const char *end, *base;

	if (!skip(&at, "filename=") || !(end = strstr(at, " pid=")))
		return "expected filename= pid= old_pid=";
	base = end;
	while (base > at && base[-1] != '/')
		base--;
	event_name_copy(item->found.name, base, (size_t)(end - base));
	if (!id_after(&end, " pid=", &event->pid) || !id_after(&end, " old_pid=", &event->other))
		return "expected filename= pid= old_pid=";
	return NULL;
}

static const char *parse_exit(const char *at, struct text_item *item)
{
	struct event *event = &item->found.event;

	if (!name_until(&at, "comm=", " pid=", item->found.name) ||
	    !id_after(&at, " pid=", &event->pid) || !prio_after(&at, " prio=", &event->prio))
		return "expected comm= pid= prio=";
	return NULL;
}

/* comm and prio are those of the task that waits, pid is whom it waits for */
static const char *parse_wait(const char *at, struct text_item *item)
{
	struct event *event = &item->found.event;

	if (!name_until(&at, "comm=", " pid=", item->found.name) ||
	    !id_after(&at, " pid=", &event->other) || !prio_after(&at, " prio=", &event->prio))
		return "expected comm= pid= prio=";
	event->pid = event->current;
	return NULL;
}

static const char *parse_idle(const char *at, struct text_item *item)
{
	struct event *event = &item->found.event;
	int64_t state;

	if (!number_after(&at, "state=", 0, UINT32_MAX, &state) ||
	    !cpu_after(&at, " cpu_id=", &event->cpu) || event->cpu < 0)
		return "expected state= cpu_id=";
	if (state == UINT32_MAX) /* PWR_EVENT_EXIT */
		event->kind = EVENT_IDLE_EXIT;
	else if (state > UINT16_MAX)
		return "state= is no idle state";
	else
		event->state = (uint16_t)state;
	return NULL;
}

/*
 * cpuhp_enter: "cpu: 0001 target:   0 step: 238 (...)": each step of a CPU on its way down (to target
 * 0) or up; the feed leaves the first one of each
 */
static const char *parse_hotplug(const char *at, struct text_item *item)
{
	struct event *event = &item->found.event;
	int64_t target;

	at += strspn(at, " ");
	if (!cpu_after(&at, "cpu: ", &event->target) || !skip(&at, " target:"))
		return "expected cpu: target: step:";
	at += strspn(at, " ");
	if (!text_int(&at, -1, INT32_MAX, &target))
		return "expected cpu: target: step:";
	if (target > 0)
		event->kind = EVENT_CPU_ONLINE;
	return NULL;
}

static const char *parse_newtask(const char *at, struct text_item *item)
{
	struct event_task *task = &item->task;
	uint64_t flags;
	char *end;

	item->kind = TEXT_TASK;
	task->reason = EVENT_TASK_FORKED;
	if (!id_after(&at, "pid=", &task->pid) ||
	    !name_until(&at, " comm=", " clone_flags=", task->name) || task->pid < 0)
		return "expected pid= comm= clone_flags=";
	at += strlen(" clone_flags=");
	flags = strtoull(at, &end, 16);
	if (end == at)
		return "expected clone_flags= in hexadecimal";
	task->parent = item->found.event.current;
	if (!(flags & FLAG_THREAD))
		task->tgid = task->pid;
	else
		task->tgid = item->found.current_tgid;
	task->kernel = task->parent == 2;
	return NULL;
}

static const char *parse_rename(const char *at, struct text_item *item)
{
	struct event_task *task = &item->task;
	char old[EVENT_NAME_SIZE];

	item->kind = TEXT_TASK;
	task->reason = EVENT_TASK_NAMED;
	if (!id_after(&at, "pid=", &task->pid) || task->pid < 0 ||
	    !name_until(&at, " oldcomm=", " newcomm=", old))
		return "expected pid= oldcomm= newcomm=";
	if (!name_until(&at, " newcomm=", " oom_score_adj=", task->name))
		return "expected newcomm= oom_score_adj=";
	if (task->pid == item->found.event.current)
		task->tgid = item->found.current_tgid;
	return NULL;
}

static const struct {
	const char *name;
	enum event_kind kind; /* of the event; parse may change it */
	const char *(*parse)(const char *at, struct text_item *item);
} parsers[] = {
	{ "sched_switch", EVENT_SWITCH, parse_switch },
	{ "sched_waking", EVENT_WAKING, parse_wake },
	{ "sched_wakeup", EVENT_WAKEUP, parse_wake },
	{ "sched_wakeup_new", EVENT_WAKEUP_NEW, parse_wake },
	{ "sched_migrate_task", EVENT_MIGRATE, parse_migrate },
	{ "sched_process_fork", EVENT_FORK, parse_fork },
	{ "sched_process_exec", EVENT_EXEC, parse_exec },
	{ "sched_process_exit", EVENT_EXIT, parse_exit },
	{ "sched_process_wait", EVENT_WAIT, parse_wait },
	{ "cpu_idle", EVENT_IDLE_ENTER, parse_idle },
	{ "cpuhp_enter", EVENT_CPU_OFFLINE, parse_hotplug },
	{ "task_newtask", EVENT_FORK, parse_newtask },
	{ "task_rename", EVENT_EXEC, parse_rename },
};

const char *text_fields(const struct text_line *line, struct text_item *item)
{
	for (size_t i = 0; i < ARRAY_SIZE(parsers); i++) {
		struct event_found *found = &item->found;

		if (strncmp(parsers[i].name, line->event, line->event_length) != 0 ||
		    parsers[i].name[line->event_length])
			continue;
		item->kind = TEXT_EVENT;
		*found = event_found_blank(parsers[i].kind, line->time, line->cpu);
		found->event.current = line->pid;
		found->current_tgid = line->tgid;
		if (line->pid != EVENT_NONE)
			memcpy(found->current_name, line->comm, sizeof(line->comm));
		item->task = (struct event_task){ .time = line->time,
						  .tgid = EVENT_NONE,
						  .parent = EVENT_NONE };
		return parsers[i].parse(line->fields, item);
	}
	item->kind = TEXT_NOTHING;
	return NULL;
}
