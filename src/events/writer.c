// SPDX-License-Identifier: GPL-2.0-only
/* writer.c - a sink that writes blocks */
#include "events/block.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/release.h"
#include "machine/record.h"

/* a block is written when it has this many bytes: large enough to cost nothing, small enough that one
 * that is damaged is no great loss */
#define BLOCK_SIZE 65536

struct writer {
	struct event_sink sink;
	int fd;
	char *name;
	struct event_coder coder;
	struct event_buffer items; /* of the block: its head's bytes first */
	uint32_t n_events;
	uint64_t first, last; /* times of the block */
	bool empty;
};

static struct error *write_all(struct writer *writer, const void *bytes, size_t n)
{
	const char *at = bytes;

	while (n) {
		ssize_t done = write(writer->fd, at, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return error_errno("cannot write %s", writer->name);
		at += done;
		n -= (size_t)done;
	}
	return NULL;
}

static struct error *write_block(struct writer *writer, enum event_block_type type,
				 unsigned char *block, size_t n, uint32_t n_events, uint64_t first)
{
	struct event_block head = {
		.magic = htole32(EVENT_BLOCK_MAGIC),
		.type = htole32(type),
		.length = htole32((uint32_t)(n - sizeof(head))),
		.n_events = htole32(n_events),
		.first = htole64(first),
		.sum = htole64(event_checksum(block + sizeof(head), n - sizeof(head))),
	};

	head.head_sum = htole64(event_checksum(&head, offsetof(struct event_block, head_sum)));
	memcpy(block, &head, sizeof(head));
	return write_all(writer, block, n);
}

static struct error *write_json(struct writer *writer, enum event_block_type type, json_t *json)
{
	struct event_buffer block = { 0 };
	autofree char *text = json_text(json);
	size_t length = strlen(text);
	struct error *error;

	json_decref(json);
	event_buffer_reserve(&block, sizeof(struct event_block) + length);
	memcpy(block.bytes + sizeof(struct event_block), text, length);
	error = write_block(writer, type, block.bytes, sizeof(struct event_block) + length, 0, 0);
	free(block.bytes);
	return error;
}

/* ---- items ---- */

static struct error *flush(struct writer *writer)
{
	struct error *error = NULL;

	if (!writer->empty)
		error = write_block(writer, EVENT_BLOCK_ITEMS, writer->items.bytes, writer->items.n,
				    writer->n_events, writer->first);
	writer->items.n = sizeof(struct event_block);
	writer->n_events = 0;
	writer->empty = true;
	return error;
}

/* before an item: the block takes it in, or a new one begins */
static struct error *make_room(struct writer *writer, uint64_t time)
{
	struct error *error = NULL;

	if (writer->items.n >= BLOCK_SIZE)
		error = flush(writer);
	if (!error && time < writer->last)
		error = error_new(ERR_DOMAIN, "%s: an event is before the one before it",
				  writer->name);
	if (error)
		return error;
	if (writer->empty) {
		event_coder_start(&writer->coder, time);
		writer->first = time;
		writer->empty = false;
	}
	writer->last = time;
	return NULL;
}

static struct error *writer_event(struct event_sink *sink, const struct event *event)
{
	struct writer *writer = (struct writer *)sink;
	struct error *error = make_room(writer, event->time);

	if (error)
		return error;
	event_code_event(&writer->coder, &writer->items, event);
	writer->n_events++;
	return NULL;
}

static struct error *writer_task(struct event_sink *sink, const struct event_task *task)
{
	struct writer *writer = (struct writer *)sink;
	struct error *error = make_room(writer, task->time);

	if (!error)
		event_code_task(&writer->coder, &writer->items, task);
	return error;
}

static struct error *writer_lost(struct event_sink *sink, const struct event_lost *lost)
{
	struct writer *writer = (struct writer *)sink;
	struct error *error = make_room(writer, writer->last);

	if (!error)
		event_code_lost(&writer->coder, &writer->items, lost);
	return error;
}

static struct error *writer_mark(struct event_sink *sink, const struct event_mark *mark)
{
	struct writer *writer = (struct writer *)sink;
	struct error *error = make_room(writer, mark->time);

	if (!error)
		event_code_mark(&writer->coder, &writer->items, mark);
	return error;
}

/* ---- begin and end ---- */

static json_t *text_or_null(const char *text)
{
	return text ? json_string(text) : json_null();
}

static struct error *writer_begin(struct event_sink *sink, const struct event_info *info)
{
	struct writer *writer = (struct writer *)sink;
	unsigned char signature[EVENT_SIGNATURE_SIZE] = EVENT_FILE_SIGNATURE;
	uint32_t version = htole32(EVENT_FILE_VERSION);
	json_t *head = json_object();
	struct error *error;

	json_object_set_new(head, "source", text_or_null(info->source));
	json_object_set_new(head, "clock", text_or_null(info->clock));
	json_object_set_new(head, "kernel", text_or_null(info->kernel));
	json_object_set_new(head, "machine_name", text_or_null(info->machine_name));
	json_object_set_new(head, "nr_cpus", json_integer(info->nr_cpus));
	json_object_set_new(head, "written_by", json_sprintf("fairtrial %s", fairtrial_version()));
	if (info->machine)
		json_object_set_new(head, "machine", machine_to_json(info->machine));
	if (info->online) {
		autofree char *online = cpulist_format(info->online);

		json_object_set_new(head, "online", json_string(online));
	}
	memcpy(signature + 8, &version, sizeof(version));
	error = write_all(writer, signature, sizeof(signature));
	if (error) {
		json_decref(head);
		return error;
	}
	return write_json(writer, EVENT_BLOCK_HEAD, head);
}

static struct error *writer_end(struct event_sink *sink, const struct event_totals *totals)
{
	struct writer *writer = (struct writer *)sink;
	struct error *error = flush(writer);
	json_t *end;

	if (error)
		return error;
	end = json_pack("{s:I, s:I, s:b, s:I, s:I, s:o}", "events", (json_int_t)totals->events,
			"lost", (json_int_t)totals->lost, "lost_unknown", totals->lost_unknown,
			"late", (json_int_t)totals->late, "late_most_ns",
			(json_int_t)totals->late_most_ns, "damage", text_or_null(totals->damage));
	return write_json(writer, EVENT_BLOCK_END, end);
}

static void writer_free(struct event_sink *sink)
{
	struct writer *writer = (struct writer *)sink;

	event_coder_clear(&writer->coder);
	free(writer->items.bytes);
	free(writer->name);
	free(writer);
}

struct event_sink *event_writer_new(int fd, const char *name)
{
	struct writer *writer = memory_zeroed(1, sizeof(*writer));

	writer->sink = (struct event_sink){
		.begin = writer_begin,
		.task = writer_task,
		.event = writer_event,
		.lost = writer_lost,
		.mark = writer_mark,
		.end = writer_end,
		.free = writer_free,
	};
	writer->fd = fd;
	writer->name = memory_string(name);
	writer->empty = true;
	event_buffer_reserve(&writer->items, BLOCK_SIZE * 2);
	writer->items.n = sizeof(struct event_block);
	return &writer->sink;
}
