/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * files.h - what files do, for both implementations: a body that fails its trial when they do not
 */
#ifndef FT_TESTS_FILES_H
#define FT_TESTS_FILES_H

#include <errno.h>

#include "task/task.h"

struct file_expectation {
	struct file_request request;
	int64_t value;
};

/* in order; handles are as of a process that opens nothing else, counted from the first one */
static const struct file_expectation file_expectations[] = {
	{ { FILE_OPEN, .path = "a" }, -ENOENT },
	{ { FILE_MKDIR, .path = "d" }, 0 },
	{ { FILE_MKDIR, .path = "d" }, -EEXIST },
	{ { FILE_MKDIR, .path = "x/y" }, -ENOENT },
	{ { FILE_CREATE, .path = "d/a" }, 0 },
	{ { FILE_WRITE, .handle = 0, .offset = 0, .size = 5000 }, 5000 },
	{ { FILE_READ, .handle = 0, .offset = 4000, .size = 5000 }, 1000 },
	{ { FILE_READ, .handle = 0, .offset = 9000, .size = 1 }, 0 },
	{ { FILE_WRITE, .handle = 0, .offset = 0, .size = FILE_IO_MAX }, FILE_IO_MAX },
	{ { FILE_FLUSH, .handle = 0 }, 0 },
	{ { FILE_STATUS, .handle = 0 }, 0 },
	{ { FILE_CLOSE, .handle = 0 }, 0 },
	{ { FILE_CLOSE, .handle = 0 }, -EBADF },
	{ { FILE_STAT, .path = "d/a" }, 0 },
	{ { FILE_STAT, .path = "d/a/b" }, -ENOTDIR },
	{ { FILE_TOUCH, .path = "d/a" }, 0 },
	{ { FILE_SPACE, .path = "." }, 0 },
	{ { FILE_LIST, .path = "d" }, 1 },
	{ { FILE_LIST, .path = "." }, 1 },
	{ { FILE_LIST, .path = "d/a" }, -ENOTDIR },
	{ { FILE_RENAME, .path = "d/a", .to = "b" }, 0 },
	{ { FILE_STAT, .path = "d/a" }, -ENOENT },
	{ { FILE_OPEN, .path = "b" }, 0 },
	{ { FILE_READ, .handle = 0, .offset = 0, .size = FILE_IO_MAX }, FILE_IO_MAX },
	{ { FILE_CREATE, .path = "c" }, 1 },
	{ { FILE_CREATE, .path = "b" }, 2 },
	{ { FILE_READ, .handle = 0, .offset = 0, .size = 1 }, 0 },
	{ { FILE_UNLINK, .path = "b" }, 0 },
	{ { FILE_WRITE, .handle = 0, .offset = 0, .size = 1 }, 1 },
	{ { FILE_LIST, .path = "." }, 2 },
	{ { FILE_CLOSE, .handle = 0 }, 0 },
	{ { FILE_CLOSE, .handle = 2 }, 0 },
	{ { FILE_CREATE, .path = "e" }, 0 },
	{ { FILE_RENAME, .path = "e", .to = "c" }, 0 },
	{ { FILE_RENAME, .path = "e", .to = "c" }, -ENOENT },
	{ { FILE_UNLINK, .path = "d" }, -EISDIR },
	{ { FILE_RMDIR, .path = "c" }, -ENOTDIR },
	{ { FILE_RENAME, .path = "c", .to = "d/c" }, 0 },
	{ { FILE_RMDIR, .path = "d" }, -ENOTEMPTY },
	{ { FILE_UNLINK, .path = "d/c" }, 0 },
	{ { FILE_UNLINK, .path = "d/c" }, -ENOENT },
	{ { FILE_RMDIR, .path = "d" }, 0 },
	{ { FILE_LIST, .path = "." }, 0 },
};

static inline bool gives_handle(enum file_op op)
{
	return op == FILE_OPEN || op == FILE_CREATE;
}

/* @data: the folder. Counts each operation that gives what it should. */
static inline void files_body(struct task *task, void *data)
{
	int handles[8] = { 0 };

	for (size_t i = 0; i < sizeof(file_expectations) / sizeof(file_expectations[0]); i++) {
		const struct file_expectation *expected = &file_expectations[i];
		struct file_request request = expected->request;
		int64_t value;

		request.handle = handles[request.handle];
		value = task_file(task, data, &request);
		if (gives_handle(request.op) && expected->value >= 0 && value >= 0) {
			handles[expected->value] = (int)value;
			value = expected->value;
		}
		if (value != expected->value)
			task_fail(task, "step %zu gave %lld, expected %lld", i, (long long)value,
				  (long long)expected->value);
		task_count(task, 0, 1);
	}
}

#endif
