// SPDX-License-Identifier: GPL-2.0-only
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "events/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t last;

static struct error *on_event(struct event_sink *sink, const struct event *event)
{
	(void)sink;
	if (event->time < last || event->cpu < 0 || event->kind >= N_EVENT_KINDS)
		abort();
	last = event->time;
	return NULL;
}

static struct error *on_task(struct event_sink *sink, const struct event_task *task)
{
	(void)sink;
	if (task->pid <= 0 || task->name[EVENT_NAME_SIZE - 1])
		abort();
	return NULL;
}

/* time never goes back, ids are in their range, a refusal is bad input */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct event_sink sink = { .event = on_event, .task = on_task };
	FILE *stream = size ? fmemopen((void *)data, size, "r") : NULL;
	struct error *error;

	if (!stream)
		return 0;
	last = 0;
	error = event_import_text(stream, "fuzz", "text", 4, NULL, &sink);
	if (error && error->code != ERR_INPUT)
		abort();
	error_free(error);
	fclose(stream);
	return 0;
}
