// SPDX-License-Identifier: GPL-2.0-only
/*
 * sleep.c - sleeping and waking, by the kernel's own timers, wait queues and wake-up lists
 */
#include "api.h"

#include <linux/hrtimer.h>
#include <linux/sched/wake_q.h>
#include <linux/syscalls.h>
#include <linux/wait.h>

void ks_compute(enum ksched_mode mode)
{
	if (mode == KSCHED_KERNEL) {
		ks_pause_until_resumed(KSCHED_KERNEL);
		ks_exit_to_user();
	} else {
		ks_pause_until_resumed(KSCHED_USER);
	}
}

void ks_spend(uint64_t ns)
{
	ks_cpus[ks_this_cpu].now += ns;
	ks_cpus[ks_this_cpu].kernel_ns += ns;
}

void ks_yield(void)
{
	ks_syscall_enter();
	sys_sched_yield();
	ks_syscall_exit();
}

/* Sleep in the state that is set. -ETIMEDOUT if the time came first. */
static int sleep_in_state(uint64_t timeout, uint64_t slack)
{
	ktime_t when = timeout;

	if (timeout == KSCHED_NEVER) {
		schedule();
		return 0;
	}
	return schedule_hrtimeout_range(&when, slack, HRTIMER_MODE_ABS) ? 0 : -ETIMEDOUT;
}

void ks_sleep_until(uint64_t when, uint64_t slack)
{
	ks_syscall_enter();
	do {
		set_current_state(TASK_INTERRUPTIBLE);
	} while (sleep_in_state(when, slack) != -ETIMEDOUT);
	ks_syscall_exit();
}

int ks_block(uint64_t timeout)
{
	int ret;

	ks_syscall_enter();
	set_current_state(TASK_INTERRUPTIBLE);
	ks_task_of(current)->blocked = true;
	ret = sleep_in_state(timeout, current->timer_slack_ns);
	ks_task_of(current)->blocked = false;
	__set_current_state(TASK_RUNNING);
	ks_syscall_exit();
	return ret;
}

/* In an interrupt there is no return to user mode of its own. */
static void enter_if_task(void)
{
	if (!in_interrupt())
		ks_syscall_enter();
}

static void exit_if_task(void)
{
	if (!in_interrupt())
		ks_syscall_exit();
}

int ks_wake(struct ksched_task *const *task, int n)
{
	DEFINE_WAKE_Q(wake_q);
	int i, woken = 0;

	enter_if_task();
	for (i = 0; i < n; i++) {
		struct ks_task *t = (struct ks_task *)task[i];

		if (!t->blocked || !(READ_ONCE(t->tsk->__state) & TASK_NORMAL))
			continue;
		wake_q_add(&wake_q, t->tsk);
		woken++;
	}
	wake_up_q(&wake_q);
	exit_if_task();
	return woken;
}

/* ---- wait queues ---------------------------------------------------------------------------------- */

struct ksched_waitq {
	struct wait_queue_head head;
};

struct ksched_waitq *ks_waitq_new(void)
{
	struct ksched_waitq *q = kzalloc(sizeof(*q), GFP_KERNEL);

	if (q)
		init_waitqueue_head(&q->head);
	return q;
}

void ks_waitq_free(struct ksched_waitq *q)
{
	WARN_ON(q && waitqueue_active(&q->head));
	kfree(q);
}

int ks_waitq_wait(struct ksched_waitq *q, int exclusive, uint64_t timeout)
{
	DEFINE_WAIT(wait);
	int ret;

	ks_syscall_enter();
	if (exclusive)
		prepare_to_wait_exclusive(&q->head, &wait, TASK_INTERRUPTIBLE);
	else
		prepare_to_wait(&q->head, &wait, TASK_INTERRUPTIBLE);
	ret = sleep_in_state(timeout, current->timer_slack_ns);
	finish_wait(&q->head, &wait);
	ks_syscall_exit();
	return ret;
}

void ks_waitq_wake(struct ksched_waitq *q, int n, int sync)
{
	enter_if_task();
	if (sync)
		__wake_up_sync_key(&q->head, TASK_INTERRUPTIBLE, NULL);
	else
		__wake_up(&q->head, TASK_INTERRUPTIBLE, n, NULL);
	exit_if_task();
}
