// SPDX-License-Identifier: GPL-2.0-only
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/output.h"

#define FILE_LIMIT     ((size_t)64 << 20)
#define WRITER_SECONDS 3

/* what a path names when it is neither a file nor a pipe; NULL: it is one of these */
static const char *other_kind(mode_t mode)
{
	if (S_ISDIR(mode))
		return "a folder";
	if (S_ISSOCK(mode))
		return "a socket";
	if (S_ISCHR(mode))
		return "a character device";
	return S_ISBLK(mode) ? "a block device" : NULL;
}

/*
 * Waits for whoever writes into the pipe @fd, which opening it without O_NONBLOCK would do for ever. One
 * who is there and says nothing yet is a writer; tee() tells, and takes nothing out of the pipe.
 */
static bool has_writer(int fd)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	int copy[2];
	ssize_t got;
	int why;

	if (poll(&poll_fd, 1, WRITER_SECONDS * 1000) > 0 || pipe2(copy, O_CLOEXEC))
		return true;
	got = tee(fd, copy[1], 1, SPLICE_F_NONBLOCK);
	why = errno;
	close(copy[0]);
	close(copy[1]);
	return got > 0 || (got < 0 && why == EAGAIN);
}

struct error *file_open(const char *path, int *fd)
{
	struct stat status;
	const char *kind;

	/* before it is opened: that alone does something to some devices */
	if (stat(path, &status))
		return error_errno("cannot open %s", path);
	kind = other_kind(status.st_mode);
	if (kind)
		return error_new(ERR_INPUT, "%s is %s; a file or a pipe is needed", path, kind);
	*fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (*fd < 0)
		return error_errno("cannot open %s", path);
	if (S_ISFIFO(status.st_mode) && !has_writer(*fd)) {
		close(*fd);
		return error_new(ERR_INPUT,
				 "%s is a pipe into which nobody writes (waited for %d s)", path,
				 WRITER_SECONDS);
	}
	fcntl(*fd, F_SETFL, fcntl(*fd, F_GETFL) & ~O_NONBLOCK);
	return NULL;
}

struct error *file_open_stream(const char *path, FILE **out)
{
	struct error *error;
	int fd;

	error = file_open(path, &fd);
	if (error)
		return error;
	*out = fdopen(fd, "r");
	if (*out)
		return NULL;
	error = error_errno("cannot open %s", path);
	close(fd);
	return error;
}

struct error *file_read(const char *path, char **text, size_t *length)
{
	size_t used = 0, room = 4096;
	struct error *error;
	char *data;
	ssize_t got;
	int fd;

	error = file_open(path, &fd);
	if (error)
		return error;
	data = memory_zeroed(room + 1, 1);
	while ((got = read(fd, data + used, room - used)) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 || used > FILE_LIMIT)
			break;
		used += got;
		if (used == room) {
			room *= 2;
			data = memory_resized(data, room + 1, 1);
		}
	}
	if (got) {
		error = got < 0 ? error_errno("cannot read %s", path)
				: error_new(ERR_INPUT, "%s is larger than 64 MiB", path);
		close(fd);
		free(data);
		return error;
	}
	close(fd);
	data[used] = '\0';
	*text = data;
	if (length)
		*length = used;
	return NULL;
}

char *file_read_line(const char *path)
{
	char *text;
	struct error *error = file_read(path, &text, NULL);

	if (error) {
		error_free(error);
		return NULL;
	}
	text[strcspn(text, "\n")] = '\0';
	return text;
}

static struct error *write_all(int fd, const char *path, const char *text, size_t length)
{
	while (length) {
		ssize_t done = write(fd, text, length);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return error_errno("cannot write %s", path);
		text += done;
		length -= done;
	}
	return NULL;
}

struct error *file_write(const char *path, const char *text, size_t length, bool replace,
			 mode_t mode)
{
	struct output *output;
	struct error *error = output_open(path, replace, mode, &output);

	return error ? error
		     : output_close(output, write_all(output_fd(output), path, text, length));
}

struct error *file_replace(const char *path, const char *text, size_t length, mode_t mode)
{
	return file_write(path, text, length, true, mode);
}

struct error *file_unnamed(int *fd, char **path)
{
	*fd = memfd_create("fairtrial", 0);
	if (*fd < 0)
		return error_errno("cannot make a file in memory");
	*path = memory_format("/proc/self/fd/%d", *fd);
	return NULL;
}

struct error *file_make_folders(const char *path)
{
	autofree char *copy = memory_string(path);

	for (char *at = *copy ? strchr(copy + 1, '/') : NULL; at; at = strchr(at + 1, '/')) {
		*at = '\0';
		if (mkdir(copy, 0700) && errno != EEXIST)
			return error_errno("cannot make the folder %s", copy);
		*at = '/';
	}
	return NULL;
}

struct error *file_data_path(const char *name, char **path)
{
	const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");

	if (data && *data == '/')
		*path = memory_format("%s/fairtrial/%s", data, name);
	else if (home && *home == '/')
		*path = memory_format("%s/.local/share/fairtrial/%s", home, name);
	else
		return error_new(ERR_UNAVAILABLE,
				 "neither XDG_DATA_HOME nor HOME is an absolute path; set one");
	return NULL;
}
