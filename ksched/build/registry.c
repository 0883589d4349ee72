// SPDX-License-Identifier: GPL-2.0-only
/*
 * registry.c - kernels by name
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "ksched/build/internal.h"

/* ---- work in progress ---------------------------------------------------------------------------- */

/* tmp/PID-N of a process that is gone: it was killed. */
static void remove_stale(const char *root)
{
	autofree char *path = memory_format("%s/tmp", root);
	DIR *folder = opendir(path);
	struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		long pid = strtol(entry->d_name, NULL, 10);
		autofree char *stale = NULL;

		if (pid <= 0 || !kill(pid, 0) || errno != ESRCH)
			continue;
		stale = memory_format("%s/%s", path, entry->d_name);
		error_free(folder_remove(stale));
	}
	if (folder)
		closedir(folder);
}

struct error *registry_open(struct registry *r)
{
	static const char *const folders[] = { "names", "objects", "trees", "tmp" };
	struct error *error = file_data_path("kernels", &r->root);

	if (error)
		return error;
	for (size_t i = 0; i < ARRAY_SIZE(folders) && !error; i++) {
		autofree char *path = memory_format("%s/%s", r->root, folders[i]);

		error = folder_make(path);
	}
	if (error) {
		registry_close(r);
		return error;
	}
	remove_stale(r->root);
	return NULL;
}

void registry_close(struct registry *r)
{
	free(r->root);
	r->root = NULL;
}

struct error *registry_temporary(const struct registry *r, char **path)
{
	struct error *error;

	/* One may be there: ours, or of a dead process that had our number. */
	for (int i = 0;; i++) {
		*path = memory_format("%s/tmp/%ld-%d", r->root, (long)getpid(), i);
		if (!mkdir(*path, 0700))
			return NULL;
		if (errno != EEXIST)
			break;
		free(*path);
	}
	error = error_errno("cannot make %s", *path);
	free(*path);
	*path = NULL;
	return error;
}

/* ---- names -------------------------------------------------------------------------------------------- */

struct error *registry_check_name(const char *name)
{
	size_t length = strlen(name);

	if (!length || length > 64 || !isalnum((unsigned char)name[0]))
		return error_new(ERR_USAGE,
				 "kernel name '%s': 1 to 64 characters, the first a letter or "
				 "digit",
				 name);
	for (const char *p = name; *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr("._+-", *p))
			return error_new(ERR_USAGE,
					 "kernel name '%s': letters, digits, '.', '_', '+', "
					 "'-'",
					 name);
	return NULL;
}

static int by_name(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

/* All names, sorted, NULL at the end; each and the array are the caller's. */
static char **all_names(const struct registry *r, int *n)
{
	autofree char *path = memory_format("%s/names", r->root);
	DIR *folder = opendir(path);
	struct dirent *entry;
	char **names = NULL;

	*n = 0;
	while (folder && (entry = readdir(folder))) {
		size_t length = strlen(entry->d_name);

		if (length > 5 && !strcmp(entry->d_name + length - 5, ".json"))
			*array_append(names, *n) = memory_string_n(entry->d_name, length - 5);
	}
	if (folder)
		closedir(folder);
	if (*n)
		qsort(names, *n, sizeof(*names), by_name);
	*array_append(names, *n) = NULL;
	(*n)--;
	return names;
}

static void free_names(char **names)
{
	for (int i = 0; names[i]; i++)
		free(names[i]);
	free(names);
}

/* No kernel of that name, and which there are. */
static struct error *unknown(const struct registry *r, const char *name)
{
	int n;
	char **names = all_names(r, &n);
	const char *near = text_nearest(name, (const char *const *)names);
	autofree char *list = text_join(names, n, ", ");
	struct error *error;

	if (!n)
		error = error_new(ERR_UNAVAILABLE,
				  "no kernel '%s': there are none; see fairtrial kernel add", name);
	else if (near)
		error = error_new(ERR_UNAVAILABLE, "no kernel '%s'; did you mean '%s'?", name,
				  near);
	else
		error = error_new(ERR_UNAVAILABLE,
				  "no kernel '%s'; there are: %s; 'fairtrial kernel add' makes one",
				  name, list);
	free_names(names);
	return error;
}

struct error *registry_load(const struct registry *r, const char *name, struct kernel **out)
{
	autofree char *path = memory_format("%s/names/%s.json", r->root, name), *text = NULL;
	struct kernel *kernel;
	const char *key;
	json_t *record;
	struct error *error;

	if (!path_exists("%s", path))
		return unknown(r, name);
	error = file_read(path, &text, NULL);
	if (!error)
		error = json_parse(text, path, 0, &record);
	if (error)
		return error;
	key = json_string_value(json_object_get(record, "key"));
	if (!key || !path_exists("%s/objects/%s/kernel.so", r->root, key)) {
		json_decref(record);
		return error_new(ERR_INPUT,
				 "kernel '%s' is damaged: its library is gone; add it again", name);
	}
	kernel = memory_zeroed(1, sizeof(*kernel));
	kernel->name = memory_string(name);
	kernel->library = memory_format("%s/objects/%s/kernel.so", r->root, key);
	kernel->record = record;
	kernel->lock = -1;
	*out = kernel;
	return NULL;
}

/* NULL: the kernel called "default", or the only one. */
static struct error *default_name(const struct registry *r, char **name)
{
	int n;
	char **names = all_names(r, &n);
	struct error *error = NULL;

	*name = NULL;
	for (int i = 0; i < n; i++)
		if (!strcmp(names[i], "default"))
			*name = memory_string("default");
	if (!*name && n == 1)
		*name = memory_string(names[0]);
	if (!n)
		error = error_new(ERR_UNAVAILABLE,
				  "no kernel for the simulator yet: fairtrial kernel add "
				  "NAME SOURCE builds one");
	else if (!*name)
		error = error_new(ERR_INPUT,
				  "which kernel? There are %d, and none is called 'default'; "
				  "fairtrial kernel list shows them",
				  n);
	free_names(names);
	return error;
}

struct error *kernel_open(const char *name, struct kernel **out)
{
	autofree char *chosen = NULL;
	struct registry r;
	struct error *error = registry_open(&r);
	int lock = -1;

	if (error)
		return error;
	if (name)
		error = registry_check_name(name);
	else
		error = default_name(&r, &chosen);
	if (!error)
		error = registry_lock(&r, &lock);
	if (!error)
		error = registry_load(&r, name ? name : chosen, out);
	if (error)
		registry_unlock(&lock);
	else
		(*out)->lock = lock;
	registry_close(&r);
	return error;
}

struct error *kernel_all(struct kernel ***out, int *n)
{
	struct registry r;
	/* a look makes nothing: the folder may be read-only, or not there */
	struct error *error = file_data_path("kernels", &r.root);
	char **names;
	int n_names;

	*out = NULL;
	*n = 0;
	if (error)
		return error;
	remove_stale(r.root);
	names = all_names(&r, &n_names);
	for (int i = 0; i < n_names && !error; i++) {
		struct kernel *kernel;

		error = registry_load(&r, names[i], &kernel);
		if (!error)
			*array_append(*out, *n) = kernel;
	}
	free_names(names);
	registry_close(&r);
	if (error) {
		kernel_all_free(*out, *n);
		*out = NULL;
		*n = 0;
	}
	return error;
}

void kernel_all_free(struct kernel **kernels, int n)
{
	for (int i = 0; i < n; i++)
		kernel_free(kernels[i]);
	free(kernels);
}

struct error *kernel_remove(const char *name, bool *kept)
{
	autofree char *path = NULL;
	struct registry r;
	struct error *error = registry_open(&r);
	int lock = -1;

	*kept = false;
	if (error)
		return error;
	error = registry_check_name(name);
	path = memory_format("%s/names/%s.json", r.root, name);
	if (!error && !path_exists("%s", path))
		error = unknown(&r, name);
	if (!error)
		error = registry_lock(&r, &lock);
	if (!error && unlink(path))
		error = error_errno("cannot remove %s", path);
	if (!error)
		error = registry_clean(&r, lock, kept);
	registry_unlock(&lock);
	registry_close(&r);
	return error;
}

void kernel_free(struct kernel *kernel)
{
	if (!kernel)
		return;
	registry_unlock(&kernel->lock);
	free(kernel->name);
	free(kernel->library);
	json_decref(kernel->record);
	free(kernel);
}
