// SPDX-License-Identifier: GPL-2.0-only
/* lock.c - sleeping locks of the simulated kernel, with the spinning that comes before the sleep */
#include "sim/team.h"

/* between two looks at a lock whose holder runs */
#define SPIN_PS 500000

static bool on_cpu(const struct sim_task *task)
{
	const struct sim *sim = task->sim;
	struct ksched_task_stat stat;

	return task->kernel && !sim->kernel->task_stat(task->kernel, &stat) &&
	       sim->shared->cpu[stat.cpu].task == task->kernel;
}

static bool is_free(const struct sim_lock *lock, bool shared)
{
	return !lock->writer && (shared || !lock->readers);
}

bool lock_take(struct sim_task *task, struct sim_lock *lock, bool shared)
{
	const struct ksched_api *kernel = task->sim->kernel;
	bool slept = false;

	while (!is_free(lock, shared)) {
		if (task_over(task))
			return false;
		if (lock->writer && on_cpu(lock->writer)) {
			task_work_kernel(task, SPIN_PS);
			continue;
		}
		kernel->waitq_wait(lock->queue, 1, KSCHED_NEVER);
		slept = true;
	}
	if (task_over(task))
		return false;
	if (!shared) {
		lock->writer = task;
		return true;
	}
	lock->readers++;
	/* one is woken at a time; a reader lets the next in, too */
	if (slept)
		kernel->waitq_wake(lock->queue, 1, 0);
	return true;
}

void lock_drop(struct sim_task *task, struct sim_lock *lock, bool shared)
{
	if (shared)
		lock->readers--;
	else
		lock->writer = NULL;
	if (!lock->readers)
		task->sim->kernel->waitq_wake(lock->queue, 1, 0);
}

void lock_release(struct sim_team *team, struct sim_lock *lock)
{
	team->sim->kernel->waitq_wake(lock->queue, 0, 0);
}
