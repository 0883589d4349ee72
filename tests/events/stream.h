/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stream.h - streams for tests: a sink that keeps a stream as text, and one that is made up
 */
#ifndef FT_TESTS_EVENTS_STREAM_H
#define FT_TESTS_EVENTS_STREAM_H

#include <inttypes.h>

#include "base/memory.h"
#include "base/random.h"
#include "events/event.h"

/* A sink that writes every item as a line, so that two streams are compared as strings. */
struct transcript {
	struct event_sink sink;
	char *text;
	size_t n;
	FILE *stream;
	struct event_totals totals;
	int ended;
};

static inline FILE *transcript_stream(struct event_sink *sink)
{
	return ((struct transcript *)sink)->stream;
}

static inline struct error *transcript_begin(struct event_sink *sink, const struct event_info *info)
{
	fprintf(transcript_stream(sink), "begin %s, clock %s, %d CPUs, machine %s\n", info->source,
		info->clock, info->nr_cpus, info->machine ? info->machine->name : "none");
	return NULL;
}

static inline struct error *transcript_task(struct event_sink *sink, const struct event_task *task)
{
	fprintf(transcript_stream(sink),
		"%" PRIu64 " task %d tgid %d parent %d how %d kernel %d %s\n", task->time,
		task->pid, task->tgid, task->parent, task->reason, task->kernel, task->name);
	return NULL;
}

static inline struct error *transcript_event(struct event_sink *sink, const struct event *event)
{
	fprintf(transcript_stream(sink),
		"%" PRIu64 " [%d] %d: %s %d %d state %x cpus %d %d prio %d %d\n", event->time,
		event->cpu, event->current, event_kind_name(event->kind), event->pid, event->other,
		event->state, event->from, event->target, event->prio, event->other_prio);
	return NULL;
}

static inline struct error *transcript_lost(struct event_sink *sink, const struct event_lost *lost)
{
	fprintf(transcript_stream(sink), "lost %" PRIu64 " on %d from %" PRIu64 " to %" PRIu64 "\n",
		lost->count, lost->cpu, lost->from, lost->to);
	return NULL;
}

static inline struct error *transcript_mark(struct event_sink *sink, const struct event_mark *mark)
{
	fprintf(transcript_stream(sink), "%" PRIu64 " mark %d %s:", mark->time, mark->kind,
		mark->note ? mark->note : "-");
	for (int i = 0; i < mark->n_workers; i++)
		fprintf(transcript_stream(sink), " %d", mark->workers[i]);
	fprintf(transcript_stream(sink), "\n");
	return NULL;
}

static inline struct error *transcript_end(struct event_sink *sink,
					   const struct event_totals *totals)
{
	struct transcript *transcript = (struct transcript *)sink;

	transcript->totals = *totals;
	transcript->totals.damage = totals->damage ? memory_string(totals->damage) : NULL;
	transcript->ended++;
	fflush(transcript->stream);
	return NULL;
}

static inline void transcript_open(struct transcript *transcript)
{
	*transcript = (struct transcript){
		.sink = { transcript_begin, transcript_task, transcript_event, transcript_lost,
			  transcript_mark, transcript_end, NULL },
	};
	transcript->stream = open_memstream(&transcript->text, &transcript->n);
}

/* the text stays until transcript_clear() */
static inline void transcript_clear(struct transcript *transcript)
{
	fclose(transcript->stream);
	free(transcript->text);
	free((void *)transcript->totals.damage);
}

/*
 * A made-up stream with every kind of item: @n events on 5 CPUs, the same for the same seed
 */
static inline struct error *made_up_stream(struct event_sink *sink, int n, uint64_t seed)
{
	struct random random = random_seeded(seed);
	const int32_t workers[] = { 100, 101, 99, 70000 };
	struct event_info info = {
		.source = "sim", .clock = "simulated", .nr_cpus = 5, .machine_name = "none"
	};
	struct event_mark mark = {
		.kind = EVENT_MARK_BEGIN, .workers = workers, .n_workers = 4, .note = "spawn, on"
	};
	struct event_totals totals = { .events = (uint64_t)n };
	int32_t running[5] = { 0 };
	uint64_t time = UINT64_C(123456789012345);
	struct error *error = event_sink_begin(sink, &info);

	for (int pid = 98; !error && pid < 110; pid++) {
		struct event_task task = {
			.time = time, .pid = pid, .tgid = pid & ~1, .parent = 1, .kernel = pid == 98
		};

		snprintf(task.name, sizeof(task.name), "task/%d", pid);
		error = event_sink_task(sink, &task);
	}
	mark.time = time;
	if (!error)
		error = event_sink_mark(sink, &mark);
	for (int i = 0; !error && i < n; i++) {
		int32_t cpu = (int32_t)random_below(&random, 5);
		int32_t pid = 98 + (int32_t)random_below(&random, 12);
		struct event event = event_blank(random_below(&random, N_EVENT_KINDS), time, cpu);

		if (random_below(&random, 3) == 0)
			event.kind = EVENT_SWITCH;
		if (random_below(&random, 50))
			event.current = running[cpu];
		switch (event.kind) {
		case EVENT_SWITCH:
			event.pid = running[cpu];
			event.other = running[cpu] = random_below(&random, 4) ? pid : 0;
			event.state = event.pid ? (uint16_t[]){ 0, 1, 2, 0x80, 0x100 }[i % 5] : 0;
			event.prio = event.pid ? 119 : 120;
			event.other_prio = (int16_t)(i % 140 - 1);
			break;
		case EVENT_WAKING:
		case EVENT_WAKEUP:
		case EVENT_WAKEUP_NEW:
			event.pid = pid;
			event.target = i % 5;
			event.prio = 120;
			break;
		case EVENT_MIGRATE:
			event.pid = pid;
			event.from = i % 5;
			event.target = (i + 1) % 5;
			event.prio = 120;
			break;
		case EVENT_FORK:
		case EVENT_EXEC:
		case EVENT_WAIT:
			event.pid = pid;
			event.other = i % 3 ? pid + 1 : 0;
			if (event.kind == EVENT_WAIT)
				event.prio = 120;
			break;
		case EVENT_EXIT:
			event.pid = pid;
			event.prio = 120;
			break;
		case EVENT_IDLE_ENTER:
			event.state = i % 4;
			break;
		case EVENT_CPU_OFFLINE:
		case EVENT_CPU_ONLINE:
			event.target = i % 5;
			break;
		}
		error = event_sink_event(sink, &event);
		if (!error && i % 1000 == 999) {
			struct event_lost lost = {
				.cpu = cpu, .count = 7, .from = time - 10, .to = time
			};

			totals.lost += 7;
			error = event_sink_lost(sink, &lost);
		}
		totals.last = time;
		time += random_below(&random, 5000);
	}
	mark.kind = EVENT_MARK_END;
	mark.n_workers = 0;
	mark.note = NULL;
	mark.time = time;
	if (!error)
		error = event_sink_mark(sink, &mark);
	return error ? error : event_sink_end(sink, &totals);
}

#endif
