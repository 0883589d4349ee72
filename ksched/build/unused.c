// SPDX-License-Identifier: GPL-2.0-only
/*
 * unused.c - libraries and trees that no name stands for any more
 *
 * Whoever builds, or has opened a kernel, holds the registry's lock shared. What is unused is removed under the
 * exclusive lock only, so that nothing goes away under a build or a simulation.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "ksched/build/internal.h"

struct error *registry_lock(const struct registry *r, int *fd)
{
	autofree char *path = memory_format("%s/lock", r->root);

	*fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (*fd < 0)
		return error_errno("cannot open %s", path);
	while (flock(*fd, LOCK_SH))
		if (errno != EINTR) {
			struct error *error = error_errno("cannot lock %s", path);

			registry_unlock(fd);
			return error;
		}
	return NULL;
}

void registry_unlock(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* All records, one after the other: a library's key and a tree's id stand in those that use them. */
static struct error *read_records(const struct registry *r, char **out)
{
	autofree char *folder = memory_format("%s/names", r->root);
	struct error *error = NULL;
	struct dirent *entry;
	char *all = memory_string("");
	DIR *names = opendir(folder);

	while (names && !error && (entry = readdir(names))) {
		autofree char *path = memory_format("%s/%s", folder, entry->d_name), *text = NULL;
		char *more;

		if (entry->d_name[0] == '.')
			continue;
		error = file_read(path, &text, NULL);
		if (error)
			break;
		more = memory_format("%s%s\n", all, text);
		free(all);
		all = more;
	}
	if (names)
		closedir(names);
	if (error)
		free(all);
	else
		*out = all;
	return error;
}

static struct error *remove_unnamed(const struct registry *r, const char *part, const char *records)
{
	autofree char *folder = memory_format("%s/%s", r->root, part);
	struct error *error = NULL;
	struct dirent *entry;
	DIR *entries = opendir(folder);

	while (entries && !error && (entry = readdir(entries))) {
		autofree char *path = memory_format("%s/%s", folder, entry->d_name);

		if (entry->d_name[0] != '.' && !strstr(records, entry->d_name))
			error = folder_remove(path);
	}
	if (entries)
		closedir(entries);
	return error;
}

struct error *registry_clean(const struct registry *r, int lock, bool *busy)
{
	autofree char *records = NULL;
	struct error *error;

	*busy = flock(lock, LOCK_EX | LOCK_NB) != 0;
	if (*busy)
		return NULL;
	error = read_records(r, &records);
	if (!error)
		error = remove_unnamed(r, "objects", records);
	if (!error)
		error = remove_unnamed(r, "trees", records);
	return error;
}
