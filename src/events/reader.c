// SPDX-License-Identifier: GPL-2.0-only
/* reader.c - blocks of a file into a sink; after damage it goes on with the next whole block */
#include "events/block.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "machine/record.h"

#define READ_SIZE (256u << 10)

#define FIRST_BLOCK "the first block of a recording of fairtrial (fttrace)"

struct reader {
	int fd;
	const char *name;
	struct event_sink *sink;
	unsigned char *bytes; /* of the file, from byte `offset` on */
	size_t n, room;
	size_t at; /* within bytes */
	uint64_t offset;
	bool ended; /* no more bytes come */

	json_t *head, *end;
	const struct machine *given; /* in place of the file's, or NULL */
	struct machine *machine;
	hwloc_bitmap_t online;
	struct event_coder coder;
	struct event_item item;
	struct event_totals totals;
	char *damage; /* the first one, NULL: none */
	/* something is missing before the next block: how many events, if known */
	bool gap, gap_unknown;
	uint64_t gap_events;
};

/* ---- bytes of the file ---- */

/* makes @n bytes available at the place, fewer at the end of the file */
static struct error *need(struct reader *reader, size_t n)
{
	while (!reader->ended && reader->n - reader->at < n) {
		ssize_t got;

		if (reader->at) {
			memmove(reader->bytes, reader->bytes + reader->at, reader->n - reader->at);
			reader->n -= reader->at;
			reader->offset += reader->at;
			reader->at = 0;
		}
		if (reader->room < reader->n + READ_SIZE) {
			reader->room = reader->n + 2 * READ_SIZE;
			reader->bytes = memory_resized(reader->bytes, reader->room, 1);
		}
		got = read(reader->fd, reader->bytes + reader->n, reader->room - reader->n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return error_errno("cannot read %s", reader->name);
		reader->ended = !got;
		reader->n += (size_t)got;
	}
	return NULL;
}

static size_t available(const struct reader *reader)
{
	return reader->n - reader->at;
}

/* remembers the first damage; @at: within the bytes */
static void damaged(struct reader *reader, size_t at, const char *what)
{
	if (!reader->damage)
		reader->damage = memory_format("%s, byte %" PRIu64 ": %s", reader->name,
					       reader->offset + at, what);
	reader->gap = true;
}

static struct error *none_of_ours(const struct reader *reader, const char *what)
{
	return error_new(ERR_INPUT, "%s, byte %" PRIu64 ": %s", reader->name,
			 reader->offset + reader->at, what);
}

/* ---- blocks ---- */

static bool read_head(const struct reader *reader, size_t at, struct event_block *out)
{
	struct event_block raw;

	memcpy(&raw, reader->bytes + at, sizeof(raw));
	if (le32toh(raw.magic) != EVENT_BLOCK_MAGIC ||
	    le64toh(raw.head_sum) != event_checksum(&raw, offsetof(struct event_block, head_sum)))
		return false;
	*out = (struct event_block){
		.type = le32toh(raw.type),
		.length = le32toh(raw.length),
		.n_events = le32toh(raw.n_events),
		.first = le64toh(raw.first),
		.sum = le64toh(raw.sum),
	};
	return out->length <= EVENT_BLOCK_MOST;
}

/* the next head that is whole, from the place on; false at the end of the file */
static struct error *find_head(struct reader *reader, struct event_block *head, bool *found)
{
	*found = false;
	for (;;) {
		struct error *error = need(reader, sizeof(*head));

		if (error)
			return error;
		if (available(reader) < sizeof(*head)) {
			if (available(reader))
				damaged(reader, reader->at, "the file is cut off within a block");
			return NULL;
		}
		if (read_head(reader, reader->at, head)) {
			*found = true;
			return NULL;
		}
		damaged(reader, reader->at, "there is no whole block here");
		reader->gap_unknown = true;
		reader->at++;
	}
}

/* @length bytes at the place, which must be a JSON object; NULL if they are not */
static json_t *read_json(const struct reader *reader, size_t length)
{
	json_error_t problem;
	json_t *json = json_loadb((const char *)reader->bytes + reader->at, length,
				  JSON_REJECT_DUPLICATES, &problem);

	if (json && !json_is_object(json)) {
		json_decref(json);
		json = NULL;
	}
	return json;
}

/* what was lost before the item of that time */
static struct error *tell_gap(struct reader *reader, uint64_t time)
{
	struct event_lost lost = { .cpu = EVENT_NONE, .from = reader->totals.last, .to = time };
	struct error *error = NULL;

	if (!reader->gap)
		return NULL;
	reader->gap = false;
	if (reader->gap_events) {
		lost.count = reader->gap_events;
		reader->totals.lost += lost.count;
		error = event_sink_lost(reader->sink, &lost);
	}
	if (!error && reader->gap_unknown) {
		lost.count = 0;
		reader->totals.lost_unknown = true;
		error = event_sink_lost(reader->sink, &lost);
	}
	reader->gap_events = 0;
	reader->gap_unknown = false;
	return error;
}

static struct error *deliver(struct reader *reader)
{
	struct event_item *item = &reader->item;

	switch (item->kind) {
	case EVENT_ITEM_EVENT:
		if (!reader->totals.events++)
			reader->totals.first = item->event.time;
		reader->totals.last = item->event.time;
		return event_sink_event(reader->sink, &item->event);
	case EVENT_ITEM_TASK:
		return event_sink_task(reader->sink, &item->task);
	case EVENT_ITEM_LOST:
		reader->totals.lost += item->lost.count;
		reader->totals.lost_unknown |= !item->lost.count;
		return event_sink_lost(reader->sink, &item->lost);
	case EVENT_ITEM_MARK:
		return event_sink_mark(reader->sink, &item->mark);
	}
	return NULL;
}

static struct error *read_items(struct reader *reader, const struct event_block *head)
{
	const unsigned char *at = reader->bytes + reader->at, *end = at + head->length;
	uint64_t before = reader->totals.events;
	struct error *error;

	/* a file that was put together by hand: time must not go back */
	if (head->first < reader->totals.last) {
		damaged(reader, reader->at, "a block is earlier than the one before it");
		reader->gap_events += head->n_events;
		return NULL;
	}
	error = tell_gap(reader, head->first);
	event_coder_start(&reader->coder, head->first);
	while (!error && at < end) {
		const unsigned char *start = at;
		const char *what = event_decode(&reader->coder, &at, end, &reader->item);

		if (what) {
			damaged(reader, (size_t)(start - reader->bytes), what);
			break;
		}
		error = deliver(reader);
	}
	before = reader->totals.events - before;
	if (!error && before != head->n_events) {
		damaged(reader, reader->at, "a block has another number of events than it says");
		if (before < head->n_events)
			reader->gap_events += head->n_events - before;
		else
			reader->gap_unknown = true;
	}
	return error;
}

static void read_end(struct reader *reader, const struct event_block *head)
{
	reader->end = read_json(reader, head->length);
	if (!reader->end)
		damaged(reader, reader->at, "what is said at the end cannot be read");
}

static struct error *read_block(struct reader *reader, const struct event_block *head)
{
	const unsigned char *content = reader->bytes + reader->at;
	struct error *error = NULL;

	if (available(reader) < head->length) {
		damaged(reader, reader->n, "the file is cut off within a block");
		reader->gap_events += head->n_events;
		reader->at = reader->n;
		return NULL;
	}
	if (event_checksum(content, head->length) != head->sum) {
		damaged(reader, reader->at, "the content of a block does not fit its checksum");
		reader->gap_events += head->n_events;
		reader->gap_unknown |= !head->n_events;
	} else if (head->type == EVENT_BLOCK_ITEMS) {
		error = read_items(reader, head);
	} else if (head->type == EVENT_BLOCK_END) {
		read_end(reader, head);
	} else {
		damaged(reader, reader->at, "a block of an unknown kind");
		reader->gap_unknown = true;
	}
	reader->at += head->length;
	return error;
}

/* ---- begin ---- */

static struct error *read_signature(struct reader *reader)
{
	struct error *error = need(reader, EVENT_SIGNATURE_SIZE);
	uint32_t version;

	if (error)
		return error;
	if (memcmp(reader->bytes, EVENT_FILE_SIGNATURE,
		   available(reader) < 8 ? available(reader) : 8) != 0 ||
	    !available(reader))
		return none_of_ours(reader, "this is not a recording of fairtrial");
	if (available(reader) < EVENT_SIGNATURE_SIZE)
		return error_new(ERR_INPUT,
				 "%s, byte %zu: a recording of fairtrial (fttrace) that is cut off "
				 "within its signature",
				 reader->name, available(reader));
	memcpy(&version, reader->bytes + 8, sizeof(version));
	version = le32toh(version);
	if (version > EVENT_FILE_VERSION)
		return error_new(ERR_INPUT,
				 "%s, byte 8: the file has version %" PRIu32
				 " of the format; this fairtrial reads up to %d",
				 reader->name, version, EVENT_FILE_VERSION);
	reader->at = EVENT_SIGNATURE_SIZE;
	return NULL;
}

static struct error *read_info(struct reader *reader)
{
	struct event_block head;
	struct error *error = need(reader, sizeof(head));

	if (error)
		return error;
	if (available(reader) < sizeof(head) || !read_head(reader, reader->at, &head) ||
	    head.type != EVENT_BLOCK_HEAD)
		return none_of_ours(reader, FIRST_BLOCK " is damaged or cut off");
	reader->at += sizeof(head);
	error = need(reader, head.length);
	if (error)
		return error;
	if (available(reader) < head.length ||
	    event_checksum(reader->bytes + reader->at, head.length) != head.sum)
		return none_of_ours(reader, FIRST_BLOCK " is damaged or cut off");
	reader->head = read_json(reader, head.length);
	if (!reader->head)
		return none_of_ours(reader, FIRST_BLOCK " cannot be read");
	reader->at += head.length;
	return NULL;
}

static const char *text_of(const struct reader *reader, const char *key)
{
	return json_string_value(json_object_get(reader->head, key));
}

static struct error *begin(struct reader *reader)
{
	const json_t *machine = json_object_get(reader->head, "machine");
	const char *online = text_of(reader, "online");
	json_int_t nr_cpus = json_integer_value(json_object_get(reader->head, "nr_cpus"));
	struct event_info info = {
		.source = text_of(reader, "source"),
		.clock = text_of(reader, "clock"),
		.kernel = text_of(reader, "kernel"),
		.machine_name = text_of(reader, "machine_name"),
	};
	struct error *error = NULL;

	if (machine && !reader->given)
		error = machine_from_json(machine, reader->name, &reader->machine);
	reader->online = hwloc_bitmap_alloc();
	if (!error && online && *online)
		error = error_prefix(cpulist_parse(online, reader->online), "%s: online",
				     reader->name);
	if (!error && (nr_cpus < 0 || nr_cpus > 65536))
		error = error_new(ERR_INPUT, "%s: nr_cpus is not a number of CPUs", reader->name);
	if (error)
		return error;
	if (!info.source)
		info.source = "not known";
	if (!info.clock)
		info.clock = "not known";
	if (!info.machine_name)
		info.machine_name = "not known";
	info.nr_cpus = (int)nr_cpus;
	info.machine = reader->given ? reader->given : reader->machine;
	if (reader->given)
		info.machine_name = reader->given->name;
	info.online = online ? reader->online : NULL;
	return event_sink_begin(reader->sink, &info);
}

/* ---- end ---- */

static uint64_t number_of(const json_t *object, const char *key)
{
	json_int_t number = json_integer_value(json_object_get(object, key));

	return number > 0 ? (uint64_t)number : 0;
}

static struct error *finish(struct reader *reader)
{
	struct event_totals *totals = &reader->totals;
	const char *before = json_string_value(json_object_get(reader->end, "damage"));
	struct error *error;

	if (!reader->end) {
		damaged(reader, reader->n,
			"the file has no end: the recording was stopped or is cut off");
		reader->gap_unknown |= !reader->gap_events;
	}
	error = tell_gap(reader, totals->last);
	totals->late = number_of(reader->end, "late");
	totals->late_most_ns = number_of(reader->end, "late_most_ns");
	totals->lost_unknown |= json_is_true(json_object_get(reader->end, "lost_unknown"));
	totals->damage = reader->damage ? reader->damage : before;
	if (!error)
		error = event_sink_end(reader->sink, totals);
	if (!error && reader->damage)
		error = error_new(ERR_INPUT, "%s", reader->damage);
	return error;
}

static struct error *read_all(struct reader *reader)
{
	struct error *error = read_signature(reader);

	if (!error)
		error = read_info(reader);
	if (!error)
		error = begin(reader);
	while (!error && !reader->end) {
		struct event_block head;
		bool found;

		error = find_head(reader, &head, &found);
		if (error || !found)
			break;
		reader->at += sizeof(head);
		error = need(reader, head.length);
		if (!error)
			error = read_block(reader, &head);
	}
	return error ? error : finish(reader);
}

static struct error *read_stream(int fd, const struct event_source *begun, const char *name,
				 const struct machine *machine, struct event_sink *sink)
{
	struct reader reader = { .fd = fd, .name = name, .given = machine, .sink = sink };
	struct error *error;

	if (begun && begun->taken) {
		reader.room = READ_SIZE;
		reader.bytes = memory_zeroed(reader.room, 1);
		memcpy(reader.bytes, begun->first, begun->n_first);
		reader.n = begun->n_first;
	}
	error = read_all(&reader);

	json_decref(reader.head);
	json_decref(reader.end);
	machine_close(reader.machine);
	if (reader.online)
		hwloc_bitmap_free(reader.online);
	event_coder_clear(&reader.coder);
	free(reader.item.workers);
	free(reader.item.note);
	free(reader.damage);
	free(reader.bytes);
	return error;
}

struct error *event_file_read(int fd, const char *name, const struct machine *machine,
			      struct event_sink *sink)
{
	return read_stream(fd, NULL, name, machine, sink);
}

struct error *event_file_read_source(const struct event_source *source,
				     const struct machine *machine, struct event_sink *sink)
{
	return read_stream(source->fd, source, source->name, machine, sink);
}

struct error *event_file_read_path(const char *path, const struct machine *machine,
				   struct event_sink *sink)
{
	struct error *error;
	int fd;

	error = file_open(path, &fd);
	if (error)
		return error;
	error = event_file_read(fd, path, machine, sink);
	close(fd);
	return error;
}
