// SPDX-License-Identifier: GPL-2.0-only
/*
 * folder.c - folders: make, copy, remove
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/subprocess.h"
#include "ksched/build/internal.h"

void words_add(struct words *w, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	*array_append(w->item, w->n) = memory_vformat(format, args);
	va_end(args);
}

void words_free(struct words *w)
{
	for (int i = 0; i < w->n; i++)
		free(w->item[i]);
	free(w->item);
	*w = (struct words){ 0 };
}

const char **words_argv(const struct words *w)
{
	const char **argv = memory_zeroed(w->n + 1, sizeof(*argv));

	for (int i = 0; i < w->n; i++)
		argv[i] = w->item[i];
	return argv;
}

bool path_exists(const char *format, ...)
{
	autofree char *path = NULL;
	va_list args;

	va_start(args, format);
	path = memory_vformat(format, args);
	va_end(args);
	return !access(path, F_OK);
}

struct error *folder_make(const char *path)
{
	autofree char *below = memory_format("%s/x", path);

	return file_make_folders(below);
}

static int remove_at(int parent, const char *name)
{
	struct dirent *entry;
	DIR *folder;
	int fd, ret = 0;

	if (!unlinkat(parent, name, 0) || errno == ENOENT)
		return 0;
	if (errno != EISDIR && errno != EPERM)
		return -1;
	fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	folder = fd < 0 ? NULL : fdopendir(fd);
	if (!folder)
		return -1;
	while (!ret && (entry = readdir(folder)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			ret = remove_at(dirfd(folder), entry->d_name);
	closedir(folder);
	return ret ? ret : unlinkat(parent, name, AT_REMOVEDIR);
}

struct error *folder_remove(const char *path)
{
	if (remove_at(AT_FDCWD, path))
		return error_errno("cannot remove %s", path);
	return NULL;
}

struct error *folder_copy(const char *from, const char *to, const char *const *parts)
{
	struct words w = { 0 };
	struct subprocess_output output;
	struct error *error = folder_make(to);
	const char **argv;

	if (error)
		return error;
	words_add(&w, "cp");
	words_add(&w, "-R");
	words_add(&w, "--parents");
	words_add(&w, "--no-preserve=mode");
	words_add(&w, "--");
	for (; *parts; parts++)
		if (path_exists("%s/%s", from, *parts))
			words_add(&w, "%s", *parts);
	words_add(&w, "%s", to);
	argv = words_argv(&w);
	error = subprocess_check(argv, from, 0, &output);
	if (!error)
		subprocess_free(&output);
	free(argv);
	words_free(&w);
	return error;
}

struct error *folder_write(const char *folder, const char *name, const char *text)
{
	autofree char *path = memory_format("%s/%s", folder, name);
	struct error *error = file_make_folders(path);
	FILE *file;
	int bad;

	if (error)
		return error;
	/* In a folder of our own that appears by rename: no need for file_replace() and its fsync. */
	file = fopen(path, "we");
	if (!file)
		return error_errno("cannot write %s", path);
	bad = fputs(text, file) < 0;
	if (fclose(file) || bad)
		return error_errno("cannot write %s", path);
	return NULL;
}
