// SPDX-License-Identifier: GPL-2.0-only
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/ordered_json.h"
#include "workload/rtapp_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_value(const struct ojson *value, bool member)
{
	if (value->line < 1 || value->column < 1 || member != (value->key != NULL) || value->n < 0)
		abort();
	if (value->n && value->type != OJSON_ARRAY && value->type != OJSON_OBJECT)
		abort();
	for (int i = 0; i < value->n; i++)
		check_value(&value->items[i], value->type == OJSON_OBJECT);
}

static void drop(struct error *error)
{
	if (error->code != ERR_INPUT || !error->file || !error->message)
		abort();
	error_free(error);
}

static void check_event(const struct rtapp_file *file, const struct rtapp_event *event)
{
	if (event->kind >= N_RTAPP_EVENTS || event->object >= file->n_objects ||
	    event->mutex >= file->n_objects)
		abort();
	if (event->kind == RTAPP_TIMER && (!event->ns || event->object < 0))
		abort();
	if (event->mutex >= 0 && file->objects[event->mutex].kind != RTAPP_MUTEX)
		abort();
}

static void check_file(const struct rtapp_file *file)
{
	if (rtapp_threads(file) < 1 || rtapp_threads(file) > RTAPP_THREADS)
		abort();
	for (int i = 0; i < file->n_tasks; i++)
		for (int j = 0; j < file->tasks[i].n_phases; j++)
			for (int k = 0; k < file->tasks[i].phases[j].n_events; k++)
				check_event(file, &file->tasks[i].phases[j].events[k]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rtapp_file *file;
	struct ojson *value;
	struct error *error;

	error = ojson_parse("fuzz", (const char *)data, size, &value);
	if (error) {
		drop(error);
	} else {
		check_value(value, false);
		ojson_free(value);
	}
	error = rtapp_parse("fuzz", (const char *)data, size, &file);
	if (error) {
		drop(error);
		return 0;
	}
	check_file(file);
	rtapp_free(file);
	return 0;
}
