// SPDX-License-Identifier: GPL-2.0-only
/*
 * live_folder.c - a folder of files for one trial, of which nothing stays behind
 *
 * It is in use as long as a process holds the lock (flock) on it, which the trial's process takes and
 * its workers inherit; the kernel drops it however they end. So what a killed trial has left is known
 * by its name and by its free lock, and the next trial that makes a folder there removes it. The lock on
 * the directory above covers the moment in which a new folder has none yet.
 * (systemd-tmpfiles does not clean up a directory with such a lock either.)
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "task/live_private.h"

#define PREFIX "fairtrial-files-"

/* others hold the lock above for some milliseconds, or for the removal of what they found */
#define LOCK_TRIES   1000
#define LOCK_WAIT_NS 10000000

static int open_folder(int above, const char *name)
{
	return openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* removes the content of a folder; @fd is closed. What cannot be removed stays. */
static void remove_content(int fd)
{
	DIR *listing = fdopendir(fd);
	const struct dirent *entry;

	if (!listing) {
		close(fd);
		return;
	}
	while ((entry = readdir(listing))) {
		int inner;

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		if (!unlinkat(fd, entry->d_name, 0))
			continue;
		inner = open_folder(fd, entry->d_name);
		if (inner < 0)
			continue;
		remove_content(inner);
		unlinkat(fd, entry->d_name, AT_REMOVEDIR);
	}
	closedir(listing);
}

static void remove_tree(int above, const char *name)
{
	int fd = open_folder(above, name);

	if (fd >= 0)
		remove_content(fd);
	unlinkat(above, name, AT_REMOVEDIR);
}

/* only what is ours: another user may have put a folder of that name there */
static bool abandoned(int fd)
{
	struct stat status;

	return !fstat(fd, &status) && status.st_uid == geteuid() && !flock(fd, LOCK_EX | LOCK_NB);
}

static void remove_abandoned(int above)
{
	int copy = openat(above, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *listing = copy < 0 ? NULL : fdopendir(copy);
	const struct dirent *entry;

	if (!listing) {
		if (copy >= 0)
			close(copy);
		return;
	}
	while ((entry = readdir(listing))) {
		int fd;

		if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)) != 0)
			continue;
		fd = open_folder(above, entry->d_name);
		if (fd < 0)
			continue;
		if (abandoned(fd))
			remove_tree(above, entry->d_name);
		close(fd);
	}
	closedir(listing);
}

static bool lock_above(int above)
{
	const struct timespec pause = { .tv_nsec = LOCK_WAIT_NS };

	for (int i = 0; i < LOCK_TRIES; i++) {
		if (!flock(above, LOCK_EX | LOCK_NB))
			return true;
		if (errno != EWOULDBLOCK && errno != EINTR)
			return false;
		nanosleep(&pause, NULL);
	}
	return false;
}

static struct error *make(struct folder *folder, const char *below)
{
	static const char random_name[] = PREFIX "XXXXXX";
	autofree char *pattern = memory_format("%s/%s", below, random_name);

	if (!mkdtemp(pattern))
		return error_errno("cannot make a folder in %s", below);
	folder->path = memory_string(pattern);
	memcpy(folder->name, strrchr(pattern, '/') + 1, sizeof(random_name));
	folder->fd = open_folder(folder->below, folder->name);
	if (folder->fd < 0)
		return error_errno("cannot open %s", pattern);
	if (flock(folder->fd, LOCK_EX | LOCK_NB))
		return error_errno("cannot lock %s", pattern);
	return NULL;
}

static struct error *open_below(struct folder *folder, const char *below)
{
	struct error *error;

	folder->below = open(below, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder->below < 0)
		return error_errno("the directory for files, %s", below);
	if (!lock_above(folder->below))
		return error_errno("the directory for files, %s, cannot be locked", below);
	remove_abandoned(folder->below);
	error = make(folder, below);
	flock(folder->below, LOCK_UN);
	return error;
}

struct folder *live_folder_new(struct team *base, const char *below)
{
	struct live_team *team = live_team(base);
	struct folder *folder = memory_zeroed(1, sizeof(*folder));
	const char *temporary = getenv("TMPDIR");
	struct error *error;

	*array_append(team->folders, team->n_folders) = folder;
	folder->below = -1;
	folder->fd = -1;
	if (team->buffer_size < FILE_IO_MAX)
		team->buffer_size = FILE_IO_MAX;
	if (!below)
		below = temporary && *temporary ? temporary : "/tmp";
	error = open_below(folder, below);
	if (error)
		live_setup_error(team, error);
	return folder;
}

void live_folder_free(struct folder *folder)
{
	if (folder->fd >= 0)
		close(folder->fd);
	if (folder->path)
		remove_tree(folder->below, folder->name);
	if (folder->below >= 0)
		close(folder->below);
	free(folder->path);
	free(folder);
}
