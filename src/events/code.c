// SPDX-License-Identifier: GPL-2.0-only
/* code.c - items as bytes: docs/events.md, "Items" */
#include "events/file.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define KIND_MASK    0x1f
#define SAME_CPU     0x20
#define SAME_CURRENT 0x40

/* numbers of items that are no events; those of events are enum event_kind */
#define CODE_TASK 28
#define CODE_LOST 29
#define CODE_MARK 30

#define MOST_CPUS    65536
#define MOST_WORKERS 1000000
#define MOST_NOTE    4096

/* which fields a kind has, in the order in which they are coded */
enum field {
	PID = 1,
	OTHER = 2,
	FROM = 4,
	TARGET = 8,
	STATE = 16,
	PRIO = 32,
	OTHER_PRIO = 64,
};

static const uint8_t fields_of[N_EVENT_KINDS] = {
	[EVENT_SWITCH] = PID | OTHER | STATE | PRIO | OTHER_PRIO,
	[EVENT_WAKING] = PID | TARGET | PRIO,
	[EVENT_WAKEUP] = PID | TARGET | PRIO,
	[EVENT_WAKEUP_NEW] = PID | TARGET | PRIO,
	[EVENT_MIGRATE] = PID | FROM | TARGET | PRIO,
	[EVENT_FORK] = PID | OTHER,
	[EVENT_EXEC] = PID | OTHER,
	[EVENT_EXIT] = PID | PRIO,
	[EVENT_WAIT] = PID | OTHER | PRIO,
	[EVENT_IDLE_ENTER] = STATE,
	[EVENT_CPU_OFFLINE] = TARGET,
	[EVENT_CPU_ONLINE] = TARGET,
};

/* ---- bytes ---- */

void event_buffer_reserve(struct event_buffer *buffer, size_t more)
{
	if (buffer->n + more <= buffer->room)
		return;
	buffer->room = buffer->room ? buffer->room : 4096;
	while (buffer->n + more > buffer->room)
		buffer->room *= 2;
	buffer->bytes = memory_resized(buffer->bytes, buffer->room, 1);
}

/* room for any item but the variable parts of tasks and marks */
#define ITEM_ROOM 128

static inline void put_number(struct event_buffer *to, uint64_t number)
{
	while (number >= 0x80) {
		to->bytes[to->n++] = (unsigned char)(number | 0x80);
		number >>= 7;
	}
	to->bytes[to->n++] = (unsigned char)number;
}

static inline bool get_number(const unsigned char **at, const unsigned char *end, uint64_t *out)
{
	uint64_t number = 0;

	for (int shift = 0; shift < 64 && *at < end; shift += 7) {
		unsigned char byte = *(*at)++;

		if (shift == 63 && byte > 1)
			return false;
		number |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			*out = number;
			return true;
		}
	}
	return false;
}

static inline uint64_t zigzag(int64_t number)
{
	return ((uint64_t)number << 1) ^ (uint64_t)(number >> 63);
}

static inline int64_t unzigzag(uint64_t number)
{
	return (int64_t)(number >> 1) ^ -(int64_t)(number & 1);
}

/* an id or CPU: 0 none, 1 the base, else 2 + the zigzag difference from zero or from the base */
static inline void put_id(struct event_buffer *to, int32_t id, int32_t base)
{
	if (id == EVENT_NONE)
		put_number(to, 0);
	else if (id == base)
		put_number(to, 1);
	else
		put_number(to, zigzag(id) + 2);
}

static inline bool get_id(const unsigned char **at, const unsigned char *end, int32_t base,
			  int32_t *out)
{
	uint64_t code;
	int64_t id;

	if (!get_number(at, end, &code))
		return false;
	if (code < 2) {
		*out = code ? base : EVENT_NONE;
		return true;
	}
	id = unzigzag(code - 2);
	if (id <= INT32_MIN || id > INT32_MAX)
		return false;
	*out = (int32_t)id;
	return true;
}

/* a priority: 0 none, else 1 + the zigzag difference from 120, nice 0 */
static inline void put_prio(struct event_buffer *to, int16_t prio)
{
	put_number(to, prio == EVENT_PRIO_NONE ? 0 : zigzag(prio - 120) + 1);
}

static inline bool get_prio(const unsigned char **at, const unsigned char *end, int16_t *out)
{
	uint64_t code;
	int64_t prio;

	if (!get_number(at, end, &code))
		return false;
	prio = code ? unzigzag(code - 1) + 120 : EVENT_PRIO_NONE;
	if (code && (prio <= INT16_MIN || prio > INT16_MAX))
		return false;
	*out = (int16_t)prio;
	return true;
}

/* ---- the coder ---- */

void event_coder_start(struct event_coder *coder, uint64_t time)
{
	coder->time = time;
	coder->cpu = 0;
	for (int i = 0; i < coder->n_cpus; i++)
		coder->current[i] = EVENT_NONE;
}

void event_coder_clear(struct event_coder *coder)
{
	free(coder->current);
	*coder = (struct event_coder){ 0 };
}

static void coder_grow(struct event_coder *coder, int32_t cpu)
{
	int32_t n = coder->n_cpus ? coder->n_cpus : 8;

	while (n <= cpu)
		n *= 2;
	coder->current = memory_resized(coder->current, n, sizeof(*coder->current));
	for (int i = coder->n_cpus; i < n; i++)
		coder->current[i] = EVENT_NONE;
	coder->n_cpus = n;
}

void event_code_event(struct event_coder *coder, struct event_buffer *to, const struct event *event)
{
	unsigned int fields = fields_of[event->kind];
	int32_t cpu = event->cpu;
	unsigned int head = event->kind;

	event_buffer_reserve(to, ITEM_ROOM);
	if (cpu >= coder->n_cpus)
		coder_grow(coder, cpu);
	if (cpu == coder->cpu)
		head |= SAME_CPU;
	if (event->current == coder->current[cpu])
		head |= SAME_CURRENT;
	to->bytes[to->n++] = (unsigned char)head;
	put_number(to, event->time - coder->time);
	if (!(head & SAME_CPU))
		put_number(to, (uint64_t)cpu);
	if (!(head & SAME_CURRENT))
		put_id(to, event->current, EVENT_NONE);
	if (fields & PID)
		put_id(to, event->pid, event->current);
	if (fields & OTHER)
		put_id(to, event->other, event->current);
	if (fields & FROM)
		put_id(to, event->from, cpu);
	if (fields & TARGET)
		put_id(to, event->target, cpu);
	if (fields & STATE)
		put_number(to, event->state);
	if (fields & PRIO)
		put_prio(to, event->prio);
	if (fields & OTHER_PRIO)
		put_prio(to, event->other_prio);
	coder->time = event->time;
	coder->cpu = cpu;
	coder->current[cpu] = event->kind == EVENT_SWITCH ? event->other : event->current;
}

void event_code_task(struct event_coder *coder, struct event_buffer *to,
		     const struct event_task *task)
{
	size_t length = strnlen(task->name, EVENT_NAME_SIZE);

	event_buffer_reserve(to, ITEM_ROOM + length);
	to->bytes[to->n++] = CODE_TASK;
	put_number(to, task->time - coder->time);
	put_id(to, task->pid, EVENT_NONE);
	put_id(to, task->tgid, task->pid);
	put_id(to, task->parent, EVENT_NONE);
	to->bytes[to->n++] = (unsigned char)(task->reason | (task->kernel ? 4 : 0));
	to->bytes[to->n++] = (unsigned char)length;
	memcpy(to->bytes + to->n, task->name, length);
	to->n += length;
	coder->time = task->time;
}

void event_code_lost(struct event_coder *coder, struct event_buffer *to,
		     const struct event_lost *lost)
{
	(void)coder;
	event_buffer_reserve(to, ITEM_ROOM);
	to->bytes[to->n++] = CODE_LOST;
	put_id(to, lost->cpu, EVENT_NONE);
	put_number(to, lost->count);
	put_number(to, lost->from);
	put_number(to, lost->to);
}

void event_code_mark(struct event_coder *coder, struct event_buffer *to,
		     const struct event_mark *mark)
{
	size_t length = mark->note ? strnlen(mark->note, MOST_NOTE) : 0;

	event_buffer_reserve(to, ITEM_ROOM + (size_t)mark->n_workers * 5 + length);
	to->bytes[to->n++] = CODE_MARK;
	put_number(to, mark->time - coder->time);
	to->bytes[to->n++] = (unsigned char)mark->kind;
	put_number(to, (uint64_t)mark->n_workers);
	for (int i = 0; i < mark->n_workers; i++)
		put_id(to, mark->workers[i], i ? mark->workers[i - 1] : EVENT_NONE);
	put_number(to, mark->note ? length + 1 : 0);
	if (length)
		memcpy(to->bytes + to->n, mark->note, length);
	to->n += length;
	coder->time = mark->time;
}

/* ---- decoding ---- */

static const char cut_off[] = "an item is cut off, or a number is out of range";

static inline bool get_time(struct event_coder *coder, const unsigned char **at,
			    const unsigned char *end, uint64_t *out)
{
	uint64_t step;

	if (!get_number(at, end, &step) || step > UINT64_MAX - coder->time)
		return false;
	coder->time += step;
	*out = coder->time;
	return true;
}

static const char *decode_event(struct event_coder *coder, unsigned int head,
				const unsigned char **at, const unsigned char *end,
				struct event *event)
{
	unsigned int kind = head & KIND_MASK, fields;
	uint64_t number;

	if (kind >= N_EVENT_KINDS)
		return "an item of an unknown kind";
	fields = fields_of[kind];
	*event = event_blank(kind, 0, coder->cpu);
	if (!get_time(coder, at, end, &event->time))
		return cut_off;
	if (!(head & SAME_CPU)) {
		if (!get_number(at, end, &number) || number >= MOST_CPUS)
			return cut_off;
		event->cpu = (int32_t)number;
	}
	if (event->cpu >= coder->n_cpus)
		coder_grow(coder, event->cpu);
	if (head & SAME_CURRENT)
		event->current = coder->current[event->cpu];
	else if (!get_id(at, end, EVENT_NONE, &event->current))
		return cut_off;
	if (fields & PID && !get_id(at, end, event->current, &event->pid))
		return cut_off;
	if (fields & OTHER && !get_id(at, end, event->current, &event->other))
		return cut_off;
	if (fields & FROM && !get_id(at, end, event->cpu, &event->from))
		return cut_off;
	if (fields & TARGET && !get_id(at, end, event->cpu, &event->target))
		return cut_off;
	if (fields & STATE) {
		if (!get_number(at, end, &number) || number > UINT16_MAX)
			return cut_off;
		event->state = (uint16_t)number;
	}
	if (fields & PRIO && !get_prio(at, end, &event->prio))
		return cut_off;
	if (fields & OTHER_PRIO && !get_prio(at, end, &event->other_prio))
		return cut_off;
	coder->cpu = event->cpu;
	coder->current[event->cpu] = kind == EVENT_SWITCH ? event->other : event->current;
	return NULL;
}

static const char *decode_task(struct event_coder *coder, const unsigned char **at,
			       const unsigned char *end, struct event_task *task)
{
	unsigned int flags, length;

	*task = (struct event_task){ 0 };
	if (!get_time(coder, at, end, &task->time) || !get_id(at, end, EVENT_NONE, &task->pid) ||
	    !get_id(at, end, task->pid, &task->tgid) ||
	    !get_id(at, end, EVENT_NONE, &task->parent) || end - *at < 2)
		return cut_off;
	flags = *(*at)++;
	length = *(*at)++;
	if ((flags & 3) > EVENT_TASK_NAMED || flags > 7)
		return "a task of an unknown kind";
	if (length >= EVENT_NAME_SIZE || (size_t)(end - *at) < length)
		return cut_off;
	task->reason = flags & 3;
	task->kernel = flags & 4;
	memcpy(task->name, *at, length);
	*at += length;
	return NULL;
}

static const char *decode_lost(const unsigned char **at, const unsigned char *end,
			       struct event_lost *lost)
{
	if (!get_id(at, end, EVENT_NONE, &lost->cpu) || !get_number(at, end, &lost->count) ||
	    !get_number(at, end, &lost->from) || !get_number(at, end, &lost->to))
		return cut_off;
	return NULL;
}

static const char *decode_mark(struct event_coder *coder, const unsigned char **at,
			       const unsigned char *end, struct event_item *item)
{
	struct event_mark *mark = &item->mark;
	uint64_t n, length;

	if (!get_time(coder, at, end, &mark->time) || *at == end)
		return cut_off;
	mark->kind = *(*at)++;
	if (mark->kind > EVENT_MARK_END)
		return "a mark of an unknown kind";
	if (!get_number(at, end, &n) || n > MOST_WORKERS || n > (size_t)(end - *at))
		return cut_off;
	item->workers = memory_resized(item->workers, n ? n : 1, sizeof(*item->workers));
	for (uint64_t i = 0; i < n; i++)
		if (!get_id(at, end, i ? item->workers[i - 1] : EVENT_NONE, &item->workers[i]))
			return cut_off;
	mark->workers = item->workers;
	mark->n_workers = (int)n;
	if (!get_number(at, end, &length) || length > MOST_NOTE + 1 ||
	    (length && length - 1 > (size_t)(end - *at)))
		return cut_off;
	free(item->note);
	item->note = length ? memory_string_n((const char *)*at, length - 1) : NULL;
	mark->note = item->note;
	*at += length ? length - 1 : 0;
	return NULL;
}

const char *event_decode(struct event_coder *coder, const unsigned char **at,
			 const unsigned char *end, struct event_item *item)
{
	unsigned int head;

	if (*at == end)
		return cut_off;
	head = *(*at)++;
	switch (head) {
	case CODE_TASK:
		item->kind = EVENT_ITEM_TASK;
		return decode_task(coder, at, end, &item->task);
	case CODE_LOST:
		item->kind = EVENT_ITEM_LOST;
		return decode_lost(at, end, &item->lost);
	case CODE_MARK:
		item->kind = EVENT_ITEM_MARK;
		return decode_mark(coder, at, end, item);
	}
	item->kind = EVENT_ITEM_EVENT;
	return decode_event(coder, head, at, end, &item->event);
}

uint64_t event_checksum(const void *bytes, size_t n)
{
	const uint64_t prime = UINT64_C(0x100000001b3);
	uint64_t sum = UINT64_C(0xcbf29ce484222325), word;
	const unsigned char *at = bytes;

	for (size_t left = n; left; left -= left < 8 ? left : 8, at += 8) {
		word = 0;
		memcpy(&word, at, left < 8 ? left : 8);
		sum = (sum ^ le64toh(word)) * prime;
	}
	sum = (sum ^ n) * prime;
	return sum ^ sum >> 32;
}
