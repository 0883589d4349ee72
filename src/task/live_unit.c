// SPDX-License-Identifier: GPL-2.0-only
/*
 * live_unit.c - how long a unit of computing takes here
 *
 * By the CPU clock of the thread, so other load takes no part but for a busy SMT sibling; the fastest
 * batch is the one that nothing disturbed.
 */
#include <errno.h>
#include <time.h>

#include "base/memory.h"
#include "task/compute.h"
#include "task/live_private.h"

#define BATCHES	 32
#define BATCH_NS 1000000ull

/* of a CPU mask for any kernel: it must not be smaller than the kernel's */
#define MASK_BYTES 8192

/* the working set of kernels that have one: within L2 */
#define SET_BYTES 65536

static uint64_t thread_ns(void)
{
	struct timespec used;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return used.tv_sec * 1000000000ull + used.tv_nsec;
}

static uint64_t time_batch(struct compute *compute, uint64_t units)
{
	uint64_t begin = thread_ns();

	compute_run(compute, units);
	return thread_ns() - begin;
}

static uint64_t measure(struct team *team, enum compute_method method)
{
	struct compute *compute = compute_new(method, SET_BYTES);
	uint64_t units, best = UINT64_MAX, first;

	if (!compute) {
		live_setup_error(live_team(team), error_errno("cannot calibrate computing"));
		return 0;
	}
	units = compute_batch(compute);
	first = time_batch(compute, units);
	while (first < BATCH_NS && units < UINT64_MAX / 4) {
		units *= 2;
		first = time_batch(compute, units);
	}
	for (int i = 0; i < BATCHES; i++) {
		uint64_t now = time_batch(compute, units);

		best = now < best ? now : best;
	}
	compute_free(compute);
	return best * 1000 / units;
}

/* workers are forked later: where they may run is as it was */
uint64_t live_unit_time(struct team *team, enum compute_method method, int cpu)
{
	hwloc_bitmap_t one = cpu >= 0 ? hwloc_bitmap_alloc() : NULL;
	size_t size;
	autofree cpu_set_t *set = NULL;
	autofree cpu_set_t *before = memory_zeroed(1, MASK_BYTES);
	uint64_t time = 0;

	if (!one)
		return measure(team, method);
	hwloc_bitmap_only(one, (unsigned)cpu);
	set = live_cpu_set(one, &size);
	hwloc_bitmap_free(one);
	if (sched_getaffinity(0, MASK_BYTES, before) || sched_setaffinity(0, size, set)) {
		live_setup_error(live_team(team),
				 error_errno("cannot calibrate computing on CPU %d", cpu));
		return 0;
	}
	time = measure(team, method);
	if (sched_setaffinity(0, MASK_BYTES, before))
		live_setup_error(live_team(team),
				 error_errno("cannot go back to the CPUs of the case"));
	return time;
}
