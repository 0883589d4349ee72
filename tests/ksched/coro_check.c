// SPDX-License-Identifier: GPL-2.0-only
/*
 * Coroutines (ksched/glue/coro.c), without any library, so that the same source also runs as a program of
 * another architecture: see coro_arm64.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "coro.h"
#include "ksched.h"
#include "state.h"

#define MANY   500
#define ROUNDS 200
#define STACK  0x4000  /* of the arena, with a canary */
#define LARGE  0x20000 /* mapped, with a guard page */

/* what coro.c needs of the rest of the library */
void *ks_arena_alloc(unsigned long size)
{
	return aligned_alloc(64, (size + 63) / 64 * 64);
}

void ks_trap(const char *name)
{
	fprintf(stderr, "%s\n", name);
	abort();
}

static int n_tests, n_failed;

static void result(int good, const char *name)
{
	printf("%sok %d %s\n", good ? "" : "not ", ++n_tests, name);
	n_failed += !good;
}

struct counter {
	struct ks_coro *self;
	uint64_t seed, sum;
	double part;
	int aligned;
};

static struct counter counters[MANY];

/* what a round adds: more values alive at once than there are registers kept over a call */
static void count(struct counter *c, struct ks_coro *back)
{
	uint64_t a = c->seed, b = a + 1, d = a + 2, e = a + 3, f = a + 4, g = a + 5, h = a + 6;
	double p = a, q = p + 0.5, r = p + 1.5, s = p + 2.5, t = p + 3.5, u = p + 4.5, v = p + 5.5,
	       w = p + 6.5;

	for (;;) {
		if (back)
			ks_coro_swap(c->self, back);
		a += b;
		b ^= d * 3;
		d += e;
		e ^= f << 1;
		f += g;
		g ^= h >> 1;
		h += a;
		p += q;
		q = r - p / 3;
		r += s / 7;
		s = t - q / 5;
		t += u / 11;
		u = v - s / 13;
		v += w / 17;
		w = p / 19;
		c->sum = a + b + d + e + f + g + h;
		c->part = p + q + r + s + t + u + v + w;
		if (!back)
			return;
	}
}

static void count_forever(void *arg)
{
	char here[16] __attribute__((aligned(16)));
	struct counter *c = arg;

	__asm__ volatile("" : : "r"(here) : "memory");
	c->aligned = (uintptr_t)here % 16 == 0;
	count(c, ks_coro_host());
	abort();
}

/* each coroutine in turn, in an order that changes, against the same sums without any switch */
static void check_registers(void)
{
	static struct counter expected[MANY];
	int good = 1, aligned = 1;

	for (int i = 0; i < MANY; i++) {
		counters[i].seed = expected[i].seed = 7919u * i;
		counters[i].self = ks_coro_new(STACK, count_forever, &counters[i]);
	}
	/* the first swap only gets to the first swap back */
	for (int round = 0; round <= ROUNDS; round++)
		for (int i = 0; i < MANY; i++) {
			struct ks_coro *next = counters[(i * 7 + round) % MANY].self;

			ks_coro_swap(ks_coro_host(), next);
		}
	for (int i = 0; i < MANY; i++) {
		struct ks_coro *alone;
		struct counter other = { .seed = counters[i].seed };

		aligned &= counters[i].aligned;
		other.self = alone = ks_coro_new(STACK, count_forever, &other);
		for (int round = 0; round <= ROUNDS; round++)
			ks_coro_swap(ks_coro_host(), alone);
		good &= other.sum == counters[i].sum && other.part == counters[i].part;
		ks_coro_free(alone);
	}
	count(&expected[1], NULL);
	good &= counters[1].sum != expected[1].sum; /* they did go on */
	result(good, "registers are kept over switches among many coroutines");
	result(aligned, "stacks are aligned");
}

struct visit {
	struct ks_coro *self;
	char *at;
};

static void note_stack(void *arg)
{
	struct visit *visit = arg;
	char here;

	__asm__ volatile("" : : "r"(&here) : "memory");
	visit->at = &here;
	ks_coro_swap(visit->self, ks_coro_host());
	abort();
}

static void check_reuse(void)
{
	struct visit visits[3];
	struct ks_coro *first;

	for (int i = 0; i < 3; i++) {
		visits[i].self = ks_coro_new(LARGE, note_stack, &visits[i]);
		ks_coro_swap(ks_coro_host(), visits[i].self);
		if (i == 1)
			ks_coro_free(visits[0].self);
	}
	first = visits[0].self;
	result(visits[1].self != first && visits[2].self == first &&
		       visits[2].at >= (char *)first->stack &&
		       visits[2].at < (char *)first->stack + first->size,
	       "a stack that was freed is used again");
}

static void overflow(void *arg)
{
	volatile char block[4096];

	block[0] = 1;
	if (arg)
		overflow((char *)arg + block[0]);
	block[1] = 1; /* not a tail call */
}

static void check_guard(void)
{
	int status = 0;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child) {
		prctl(PR_SET_DUMPABLE, 0);
		signal(SIGSEGV, SIG_DFL);
		ks_coro_swap(ks_coro_host(), ks_coro_new(LARGE, overflow, &status));
		_exit(0);
	}
	waitpid(child, &status, 0);
	result(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV,
	       "a stack that overflows hits its guard page");
}

int main(void)
{
	check_registers();
	check_reuse();
	check_guard();
	printf("1..%d\n", n_tests);
	return n_failed != 0;
}
