// SPDX-License-Identifier: GPL-2.0-only
/* text.c - the part of a line before the event, lines about lost events, comments of our export */
#include "events/text.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

#define MOST_SECONDS 9000000000 /* 285 years: in ns it fits 63 bits */
#define MOST_WORKERS 100000

/* "SECONDS.FRACTION:" with one to nine digits after the point; moves behind the colon */
static bool parse_time(const char **at, uint64_t *out)
{
	const char *digits = *at;
	int64_t seconds, fraction = 0;
	int n = 0;

	if (*digits == '-' || !text_int(&digits, 0, MOST_SECONDS, &seconds) || *digits != '.')
		return false;
	for (digits++; n < 9 && *digits >= '0' && *digits <= '9'; n++)
		fraction = fraction * 10 + (*digits++ - '0');
	if (!n || *digits != ':')
		return false;
	for (; n < 9; n++)
		fraction *= 10;
	*out = (uint64_t)(seconds * 1000000000 + fraction);
	*at = digits + 1;
	return true;
}

static const char *skip_blanks(const char *at)
{
	return at + strspn(at, " \t");
}

/* what follows "[CPU]": flags that may be missing, the time, the event; NULL if it is not that */
static const char *parse_rest(const char *at, struct text_line *line)
{
	at = skip_blanks(at);
	if (!parse_time(&at, &line->time)) {
		at = skip_blanks(at + strcspn(at, " \t"));
		if (!parse_time(&at, &line->time))
			return NULL;
	}
	at = skip_blanks(at);
	line->event = at;
	at += strcspn(at, " \t");
	if (at == line->event || at[-1] != ':')
		return NULL;
	line->event_length = (size_t)(at - line->event) - 1;
	for (const char *c = line->event; c < at - 1; c++)
		if (*c == ':') { /* SYSTEM:EVENT */
			line->event_length -= (size_t)(c - line->event) + 1;
			line->event = c + 1;
			break;
		}
	return skip_blanks(at);
}

/* the place of the "[CPU]" that is followed by a time; a name may have brackets too */
static const char *find_cpu(const char *text, struct text_line *line)
{
	for (const char *at = strchr(text, '['); at; at = strchr(at + 1, '[')) {
		const char *digits = at + 1;
		int64_t cpu;

		if (at == text || !text_int(&digits, 0, 65535, &cpu) || *digits != ']')
			continue;
		line->fields = parse_rest(digits + 1, line);
		if (!line->fields)
			continue;
		line->cpu = (int32_t)cpu;
		return at;
	}
	return NULL;
}

static void trim_end(const char *start, const char **end)
{
	while (*end > start && ((*end)[-1] == ' ' || (*end)[-1] == '\t'))
		(*end)--;
}

/* the number that ends at @end, and what stands before it; false if there is none */
static bool number_before(const char *start, const char **end, int32_t *out)
{
	const char *at = *end, *digits;
	int64_t number;

	while (at > start && at[-1] >= '0' && at[-1] <= '9')
		at--;
	digits = at;
	if (at == *end || !text_int(&digits, 0, INT32_MAX, &number))
		return false;
	*end = at;
	*out = (int32_t)number;
	return true;
}

/* perf: "COMM PID/TID" or "COMM TID", where -1 stands for a task that is gone */
static bool parse_perf_task(const char *start, const char *end, struct text_line *line)
{
	const char *slash, *at = end;

	if (!number_before(start, &at, &line->pid))
		return false;
	if (at > start && at[-1] == '-') { /* "-1" or "COMM-PID" of ftrace */
		if (end - at != 1 || *at != '1')
			return false;
		at--;
		line->pid = EVENT_NONE;
	}
	slash = at - 1;
	if (at > start && *slash == '/') {
		at = slash;
		if (!number_before(start, &at, &line->tgid))
			return false;
		if (at > start && at[-1] == '-') {
			at--;
			line->tgid = EVENT_NONE;
		}
		if (line->pid == EVENT_NONE)
			line->tgid = EVENT_NONE;
	}
	if (at == start || (at[-1] != ' ' && at[-1] != '\t'))
		return false;
	trim_end(start, &at);
	event_name_copy(line->comm, start, (size_t)(at - start));
	return at > start;
}

/* ftrace: "COMM-PID" or "COMM-PID (TGID)", "(-------)" for a process that is not known */
static bool parse_ftrace_task(const char *start, const char *end, struct text_line *line)
{
	const char *at = end;

	if (at > start && at[-1] == ')') {
		const char *open = at - 1, *digits;
		int64_t tgid;

		while (open > start && *open != '(')
			open--;
		if (*open != '(')
			return false;
		digits = skip_blanks(open + 1);
		if (text_int(&digits, 0, INT32_MAX, &tgid))
			line->tgid = (int32_t)tgid;
		at = open;
		trim_end(start, &at);
	}
	if (at > start + 1 && at[-1] == '?' && at[-2] == '-')
		return true;
	if (!number_before(start, &at, &line->pid) || at == start || at[-1] != '-')
		return false;
	event_name_copy(line->comm, start, (size_t)(at - 1 - start));
	return true;
}

/* names that tools print for a task whose name they do not know */
static bool is_no_name(const char *comm)
{
	return !strcmp(comm, "<...>") || !strcmp(comm, "<idle>") || *comm == ':';
}

static const char *parse_event(const char *text, struct text_item *item)
{
	struct text_line line = { .pid = EVENT_NONE, .tgid = EVENT_NONE };
	const char *bracket = find_cpu(text, &line), *start, *end, *wrong;
	struct event *event = &item->found.event;

	if (!bracket)
		return "expected TASK-PID [CPU] SECONDS.FRACTION: EVENT: ..., or what perf script "
		       "prints";
	start = skip_blanks(text);
	end = bracket;
	trim_end(start, &end);
	if (!parse_perf_task(start, end, &line)) {
		line.pid = line.tgid = EVENT_NONE;
		if (!parse_ftrace_task(start, end, &line))
			return "expected TASK-PID or TASK PID/TID before the CPU";
	}
	if (is_no_name(line.comm))
		memset(line.comm, 0, sizeof(line.comm));
	wrong = text_fields(&line, item);
	if (!wrong && item->kind == TEXT_EVENT && event->kind == EVENT_SWITCH &&
	    event->current == EVENT_NONE)
		event->current = event->pid;
	if (!wrong && item->kind == TEXT_EVENT && event->current == 0)
		item->found.current_tgid = EVENT_NONE;
	return wrong;
}

/* ---- lost events ---- */

/* "CPU:1 [LOST 12 EVENTS]" of ftrace, "CPU:1 [12 EVENTS DROPPED]" of trace-cmd */
static bool parse_lost(const char *at, struct text_item *item)
{
	struct event_lost *lost = &item->lost;
	int64_t cpu, count = 0, from = 0, to = 0;
	const char *times;

	at = skip_blanks(at);
	if (strncmp(at, "CPU:", 4) != 0)
		return false;
	at += 4;
	if (!text_int(&at, -1, 65535, &cpu) || strncmp(at, " [", 2) != 0)
		return false;
	at += 2;
	if (!strncmp(at, "LOST ", 5))
		at += 5;
	if (text_int(&at, 0, INT64_MAX, &count))
		at = skip_blanks(at);
	if (strncmp(at, "EVENTS", 6) != 0)
		return false;
	times = strstr(at, "# from ");
	if (times) {
		times += strlen("# from ");
		if (!text_int(&times, 0, INT64_MAX, &from) || strncmp(times, " to ", 4) != 0)
			return false;
		times += 4;
		if (!text_int(&times, 0, INT64_MAX, &to))
			return false;
	}
	item->kind = TEXT_LOST;
	*lost = (struct event_lost){ .cpu = cpu < 0 ? EVENT_NONE : (int32_t)cpu,
				     .count = (uint64_t)count,
				     .from = (uint64_t)from,
				     .to = (uint64_t)to };
	return true;
}

/* perf script --show-lost-events: "... PERF_RECORD_LOST lost 12" */
static bool parse_perf_lost(const char *text, struct text_item *item)
{
	const char *at = strstr(text, "PERF_RECORD_LOST");
	int64_t count = 0;

	if (!at)
		return false;
	at = strstr(at, " lost ");
	if (at) {
		at += strlen(" lost ");
		if (!text_int(&at, 0, INT64_MAX, &count))
			count = 0;
	}
	item->kind = TEXT_LOST;
	item->lost = (struct event_lost){ .cpu = EVENT_NONE, .count = (uint64_t)count };
	return true;
}

/* ---- comments of our own export: "# fairtrial WHAT ..." ---- */

static bool word_number(const char **at, const char *word, int64_t min, int64_t max, int64_t *out)
{
	size_t length = strlen(word);

	if (strncmp(*at, word, length) != 0)
		return false;
	*at += length;
	return text_int(at, min, max, out);
}

/* "TIME task PID tgid N parent N reason N kernel N NAME"; -1: not known */
static const char *parse_our_task(const char *at, uint64_t time, struct text_item *item)
{
	int64_t pid, tgid, parent, reason, kernel;

	if (!word_number(&at, "task ", 0, INT32_MAX, &pid) ||
	    !word_number(&at, " tgid ", -1, INT32_MAX, &tgid) ||
	    !word_number(&at, " parent ", -1, INT32_MAX, &parent) ||
	    !word_number(&at, " reason ", 0, EVENT_TASK_NAMED, &reason) ||
	    !word_number(&at, " kernel ", 0, 1, &kernel) || *at != ' ')
		return "expected task N tgid N parent N reason N kernel N NAME";
	item->kind = TEXT_TASK;
	item->task = (struct event_task){ .time = time,
					  .pid = (int32_t)pid,
					  .tgid = tgid < 0 ? EVENT_NONE : (int32_t)tgid,
					  .parent = parent < 0 ? EVENT_NONE : (int32_t)parent,
					  .reason = reason,
					  .kernel = kernel };
	event_name_copy(item->task.name, at + 1, strlen(at + 1));
	return NULL;
}

/* "TIME mark KIND workers N N N; NOTE" */
static const char *parse_our_mark(const char *at, uint64_t time, struct text_item *item)
{
	struct event_mark *mark = &item->mark;
	int64_t kind, pid;
	int n = 0;

	if (!word_number(&at, "mark ", EVENT_MARK_BEGIN, EVENT_MARK_END, &kind) ||
	    strncmp(at, " workers", 8) != 0)
		return "expected mark KIND workers N ...";
	free(item->workers);
	item->workers = NULL;
	for (at += 8; *at == ' ';) {
		at++;
		if (n == MOST_WORKERS || !text_int(&at, -1, INT32_MAX, &pid))
			return "expected numbers of workers";
		*array_append(item->workers, n) = (int32_t)pid;
	}
	if (*at && strncmp(at, "; ", 2) != 0)
		return "expected '; ' before the note";
	item->kind = TEXT_MARK;
	*mark = (struct event_mark){ .time = time,
				     .kind = kind,
				     .workers = item->workers,
				     .n_workers = n,
				     .note = *at ? at + 2 : NULL };
	return NULL;
}

static const char *parse_comment(const char *text, struct text_item *item)
{
	const char *at = text + strlen("# fairtrial ");
	int64_t time;

	item->kind = TEXT_NOTHING;
	if (!strncmp(at, "begin ", 6)) {
		item->kind = TEXT_BEGIN;
		item->info = at + 6;
		return NULL;
	}
	if (!text_int(&at, 0, INT64_MAX, &time) || *at++ != ' ')
		return "expected a time in nanoseconds";
	if (!strncmp(at, "task ", 5))
		return parse_our_task(at, (uint64_t)time, item);
	if (!strncmp(at, "mark ", 5))
		return parse_our_mark(at, (uint64_t)time, item);
	return "expected task or mark";
}

/* lines that trace-cmd report prints before and between events */
static bool is_head_line(const char *text)
{
	const char *at = skip_blanks(text);

	return !strncmp(at, "cpus=", 5) || !strncmp(at, "version = ", 10) ||
	       (!strncmp(at, "CPU ", 4) && strstr(at, " is empty")) ||
	       !strncmp(at, "trace-cmd: ", 11) || !strncmp(at, "[FAILED TO PARSE", 16);
}

const char *text_parse(char *line, struct text_item *item)
{
	size_t length = strlen(line);

	if (length && line[length - 1] == '\r')
		line[length - 1] = '\0';
	item->kind = TEXT_NOTHING;
	if (!strncmp(line, "# fairtrial ", 12))
		return parse_comment(line, item);
	if (*line == '#' || !line[strspn(line, " \t")] || is_head_line(line) ||
	    parse_lost(line, item) || parse_perf_lost(line, item))
		return NULL;
	return parse_event(line, item);
}
