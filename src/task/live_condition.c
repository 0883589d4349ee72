// SPDX-License-Identifier: GPL-2.0-only
/*
 * live_condition.c - condition variables in shared memory
 *
 * A counter of wakeups that waiters sleep on: who reads it under the mutex sees each later wakeup
 * either before the sleep (the kernel finds another value) or in it.
 */
#include <limits.h>

#include "task/live_private.h"

struct condition *live_condition_new(struct team *team)
{
	return live_shared(team, sizeof(struct condition));
}

bool live_condition_wait(struct task *base, struct condition *condition, struct mutex *mutex)
{
	struct live_task *task = live_task(base);
	uint32_t before = __atomic_load_n(&condition->sequence, __ATOMIC_SEQ_CST);

	__atomic_add_fetch(&condition->waiters, 1, __ATOMIC_SEQ_CST);
	live_unlock(base, mutex);
	while (!live_stopped(task) &&
	       __atomic_load_n(&condition->sequence, __ATOMIC_SEQ_CST) == before)
		live_futex_wait(&condition->sequence, before, UINT64_MAX);
	__atomic_sub_fetch(&condition->waiters, 1, __ATOMIC_SEQ_CST);
	return live_lock(base, mutex);
}

void live_condition_wake(struct task *base, struct condition *condition, bool all)
{
	(void)base;
	if (!__atomic_load_n(&condition->waiters, __ATOMIC_SEQ_CST))
		return;
	__atomic_add_fetch(&condition->sequence, 1, __ATOMIC_SEQ_CST);
	live_futex_wake(&condition->sequence, all ? INT_MAX : 1);
}
