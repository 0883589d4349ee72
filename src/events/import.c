// SPDX-License-Identifier: GPL-2.0-only
/* import.c - the list of formats, and finding out which one a file has */
#include "events/import.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "events/file.h"

/* ---- our own ---- */

static struct error *read_own(struct event_source *source, const struct machine *machine,
			      struct event_sink *sink)
{
	return event_file_read_source(source, machine, sink);
}

static const struct event_format own_format = {
	.name = "fttrace",
	.summary = "recordings of fairtrial itself",
	.signatures = (const char *const[]){ EVENT_FILE_SIGNATURE, NULL },
	.read = read_own,
};

/* ---- others ---- */

static struct error *read_text(struct event_source *source, const struct machine *machine,
			       struct event_sink *sink)
{
	FILE *stream = event_source_stream(source);
	struct error *error;

	if (!stream)
		return error_errno("cannot open %s", source->name);
	error = event_import_text(stream, source->name, "text", 0, machine, sink);
	fclose(stream);
	return error;
}

static const struct event_format text_format = {
	.name = "text",
	.summary = "what trace_pipe, trace-cmd report or perf script print",
	.read = read_text,
};

static const struct event_format perf_format = {
	.name = "perf",
	.summary = "perf.data of perf sched record or perf record -e sched:*, through perf script",
	.signatures = (const char *const[]){ "PERFILE2", "2ELIFREP", "PERFFILE", NULL },
	.by_path = true,
	.read = event_import_perf,
};

static const struct event_format trace_dat_format = {
	.name = "trace-cmd",
	.summary = "trace.dat of trace-cmd, through libtracecmd",
	.signatures = (const char *const[]){ "\x17\x08\x44tracing", NULL },
	.by_path = true,
	.read = event_import_trace_dat,
};

static const struct event_format *const formats[] = { &own_format, &text_format, &perf_format,
						      &trace_dat_format, NULL };

const struct event_format *const *event_formats(void)
{
	return formats;
}

static struct error *find_by_name(const char *name, const struct event_format **out)
{
	const char *names[ARRAY_SIZE(formats)] = { NULL }, *nearest;
	autofree char *all = NULL;

	for (int i = 0; formats[i]; i++) {
		if (!strcmp(formats[i]->name, name)) {
			*out = formats[i];
			return NULL;
		}
		names[i] = formats[i]->name;
		all = memory_append(all, "%s%s", i ? ", " : "", names[i]);
	}
	nearest = text_nearest(name, names);
	if (nearest)
		return error_new(ERR_INPUT, "there is no format '%s'; did you mean '%s'?", name,
				 nearest);
	return error_new(ERR_INPUT, "there is no format '%s'; there are %s", name, all);
}

/* fewer bytes than this of a signature may be anything */
#define SIGNATURE_LEAST 4

/* does it begin with a signature, or is it the beginning of one? */
static bool begins(const struct event_source *source, const char *signature)
{
	size_t n = strlen(signature);

	if (source->n_first < n)
		n = source->n_first;
	return n >= SIGNATURE_LEAST && !memcmp(source->first, signature, n);
}

static const struct event_format *find_by_content(const struct event_source *source)
{
	for (int i = 0; formats[i]; i++)
		for (int k = 0; formats[i]->signatures && formats[i]->signatures[k]; k++)
			if (begins(source, formats[i]->signatures[k]))
				return formats[i];
	return &text_format;
}

static struct error *needs_file(const char *name, const struct event_format *format)
{
	return error_new(ERR_INPUT,
			 "%s: a recording of format %s must be a file, not a pipe or '-'", name,
			 format->name);
}

struct error *event_import(const char *path, const char *format, const struct machine *machine,
			   struct event_sink *sink)
{
	const struct event_format *found = NULL;
	struct event_source source;
	struct error *error = format ? find_by_name(format, &found) : NULL;

	if (!error && found && found->by_path && !strcmp(path, "-"))
		error = needs_file("standard input", found);
	if (!error)
		error = event_source_open(path, &source);
	if (error)
		return error;
	if (!found)
		found = find_by_content(&source);
	error = found->by_path && !source.path ? needs_file(source.name, found)
					       : found->read(&source, machine, sink);
	event_source_close(&source);
	return error;
}
