// SPDX-License-Identifier: GPL-2.0-only
#include "task/live_lean.h"

#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/single_threaded.h>
#include <unistd.h>

#include "base/file.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
	__has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

/* a line of /proc/self/maps */
struct mapping {
	uintptr_t start, end;
	char path[PATH_MAX];
};

static bool parse(const char *line, struct mapping *mapping)
{
	const char *path = strpbrk(line, "/[\n");

	if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &mapping->start, &mapping->end) != 2)
		return false;
	*mapping->path = '\0';
	if (path)
		sscanf(path, "%4095[^\n]", mapping->path);
	return true;
}

static bool holds(const struct mapping *mapping, const void *address)
{
	return mapping->start <= (uintptr_t)address && (uintptr_t)address < mapping->end;
}

static bool starts(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* the program, the C library and the loader */
static bool needed_file(const char *path, const char *program)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	return !strcmp(path, program) || starts(name, "libc.so") || starts(name, "libc-") ||
	       starts(name, "ld-") || starts(name, "ld.so") || starts(name, "ld64.so");
}

/* @follows: it begins where needed memory of a file ends, as zeroed data does */
static bool needed(const struct mapping *mapping, const char *program, bool follows)
{
	if (holds(mapping, &follows))
		return true;
	if (!*mapping->path)
		return follows;
	if (*mapping->path == '[')
		return strcmp(mapping->path, "[heap]");
	return needed_file(mapping->path, program);
}

static void advise_range(uintptr_t start, uintptr_t end, int advice)
{
	if (start < end)
		madvise((void *)start, end - start, advice);
}

/*
 * Thread-local storage is kept: two pages below and above the page of the thread's pointer hold the
 * static blocks and the thread's descriptor. The kernel merges its mapping with large blocks of
 * malloc(), so that it may be anywhere in a large one.
 */
static void advise_mapping(const struct mapping *mapping, int advice)
{
	uintptr_t page = sysconf(_SC_PAGESIZE);
	uintptr_t self = (uintptr_t)pthread_self() / page * page;
	uintptr_t low = self - 2 * page, high = self + 3 * page;

	if (!holds(mapping, (void *)pthread_self())) {
		advise_range(mapping->start, mapping->end, advice);
		return;
	}
	advise_range(mapping->start, low < mapping->end ? low : mapping->end, advice);
	advise_range(high > mapping->start ? high : mapping->start, mapping->end, advice);
}

static void advise_all(const char *maps, const char *program, int advice)
{
	uintptr_t end = 0;
	bool follows = false;

	for (const char *line = maps; *line; line = strchr(line, '\n') + 1) {
		struct mapping mapping;
		bool keep;

		if (!parse(line, &mapping))
			return;
		keep = needed(&mapping, program, follows && mapping.start == end);
		if (!keep)
			advise_mapping(&mapping, advice);
		follows = keep && (*mapping.path == '/' || (!*mapping.path && follows));
		end = mapping.end;
	}
}

static bool advise(int advice)
{
	char program[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
	struct error *error;
	char *maps;

	if (length < 0)
		return false;
	program[length] = '\0';
	error = file_read("/proc/self/maps", &maps, NULL);
	if (error) {
		error_free(error);
		return false;
	}
	advise_all(maps, program, advice);
	free(maps);
	return true;
}

bool live_lean_enter(void)
{
	if (SANITIZED || !__libc_single_threaded)
		return false;
	return advise(MADV_DONTFORK);
}

void live_lean_leave(void)
{
	advise(MADV_DOFORK);
}
