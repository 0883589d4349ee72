// SPDX-License-Identifier: GPL-2.0-only
/* import_text.c - lines of text into a feed */
#include "events/import.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "events/text.h"

/* an event line is about 200 bytes; a mark of ours holds a number for each worker */
#define LINE_SIZE (1u << 20)

/* tools sort by time, trace_pipe only a buffer of each CPU */
#define WINDOW 16384

/* what a stream that cannot be read twice is taken for, if nobody tells how many CPUs it is of */
#define UNKNOWN_CPUS 1024

/* a file none of whose first lines can be read is refused */
#define FIRST_LINES 20

struct text_import {
	const char *name, *source;
	const struct machine *machine;
	struct event_feed *feed;
	struct text_item item;
	char words[3][128]; /* source, clock and kernel that our own export tells */
	int nr_cpus;
	bool begun;
	int line, n_bad, first_bad;
	const char *first_wrong;
};

/* "source=x; clock=y; kernel=z; nr_cpus=4" */
static void take_info(struct text_import *import, const char *info)
{
	static const char *const keys[] = { "source=", "clock=", "kernel=" };
	int n;
	char **parts = text_split(info, ';', &n);

	for (int i = 0; i < n; i++) {
		int64_t nr_cpus;

		for (size_t k = 0; k < ARRAY_SIZE(keys); k++) {
			size_t length = strlen(keys[k]);

			if (strncmp(parts[i], keys[k], length) != 0)
				continue;
			snprintf(import->words[k], sizeof(import->words[k]), "%s",
				 parts[i] + length);
		}
		if (!strncmp(parts[i], "nr_cpus=", 8)) {
			const char *at = parts[i] + 8;

			if (text_int(&at, 0, 65536, &nr_cpus))
				import->nr_cpus = (int)nr_cpus;
		}
	}
	text_split_free(parts, n);
}

static struct error *begin(struct text_import *import)
{
	const struct machine *machine = import->machine;
	struct event_info info = {
		.source = *import->words[0] ? import->words[0] : import->source,
		.clock = *import->words[1] ? import->words[1] : "not known",
		.kernel = *import->words[2] ? import->words[2] : NULL,
		.machine_name = machine ? machine->name : "not known",
		.machine = machine,
		.nr_cpus = import->nr_cpus,
		.online = machine ? machine->online : NULL,
	};

	if (machine && hwloc_bitmap_last(machine->online) >= info.nr_cpus)
		info.nr_cpus = hwloc_bitmap_last(machine->online) + 1;
	import->begun = true;
	return event_feed_begin(import->feed, &info);
}

static struct error *hand_over(struct text_import *import)
{
	struct text_item *item = &import->item;
	struct error *error = NULL;

	if (item->kind == TEXT_NOTHING)
		return NULL;
	if (item->kind == TEXT_BEGIN) {
		take_info(import, item->info);
		return NULL;
	}
	if (!import->begun)
		error = begin(import);
	if (error)
		return error;
	switch (item->kind) {
	case TEXT_EVENT:
		return event_feed_event(import->feed, &item->found);
	case TEXT_TASK:
		return event_feed_task(import->feed, &item->task);
	case TEXT_LOST:
		return event_feed_lost(import->feed, &item->lost);
	default:
		return event_feed_mark(import->feed, &item->mark);
	}
}

static struct error *bad_line(struct text_import *import, const char *wrong)
{
	struct event_lost lost = { .cpu = EVENT_NONE, .count = 1 };

	if (!import->n_bad++) {
		import->first_bad = import->line;
		import->first_wrong = wrong;
	}
	if (!import->begun && import->n_bad == FIRST_LINES)
		return error_at(
			ERR_INPUT, import->name, import->first_bad,
			"this is no text of trace_pipe, trace-cmd report or perf script: %s",
			import->first_wrong);
	return import->begun ? event_feed_lost(import->feed, &lost) : NULL;
}

/* the next line without its newline; false at the end. @too_long: it did not fit, and is skipped */
static bool next_line(FILE *stream, char *line, bool *too_long)
{
	size_t length;

	*too_long = false;
	if (!fgets(line, LINE_SIZE, stream))
		return false;
	length = strlen(line);
	if (length && line[length - 1] == '\n') {
		line[length - 1] = '\0';
		return true;
	}
	/* a NUL byte, the end of the file without newline, or a line that is too long */
	if (length + 1 == LINE_SIZE) {
		int c;

		*too_long = true;
		while ((c = getc(stream)) != EOF && c != '\n')
			;
	}
	return true;
}

static struct error *read_lines(struct text_import *import, FILE *stream)
{
	autofree char *line = memory_zeroed(LINE_SIZE, 1);
	struct error *error = NULL;
	bool too_long;

	while (!error && next_line(stream, line, &too_long)) {
		const char *wrong = "the line is too long";

		import->line++;
		if (!too_long)
			wrong = text_parse(line, &import->item);
		if (wrong) {
			error = bad_line(import, wrong);
			continue;
		}
		error = hand_over(import);
	}
	if (!error && ferror(stream))
		error = error_errno("cannot read %s", import->name);
	return error;
}

static struct error *finish(struct text_import *import)
{
	autofree char *damage = NULL;
	struct error *error = NULL;

	if (!import->begun && import->n_bad)
		return error_at(
			ERR_INPUT, import->name, import->first_bad,
			"this is no text of trace_pipe, trace-cmd report or perf script: %s",
			import->first_wrong);
	if (!import->begun)
		return error_at(ERR_INPUT, import->name, 0,
				"it has no scheduling event (sched_switch, sched_waking ...)");
	if (import->n_bad)
		damage = memory_format("%s:%d: %s; %d of %d lines were left out", import->name,
				       import->first_bad, import->first_wrong, import->n_bad,
				       import->line);
	error = event_feed_end(import->feed, damage);
	if (!error && damage)
		error = error_at(ERR_INPUT, import->name, import->first_bad,
				 "%s; %d of %d lines were left out", import->first_wrong,
				 import->n_bad, import->line);
	return error;
}

/* one more than the highest "[CPU]" of the lines; 0 if the stream cannot be read twice */
static int count_cpus(FILE *stream)
{
	autofree char *line = memory_zeroed(LINE_SIZE, 1);
	long start = ftell(stream);
	bool too_long;
	int n = 0;

	if (start < 0 || fseek(stream, start, SEEK_SET))
		return 0;
	while (next_line(stream, line, &too_long)) {
		const char *at = strchr(line, '[');
		int64_t cpu;

		for (; at && *line != '#'; at = strchr(at, '[')) {
			at++;
			if (!text_int(&at, 0, 65535, &cpu) || *at != ']')
				continue;
			if (cpu >= n)
				n = (int)cpu + 1;
			break;
		}
	}
	clearerr(stream);
	return fseek(stream, start, SEEK_SET) ? 0 : n;
}

struct error *event_import_text(FILE *stream, const char *name, const char *source, int nr_cpus,
				const struct machine *machine, struct event_sink *sink)
{
	struct text_import import = {
		.name = name,
		.source = source,
		.machine = machine,
		.feed = event_feed_new(sink, WINDOW),
	};
	struct error *error;

	import.nr_cpus = nr_cpus ? nr_cpus : count_cpus(stream);
	if (!import.nr_cpus)
		import.nr_cpus = UNKNOWN_CPUS;
	error = read_lines(&import, stream);
	if (!error)
		error = finish(&import);
	event_feed_free(import.feed);
	free(import.item.workers);
	return error;
}
