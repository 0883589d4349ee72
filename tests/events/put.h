/* SPDX-License-Identifier: GPL-2.0-only */
/* put.h - small streams of events written by hand, pushed into a sink */
#ifndef FT_TESTS_EVENTS_PUT_H
#define FT_TESTS_EVENTS_PUT_H

#include "unit.h"

#include "events/event.h"

#define US 1000ull
#define MS 1000000ull

static struct event_sink *to;

static inline void push(struct event event)
{
	ck_no_error(event_sink_event(to, &event));
}

static inline void put_begin(struct event_sink *sink, const struct machine *machine, int nr_cpus)
{
	struct event_info info = {
		.source = "test", .clock = "none", .machine = machine, .nr_cpus = nr_cpus
	};

	to = sink;
	ck_no_error(event_sink_begin(sink, &info));
}

static inline void put_task(uint64_t time, int pid, int parent, const char *name)
{
	struct event_task task = { .time = time,
				   .pid = pid,
				   .tgid = pid,
				   .parent = parent ? parent : EVENT_NONE,
				   .reason = parent ? EVENT_TASK_FORKED : EVENT_TASK_FOUND };

	snprintf(task.name, sizeof(task.name), "%s", name);
	ck_no_error(event_sink_task(to, &task));
}

static inline void put_switch(uint64_t time, int cpu, int from, unsigned state, int next)
{
	struct event event = event_blank(EVENT_SWITCH, time, cpu);

	event.pid = from;
	event.state = (uint16_t)state;
	event.other = next;
	push(event);
}

/* waking: target is where it ran last; wakeup, wakeup_new: where it is queued */
static inline void put_wake(enum event_kind kind, uint64_t time, int cpu, int pid, int target)
{
	struct event event = event_blank(kind, time, cpu);

	event.pid = pid;
	event.target = target;
	push(event);
}

static inline void put_move(uint64_t time, int pid, int from, int target)
{
	struct event event = event_blank(EVENT_MIGRATE, time, from);

	event.pid = pid;
	event.from = from;
	event.target = target;
	push(event);
}

/* the child is told before, as every source does */
static inline void put_fork(uint64_t time, int cpu, int parent, int child)
{
	struct event event = event_blank(EVENT_FORK, time, cpu);

	put_task(time, child, parent, "child");
	event.pid = parent;
	event.other = child;
	push(event);
}

static inline void put_simple(enum event_kind kind, uint64_t time, int cpu, int pid)
{
	struct event event = event_blank(kind, time, cpu);

	event.pid = pid;
	push(event);
}

static inline void put_mark(enum event_mark_kind kind, uint64_t time, const int32_t *workers, int n)
{
	struct event_mark mark = { .time = time, .kind = kind, .workers = workers, .n_workers = n };

	ck_no_error(event_sink_mark(to, &mark));
}

static inline void put_end(uint64_t last)
{
	struct event_totals totals = { .last = last };

	ck_no_error(event_sink_end(to, &totals));
}

#endif
