// SPDX-License-Identifier: GPL-2.0-only
/* import_perf.c - perf.data through `perf script`, which knows all its versions */
#include "events/import.h"

#include "base/memory.h"
#include "base/subprocess.h"

struct error *event_import_perf(const char *path, const struct machine *machine,
				struct event_sink *sink)
{
	/* --force: a file of another user may be read, too; nothing in it is executed */
	const char *const argv[] = { "perf",
				     "script",
				     "--force",
				     "--ns",
				     "--show-lost-events",
				     "-F",
				     "comm,pid,tid,cpu,time,event,trace",
				     "-i",
				     path,
				     NULL };
	autofree char *name = memory_format("perf script of %s", path);
	struct subprocess_stream *stream;
	struct error *error = subprocess_open(argv, &stream), *ended;

	if (error)
		return error;
	error = event_import_text(subprocess_stream_file(stream), name, "perf.data", machine, sink);
	ended = subprocess_close(stream);
	/* what perf itself says is nearer to the cause than that its output is empty */
	if (ended && error) {
		error_free(error);
		return ended;
	}
	return error ? error : ended;
}
