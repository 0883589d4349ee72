// SPDX-License-Identifier: GPL-2.0-only
/*
 * loadfile_check.c - does a list work? Its operations on names alone, in their order
 *
 * Names are kept sorted; a folder's content follows it, so "is it empty" looks at one neighbour.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "workload/loadfile_list.h"

struct name {
	char *path; /* as in the list */
	bool folder;
	int line;
};

struct names {
	struct name *list;
	int n;
	int open[LOADFILE_HANDLES]; /* line that opened a handle, 0: closed */
};

/* '/' sorts before all else, so that "a" is followed by "a/b", not by "a-b" */
static int compare(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	if (*a == *b)
		return 0;
	if (!*a || !*b)
		return *a ? 1 : -1;
	if (*a == '/' || *b == '/')
		return *a == '/' ? -1 : 1;
	return (unsigned char)*a - (unsigned char)*b;
}

static int place_of(const struct names *names, const char *path, bool *found)
{
	int low = 0, high = names->n;

	*found = false;
	while (low < high) {
		int middle = (low + high) / 2, order = compare(names->list[middle].path, path);

		if (!order) {
			*found = true;
			return middle;
		}
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct name *find(const struct names *names, const char *path)
{
	bool found;
	int at = place_of(names, path, &found);

	return found ? &names->list[at] : NULL;
}

static void add(struct names *names, const char *path, bool folder, int line)
{
	bool found;
	int at = place_of(names, path, &found);

	(void)array_append(names->list, names->n);
	memmove(&names->list[at + 1], &names->list[at],
		(size_t)(names->n - 1 - at) * sizeof(*names->list));
	names->list[at] = (struct name){ memory_string(path), folder, line };
}

static void drop(struct names *names, struct name *name)
{
	free(name->path);
	names->n--;
	memmove(name, name + 1, (size_t)(names->list + names->n - name) * sizeof(*name));
}

static bool is_top(const char *path)
{
	return !strcmp(path, ".") || !strcmp(path, "/");
}

static bool is_empty(const struct names *names, const struct name *folder)
{
	size_t length = strlen(folder->path);

	return folder + 1 == names->list + names->n ||
	       strncmp(folder[1].path, folder->path, length) != 0 || folder[1].path[length] != '/';
}

/* ---- what an operation needs ---- */

static struct error *needs_parent(const struct names *names, const char *path)
{
	const char *slash = strrchr(path, '/');
	autofree char *parent = NULL;
	const struct name *name;

	if (!slash || slash == path)
		return NULL;
	parent = memory_string_n(path, (size_t)(slash - path));
	name = find(names, parent);
	if (!name)
		return error_new(ERR_INPUT, "there is no folder '%s' here", parent);
	if (!name->folder)
		return error_new(ERR_INPUT, "'%s' is a file here, not a folder", parent);
	return NULL;
}

static struct error *needs_name(const struct names *names, const char *path)
{
	if (is_top(path) || find(names, path))
		return NULL;
	return error_new(ERR_INPUT, "there is no '%s' here", path);
}

static struct error *needs_kind(const struct names *names, const char *path, bool folder)
{
	const struct name *name = find(names, path);
	struct error *error = needs_name(names, path);

	if (error)
		return error;
	if (name ? name->folder != folder : !folder)
		return error_new(ERR_INPUT, "'%s' is a %s here, not a %s", path,
				 folder ? "file" : "folder", folder ? "folder" : "file");
	return NULL;
}

static struct error *needs_room(const struct names *names)
{
	return names->n < LOADFILE_NAMES
		       ? NULL
		       : error_new(ERR_INPUT, "more than %d files and folders at a time",
				   LOADFILE_NAMES);
}

static struct error *needs_nothing(const struct names *names, const char *path)
{
	const struct name *name = find(names, path);

	if (name || is_top(path))
		return error_new(ERR_INPUT, "'%s' is there already (line %d)", path,
				 name ? name->line : 0);
	return NULL;
}

static struct error *needs_open(const struct names *names, int handle)
{
	return names->open[handle] ? NULL
				   : error_new(ERR_INPUT, "handle %d is not open here", handle);
}

static struct error *needs_closed(const struct names *names, int handle)
{
	return names->open[handle] ? error_new(ERR_INPUT, "handle %d is open since line %d", handle,
					       names->open[handle])
				   : NULL;
}

/* ---- operations ---- */

static struct error *make_file(struct names *names, const struct step *step)
{
	struct error *error = needs_parent(names, step->path);

	if (error)
		return error;
	if (find(names, step->path))
		return needs_kind(names, step->path, false);
	error = needs_room(names);
	if (error)
		return error;
	add(names, step->path, false, step->line);
	return NULL;
}

static struct error *make_folder(struct names *names, const struct step *step)
{
	struct error *error = needs_parent(names, step->path);

	if (!error)
		error = needs_nothing(names, step->path);
	if (!error)
		error = needs_room(names);
	if (!error)
		add(names, step->path, true, step->line);
	return error;
}

static struct error *open_file(struct names *names, const struct step *step)
{
	struct error *error = needs_closed(names, step->handle);

	if (!error)
		error = step->op == FILE_CREATE ? make_file(names, step)
						: needs_kind(names, step->path, false);
	if (!error)
		names->open[step->handle] = step->line;
	return error;
}

static struct error *remove_name(struct names *names, const struct step *step, bool folder)
{
	struct error *error = needs_kind(names, step->path, folder);
	struct name *name = find(names, step->path);

	if (error)
		return error;
	if (folder && !is_empty(names, name))
		return error_new(ERR_INPUT, "folder '%s' is not empty here: '%s' is in it",
				 step->path, name[1].path);
	drop(names, name);
	return NULL;
}

static struct error *rename_file(struct names *names, const struct step *step)
{
	struct error *error = needs_kind(names, step->path, false);
	struct name *old;

	if (!error)
		error = needs_parent(names, step->to);
	old = find(names, step->to);
	if (!error && old && old->folder)
		error = error_new(ERR_INPUT, "'%s' is a folder here", step->to);
	if (error)
		return error;
	if (!strcmp(step->path, step->to))
		return error_new(ERR_INPUT, "a file is renamed to itself");
	if (old)
		drop(names, old);
	drop(names, find(names, step->path));
	add(names, step->to, false, step->line);
	return NULL;
}

static struct error *file_step(struct names *names, const struct step *step)
{
	struct error *error;

	switch (step->op) {
	case FILE_OPEN:
	case FILE_CREATE:
		return open_file(names, step);
	case FILE_CLOSE:
		error = needs_open(names, step->handle);
		names->open[step->handle] = 0;
		return error;
	case FILE_READ:
	case FILE_WRITE:
	case FILE_FLUSH:
	case FILE_STATUS:
		return needs_open(names, step->handle);
	case FILE_LIST:
		return needs_kind(names, step->path, true);
	case FILE_STAT:
	case FILE_TOUCH:
	case FILE_SPACE:
		return needs_name(names, step->path);
	case FILE_RENAME:
		return rename_file(names, step);
	case FILE_UNLINK:
		return remove_name(names, step, false);
	case FILE_MKDIR:
		return make_folder(names, step);
	case FILE_RMDIR:
		return remove_name(names, step, true);
	}
	return NULL;
}

static struct error *check_step(struct names *names, const struct step *step)
{
	struct error *error;

	switch (step->kind) {
	case STEP_FOLDER:
		return make_folder(names, step);
	case STEP_PRESENT:
		error = needs_nothing(names, step->path);
		return error ? error : make_file(names, step);
	case STEP_MISSING:
		error = needs_parent(names, step->path);
		return error ? error : needs_nothing(names, step->path);
	case STEP_FILE:
		return file_step(names, step);
	case STEP_THINK:
		break;
	}
	return NULL;
}

static struct error *check_steps(struct names *names, const struct loadfile *list,
				 const struct step *steps, int n)
{
	for (int i = 0; i < n; i++) {
		struct error *error = check_step(names, &steps[i]), *at;

		if (!error)
			continue;
		at = error_at(ERR_INPUT, list->name, steps[i].line, "%s: %s",
			      loadfile_word(&steps[i]), error->message);
		error_free(error);
		return at;
	}
	return NULL;
}

/* ---- the end ---- */

static struct error *check_closed(const struct names *names, const struct loadfile *list)
{
	for (int i = 0; i < LOADFILE_HANDLES; i++)
		if (names->open[i])
			return error_at(ERR_INPUT, list->name, names->open[i],
					"handle %d is still open at the end of the list", i);
	return NULL;
}

/* both are sorted: the first difference */
static struct error *check_left(const struct names *before, const struct names *after,
				const struct loadfile *list)
{
	for (int i = 0; i < before->n || i < after->n; i++) {
		const struct name *old = &before->list[i], *new = &after->list[i];
		int order = i == before->n ? 1 : i == after->n ? -1 : compare(old->path, new->path);

		if (order > 0 || (!order && old->folder != new->folder))
			return error_at(ERR_INPUT, list->name, new->line,
					"'%s' is still there at the end of the list: what it makes "
					"it must remove, or it could not be replayed",
					new->path);
		if (order < 0)
			return error_at(ERR_INPUT, list->name, old->line,
					"'%s' is gone at the end of the list: it could not be "
					"replayed",
					old->path);
	}
	return NULL;
}

static void names_copy(const struct names *from, struct names *to)
{
	to->list = memory_zeroed(from->n, sizeof(*to->list));
	to->n = from->n;
	for (int i = 0; i < from->n; i++) {
		to->list[i] = from->list[i];
		to->list[i].path = memory_string(from->list[i].path);
	}
}

static void names_free(struct names *names)
{
	for (int i = 0; i < names->n; i++)
		free(names->list[i].path);
	free(names->list);
}

struct error *loadfile_check(const struct loadfile *list)
{
	struct names names = { 0 }, before = { 0 };
	struct error *error = check_steps(&names, list, list->present, list->n_present);

	names_copy(&names, &before);
	if (!error)
		error = check_steps(&names, list, list->steps, list->n_steps);
	if (!error)
		error = check_closed(&names, list);
	if (!error)
		error = check_left(&before, &names, list);
	names_free(&names);
	names_free(&before);
	return error;
}
