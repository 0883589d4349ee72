// SPDX-License-Identifier: GPL-2.0-only
/* event.c - names of kinds and states, and calling a sink */
#include "events/event.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

static const char *const kind_names[N_EVENT_KINDS] = {
	[EVENT_SWITCH] = "switch",
	[EVENT_WAKING] = "waking",
	[EVENT_WAKEUP] = "wakeup",
	[EVENT_WAKEUP_NEW] = "wakeup_new",
	[EVENT_MIGRATE] = "migrate",
	[EVENT_FORK] = "fork",
	[EVENT_EXEC] = "exec",
	[EVENT_EXIT] = "exit",
	[EVENT_WAIT] = "wait",
	[EVENT_IDLE_ENTER] = "idle_enter",
	[EVENT_IDLE_EXIT] = "idle_exit",
	[EVENT_CPU_OFFLINE] = "cpu_offline",
	[EVENT_CPU_ONLINE] = "cpu_online",
};

const char *event_kind_name(enum event_kind kind)
{
	return (unsigned int)kind < N_EVENT_KINDS ? kind_names[kind] : "unknown";
}

struct event event_blank(enum event_kind kind, uint64_t time, int32_t cpu)
{
	return (struct event){
		.time = time,
		.kind = (uint8_t)kind,
		.cpu = cpu,
		.current = EVENT_NONE,
		.pid = EVENT_NONE,
		.other = EVENT_NONE,
		.from = EVENT_NONE,
		.target = EVENT_NONE,
		.prio = EVENT_PRIO_NONE,
		.other_prio = EVENT_PRIO_NONE,
	};
}

/* ---- states ---- */

/* by bit number; the order of the kernel's task_index_to_char() */
static const char state_letters[] = "SDTtXZPI";

void event_state_text(unsigned int state, char text[16])
{
	int n = 0;

	for (int bit = 0; state_letters[bit] && n < 12; bit++) {
		if (!(state & (1u << bit)))
			continue;
		if (n)
			text[n++] = '|';
		text[n++] = state_letters[bit];
	}
	if (!n)
		text[n++] = 'R';
	if (state & EVENT_STATE_PREEMPTED)
		text[n++] = '+';
	text[n] = '\0';
}

/*
 * Letters beside those of today: of kernels before 4.14, and of libtraceevent's plugin, which still has
 * their table and so prints x for a parked and W for an idle kernel thread.
 */
static int state_bit(char letter)
{
	const char *found = letter ? strchr(state_letters, letter) : NULL;

	switch (letter) {
	case 'x':
		return EVENT_STATE_PARKED;
	case 'W':
		return EVENT_STATE_IDLE;
	case 'K': /* wakekill */
	case 'N': /* noload */
		return EVENT_STATE_UNINTERRUPTIBLE;
	case 'R':
		return 0;
	}
	return found ? 1 << (found - state_letters) : -1;
}

bool event_state_parse(const char *text, size_t length, uint16_t *out)
{
	int state = 0;

	if (!length)
		return false;
	if (length > 1 && text[length - 1] == '+') {
		state = EVENT_STATE_PREEMPTED;
		length--;
	}
	for (size_t i = 0; i < length; i++) {
		int bit;

		if (i % 2 == 1 && text[i] == '|')
			continue;
		bit = i % 2 == 1 ? -1 : state_bit(text[i]);
		if (bit < 0)
			return false;
		state |= bit;
	}
	if (length % 2 == 0)
		return false;
	*out = (uint16_t)state;
	return true;
}

/* ---- sinks ---- */

struct error *event_sink_begin(struct event_sink *sink, const struct event_info *info)
{
	return sink->begin ? sink->begin(sink, info) : NULL;
}

struct error *event_sink_task(struct event_sink *sink, const struct event_task *task)
{
	return sink->task ? sink->task(sink, task) : NULL;
}

struct error *event_sink_event(struct event_sink *sink, const struct event *event)
{
	return sink->event ? sink->event(sink, event) : NULL;
}

struct error *event_sink_lost(struct event_sink *sink, const struct event_lost *lost)
{
	return sink->lost ? sink->lost(sink, lost) : NULL;
}

struct error *event_sink_mark(struct event_sink *sink, const struct event_mark *mark)
{
	return sink->mark ? sink->mark(sink, mark) : NULL;
}

struct error *event_sink_end(struct event_sink *sink, const struct event_totals *totals)
{
	return sink->end ? sink->end(sink, totals) : NULL;
}

void event_sink_free(struct event_sink *sink)
{
	if (sink && sink->free)
		sink->free(sink);
}

/* ---- several at once ---- */

struct tee {
	struct event_sink sink;
	struct event_sink **sinks;
	int n;
};

/* calls one function of all sinks; the first error ends it */
#define TEE(name, type)                                                                            \
	static struct error *tee_##name(struct event_sink *sink, const struct type *item)          \
	{                                                                                          \
		const struct tee *tee = (struct tee *)sink;                                        \
		struct error *error = NULL;                                                        \
                                                                                                   \
		for (int i = 0; !error && i < tee->n; i++)                                         \
			error = event_sink_##name(tee->sinks[i], item);                            \
		return error;                                                                      \
	}

TEE(begin, event_info)
TEE(task, event_task)
TEE(event, event)
TEE(lost, event_lost)
TEE(mark, event_mark)
TEE(end, event_totals)

static void tee_free(struct event_sink *sink)
{
	struct tee *tee = (struct tee *)sink;

	for (int i = 0; i < tee->n; i++)
		event_sink_free(tee->sinks[i]);
	free(tee->sinks);
	free(tee);
}

struct event_sink *event_tee(struct event_sink *const *sinks, int n)
{
	struct tee *tee = memory_zeroed(1, sizeof(*tee));

	tee->sink = (struct event_sink){
		.begin = tee_begin,
		.task = tee_task,
		.event = tee_event,
		.lost = tee_lost,
		.mark = tee_mark,
		.end = tee_end,
		.free = tee_free,
	};
	tee->sinks = memory_copy(sinks, n * sizeof(struct event_sink *));
	tee->n = n;
	return &tee->sink;
}
