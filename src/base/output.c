// SPDX-License-Identifier: GPL-2.0-only
#include "base/output.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"

/* so many names are tried: one is taken only by a process of our number in another PID namespace, or by a
 * dead one whose file cannot be removed */
#define NAMES_MOST 16

#define UNFINISHED "unfinished"

struct output {
	char *path;
	char *temporary; /* NULL: written directly */
	int fd;
	FILE *stream; /* or NULL */
	bool replace, replaces;
};

/*
 * What output_remove_unfinished() removes, which a signal handler can reach by no other way. A forked
 * process has a copy: `owner` tells whose it is.
 */
static struct {
	volatile pid_t owner;
	const char *volatile name;
} unfinished[8];

static void remember(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(unfinished); i++) {
		if (unfinished[i].name && unfinished[i].owner == getpid())
			continue;
		unfinished[i].name = NULL;
		unfinished[i].owner = getpid();
		unfinished[i].name = name;
		return;
	}
}

static void forget(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(unfinished); i++)
		if (unfinished[i].name == name)
			unfinished[i].name = NULL;
}

void output_remove_unfinished(void)
{
	int before = errno;

	for (size_t i = 0; i < ARRAY_SIZE(unfinished); i++)
		if (unfinished[i].name && unfinished[i].owner == getpid())
			unlink(unfinished[i].name);
	errno = before;
}

/* ---- what a path names ---- */

/* the descriptor that a path names by its number; -1: none */
static int descriptor_of(const char *path)
{
	static const char *const folders[] = { "/dev/fd/", "/proc/self/fd/" };
	int64_t number;

	if (!strcmp(path, "-") || !strcmp(path, "/dev/stdout"))
		return STDOUT_FILENO;
	if (!strcmp(path, "/dev/stderr"))
		return STDERR_FILENO;
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		size_t length = strlen(folders[i]);
		struct error *error;

		if (strncmp(path, folders[i], length) != 0)
			continue;
		error = text_integer(path + length, 0, INT32_MAX, &number);
		if (!error)
			return (int)number;
		error_free(error);
	}
	return -1;
}

static bool is_direct(const struct stat *status)
{
	return S_ISFIFO(status->st_mode) || S_ISCHR(status->st_mode);
}

static struct error *check_old(const char *path, bool replace, const struct stat *old)
{
	struct stat target;

	if (S_ISDIR(old->st_mode))
		return error_new(ERR_INPUT, "%s is a folder; the name of a file is needed", path);
	if (S_ISSOCK(old->st_mode))
		return error_new(ERR_INPUT, "%s is a socket, which cannot be written to", path);
	if (S_ISBLK(old->st_mode))
		return error_new(ERR_INPUT, "%s is a block device; it is not written over", path);
	if (S_ISLNK(old->st_mode) && !stat(path, &target) && S_ISDIR(target.st_mode))
		return check_old(path, replace, &target);
	if (!replace)
		return error_new(ERR_INPUT, "%s exists; --force replaces it", path);
	if (S_ISLNK(old->st_mode))
		return error_new(ERR_INPUT,
				 "%s is a symbolic link, which is not replaced; name the file "
				 "itself",
				 path);
	return NULL;
}

struct error *output_check(const char *path, bool replace)
{
	struct stat status;

	if (!*path)
		return error_new(ERR_INPUT, "the name of the output is empty; a file is needed");
	if (descriptor_of(path) >= 0 || (!stat(path, &status) && is_direct(&status)) ||
	    lstat(path, &status))
		return NULL;
	return check_old(path, replace, &status);
}

/* ---- leftovers of processes that were killed ---- */

/* is it "BASE.PID.unfinished" or "BASE.PID.N.unfinished"? */
static bool is_leftover(const char *name, const char *base)
{
	size_t length = strlen(base);
	const char *at = name + length + 1;

	if (strncmp(name, base, length) != 0 || name[length] != '.')
		return false;
	for (int numbers = 0; numbers < 2 && isdigit((unsigned char)*at); numbers++) {
		at += strspn(at, "0123456789");
		if (*at++ != '.')
			return false;
		if (!strcmp(at, UNFINISHED))
			return true;
	}
	return false;
}

/* whoever writes it has it locked, as long as the process lives */
static void remove_dead(int folder, const char *name)
{
	struct stat status;
	int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return;
	if (!fstat(fd, &status) && S_ISREG(status.st_mode) && !flock(fd, LOCK_EX | LOCK_NB))
		unlinkat(folder, name, 0);
	close(fd);
}

static void remove_leftovers(const char *path)
{
	autofree char *for_base = memory_string(path), *for_folder = memory_string(path);
	const char *base = basename(for_base);
	DIR *folder = opendir(dirname(for_folder));
	struct dirent *entry;

	while (folder && (entry = readdir(folder)))
		if (is_leftover(entry->d_name, base))
			remove_dead(dirfd(folder), entry->d_name);
	if (folder)
		closedir(folder);
}

/* ---- begin ---- */

/* a descriptor that we were given may be open for reading alone, which no stream could be made of */
static int duplicate_writable(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags >= 0 && (flags & O_ACCMODE) == O_RDONLY) {
		errno = EBADF;
		return -1;
	}
	return fcntl(fd, F_DUPFD_CLOEXEC, 3);
}

static struct error *open_direct(struct output *output)
{
	int number = descriptor_of(output->path);

	output->fd = number >= 0 ? duplicate_writable(number)
				 : open(output->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	return output->fd < 0 ? error_errno("cannot write %s", output->path) : NULL;
}

/* @number: of the name that is tried; the output's fd stays -1 if there is such a file */
static struct error *try_temporary(struct output *output, mode_t mode, int number)
{
	struct stat status;

	free(output->temporary);
	output->temporary =
		number ? memory_format("%s.%ld.%d." UNFINISHED, output->path, (long)getpid(),
				       number)
		       : memory_format("%s.%ld." UNFINISHED, output->path, (long)getpid());
	remember(output->temporary);
	output->fd =
		open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
	if (output->fd >= 0) {
		flock(output->fd, LOCK_EX);
		if (fstat(output->fd, &status) || status.st_nlink)
			return NULL;
		/* another one took it for a leftover before it was locked */
		close(output->fd);
		output->fd = -1;
		errno = EEXIST;
	}
	forget(output->temporary);
	return errno == EEXIST ? NULL : error_errno("cannot create %s", output->path);
}

static struct error *open_temporary(struct output *output, mode_t mode)
{
	struct error *error = NULL;
	struct stat old, new;

	remove_leftovers(output->path);
	for (int i = 0; !error && output->fd < 0 && i < NAMES_MOST; i++)
		error = try_temporary(output, mode, i);
	if (!error && output->fd < 0)
		error = error_new(ERR_SYSTEM,
				  "cannot create %s: its folder is full of unfinished files",
				  output->path);
	if (error)
		return error;
	output->replaces = !lstat(output->path, &old);
	if (output->replaces && !fstat(output->fd, &new))
		fchmod(output->fd, new.st_mode &(old.st_mode | 0600) & 07777);
	return NULL;
}

static void free_output(struct output *output)
{
	free(output->path);
	free(output->temporary);
	free(output);
}

struct error *output_open(const char *path, bool replace, mode_t mode, struct output **out)
{
	struct output *output;
	struct stat status;
	struct error *error = output_check(path, replace);

	if (error)
		return error;
	output = memory_zeroed(1, sizeof(*output));
	output->path = memory_string(strcmp(path, "-") != 0 ? path : "standard output");
	output->fd = -1;
	output->replace = replace;
	if (!strcmp(path, "-"))
		output->fd = duplicate_writable(STDOUT_FILENO);
	else if (descriptor_of(path) >= 0 || (!stat(path, &status) && is_direct(&status)))
		error = open_direct(output);
	else
		error = open_temporary(output, mode);
	if (!error && output->fd < 0)
		error = error_errno("cannot write %s", output->path);
	if (error) {
		free_output(output);
		return error;
	}
	*out = output;
	return NULL;
}

int output_fd(const struct output *output)
{
	return output->fd;
}

FILE *output_stream(struct output *output)
{
	if (!output->stream)
		output->stream = fdopen(output->fd, "w");
	return output->stream;
}

const char *output_name(const struct output *output)
{
	return output->path;
}

bool output_replaces(const struct output *output)
{
	return output->replaces;
}

/* ---- end ---- */

static struct error *put_in_place(const struct output *output)
{
	int failed;

	if (output->replace) {
		failed = rename(output->temporary, output->path);
	} else {
		failed = renameat2(AT_FDCWD, output->temporary, AT_FDCWD, output->path,
				   RENAME_NOREPLACE);
		/* file systems that cannot do that */
		if (failed && (errno == EINVAL || errno == ENOSYS) &&
		    access(output->path, F_OK) != 0)
			failed = rename(output->temporary, output->path);
	}
	if (failed && errno == EEXIST)
		return error_new(ERR_INPUT, "%s has appeared meanwhile; --force replaces it",
				 output->path);
	return failed ? error_errno("cannot put %s in place", output->path) : NULL;
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

static struct error *cannot_write(const struct output *output)
{
	/* 0: it failed long ago, and stdio does not keep why */
	return errno ? error_errno("cannot write %s", output->path)
		     : error_new(ERR_SYSTEM, "cannot write %s: a part of it was not written",
				 output->path);
}

struct error *output_close(struct output *output, struct error *error)
{
	int failed;

	errno = 0;
	if (output->stream && (fflush(output->stream) || ferror(output->stream)) && !error)
		error = cannot_write(output);
	if (!error && output->temporary && fsync(output->fd))
		error = cannot_write(output);
	failed = output->stream ? fclose(output->stream) : close(output->fd);
	if (failed && !error)
		error = cannot_write(output);
	if (!error && output->temporary)
		error = put_in_place(output);
	if (error && output->temporary)
		unlink(output->temporary);
	forget(output->temporary);
	if (!error && output->temporary)
		sync_folder(output->path);
	free_output(output);
	return error;
}
