// SPDX-License-Identifier: GPL-2.0-only
/* import_perf.c - perf.data through `perf script`, which knows all its versions */
#include "events/import.h"

#include <string.h>

#include "base/memory.h"
#include "base/subprocess.h"
#include "events/text.h"

/* "# nrcpus avail : 4" of the file's head; 0 if it does not tell */
static int count_cpus(const char *path)
{
	const char *const argv[] = {
		"perf", "script", "--force", "--header-only", "-i", path, NULL
	};
	struct subprocess_output output;
	struct error *error = subprocess_run(argv, NULL, 60, &output);
	const char *line;
	int64_t n = 0;

	if (error) {
		error_free(error);
		return 0;
	}
	line = strstr(output.out, "nrcpus avail : ");
	if (line) {
		line += strlen("nrcpus avail : ");
		if (!text_int(&line, 1, 65536, &n))
			n = 0;
	}
	subprocess_free(&output);
	return (int)n;
}

struct error *event_import_perf(struct event_source *source, const struct machine *machine,
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
				     source->path,
				     NULL };
	autofree char *name = memory_format("perf script of %s", source->name);
	struct subprocess_stream *stream;
	struct error *wrong = event_check_perf(source), *error, *ended;

	error = subprocess_open(argv, &stream);
	if (!error) {
		error = event_import_text(subprocess_stream_file(stream), name, "perf.data",
					  count_cpus(source->path), machine, sink);
		ended = subprocess_close(stream);
		/* what perf itself says is nearer to the cause than that its output is empty */
		if (ended) {
			error_free(error);
			error = ended;
		}
	}
	/* and that the file is cut off nearer than what perf says */
	if (wrong && (!error || error->code == ERR_INPUT)) {
		error_free(error);
		return wrong;
	}
	error_free(wrong);
	return error;
}
