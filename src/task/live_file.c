// SPDX-License-Identifier: GPL-2.0-only
/* live_file.c - operations on the files of a folder: one system call each, or few */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "task/live_private.h"

/* the fixed part of struct linux_dirent64 */
struct entry_head {
	uint64_t inode;
	int64_t offset;
	uint16_t length;
	uint8_t type;
	char name[];
};

static int64_t result(int64_t value)
{
	return value < 0 ? -errno : value;
}

static int64_t open_file(const struct folder *folder, const char *path, int flags)
{
	return result(openat(folder->fd, path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0600));
}

static size_t io_size(const struct file_request *request)
{
	return request->size < FILE_IO_MAX ? request->size : FILE_IO_MAX;
}

static int64_t count_entries(const char *buffer, ssize_t bytes)
{
	int64_t n = 0;

	for (ssize_t at = 0; at < bytes; n++)
		at += ((const struct entry_head *)(buffer + at))->length;
	return n;
}

/* entries without "." and ".." */
static int64_t list(struct live_task *task, const struct folder *folder, const char *path)
{
	int fd = openat(folder->fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int64_t n = -2;
	ssize_t bytes;

	if (fd < 0)
		return -errno;
	do {
		bytes = syscall(SYS_getdents64, fd, task->buffer, FILE_IO_MAX);
		n += bytes > 0 ? count_entries(task->buffer, bytes) : 0;
	} while (bytes > 0);
	n = bytes < 0 ? -errno : n;
	close(fd);
	return n;
}

static int64_t space(const struct folder *folder, const char *path)
{
	struct statfs status;
	int fd = openat(folder->fd, path, O_PATH | O_CLOEXEC);
	int64_t value;

	if (fd < 0)
		return -errno;
	value = result(fstatfs(fd, &status));
	close(fd);
	return value;
}

static int64_t perform(struct live_task *task, const struct folder *folder,
		       const struct file_request *request)
{
	struct stat status;

	switch (request->op) {
	case FILE_OPEN:
		return open_file(folder, request->path, 0);
	case FILE_CREATE:
		return open_file(folder, request->path, O_CREAT | O_TRUNC);
	case FILE_CLOSE:
		return result(close(request->handle));
	case FILE_READ:
		return result(
			pread(request->handle, task->buffer, io_size(request), request->offset));
	case FILE_WRITE:
		return result(
			pwrite(request->handle, task->buffer, io_size(request), request->offset));
	case FILE_FLUSH:
		return result(fsync(request->handle));
	case FILE_STATUS:
		return result(fstat(request->handle, &status));
	case FILE_STAT:
		return result(fstatat(folder->fd, request->path, &status, AT_SYMLINK_NOFOLLOW));
	case FILE_TOUCH:
		return result(utimensat(folder->fd, request->path, NULL, AT_SYMLINK_NOFOLLOW));
	case FILE_LIST:
		return list(task, folder, request->path);
	case FILE_SPACE:
		return space(folder, request->path);
	case FILE_RENAME:
		return result(renameat(folder->fd, request->path, folder->fd, request->to));
	case FILE_UNLINK:
		return result(unlinkat(folder->fd, request->path, 0));
	case FILE_MKDIR:
		return result(mkdirat(folder->fd, request->path, 0700));
	case FILE_RMDIR:
		return result(unlinkat(folder->fd, request->path, AT_REMOVEDIR));
	}
	return -EINVAL;
}

/* a signal that is not the end of the trial does not matter */
int64_t live_file(struct task *base, struct folder *folder, const struct file_request *request)
{
	struct live_task *task = live_task(base);
	int64_t value;

	do {
		if (live_stopped(task) && request->op != FILE_CLOSE)
			return -EINTR;
		value = perform(task, folder, request);
	} while (value == -EINTR && request->op != FILE_CLOSE);
	return value;
}
