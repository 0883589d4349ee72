// SPDX-License-Identifier: GPL-2.0-only
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

#define FILE_LIMIT ((size_t)64 << 20)

struct error *file_read(const char *path, char **text, size_t *length)
{
	size_t used = 0, room = 4096;
	char *data;
	ssize_t got;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return error_errno("cannot open %s", path);
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
		struct error *error =
			got < 0 ? error_errno("cannot read %s", path)
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
	if (fsync(fd))
		return error_errno("cannot write %s", path);
	return NULL;
}

/* the rename itself must be on disk before a caller relies on it */
static void sync_folder(const char *path)
{
	autofree char *copy = memory_string(path);
	int fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return;
	fsync(fd);
	close(fd);
}

struct error *file_replace(const char *path, const char *text, size_t length, mode_t mode)
{
	autofree char *temporary = memory_format("%s.%ld.new", path, (long)getpid());
	struct error *error;
	int fd;

	unlink(temporary); /* of a dead process that had our number */
	fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
	if (fd < 0)
		return error_errno("cannot create %s", temporary);
	error = write_all(fd, path, text, length);
	close(fd);
	if (!error && rename(temporary, path))
		error = error_errno("cannot replace %s", path);
	if (error) {
		unlink(temporary);
		return error;
	}
	sync_folder(path);
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
