// SPDX-License-Identifier: GPL-2.0-only
/*
 * arena.c - the kernel's memory in huge pages
 *
 * A tick of one CPU touches some eighty cache lines in a dozen objects, and until its next tick the
 * other CPUs touch theirs. With pages of 4 KiB each of these objects costs a walk of the page tables then
 * (20 to 40 ns on a virtual machine); so all objects lie in regions that are aligned and advised to
 * be huge pages.
 *
 * A region is cut into spans of 16 KiB. A span has a header and objects of one size, or it is the first of an
 * object that is larger than that. kfree() finds the header at the span's start. Freed objects are kept
 * by size.
 *
 * A forked child shares the pages until it writes, and then gets small ones; ks_arena_settle() gives it
 * huge ones of its own at once.
 *
 * Built with AddressSanitizer, memory.c uses the C library's allocator instead, which finds misuse.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "ksched.h"
#include "state.h"

#define HUGE_PAGE (2UL << 20)
#define SPAN	  (16UL << 10)
#define LINE	  64UL
#define MAX_SMALL (SPAN - LINE) /* largest object of a span for objects of one size */
#define MAX_LARGE 64		/* large objects that are kept when they are freed */

struct span {
	size_t size; /* of its objects, or of its only one */
};

struct region {
	char *start;
	size_t size, used;
};

static struct region *regions;
static int nr_regions, max_regions;
static size_t total;
static void *free_small[MAX_SMALL / LINE + 1]; /* by size in lines; linked by their first word */
static struct {
	char *next, *end; /* where the next object of that size is cut */
} fresh[MAX_SMALL / LINE + 1];
static void *free_large[MAX_LARGE];

/* Aligned, and only the part that is used costs memory, in steps of a huge page. */
static char *map_region(size_t size)
{
	char *start = mmap(NULL, size + HUGE_PAGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	size_t before;

	if (start == MAP_FAILED)
		return NULL;
	before = -(uintptr_t)start & (HUGE_PAGE - 1);
	if (before)
		munmap(start, before);
	if (before < HUGE_PAGE)
		munmap(start + before + size, HUGE_PAGE - before);
	madvise(start + before, size, MADV_HUGEPAGE);
	return start + before;
}

static struct region *new_region(size_t least)
{
	size_t size = total / 4 > least ? total / 4 : least; /* few regions, however many CPUs */
	struct region *r;

	size = (size + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
	if (nr_regions == max_regions) {
		int max = max_regions ? 2 * max_regions : 16;

		r = realloc(regions, max * sizeof(*regions));
		if (!r)
			return NULL;
		regions = r;
		max_regions = max;
	}
	r = &regions[nr_regions];
	r->start = map_region(size);
	if (!r->start)
		return NULL;
	r->size = size;
	r->used = 0;
	total += size;
	nr_regions++;
	return r;
}

/* Whole spans; zero. */
static char *take_spans(size_t size)
{
	struct region *r = nr_regions ? &regions[nr_regions - 1] : NULL;

	size = (size + SPAN - 1) & ~(SPAN - 1);
	if (!r || r->size - r->used < size)
		r = new_region(size);
	if (!r)
		return NULL;
	r->used += size;
	return r->start + r->used - size;
}

static void *alloc_small(size_t lines)
{
	size_t size = lines * LINE;
	static size_t colour;
	void *p = free_small[lines];

	if (p) {
		memcpy(&free_small[lines], p, sizeof(void *));
		return memset(p, 0, size);
	}
	if (fresh[lines].next == fresh[lines].end) {
		char *span = take_spans(SPAN);
		size_t n = MAX_SMALL / size, shift;

		if (!span)
			return NULL;
		((struct span *)span)->size = size;
		/* The same field of objects of different spans must not fall into the same cache set. */
		shift = colour++ % ((MAX_SMALL - n * size) / LINE + 1) * LINE;
		fresh[lines].next = span + LINE + shift;
		fresh[lines].end = fresh[lines].next + n * size;
	}
	p = fresh[lines].next;
	fresh[lines].next += size;
	return p;
}

static void *alloc_large(size_t size)
{
	char *span;

	for (int i = 0; i < MAX_LARGE; i++) {
		span = free_large[i];
		if (span && ((struct span *)span)->size == size) {
			free_large[i] = NULL;
			return memset(span + LINE, 0, size);
		}
	}
	span = take_spans(size + LINE);
	if (!span)
		return NULL;
	((struct span *)span)->size = size;
	return span + LINE;
}

void *ks_arena_alloc(unsigned long size)
{
	size = size ? (size + LINE - 1) & ~(LINE - 1) : LINE;
	return size <= MAX_SMALL ? alloc_small(size / LINE) : alloc_large(size);
}

void ks_arena_free(void *p)
{
	struct span *span = (struct span *)((uintptr_t)p & ~(SPAN - 1));

	if (!p)
		return;
	if (span->size <= MAX_SMALL) {
		memcpy(p, &free_small[span->size / LINE], sizeof(void *));
		free_small[span->size / LINE] = p;
		return;
	}
	for (int i = 0; i < MAX_LARGE; i++)
		if (!free_large[i]) {
			free_large[i] = span;
			return;
		}
}

/* If it does not succeed the pages stay shared until they are written: slower, no more. */
static void settle(struct region *r)
{
	char *copy = map_region(r->size);

	if (!copy)
		return;
	memcpy(copy, r->start, r->used);
	if (mremap(copy, r->size, r->size, MREMAP_MAYMOVE | MREMAP_FIXED, r->start) == MAP_FAILED)
		munmap(copy, r->size);
}

void ks_arena_settle(void)
{
	for (int i = 0; i < nr_regions; i++)
		settle(&regions[i]);
}
