// SPDX-License-Identifier: GPL-2.0-only
#include "events/source.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

/* a terminal is standard input that is typed */
static struct error *check_stdin(void)
{
	struct stat status;

	if (fstat(STDIN_FILENO, &status))
		return error_errno("cannot read standard input");
	if (S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode) ||
	    isatty(STDIN_FILENO))
		return NULL;
	return error_new(ERR_INPUT, "standard input is neither a file nor a pipe");
}

static struct error *look_at(struct event_source *source)
{
	ssize_t got;

	if (!source->taken) {
		source->n_first = event_source_read(source, 0, source->first, SOURCE_FIRST);
		return NULL;
	}
	while (source->n_first < SOURCE_FIRST) {
		got = read(source->fd, source->first + source->n_first,
			   SOURCE_FIRST - source->n_first);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return error_errno("cannot read %s", source->name);
		if (!got)
			break;
		source->n_first += (size_t)got;
	}
	return NULL;
}

struct error *event_source_open(const char *path, struct event_source *out)
{
	bool standard = !strcmp(path, "-");
	struct event_source source = { .name = standard ? "standard input" : path };
	struct stat status;
	struct error *error;

	if (standard)
		error = check_stdin();
	else
		error = file_open(path, &source.fd);
	if (error)
		return error;
	/* a file that was read in part by another one goes on from there: as a pipe */
	source.taken = fstat(source.fd, &status) || !S_ISREG(status.st_mode) ||
		       lseek(source.fd, 0, SEEK_CUR) != 0;
	source.size = source.taken ? 0 : (uint64_t)status.st_size;
	source.path = standard || source.taken ? NULL : path;
	error = look_at(&source);
	if (!error && !source.n_first)
		error = error_new(ERR_INPUT, "%s is empty", source.name);
	if (error)
		event_source_close(&source);
	else
		*out = source;
	return error;
}

void event_source_close(struct event_source *source)
{
	if (source->fd > STDIN_FILENO)
		close(source->fd);
	source->fd = -1;
}

/* ---- as a stream ---- */

static ssize_t stream_read(void *cookie, char *bytes, size_t n)
{
	struct event_source *source = cookie;
	ssize_t got;

	if (source->n_first) {
		size_t some = n < source->n_first ? n : source->n_first;

		memcpy(bytes, source->first, some);
		memmove(source->first, source->first + some, source->n_first - some);
		source->n_first -= some;
		return (ssize_t)some;
	}
	do
		got = read(source->fd, bytes, n);
	while (got < 0 && errno == EINTR);
	return got;
}

FILE *event_source_stream(struct event_source *source)
{
	cookie_io_functions_t functions = { .read = stream_read };

	return source->taken ? fopencookie(source, "r", functions) : fdopen(dup(source->fd), "r");
}

size_t event_source_read(const struct event_source *source, uint64_t at, void *bytes, size_t n)
{
	size_t done = 0;

	while (done < n) {
		ssize_t got = pread(source->fd, (char *)bytes + done, n - done, (off_t)(at + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		done += (size_t)got;
	}
	return done;
}
