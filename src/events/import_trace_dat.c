// SPDX-License-Identifier: GPL-2.0-only
/*
 * import_trace_dat.c - trace.dat through libtracecmd
 *
 * The library trusts its files, so it runs in a process of its own that writes the stream in our own
 * format into a pipe: what a damaged file does to it there is an error message here.
 */
#include "events/import.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <trace-cmd.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "events/feed.h"
#include "events/file.h"
#include "events/raw.h"

/* records come sorted over the CPUs already */
#define WINDOW 256

struct reading {
	struct raw_decoder *decoder;
	struct event_feed *feed;
	struct error *error;
};

static int on_record(struct tracecmd_input *input, struct tep_record *record, int cpu, void *data)
{
	struct reading *reading = data;

	(void)input;
	if (record->missed_events) {
		struct event_lost lost = { .cpu = cpu, .to = record->ts };

		if (record->missed_events > 0)
			lost.count = (uint64_t)record->missed_events;
		reading->error = event_feed_lost(reading->feed, &lost);
	}
	if (!reading->error)
		reading->error = raw_decode(reading->decoder, reading->feed, cpu, record->ts,
					    record->data, (size_t)record->size);
	return reading->error ? -1 : 0;
}

static struct error *read_input(struct tracecmd_input *input, const char *path,
				struct event_sink *sink)
{
	struct tep_handle *tep = tracecmd_get_tep(input);
	struct event_info info = {
		.source = "trace.dat",
		.clock = "not known",
		.machine_name = "not known",
		.nr_cpus = tep_get_cpus(tep),
	};
	struct reading reading = { .feed = event_feed_new(sink, WINDOW) };
	struct error *error = raw_decoder_new(tep, &reading.decoder);

	error = error_prefix(error, "%s", path);
	if (!error)
		error = event_feed_begin(reading.feed, &info);
	if (!error) {
		bool broken = tracecmd_iterate_events(input, NULL, 0, on_record, &reading) < 0;

		error = reading.error;
		if (!error && broken)
			error = error_new(ERR_INPUT, "%s: libtracecmd cannot read all of it", path);
	}
	if (!error)
		error = event_feed_end(reading.feed, NULL);
	event_feed_free(reading.feed);
	raw_decoder_free(reading.decoder);
	return error;
}

/* in the process of its own; @fds: for the stream, and for why it failed */
static void child(const char *path, const int fds[2])
{
	struct event_sink *writer = event_writer_new(fds[0], "the pipe");
	struct tracecmd_input *input;
	struct error *error;

	tracecmd_set_loglevel(TEP_LOG_NONE);
	input = tracecmd_open(path, TRACECMD_FL_LOAD_NO_PLUGINS);
	if (input)
		error = read_input(input, path, writer);
	else
		error = error_new(ERR_INPUT, "%s: libtracecmd cannot open it as a trace.dat", path);
	if (error && write(fds[1], error->message, strlen(error->message)) < 0)
		_exit(2);
	_exit(error ? 1 : 0);
}

/* what the child says at its end; NULL: nothing */
static struct error *child_error(const char *path, int fd, pid_t pid)
{
	char message[4096];
	ssize_t n = read(fd, message, sizeof(message) - 1);
	int status;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(status))
		return error_new(ERR_INPUT, "%s: libtracecmd was killed by signal %d (%s) on it",
				 path, WTERMSIG(status), strsignal(WTERMSIG(status)));
	message[n > 0 ? n : 0] = '\0';
	text_printable(message);
	return n > 0 ? error_new(ERR_INPUT, "%s", message) : NULL;
}

/* libtracecmd's reading of the file, through the child */
static struct error *read_by_child(const char *path, const struct machine *machine,
				   struct event_sink *sink)
{
	autofree char *name = memory_format("libtracecmd's reading of %s", path);
	struct error *error, *told;
	int stream[2], message[2];
	pid_t pid;

	if (pipe2(stream, O_CLOEXEC))
		return error_errno("cannot make a pipe");
	if (pipe2(message, O_CLOEXEC)) {
		error = error_errno("cannot make a pipe");
		close(stream[0]);
		close(stream[1]);
		return error;
	}
	fflush(NULL);
	pid = fork();
	if (!pid)
		child(path, (int[]){ stream[1], message[1] });
	close(stream[1]);
	close(message[1]);
	if (pid < 0) {
		error = error_errno("cannot start a process");
	} else {
		error = event_file_read(stream[0], name, machine, sink);
		close(stream[0]); /* a child that still writes ends */
		stream[0] = -1;
		told = child_error(path, message[0], pid);
		/* an error of the sink is ours; the file's is better told by the child */
		if (told && (!error || error->code == ERR_INPUT)) {
			error_free(error);
			error = told;
		} else {
			error_free(told);
		}
	}
	if (stream[0] >= 0)
		close(stream[0]);
	close(message[0]);
	return error;
}

struct error *event_import_trace_dat(struct event_source *source, const struct machine *machine,
				     struct event_sink *sink)
{
	struct error *wrong = event_check_trace_dat(source);
	struct error *error = read_by_child(source->path, machine, sink);

	/* what is missing where is better told by the check than by the library */
	if (wrong && (!error || error->code == ERR_INPUT)) {
		error_free(error);
		return wrong;
	}
	error_free(wrong);
	return error;
}
