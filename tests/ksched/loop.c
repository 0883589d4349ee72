// SPDX-License-Identifier: GPL-2.0-only
/*
 * loop.c - a minimal host for ksched.h
 */
#include "loop.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IPI_NS	1000
#define SPIN_NS 100

const struct ksched_api *ks;
struct ksched_shared *sh;
uint64_t loop_events;
uint64_t loop_start;
void (*loop_on_event)(void *self, const struct ksched_event *ev);

/* What a task has left to compute: data of struct ksched_task. */
struct work {
	uint64_t left;	/* ns */
	uint64_t began; /* when it began on its CPU; KSCHED_NEVER while it does not run */
};

/* An event of a CPU. Stale ones (the CPU's generation went on) are dropped when they come. */
struct event {
	uint64_t time, order;
	int cpu;
	enum ksched_enter kind;
	unsigned int generation; /* of RESUME and timer events */
};

static struct event *heap;
static int nr_heap, max_heap;
static uint64_t next_order;
static unsigned int *generation; /* raised at each entry of the CPU */
static uint64_t *queued_timer;
static struct ksched_task **running; /* whose work.began is set */
static int stopped;

_Static_assert(sizeof(struct work) == LOOP_WORK_SIZE, "as the header says");

static int before(const struct event *a, const struct event *b)
{
	return a->time != b->time ? a->time < b->time : a->order < b->order;
}

static void push(uint64_t time, int cpu, enum ksched_enter kind)
{
	struct event ev = { time, next_order++, cpu, kind, generation[cpu] };
	int i, up;

	if (nr_heap == max_heap) {
		max_heap = max_heap ? 2 * max_heap : 1024;
		heap = realloc(heap, max_heap * sizeof(*heap));
		if (!heap)
			abort();
	}
	for (i = nr_heap++; i > 0; i = up) {
		up = (i - 1) / 2;
		if (!before(&ev, &heap[up]))
			break;
		heap[i] = heap[up];
	}
	heap[i] = ev;
}

static struct event pop(void)
{
	struct event first = heap[0], last = heap[--nr_heap];
	int i = 0, down;

	for (; (down = 2 * i + 1) < nr_heap; i = down) {
		if (down + 1 < nr_heap && before(&heap[down + 1], &heap[down]))
			down++;
		if (!before(&heap[down], &last))
			break;
		heap[i] = heap[down];
	}
	heap[i] = last;
	return first;
}

static void ipi(void *self, int from, int to, enum ksched_enter kind)
{
	(void)self;
	push(sh->cpu[from].now + IPI_NS, to, kind);
}

static void fail(void *self, const char *text)
{
	(void)self;
	fprintf(stderr, "kernel: %s\n", text);
	abort();
}

static void console(void *self, int level, const char *line)
{
	(void)self;
	if (level <= 3 || getenv("LOOP_VERBOSE"))
		fprintf(stderr, "[%d] %s\n", level, line);
}

static void free_work(void *self, struct ksched_task *task)
{
	(void)self;
	free(task->data);
}

void loop_open(const char *path)
{
	void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	ks = lib ? dlsym(lib, KSCHED_SYMBOL) : NULL;
	if (!ks || ks->abi != KSCHED_ABI) {
		fprintf(stderr, "%s\n", lib ? "no ksched library of this version" : dlerror());
		exit(1);
	}
}

static void describe(const struct loop_machine *m, struct ksched_machine *out)
{
	int cores = m->nodes * m->llcs_per_node * m->cores_per_llc, n = cores * m->smt;
	int per_package = m->nodes_per_package ? m->nodes_per_package : 1;
	struct ksched_cpu_desc *cpu = calloc(n, sizeof(*cpu));
	int *distance = calloc(m->nodes * m->nodes, sizeof(*distance));
	int i, j;

	if (!cpu || !distance)
		abort();
	for (i = 0; i < n; i++) {
		int core = m->smt_last ? i % cores : i / m->smt;

		cpu[i].core = core;
		cpu[i].cluster = KSCHED_NO_ID;
		cpu[i].llc = core / m->cores_per_llc;
		cpu[i].node = cpu[i].llc / m->llcs_per_node;
		cpu[i].package = cpu[i].node / per_package;
		cpu[i].capacity = 1024;
		cpu[i].polling = m->polling;
	}
	for (i = 0; i < m->nodes; i++)
		for (j = 0; j < m->nodes; j++)
			distance[i * m->nodes + j] = i == j				  ? 10
						     : i / per_package == j / per_package ? m->near
											  : m->far;
	*out = (struct ksched_machine){
		.nr_cpus = n,
		.nr_nodes = m->nodes,
		.cpu = cpu,
		.distance = distance,
		.node_reclaim_distance = m->reclaim_distance,
		.numa_in_package = per_package > 1,
		.cmdline = m->cmdline,
		.seed = m->seed,
	};
}

/* Queue what the CPU waits for. */
static void look(int cpu)
{
	struct ksched_cpu *c = &sh->cpu[cpu];
	struct work *w = c->task->data;

	if (c->timer != queued_timer[cpu]) {
		queued_timer[cpu] = c->timer;
		if (c->timer != KSCHED_NEVER)
			push(c->timer, cpu, KSCHED_IRQ_TIMER);
	}
	switch (c->mode) {
	case KSCHED_USER:
	case KSCHED_KERNEL:
		w->began = c->now;
		running[cpu] = c->task;
		push(c->now + w->left, cpu, KSCHED_RESUME);
		break;
	case KSCHED_READY:
		push(c->now, cpu, KSCHED_RESUME);
		break;
	case KSCHED_SPIN:
		push(c->now + SPIN_NS, cpu, KSCHED_RESUME);
		break;
	default:
		break;
	}
}

/* Account the work done since look(). */
static void settle(int cpu, uint64_t now)
{
	struct work *w;

	if (!running[cpu])
		return;
	w = running[cpu]->data;
	w->left -= now - w->began < w->left ? now - w->began : w->left;
	running[cpu] = NULL;
}

void loop_boot(const struct loop_machine *m, void (*main)(void *arg), void *arg)
{
	struct ksched_host host = {
		.ipi = ipi,
		.event = loop_on_event,
		.warning = fail,
		.console = console,
		.task_free = free_work,
	};
	struct ksched_clone root = { .entry = main, .arg = arg, .comm = "main" };
	struct ksched_machine machine;
	const char *why = "";

	describe(m, &machine);
	root.data = calloc(1, sizeof(struct work));
	generation = calloc(machine.nr_cpus, sizeof(*generation));
	queued_timer = calloc(machine.nr_cpus, sizeof(*queued_timer));
	running = calloc(machine.nr_cpus, sizeof(*running));
	if (!root.data || !generation || !queued_timer || !running)
		abort();
	if (ks->boot(&machine, &host, &root, &sh, &why)) {
		fprintf(stderr, "boot: %s\n", why);
		exit(1);
	}
	loop_start = sh->cpu[0].now;
	sh->events = loop_on_event ? (1U << KSCHED_NR_EVENTS) - 1 : 0;
	for (int cpu = 0; cpu < sh->nr_cpus; cpu++)
		look(cpu);
}

void loop_run(uint64_t until)
{
	struct event ev;
	uint64_t now;

	while (!stopped && nr_heap && heap[0].time <= loop_start + until) {
		ev = pop();
		if (ev.kind == KSCHED_RESUME && ev.generation != generation[ev.cpu])
			continue;
		if (ev.kind == KSCHED_IRQ_TIMER && sh->cpu[ev.cpu].timer != ev.time)
			continue;
		now = ev.time > sh->cpu[ev.cpu].now ? ev.time : sh->cpu[ev.cpu].now;
		settle(ev.cpu, now);
		generation[ev.cpu]++;
		loop_events++;
		sh->horizon = nr_heap ? heap[0].time : KSCHED_NEVER;
		ks->enter(ev.cpu, ev.kind, now);
		look(ev.cpu);
	}
}

void loop_stop(void)
{
	stopped = 1;
}

/* ---- in tasks --------------------------------------------------------------------------------------- */

uint64_t loop_now(void)
{
	return sh->cpu[sh->this_cpu].now - loop_start;
}

void loop_compute(uint64_t ns)
{
	struct work *w = ks->current()->data;

	w->left = ns;
	ks->compute(KSCHED_USER);
}

void loop_compute_until(uint64_t when)
{
	while (loop_now() < when)
		loop_compute(when - loop_now());
}

static void hog(void *arg)
{
	(void)arg;
	for (;;)
		loop_compute(1000 * NS_PER_SEC);
}

static void mask_of(int first, int last, uint64_t *mask)
{
	for (int cpu = first; cpu <= last; cpu++)
		mask[cpu / 64] |= 1ULL << cpu % 64;
}

struct ksched_task *loop_hog(struct ksched_group *group, int first, int last)
{
	struct ksched_clone args = {
		.entry = hog,
		.flags = KSCHED_AUTOREAP,
		.comm = "hog",
		.group = group,
		.data = calloc(1, sizeof(struct work)),
	};
	struct ksched_task *t = NULL;
	uint64_t mask[16] = { 0 };

	if (!args.data || ks->clone(&args, &t))
		return NULL;
	if (first < 0)
		return t;
	mask_of(first, last, mask);
	return ks->set_affinity(t->pid, mask) ? NULL : t;
}

void loop_pin(int first, int last)
{
	uint64_t mask[16] = { 0 };

	mask_of(first, last, mask);
	ks->set_affinity(0, mask);
}

uint64_t loop_exec_ns(struct ksched_task *t)
{
	struct ksched_task_stat st;

	ks->task_stat(t, &st);
	return st.exec_ns;
}
