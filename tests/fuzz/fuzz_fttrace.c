// SPDX-License-Identifier: GPL-2.0-only
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "events/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int ended;

static struct error *on_event(struct event_sink *sink, const struct event *event)
{
	(void)sink;
	if (event->cpu < 0 || event->kind >= N_EVENT_KINDS)
		abort();
	return NULL;
}

static struct error *on_end(struct event_sink *sink, const struct event_totals *totals)
{
	(void)sink;
	if (totals->first > totals->last)
		abort();
	ended++;
	return NULL;
}

/* items, whatever their checksums: the decoder alone */
static void decode(const uint8_t *data, size_t size)
{
	struct event_coder coder = { 0 };
	struct event_item item = { 0 };
	const unsigned char *at = data, *end = data + size;

	event_coder_start(&coder, 0);
	while (at < end && !event_decode(&coder, &at, end, &item))
		if (at > end)
			abort();
	event_coder_clear(&coder);
	free(item.workers);
	free(item.note);
}

/* what is read ends once, and a refusal is bad input */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct event_sink sink = { .event = on_event, .end = on_end };
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct error *error;

	decode(data, size);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET))
		abort();
	ended = 0;
	error = event_file_read(fd, "fuzz", NULL, &sink);
	if (ended > 1 || (!error && ended != 1) || (error && error->code != ERR_INPUT))
		abort();
	error_free(error);
	close(fd);
	return 0;
}
