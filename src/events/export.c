// SPDX-License-Identifier: GPL-2.0-only
/* export.c - the list of exports */
#include "events/export.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "events/tasks.h"

static const struct event_export *const exports[] = { &export_perfetto, &export_ftrace, &export_csv,
						      NULL };

const struct event_export *const *event_exports(void)
{
	return exports;
}

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), end_length = strlen(end);

	return length > end_length && !strcmp(text + length - end_length, end);
}

struct error *event_export_find(const char *name, const char *file, const struct event_export **out)
{
	const char *names[ARRAY_SIZE(exports)] = { NULL }, *nearest;
	autofree char *all = NULL, *endings = NULL;

	for (int i = 0; exports[i]; i++) {
		if (name ? !strcmp(exports[i]->name, name)
			 : file && ends_with(file, exports[i]->ending)) {
			*out = exports[i];
			return NULL;
		}
		names[i] = exports[i]->name;
		all = memory_append(all, "%s%s", i ? ", " : "", names[i]);
		endings = memory_append(endings, "%s%s", i ? ", " : "", exports[i]->ending);
	}
	nearest = name ? text_nearest(name, names) : NULL;
	if (nearest)
		return error_new(ERR_INPUT, "there is no format '%s'; did you mean '%s'?", name,
				 nearest);
	if (name)
		return error_new(ERR_INPUT, "there is no format '%s'; there are %s", name, all);
	return error_new(
		ERR_USAGE,
		"which format? --format with one of %s, or a file name that ends in one of "
		"%s",
		all, endings);
}

struct error *export_check(const struct export_base *base)
{
	if (ferror(base->stream))
		return error_errno("cannot write %s", base->name);
	return NULL;
}

struct error *export_end(struct event_sink *sink, const struct event_totals *totals)
{
	const struct export_base *base = (struct export_base *)sink;

	(void)totals;
	if (fflush(base->stream) || ferror(base->stream))
		return error_errno("cannot write %s", base->name);
	return NULL;
}

struct export_base *export_new(size_t size, const struct event_sink *sink, FILE *stream,
			       const char *name)
{
	struct export_base *base = memory_zeroed(1, size);

	base->sink = *sink;
	base->stream = stream;
	base->name = memory_string(name);
	base->tasks = event_tasks_new(0);
	return base;
}

void export_free(struct event_sink *sink)
{
	struct export_base *base = (struct export_base *)sink;

	event_tasks_free(base->tasks);
	free(base->name);
	free(base);
}
