// SPDX-License-Identifier: GPL-2.0-only
/* import.c - the list of formats, and finding out which one a file has */
#include "events/import.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "events/file.h"

static bool begins(const unsigned char *bytes, size_t n, const char *with, size_t length)
{
	return n >= length && !memcmp(bytes, with, length);
}

/* ---- our own ---- */

static bool probe_own(const unsigned char *bytes, size_t n)
{
	return begins(bytes, n, EVENT_FILE_SIGNATURE, strlen(EVENT_FILE_SIGNATURE));
}

static struct error *read_own(const char *path, const struct machine *machine,
			      struct event_sink *sink)
{
	if (!strcmp(path, "-"))
		return event_file_read(STDIN_FILENO, "standard input", machine, sink);
	return event_file_read_path(path, machine, sink);
}

static const struct event_format own_format = {
	.name = "fttrace",
	.summary = "recordings of fairtrial itself",
	.probe = probe_own,
	.read = read_own,
};

/* ---- others ---- */

static struct error *read_text(const char *path, const struct machine *machine,
			       struct event_sink *sink)
{
	struct error *error;
	FILE *stream;

	if (!strcmp(path, "-"))
		return event_import_text(stdin, "standard input", "text", 0, machine, sink);
	stream = fopen(path, "re");
	if (!stream)
		return error_errno("cannot open %s", path);
	error = event_import_text(stream, path, "text", 0, machine, sink);
	fclose(stream);
	return error;
}

static const struct event_format text_format = {
	.name = "text",
	.summary = "what trace_pipe, trace-cmd report or perf script print",
	.read = read_text,
};

static bool probe_perf(const unsigned char *bytes, size_t n)
{
	return begins(bytes, n, "PERFILE2", 8) || begins(bytes, n, "PERFFILE", 8) ||
	       begins(bytes, n, "2ELIFREP", 8);
}

static const struct event_format perf_format = {
	.name = "perf",
	.summary = "perf.data of perf sched record or perf record -e sched:*, through perf script",
	.probe = probe_perf,
	.read = event_import_perf,
};

static bool probe_trace_dat(const unsigned char *bytes, size_t n)
{
	return begins(bytes, n, "\x17\x08\x44tracing", 10);
}

static const struct event_format trace_dat_format = {
	.name = "trace-cmd",
	.summary = "trace.dat of trace-cmd, through libtracecmd",
	.probe = probe_trace_dat,
	.read = event_import_trace_dat,
};

static const struct event_format *const formats[] = { &own_format, &text_format, &perf_format,
						      &trace_dat_format, NULL };

static struct error *find_by_name(const char *name, const struct event_format **out)
{
	const char *names[ARRAY_SIZE(formats)] = { NULL }, *nearest;

	for (int i = 0; formats[i]; i++) {
		if (!strcmp(formats[i]->name, name)) {
			*out = formats[i];
			return NULL;
		}
		names[i] = formats[i]->name;
	}
	nearest = text_nearest(name, names);
	if (nearest)
		return error_new(ERR_INPUT, "there is no format '%s'; did you mean '%s'?", name,
				 nearest);
	return error_new(ERR_INPUT,
			 "there is no format '%s'; there are fttrace, text, perf, "
			 "trace-cmd",
			 name);
}

static struct error *find_by_content(const char *path, const struct event_format **out)
{
	unsigned char bytes[16];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return error_errno("cannot open %s", path);
	n = read(fd, bytes, sizeof(bytes));
	close(fd);
	if (n < 0)
		return error_errno("cannot read %s", path);
	if (!n)
		return error_new(ERR_INPUT, "%s is empty", path);
	*out = &text_format;
	for (int i = 0; formats[i]; i++)
		if (formats[i]->probe && formats[i]->probe(bytes, (size_t)n))
			*out = formats[i];
	return NULL;
}

struct error *event_import(const char *path, const char *format, const struct machine *machine,
			   struct event_sink *sink)
{
	const struct event_format *found = &text_format;
	struct error *error = NULL;
	bool from_stdin = !strcmp(path, "-");

	if (format)
		error = find_by_name(format, &found);
	else if (!from_stdin)
		error = find_by_content(path, &found);
	if (!error && from_stdin && found != &text_format && found != &own_format)
		error = error_new(ERR_INPUT, "a recording of format %s must be a file, not '-'",
				  found->name);
	return error ? error : found->read(path, machine, sink);
}
