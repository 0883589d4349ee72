// SPDX-License-Identifier: GPL-2.0-only
/*
 * memory.c - the kernel's allocators on arena.c, or with AddressSanitizer on the C library's
 *
 * Weak, and with no header of the kernel: only the order of the arguments matters, which is told with each
 * name. Everything is zeroed, as __GFP_ZERO differs between trees and the cost is small.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ksched.h"
#include "state.h"

#define WEAK __attribute__((weak))

#ifdef __SANITIZE_ADDRESS__
#define ALIGN_MIN 64UL

static void *zalloc(size_t size)
{
	void *p = aligned_alloc(ALIGN_MIN, (size + ALIGN_MIN - 1) & ~(ALIGN_MIN - 1));

	return p ? memset(p, 0, size) : NULL;
}

static void zfree(const void *p)
{
	free((void *)p);
}
#else
static void *zalloc(size_t size)
{
	return ks_arena_alloc(size);
}

static void zfree(const void *p)
{
	ks_arena_free((void *)p);
}
#endif

/* ---- kmalloc: the size is the first argument, or the second after a cache --------------------- */

/* Enough for any tree's array of caches; it is only indexed, the size is passed beside. */
WEAK void *kmalloc_caches[32 * 32];

WEAK void *__kmalloc(size_t size, unsigned int gfp)
{
	(void)gfp;
	return zalloc(size);
}

WEAK void *__kmalloc_noprof(size_t size, unsigned int gfp)
{
	return __kmalloc(size, gfp);
}

WEAK void *__kmalloc_large_noprof(size_t size, unsigned int gfp)
{
	return __kmalloc(size, gfp);
}

WEAK void *__kmalloc_node(size_t size, unsigned int gfp, int node)
{
	(void)node;
	return __kmalloc(size, gfp);
}

/* 6.10: (size, buckets or flags, ...); without CONFIG_SLAB_BUCKETS as __kmalloc_node(). */
WEAK void *__kmalloc_node_noprof(size_t size, unsigned int gfp, int node)
{
	return __kmalloc_node(size, gfp, node);
}

WEAK void *__kmalloc_cache_noprof(void *cache, unsigned int gfp, size_t size)
{
	(void)cache;
	return __kmalloc(size, gfp);
}

WEAK void *__kmalloc_cache_node_noprof(void *cache, unsigned int gfp, int node, size_t size)
{
	(void)cache;
	return __kmalloc_node(size, gfp, node);
}

/* Before 6.10 */
WEAK void *kmalloc_trace(void *cache, unsigned int gfp, size_t size)
{
	return __kmalloc_cache_noprof(cache, gfp, size);
}

WEAK void *kmalloc_node_trace(void *cache, unsigned int gfp, int node, size_t size)
{
	return __kmalloc_cache_node_noprof(cache, gfp, node, size);
}

WEAK void *kmalloc_large(size_t size, unsigned int gfp)
{
	return __kmalloc(size, gfp);
}

WEAK void kfree(const void *p)
{
	zfree(p);
}

WEAK void kvfree(const void *p)
{
	zfree(p);
}

WEAK void vfree(const void *p)
{
	zfree(p);
}

WEAK void *vzalloc(size_t size)
{
	return zalloc(size);
}

WEAK char *kstrdup(const char *s, unsigned int gfp)
{
	char *copy;

	(void)gfp;
	if (!s)
		return NULL;
	copy = zalloc(strlen(s) + 1);
	return copy ? strcpy(copy, s) : NULL;
}

/* ---- caches of objects ---------------------------------------------------------------------------- */

struct cache {
	size_t size;
};

static void *new_cache(size_t size)
{
	struct cache *c = zalloc(sizeof(*c));

	if (c)
		c->size = size;
	return c;
}

/* Before 6.12 */
WEAK void *kmem_cache_create(const char *name, unsigned int size, unsigned int align,
			     unsigned int flags, void (*ctor)(void *))
{
	(void)name;
	(void)align;
	(void)flags;
	if (ctor)
		ks_trap("kmem_cache_create with a constructor");
	return new_cache(size);
}

WEAK void *__kmem_cache_create_args(const char *name, unsigned int size, void *args,
				    unsigned int flags)
{
	(void)name;
	(void)args;
	(void)flags;
	return new_cache(size);
}

WEAK void *kmem_cache_alloc(void *cache, unsigned int gfp)
{
	(void)gfp;
	return zalloc(((struct cache *)cache)->size);
}

WEAK void *kmem_cache_alloc_noprof(void *cache, unsigned int gfp)
{
	return kmem_cache_alloc(cache, gfp);
}

WEAK void *kmem_cache_alloc_node(void *cache, unsigned int gfp, int node)
{
	(void)node;
	return kmem_cache_alloc(cache, gfp);
}

WEAK void *kmem_cache_alloc_node_noprof(void *cache, unsigned int gfp, int node)
{
	return kmem_cache_alloc_node(cache, gfp, node);
}

WEAK void kmem_cache_free(void *cache, void *p)
{
	(void)cache;
	zfree(p);
}

/* ---- per-CPU memory: one unit a CPU, the static variables first ------------------------------------- */

#define DYNAMIC (64UL << 10) /* bytes a CPU beyond the static variables */
/*
 * The same variable of all CPUs must not fall into the same set of a cache, as it would with units of
 * whole pages: an odd number of cache lines more spreads them.
 */
#define COLOUR (17 * 64UL)

extern char __per_cpu_start[] KS_HIDDEN, __per_cpu_end[] KS_HIDDEN;
extern unsigned long __per_cpu_offset[] KS_HIDDEN;

void __lsan_register_root_region(const void *p, size_t size) __attribute__((weak));

static size_t static_size, used;
static char *units;
static size_t unit_size;
static int nr_units;

int ks_percpu_init(int nr_cpus)
{
	int cpu;

	static_size = __per_cpu_end - __per_cpu_start;
	used = (static_size + 63) & ~63UL;
	unit_size = ((used + DYNAMIC + 4095) & ~4095UL) + COLOUR;
	nr_units = nr_cpus;
	units = zalloc(unit_size * nr_cpus);
	if (!units)
		return -1;
	if (__lsan_register_root_region)
		__lsan_register_root_region(units, unit_size * nr_cpus);
	for (cpu = 0; cpu < nr_cpus; cpu++) {
		memcpy(units + cpu * unit_size, __per_cpu_start, static_size);
		__per_cpu_offset[cpu] = units + cpu * unit_size - __per_cpu_start;
	}
	return 0;
}

/* What was freed, by size: few sizes are in use. */
#define MAX_FREED 256

static struct {
	size_t size, offset;
} freed[MAX_FREED];
static int nr_freed;

/* The size of an allocation is needed to free it: kept just before it, in CPU 0's unit. */
static void *percpu_alloc(size_t size, size_t align)
{
	size_t offset;
	int i, cpu;

	size = (size + 7) & ~7UL;
	if (align < 16)
		align = 16;
	for (i = 0; i < nr_freed; i++)
		if (freed[i].size == size && !(freed[i].offset & (align - 1))) {
			offset = freed[i].offset;
			freed[i] = freed[--nr_freed];
			goto found;
		}
	offset = (used + 16 + align - 1) & ~(align - 1);
	if (offset + size > unit_size)
		return NULL;
	used = offset + size;
found:
	for (cpu = 0; cpu < nr_units; cpu++)
		memset(units + cpu * unit_size + offset, 0, size);
	*(size_t *)(units + offset - 8) = size;
	return __per_cpu_start + offset;
}

WEAK void *__alloc_percpu(size_t size, size_t align)
{
	return percpu_alloc(size, align);
}

WEAK void *__alloc_percpu_gfp(size_t size, size_t align, unsigned int gfp)
{
	(void)gfp;
	return percpu_alloc(size, align);
}

/* 6.10 */
WEAK void *pcpu_alloc_noprof(size_t size, size_t align, int reserved, unsigned int gfp)
{
	(void)reserved;
	(void)gfp;
	return percpu_alloc(size, align);
}

WEAK void free_percpu(void *p)
{
	size_t offset = (char *)p - __per_cpu_start;

	if (!p || nr_freed == MAX_FREED)
		return;
	freed[nr_freed].offset = offset;
	freed[nr_freed++].size = *(size_t *)(units + offset - 8);
}

WEAK unsigned long __get_free_pages(unsigned int gfp, unsigned int order)
{
	(void)gfp;
	return (unsigned long)zalloc(4096UL << order);
}

WEAK void free_pages(unsigned long addr, unsigned int order)
{
	(void)order;
	zfree((void *)addr);
}
