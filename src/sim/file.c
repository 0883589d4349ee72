// SPDX-License-Identifier: GPL-2.0-only
/*
 * file.c - a file system in memory, as the scheduler sees it: kernel time, and locks that sleep
 *
 * Files have names and sizes, no content. Every operation is time in the kernel by the [cost]
 * figures; a change of a folder is made under the folder's lock, a rename between folders also under the
 * file system's, as in the kernel's namei.c. If the machine has a disk, a flush waits for it and for the
 * journal (disk.c); tasks wait for nothing else.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/team.h"

#define PAGE 4096

/* A file or a folder. */
struct node {
	char *name;
	struct node **children; /* of a folder, by name */
	int n_children;
	uint64_t size;
	uint64_t number;  /* in the order they were made: the order in which locks are taken */
	uint64_t changed; /* the journal's transaction that its last change is part of */
	bool dirty;	  /* has pages that are not on the disk */
	bool is_folder;
	bool unlinked;
	int users; /* handles and operations under way */
	struct sim_lock lock;
};

struct folder {
	struct sim_team *team;
	struct node *root;
	struct sim_lock rename; /* s_vfs_rename_mutex */
	struct node **handles;	/* NULL: free */
	int n_handles;
	uint64_t n_made;
};

/* A path, walked to its last component. */
struct place {
	struct node *parent;
	const char *name;
	int depth; /* components */
};

/* ---- nodes ---- */

static struct node *node_new(struct folder *folder, const char *name, bool is_folder)
{
	struct node *node = memory_zeroed(1, sizeof(*node));

	node->name = memory_string(name);
	node->is_folder = is_folder;
	node->number = ++folder->n_made;
	if (is_folder)
		node->lock.queue = folder->team->sim->kernel->waitq_new();
	return node;
}

static void node_drop(struct folder *folder, struct node *node)
{
	if (!node->unlinked || node->users)
		return;
	if (node->lock.queue)
		folder->team->sim->kernel->waitq_free(node->lock.queue);
	free(node->children);
	free(node->name);
	free(node);
}

static void node_put(struct folder *folder, struct node *node)
{
	node->users--;
	node_drop(folder, node);
}

/* where a name is among the children, or would be */
static int child_place(const struct node *parent, const char *name, bool *found)
{
	int low = 0, high = parent->n_children;

	*found = false;
	while (low < high) {
		int middle = (low + high) / 2;
		int order = strcmp(parent->children[middle]->name, name);

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

static struct node *child_find(const struct node *parent, const char *name)
{
	bool found;
	int at = child_place(parent, name, &found);

	return found ? parent->children[at] : NULL;
}

static void child_add(struct node *parent, struct node *child)
{
	bool found;
	int at = child_place(parent, child->name, &found);

	(void)array_append(parent->children, parent->n_children);
	memmove(&parent->children[at + 1], &parent->children[at],
		(size_t)(parent->n_children - 1 - at) * sizeof(struct node *));
	parent->children[at] = child;
}

static void child_remove(struct node *parent, const struct node *child)
{
	bool found;
	int at = child_place(parent, child->name, &found);

	parent->n_children--;
	memmove(&parent->children[at], &parent->children[at + 1],
		(size_t)(parent->n_children - at) * sizeof(struct node *));
}

/* ---- paths and handles ---- */

static int walk(const struct folder *folder, const char *path, struct place *place)
{
	struct node *at = folder->root;
	const char *slash;

	place->depth = 1;
	for (; (slash = strchr(path, '/')); path = slash + 1, place->depth++) {
		autofree char *name = memory_string_n(path, (size_t)(slash - path));

		at = child_find(at, name);
		if (!at)
			return -ENOENT;
		if (!at->is_folder)
			return -ENOTDIR;
	}
	place->parent = at;
	place->name = path;
	return 0;
}

/* "." is the root */
static int find(const struct folder *folder, const char *path, struct node **out)
{
	struct place place;
	int error;

	*out = folder->root;
	if (!strcmp(path, "."))
		return 0;
	error = walk(folder, path, &place);
	if (error)
		return error;
	*out = child_find(place.parent, place.name);
	return *out ? 0 : -ENOENT;
}

static int components(const char *path)
{
	int n = 1;

	for (; *path; path++)
		n += *path == '/';
	return n;
}

static int handle_new(struct folder *folder, struct node *node)
{
	int handle = 0;

	while (handle < folder->n_handles && folder->handles[handle])
		handle++;
	if (handle == folder->n_handles)
		(void)array_append(folder->handles, folder->n_handles);
	folder->handles[handle] = node;
	node->users++;
	return handle;
}

static struct node *handle_node(const struct folder *folder, int handle)
{
	return handle >= 0 && handle < folder->n_handles ? folder->handles[handle] : NULL;
}

/* ---- time ---- */

/* ps in the kernel, others may come in between; false when the trial is over */
static bool spend(struct sim_task *task, int64_t ps)
{
	task_work_kernel(task, prng_around(&task->prng, (uint64_t)ps,
					   (unsigned)task->sim->model->cost_jitter));
	return !task_over(task);
}

static int64_t copy_cost(const struct sim_model *model, uint64_t bytes)
{
	return (int64_t)((unsigned __int128)bytes * 1000000000000 / model->copy_bandwidth);
}

static int64_t pages_cost(const struct sim_model *model, uint64_t bytes)
{
	return (int64_t)((bytes + PAGE - 1) / PAGE) * model->file_page;
}

static int64_t path_cost(const struct sim_model *model, const struct file_request *request)
{
	int n = (request->path ? components(request->path) : 0) +
		(request->to ? components(request->to) : 0);

	return model->syscall + n * model->file_lookup;
}

/* ---- operations without a lock ---- */

static int64_t read_file(struct sim_task *task, struct node *node,
			 const struct file_request *request)
{
	const struct sim_model *model = task->sim->model;
	uint64_t left = request->offset < node->size ? node->size - request->offset : 0;
	uint64_t bytes = request->size < left ? request->size : left;

	if (bytes > FILE_IO_MAX)
		bytes = FILE_IO_MAX;
	if (!spend(task, model->file_io + copy_cost(model, bytes)))
		return -EINTR;
	return (int64_t)bytes;
}

static int64_t write_file(struct sim_task *task, struct node *node,
			  const struct file_request *request)
{
	const struct sim_model *model = task->sim->model;
	uint64_t bytes = request->size < FILE_IO_MAX ? request->size : FILE_IO_MAX;
	uint64_t end = request->offset + bytes;
	int64_t cost = model->file_io + copy_cost(model, bytes);

	if (end > node->size)
		cost += pages_cost(model, end) - pages_cost(model, node->size);
	if (!spend(task, cost))
		return -EINTR;
	if (end > node->size)
		node->size = end;
	node->dirty = true;
	node->changed = disk_transaction(task->team);
	return (int64_t)bytes;
}

static int64_t flush_file(struct sim_task *task, struct node *node)
{
	bool pages = node->dirty;

	node->dirty = false;
	return disk_flush(task, node->changed, pages) ? 0 : -EINTR;
}

static int64_t by_handle(struct sim_task *task, struct folder *folder,
			 const struct file_request *request)
{
	struct node *node = handle_node(folder, request->handle);

	if (!node)
		return -EBADF;
	switch (request->op) {
	case FILE_READ:
		return read_file(task, node, request);
	case FILE_WRITE:
		return write_file(task, node, request);
	case FILE_CLOSE:
		folder->handles[request->handle] = NULL;
		node_put(folder, node);
		return 0;
	case FILE_FLUSH:
		return flush_file(task, node);
	default: /* STATUS */
		return 0;
	}
}

static int64_t open_file(struct folder *folder, const char *path)
{
	struct node *node;
	int error = find(folder, path, &node);

	if (error)
		return error;
	return node->is_folder ? -EISDIR : handle_new(folder, node);
}

static int64_t status(const struct folder *folder, const char *path)
{
	struct node *node;

	return find(folder, path, &node);
}

static int64_t list(struct sim_task *task, struct folder *folder, const char *path)
{
	struct node *node;
	int64_t n = find(folder, path, &node);

	if (n)
		return n;
	if (!node->is_folder)
		return -ENOTDIR;
	node->users++;
	n = -EINTR;
	if (lock_take(task, &node->lock, true)) {
		n = node->n_children;
		spend(task, task->sim->model->file_entry * (n + 2));
		lock_drop(task, &node->lock, true);
	}
	node_put(folder, node);
	return task_over(task) ? -EINTR : n;
}

/* ---- changes of a folder, with its lock held ---- */

static int64_t create(struct folder *folder, const struct place *place, uint64_t *freed)
{
	struct node *node = child_find(place->parent, place->name);

	if (node && node->is_folder)
		return -EISDIR;
	if (node) {
		*freed = node->size;
		node->size = 0;
	} else {
		node = node_new(folder, place->name, false);
		node->changed = disk_transaction(folder->team);
		child_add(place->parent, node);
	}
	return handle_new(folder, node);
}

static int64_t make_folder(struct folder *folder, const struct place *place)
{
	if (child_find(place->parent, place->name))
		return -EEXIST;
	child_add(place->parent, node_new(folder, place->name, true));
	return 0;
}

static void take_out(struct folder *folder, struct node *parent, struct node *node)
{
	child_remove(parent, node);
	node->unlinked = true;
	node_drop(folder, node);
}

static int64_t remove_name(struct folder *folder, const struct place *place, bool is_folder,
			   uint64_t *freed)
{
	struct node *node = child_find(place->parent, place->name);

	if (!node)
		return -ENOENT;
	if (node->is_folder != is_folder)
		return is_folder ? -ENOTDIR : -EISDIR;
	if (node->n_children)
		return -ENOTEMPTY;
	*freed = node->users ? 0 : node->size;
	take_out(folder, place->parent, node);
	return 0;
}

static int64_t rename_file(struct folder *folder, const struct place *from, const struct place *to)
{
	struct node *node = child_find(from->parent, from->name), *old;

	if (!node)
		return -ENOENT;
	if (node->is_folder)
		return -EISDIR;
	old = child_find(to->parent, to->name);
	if (old == node)
		return 0;
	if (old && old->is_folder)
		return -EISDIR;
	if (old)
		take_out(folder, to->parent, old);
	child_remove(from->parent, node);
	free(node->name);
	node->name = memory_string(to->name);
	child_add(to->parent, node);
	return 0;
}

static int64_t change(struct sim_task *task, struct folder *folder,
		      const struct file_request *request, const struct place *from,
		      const struct place *to, uint64_t *freed)
{
	if (!spend(task, task->sim->model->file_change))
		return -EINTR;
	if (from->parent->unlinked || to->parent->unlinked)
		return -ENOENT;
	switch (request->op) {
	case FILE_CREATE:
		return create(folder, from, freed);
	case FILE_MKDIR:
		return make_folder(folder, from);
	case FILE_RENAME:
		return rename_file(folder, from, to);
	default:
		return remove_name(folder, from, request->op == FILE_RMDIR, freed);
	}
}

/* one folder, or two in the order of their age */
static bool lock_two(struct sim_task *task, struct node *a, struct node *b)
{
	struct node *first = a->number <= b->number ? a : b, *second = first == a ? b : a;

	if (!lock_take(task, &first->lock, false))
		return false;
	if (first == second || lock_take(task, &second->lock, false))
		return true;
	lock_drop(task, &first->lock, false);
	return false;
}

static int64_t locked_change(struct sim_task *task, struct folder *folder,
			     const struct file_request *request, const struct place *from,
			     const struct place *to, uint64_t *freed)
{
	int64_t value = -EINTR;

	if (!lock_two(task, from->parent, to->parent))
		return value;
	value = change(task, folder, request, from, to, freed);
	if (from->parent != to->parent)
		lock_drop(task, &to->parent->lock, false);
	lock_drop(task, &from->parent->lock, false);
	return value;
}

static int64_t change_folder(struct sim_task *task, struct folder *folder,
			     const struct file_request *request)
{
	struct place from, to;
	int64_t value = walk(folder, request->path, &from);
	uint64_t freed = 0;
	bool between;

	if (!value)
		value = walk(folder, request->to ? request->to : request->path, &to);
	if (value)
		return value;
	between = from.parent != to.parent;
	from.parent->users++;
	to.parent->users++;
	value = -EINTR;
	if (!between || lock_take(task, &folder->rename, false)) {
		value = locked_change(task, folder, request, &from, &to, &freed);
		if (between)
			lock_drop(task, &folder->rename, false);
	}
	node_put(folder, from.parent);
	node_put(folder, to.parent);
	/* the pages of a file that is gone go when the locks are free again */
	if (freed)
		spend(task, pages_cost(task->sim->model, freed));
	return value;
}

/* ---- the interface ---- */

static int64_t base_cost(const struct sim_model *model, const struct file_request *request)
{
	int64_t cost = path_cost(model, request);

	switch (request->op) {
	case FILE_READ:
	case FILE_WRITE:
	case FILE_FLUSH:
	case FILE_MKDIR:
	case FILE_RMDIR:
	case FILE_UNLINK:
	case FILE_RENAME:
		return cost;
	default:
		return cost + model->file_open;
	}
}

int64_t sim_file(struct task *base, struct folder *folder, const struct file_request *request)
{
	struct sim_task *task = sim_task(base);

	if (!spend(task, base_cost(task->sim->model, request)) && request->op != FILE_CLOSE)
		return -EINTR;
	switch (request->op) {
	case FILE_OPEN:
		return open_file(folder, request->path);
	case FILE_STAT:
	case FILE_TOUCH:
	case FILE_SPACE:
		return status(folder, request->path);
	case FILE_LIST:
		return list(task, folder, request->path);
	case FILE_CREATE:
	case FILE_RENAME:
	case FILE_UNLINK:
	case FILE_MKDIR:
	case FILE_RMDIR:
		return change_folder(task, folder, request);
	default:
		return by_handle(task, folder, request);
	}
}

struct folder *sim_folder(struct team *base, const char *below)
{
	struct sim_team *team = sim_team(base);
	struct folder *folder = memory_zeroed(1, sizeof(*folder));

	if (below)
		engine_fail(team->sim,
			    "the simulator's files are in its memory: it has no directory '%s'",
			    below);
	*array_append(team->folders, team->n_folders) = folder;
	folder->team = team;
	folder->root = node_new(folder, "", true);
	folder->rename.queue = team->sim->kernel->waitq_new();
	return folder;
}

static void release_node(struct sim_team *team, struct node *node)
{
	if (!node->is_folder)
		return;
	lock_release(team, &node->lock);
	for (int i = 0; i < node->n_children; i++)
		release_node(team, node->children[i]);
}

void file_release(struct sim_team *team)
{
	for (int i = 0; i < team->n_folders; i++) {
		lock_release(team, &team->folders[i]->rename);
		release_node(team, team->folders[i]->root);
	}
	disk_release(team);
}

/* the kernel's wait queues stay: its state ends with the process */
static void node_free(struct node *node)
{
	for (int i = 0; i < node->n_children; i++)
		node_free(node->children[i]);
	free(node->children);
	free(node->name);
	free(node);
}

void file_free(struct sim_team *team)
{
	for (int i = 0; i < team->n_folders; i++) {
		node_free(team->folders[i]->root);
		free(team->folders[i]->handles);
		free(team->folders[i]);
	}
	free(team->folders);
	disk_free(team);
}
