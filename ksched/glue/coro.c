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

#include "ksched.h"
#include "state.h"

#define GUARD	  4096UL
#define SANITIZED (128UL << 10) /* instrumented code takes more */
#define CANARY	  0x57ac6e9d57ac6e9dUL

void __sanitizer_start_switch_fiber(void **fake, const void *bottom, size_t size)
	__attribute__((weak));
void __sanitizer_finish_switch_fiber(void *fake, const void **bottom, size_t *size)
	__attribute__((weak));
void __lsan_register_root_region(const void *p, size_t size) __attribute__((weak));
void __asan_unpoison_memory_region(void const volatile *addr, size_t size) __attribute__((weak));

void ks_coro_switch_stack(void **save_sp, void *new_sp) __attribute__((visibility("hidden")));
void ks_coro_call_on(void *top, void (*fn)(unsigned long a, unsigned long b), unsigned long a,
		     unsigned long b) __attribute__((visibility("hidden")));
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
	".globl ks_coro_call_on\n"
	".hidden ks_coro_call_on\n"
	".type ks_coro_call_on, @function\n"
	"ks_coro_call_on:\n"
	"	pushq %rbp\n"
	"	movq %rsp, %rbp\n"
	"	movq %rdi, %rsp\n"
	"	movq %rsi, %rax\n"
	"	movq %rdx, %rdi\n"
	"	movq %rcx, %rsi\n"
	"	call *%rax\n"
	"	movq %rbp, %rsp\n"
	"	popq %rbp\n"
	"	ret\n"
	".size ks_coro_call_on, . - ks_coro_call_on\n"
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
	".globl ks_coro_call_on\n"
	".hidden ks_coro_call_on\n"
	".type ks_coro_call_on, %function\n"
	"ks_coro_call_on:\n"
	"	stp x29, x30, [sp, #-16]!\n"
	"	mov x29, sp\n"
	"	mov sp, x0\n"
	"	mov x9, x1\n"
	"	mov x0, x2\n"
	"	mov x1, x3\n"
	"	blr x9\n"
	"	mov sp, x29\n"
	"	ldp x29, x30, [sp], #16\n"
	"	ret\n"
	".size ks_coro_call_on, . - ks_coro_call_on\n"
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

/* With a guard page below. */
static void *map_stack(unsigned long size)
{
	char *map = mmap(NULL, size + GUARD, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (map == MAP_FAILED)
		return NULL;
	if (mprotect(map, GUARD, PROT_NONE)) {
		munmap(map, size + GUARD);
		return NULL;
	}
	return map + GUARD;
}

/*
 * Every entry of a CPU touches the top of a stack. In a page of its own that is a walk of the page tables,
 * the entries of which are not in the caches either: 6 % of the time with 640 CPUs. A guard page
 * would split the huge page, so the lowest word is looked at when the task has gone.
 */
static void *small_stack(unsigned long *size)
{
	unsigned long *stack;

	*size -= 64; /* with the allocator's header a power of two */
	stack = ks_arena_alloc(*size);
	if (stack)
		*stack = CANARY;
	return stack;
}

static int new_stack(struct ks_coro *co, unsigned long size)
{
	int small = size <= KS_CORO_SMALL && !__sanitizer_start_switch_fiber;

	co->asked = size;
	co->stack = small ? small_stack(&size) : map_stack(size);
	co->size = size;
	/* What only this stack points to is not lost. */
	if (co->stack && __lsan_register_root_region)
		__lsan_register_root_region(co->stack, size);
	return co->stack != NULL;
}

struct ks_coro *ks_coro_new(unsigned long size, void (*fn)(void *arg), void *arg)
{
	static size_t colour;
	struct ks_coro **link, *co;

	if (__sanitizer_start_switch_fiber && size < SANITIZED)
		size = SANITIZED;
	size = (size + GUARD - 1) & ~(GUARD - 1);
	for (link = &free_list; (co = *link); link = &co->next_free)
		if (co->asked == size)
			break;
	if (co) {
		*link = co->next_free;
	} else {
		co = calloc(1, sizeof(*co));
		if (!co)
			return NULL;
		if (!new_stack(co, size)) {
			free(co);
			return NULL;
		}
	}
	co->fn = fn;
	co->arg = arg;
	co->fake_stack = NULL;
	co->next_free = NULL;
	if (__asan_unpoison_memory_region)
		__asan_unpoison_memory_region(co->stack, co->size);
	/* Tops of stacks at the same offset of a page would share the sets of a cache. */
	colour = (colour + 3 * 64) % 2048;
	co->sp = first_frame((char *)co->stack + co->size - colour, co);
	return co;
}

void ks_coro_free(struct ks_coro *co)
{
	if (co->size < co->asked && *(unsigned long *)co->stack != CANARY)
		ks_trap("more stack than a task has");
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

void ks_coro_leave(struct ks_coro *self, void **sp)
{
	if (__sanitizer_start_switch_fiber) {
		ks_coro_swap(self, &host_coro);
		return;
	}
	ks_coro_switch_stack(sp, host_coro.sp);
}

void ks_coro_enter(struct ks_coro *co, void **sp)
{
	if (__sanitizer_start_switch_fiber) {
		ks_coro_swap(&host_coro, co);
		return;
	}
	ks_coro_switch_stack(&host_coro.sp, *sp);
}

/* ---- interrupts ---------------------------------------------------------------------------------- */

#define IRQ_STACK (64UL << 10)

struct irq_stack { /* lies at its own top, above what calls use */
	struct irq_stack *next_free;
	char pad[56];
};

static struct irq_stack *free_irq_stacks;

static struct irq_stack *take_irq_stack(void)
{
	struct irq_stack *s = free_irq_stacks;
	char *stack;

	if (s) {
		free_irq_stacks = s->next_free;
		return s;
	}
	stack = map_stack(IRQ_STACK);
	return stack ? (struct irq_stack *)(stack + IRQ_STACK) - 1 : NULL;
}

/*
 * As the architectures do. Here it is for the caches of the host: an interrupt touches ten lines of
 * stack, and of one stack for all CPUs they are always in L1, while those of a task's own never are
 * when there are many. A sanitizer would have to be told of the stack, so it gets the task's own.
 */
void ks_coro_call(void (*fn)(unsigned long a, unsigned long b), unsigned long a, unsigned long b)
{
	struct irq_stack *s = __sanitizer_start_switch_fiber ? NULL : take_irq_stack();

	if (!s) {
		fn(a, b);
		return;
	}
	ks_coro_call_on(s, fn, a, b);
	s->next_free = free_irq_stacks;
	free_irq_stacks = s;
}
