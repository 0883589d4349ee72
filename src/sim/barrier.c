// SPDX-License-Identifier: GPL-2.0-only
/* barrier.c - barriers: tasks that wait for each other, asleep on a futex or computing */
#include <stdlib.h>

#include "base/memory.h"
#include "sim/team.h"

struct barrier *sim_barrier(struct team *base, int n, bool spins)
{
	struct sim_team *team = sim_team(base);
	struct barrier *barrier = memory_zeroed(1, sizeof(*barrier));

	barrier->n = n;
	barrier->spins = spins;
	barrier->waiting = memory_zeroed(n, sizeof(struct sim_task *));
	barrier->woken = memory_zeroed(n, sizeof(struct ksched_task *));
	*array_append(team->barriers, team->n_barriers) = barrier;
	return barrier;
}

/* the last one lets the others go on */
static void release(struct sim *sim, struct barrier *barrier)
{
	int n = barrier->arrived;

	barrier->arrived = 0;
	barrier->round++;
	for (int i = 0; i < n; i++) {
		barrier->woken[i] = barrier->waiting[i]->kernel;
		if (barrier->spins)
			engine_finish_computing(sim, &barrier->waiting[i]->load);
	}
	if (n && !barrier->spins)
		sim->kernel->wake(barrier->woken, n);
}

bool sim_meet(struct task *base, struct barrier *barrier)
{
	struct sim_task *task = sim_task(base);
	unsigned round;

	task_work(task, LOCK_PS);
	if (task_over(task))
		return false;
	round = barrier->round;
	if (barrier->arrived + 1 == barrier->n) {
		release(task->sim, barrier);
		return true;
	}
	barrier->waiting[barrier->arrived++] = task;
	while (barrier->round == round && !task_over(task)) {
		if (barrier->spins)
			task_spin(task);
		else
			task_block(task, KSCHED_NEVER);
	}
	return !task_over(task);
}

void barrier_free(struct sim_team *team)
{
	for (int i = 0; i < team->n_barriers; i++) {
		free(team->barriers[i]->waiting);
		free(team->barriers[i]->woken);
		free(team->barriers[i]);
	}
	free(team->barriers);
}
