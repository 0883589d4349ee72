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

/* Libraries with no more than this between them are merged. */
#define GAP_MAX ((uintptr_t)1 << 20)

/* a line of /proc/self/maps */
struct mapping {
	uintptr_t start, end;
	char rights[5]; /* "r-xp": read, write, execute, private */
	char path[PATH_MAX];
};

static bool parse(const char *line, struct mapping *mapping)
{
	const char *path = strpbrk(line, "/[\n");

	if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s", &mapping->start, &mapping->end,
		   mapping->rights) != 3)
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

static bool executable(const struct mapping *mapping)
{
	return mapping->rights[2] == 'x';
}

/*
 * @follows: it begins where needed memory of a file ends, as zeroed data does; what is executable
 * then is what merge() has made
 */
static bool needed(const struct mapping *mapping, const char *program, bool follows)
{
	if (holds(mapping, &follows))
		return true;
	if (!*mapping->path)
		return follows && !executable(mapping);
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

/* ---- merging ---- */

enum merging {
	MERGE_NOT,
	MERGE_LIBRARY, /* a library that a child does not need */
	MERGE_DATA,    /* data of the program, the C library or the loader */
};

/* neighbours that can be one */
struct run {
	enum merging kind; /* MERGE_NOT: empty */
	uintptr_t start, end;
	int n; /* mappings */
};

/* a mapping that cannot be read is a gap inside a library */
static void copy_run(const char *maps, const struct run *run, char *to)
{
	for (const char *line = maps; *line; line = strchr(line, '\n') + 1) {
		struct mapping mapping;

		if (!parse(line, &mapping))
			return;
		if (mapping.start >= run->start && mapping.end <= run->end &&
		    *mapping.rights == 'r')
			memcpy(to + (mapping.start - run->start), (void *)mapping.start,
			       mapping.end - mapping.start);
	}
}

/*
 * One anonymous mapping with the same content takes the place of the run at once; nothing of it is
 * lost. Where memory must not be both writable and executable (SELinux, PR_SET_MDWE) libraries
 * stay as they were.
 */
static void merge(const char *maps, const struct run *run)
{
	int rights = PROT_READ | PROT_WRITE | (run->kind == MERGE_LIBRARY ? PROT_EXEC : 0);
	size_t size = run->end - run->start;
	char *copy;

	if (!run->kind || run->n < 2)
		return;
	copy = mmap(NULL, size, rights, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (copy == MAP_FAILED)
		return;
	copy_run(maps, run, copy);
	if (mremap(copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)run->start) ==
	    MAP_FAILED)
		munmap(copy, size);
	else if (run->kind == MERGE_LIBRARY)
		madvise((void *)run->start, size, MADV_DONTFORK);
}

static bool writable(const struct mapping *mapping)
{
	return mapping->rights[1] == 'w';
}

/* what the loader has made read-only after relocation lies right before the data of the file */
static bool is_data(const struct mapping *mapping, const char *next_line)
{
	struct mapping next;

	if (writable(mapping))
		return true;
	return !executable(mapping) && parse(next_line, &next) && writable(&next) &&
	       next.start == mapping->end && !strcmp(next.path, mapping->path);
}

/*
 * Files, and the zeroed data after them; not thread-local storage, which changes all the time. Data
 * must not change between copy and replacement either: merge() has nothing there.
 */
static enum merging mergeable(const struct mapping *mapping, const struct run *run,
			      const char *next_line, const char *program)
{
	if (mapping->rights[3] != 'p' || holds(mapping, (void *)pthread_self()))
		return MERGE_NOT;
	if (!*mapping->path)
		return run->kind && mapping->start == run->end &&
				       mapping->end - mapping->start <= GAP_MAX
			       ? run->kind
			       : MERGE_NOT;
	if (*mapping->path != '/')
		return MERGE_NOT;
	if (!needed_file(mapping->path, program))
		return MERGE_LIBRARY;
	return is_data(mapping, next_line) ? MERGE_DATA : MERGE_NOT;
}

static void merge_all(const char *maps, const char *program)
{
	struct run run = { 0 };

	for (const char *line = maps, *next; *line; line = next) {
		struct mapping mapping;
		enum merging kind;
		uintptr_t gap;

		next = strchr(line, '\n') + 1;
		if (!parse(line, &mapping))
			break;
		kind = mergeable(&mapping, &run, next, program);
		gap = mapping.start - run.end;
		if (kind != run.kind || gap > (kind == MERGE_LIBRARY ? GAP_MAX : 0)) {
			merge(maps, &run);
			run = (struct run){ .kind = kind, .start = mapping.start };
		}
		run.end = mapping.end;
		run.n++;
	}
	merge(maps, &run);
}

/* ---- the two ways ---- */

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
	if (advice == MADV_DONTFORK)
		merge_all(maps, program);
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
