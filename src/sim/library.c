// SPDX-License-Identifier: GPL-2.0-only
#include "sim/library.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"

/* the dynamic linker takes a file of another inode for another library */
static struct error *copy_of(const char *path, char **copy)
{
	size_t length, done = 0;
	char *content;
	struct error *error = file_read(path, &content, &length);
	int fd;

	if (error)
		return error;
	fd = memfd_create("ksched", MFD_CLOEXEC);
	while (fd >= 0 && done < length) {
		ssize_t written = write(fd, content + done, length - done);

		if (written <= 0)
			break;
		done += (size_t)written;
	}
	free(content);
	if (done < length || !length)
		return error_errno("cannot copy %s", path);
	*copy = memory_format("/proc/self/fd/%d", fd);
	return NULL;
}

static void no_prefetch(int cpu, int ahead)
{
	(void)cpu;
	(void)ahead;
}

static void no_settle(void)
{
}

struct error *library_open(const char *path, bool fresh, const struct ksched_api **out,
			   const struct ksched_hints **hints)
{
	static const struct ksched_hints none = { no_prefetch, no_settle };
	autofree char *copy = NULL;
	struct error *error = fresh ? copy_of(path, &copy) : NULL;
	const struct ksched_api *api;
	void *handle;

	if (error)
		return error;
	handle = dlopen(copy ? copy : path, RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		return error_new(ERR_UNAVAILABLE, "cannot load the kernel: %s", dlerror());
	api = dlsym(handle, KSCHED_SYMBOL);
	if (!api || api->abi != KSCHED_ABI)
		return error_new(ERR_UNAVAILABLE,
				 "%s was built for another version of fairtrial (interface %d, "
				 "this one has %d): add the kernel again",
				 path, api ? api->abi : 0, KSCHED_ABI);
	*out = api;
	*hints = dlsym(handle, KSCHED_HINTS_SYMBOL);
	if (!*hints)
		*hints = &none;
	return NULL;
}
