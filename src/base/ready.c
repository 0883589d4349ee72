// SPDX-License-Identifier: GPL-2.0-only
/* ready.c - files that come with the program and are known by name */
#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/ready.h"
#include "version.h"

static const char *const roots[] = { FT_SOURCE_ROOT, FT_DATA };

char *ready_find(const char *folder, const char *name, const char *suffix)
{
	if (strchr(name, '/'))
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(roots); i++) {
		char *path = memory_format("%s/%s/%s%s", roots[i], folder, name, suffix);

		if (!access(path, F_OK))
			return path;
		free(path);
	}
	return NULL;
}

static int compare_strings(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool known(char *const *names, int n, const char *name)
{
	for (int i = 0; i < n; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

static void add_names(const char *path, const char *suffix, char ***names, int *n)
{
	DIR *folder = opendir(path);
	struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		size_t length = strlen(entry->d_name), end = strlen(suffix);
		char *name;

		if (length <= end || strcmp(entry->d_name + length - end, suffix))
			continue;
		name = memory_string_n(entry->d_name, length - end);
		if (known(*names, *n, name))
			free(name);
		else
			*array_append(*names, *n) = name;
	}
	if (folder)
		closedir(folder);
}

char **ready_names(const char *folder, const char *suffix, int *n)
{
	char **names = NULL;

	*n = 0;
	for (size_t i = 0; i < ARRAY_SIZE(roots); i++) {
		autofree char *path = memory_format("%s/%s", roots[i], folder);

		add_names(path, suffix, &names, n);
	}
	if (*n)
		qsort(names, *n, sizeof(*names), compare_strings);
	return names;
}
