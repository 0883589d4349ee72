// SPDX-License-Identifier: GPL-2.0-only
/*
 * coro.c - coroutines on x86-64 and arm64
 *
 * ks_coro_switch_stack() saves what the ABI wants kept over a call on the old stack and restores it from
 * the new one. AddressSanitizer, if the program has it, is told of each change of stack.
 */
#define _GNU_SOURCE
#include "coro.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define GUARD 4096UL

void __sanitizer_start_switch_fiber(void **fake, const void *bottom, size_t size)
	__attribute__((weak));
void __sanitizer_finish_switch_fiber(void *fake, const void **bottom, size_t *size)
	__attribute__((weak));
void __lsan_register_root_region(const void *p, size_t size) __attribute__((weak));
void __asan_unpoison_memory_region(void const volatile *addr, size_t size) __attribute__((weak));

void ks_coro_switch_stack(void **save_sp, void *new_sp) __attribute__((visibility("hidden")));
void ks_coro_first(void) __attribute__((visibility("hidden")));
void ks_coro_main(struct ks_coro *co) __attribute__((noreturn, used, visibility("hidden")));

#if defined(__x86_64__)
__asm__(".text\n"
	".p2align 4\n"
	".globl ks_coro_switch_stack\n"
	".hidden ks_coro_switch_stack\n"
	".type ks_coro_switch_stack, @function\n"
	"ks_coro_switch_stack:\n"
	"	pushq %rbp\n"
	"	pushq %rbx\n"
	"	pushq %r12\n"
	"	pushq %r13\n"
	"	pushq %r14\n"
	"	pushq %r15\n"
	"	movq %rsp, (%rdi)\n"
	"	movq %rsi, %rsp\n"
	"	popq %r15\n"
	"	popq %r14\n"
	"	popq %r13\n"
	"	popq %r12\n"
	"	popq %rbx\n"
	"	popq %rbp\n"
	"	ret\n"
	".size ks_coro_switch_stack, . - ks_coro_switch_stack\n"
	".globl ks_coro_first\n"
	".hidden ks_coro_first\n"
	".type ks_coro_first, @function\n"
	"ks_coro_first:\n"
	"	movq %r12, %rdi\n"
	"	xorl %ebp, %ebp\n"
	"	call ks_coro_main\n"
	"	hlt\n"
	".size ks_coro_first, . - ks_coro_first\n");

static void *first_frame(void *top, struct ks_coro *co)
{
	/* r15 r14 r13 r12 rbx rbp, return address; the stack is 16-aligned when that is popped */
	uint64_t *sp = (uint64_t *)top - 9;

	memset(sp, 0, 9 * sizeof(*sp));
	sp[3] = (uintptr_t)co;
	sp[6] = (uintptr_t)ks_coro_first;
	return sp;
}
#elif defined(__aarch64__)
__asm__(".text\n"
	".p2align 4\n"
	".globl ks_coro_switch_stack\n"
	".hidden ks_coro_switch_stack\n"
	".type ks_coro_switch_stack, %function\n"
	"ks_coro_switch_stack:\n"
	"	sub sp, sp, #160\n"
	"	stp x19, x20, [sp, #0]\n"
	"	stp x21, x22, [sp, #16]\n"
	"	stp x23, x24, [sp, #32]\n"
	"	stp x25, x26, [sp, #48]\n"
	"	stp x27, x28, [sp, #64]\n"
	"	stp x29, x30, [sp, #80]\n"
	"	stp d8, d9, [sp, #96]\n"
	"	stp d10, d11, [sp, #112]\n"
	"	stp d12, d13, [sp, #128]\n"
	"	stp d14, d15, [sp, #144]\n"
	"	mov x9, sp\n"
	"	str x9, [x0]\n"
	"	mov sp, x1\n"
	"	ldp x19, x20, [sp, #0]\n"
	"	ldp x21, x22, [sp, #16]\n"
	"	ldp x23, x24, [sp, #32]\n"
	"	ldp x25, x26, [sp, #48]\n"
	"	ldp x27, x28, [sp, #64]\n"
	"	ldp x29, x30, [sp, #80]\n"
	"	ldp d8, d9, [sp, #96]\n"
	"	ldp d10, d11, [sp, #112]\n"
	"	ldp d12, d13, [sp, #128]\n"
	"	ldp d14, d15, [sp, #144]\n"
	"	add sp, sp, #160\n"
	"	ret\n"
	".size ks_coro_switch_stack, . - ks_coro_switch_stack\n"
	".globl ks_coro_first\n"
	".hidden ks_coro_first\n"
	".type ks_coro_first, %function\n"
	"ks_coro_first:\n"
	"	mov x0, x19\n"
	"	mov x29, xzr\n"
	"	bl ks_coro_main\n"
	"	brk #1\n"
	".size ks_coro_first, . - ks_coro_first\n");

static void *first_frame(void *top, struct ks_coro *co)
{
	uint64_t *sp = (uint64_t *)top - 20;

	memset(sp, 0, 20 * sizeof(*sp));
	sp[0] = (uintptr_t)co;
	sp[11] = (uintptr_t)ks_coro_first;
	return sp;
}
#else
#error "coroutines are written for x86-64 and arm64"
#endif

static struct ks_coro *free_list;
static struct ks_coro host_coro;
static struct ks_coro *switched_from; /* whose stack bounds the sanitizer tells after a switch */

static void finish_switch(struct ks_coro *self)
{
	const void *bottom;
	size_t size;

	if (!__sanitizer_finish_switch_fiber)
		return;
	__sanitizer_finish_switch_fiber(self->fake_stack, &bottom, &size);
	if (switched_from && !switched_from->stack) {
		switched_from->stack = (void *)bottom;
		switched_from->size = size;
	}
}

void ks_coro_main(struct ks_coro *co)
{
	finish_switch(co);
	co->fn(co->arg);
	abort();
}

struct ks_coro *ks_coro_host(void)
{
	return &host_coro;
}

struct ks_coro *ks_coro_new(unsigned long size, void (*fn)(void *arg), void *arg)
{
	static size_t colour;
	struct ks_coro **link, *co;
	char *map;

	size = (size + GUARD - 1) & ~(GUARD - 1);
	for (link = &free_list; (co = *link); link = &co->next_free)
		if (co->size == size)
			break;
	if (co) {
		*link = co->next_free;
	} else {
		co = calloc(1, sizeof(*co));
		if (!co)
			return NULL;
		map = mmap(NULL, size + GUARD, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (map == MAP_FAILED || mprotect(map, GUARD, PROT_NONE)) {
			if (map != MAP_FAILED)
				munmap(map, size + GUARD);
			free(co);
			return NULL;
		}
		/* What only this stack points to is not lost. */
		if (__lsan_register_root_region)
			__lsan_register_root_region(map + GUARD, size);
		co->stack = map + GUARD;
		co->size = size;
	}
	co->fn = fn;
	co->arg = arg;
	co->fake_stack = NULL;
	co->next_free = NULL;
	if (__asan_unpoison_memory_region)
		__asan_unpoison_memory_region(co->stack, co->size);
	/* Tops of stacks at the same offset of a page would share the sets of a cache. */
	colour = (colour + 3 * 64) % 2048;
	co->sp = first_frame((char *)co->stack + size - colour, co);
	return co;
}

void ks_coro_free(struct ks_coro *co)
{
	co->next_free = free_list;
	free_list = co;
}

void ks_coro_swap(struct ks_coro *from, struct ks_coro *to)
{
	if (__sanitizer_start_switch_fiber) {
		switched_from = from;
		__sanitizer_start_switch_fiber(&from->fake_stack, to->stack, to->size);
	}
	ks_coro_switch_stack(&from->sp, to->sp);
	finish_switch(from);
}
