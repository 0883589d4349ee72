// SPDX-License-Identifier: GPL-2.0-only
/*
 * workqueue.c - work that the kernel defers to process context, by one kernel thread
 *
 * The scheduler and the timers defer little: changes of static keys, mostly once after boot. All queues
 * are one here, served in order.
 */
#include "ks.h"

#include <linux/kthread.h>
#include <linux/workqueue.h>

static LIST_HEAD(pending);
static struct task_struct *worker;

static int work_loop(void *unused)
{
	struct work_struct *work;

	for (;;) {
		set_current_state(TASK_IDLE);
		if (list_empty(&pending)) {
			schedule();
			continue;
		}
		__set_current_state(TASK_RUNNING);
		work = list_first_entry(&pending, struct work_struct, entry);
		list_del_init(&work->entry);
		clear_bit(WORK_STRUCT_PENDING_BIT, work_data_bits(work));
		work->func(work);
	}
}

void ks_workqueue_init(void)
{
	worker = kthread_run(work_loop, NULL, "kworker/u0:0");
	WARN_ON(IS_ERR(worker));
}

bool queue_work_on(int cpu, struct workqueue_struct *wq, struct work_struct *work)
{
	if (test_and_set_bit(WORK_STRUCT_PENDING_BIT, work_data_bits(work)))
		return false;
	list_add_tail(&work->entry, &pending);
	if (worker)
		wake_up_process(worker);
	return true;
}
