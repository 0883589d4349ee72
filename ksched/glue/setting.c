// SPDX-License-Identifier: GPL-2.0-only
/*
 * setting.c - what a task may set of itself and others: nice, policy, affinity, session
 */
#include "api.h"

#include <linux/sched/autogroup.h>
#include <uapi/linux/sched/types.h>

static struct ks_task *find(int pid)
{
	return pid ? ks_find_pid(pid) : ks_task_of(current);
}

int ks_set_nice(int pid, int nice)
{
	struct ks_task *t = find(pid);

	if (!t)
		return -ESRCH;
	ks_syscall_enter();
	set_user_nice(t->tsk, clamp(nice, MIN_NICE, MAX_NICE));
	ks_syscall_exit();
	return 0;
}

int ks_set_attr(int pid, const struct ksched_attr *a)
{
	struct ks_task *t = find(pid);
	struct sched_attr attr = {
		.size = sizeof(attr),
		.sched_policy = a->policy,
		.sched_flags = a->flags,
		.sched_nice = a->nice,
		.sched_priority = a->priority,
		.sched_runtime = a->runtime,
		.sched_deadline = a->deadline,
		.sched_period = a->period,
		.sched_util_min = a->util_min,
		.sched_util_max = a->util_max,
	};
	int ret;

	if (!t)
		return -ESRCH;
	ks_syscall_enter();
	ret = sched_setattr(t->tsk, &attr);
	ks_syscall_exit();
	return ret;
}

static void mask_in(struct cpumask *dst, const uint64_t *src)
{
	int cpu;

	cpumask_clear(dst);
	for_each_possible_cpu(cpu) if (src[cpu / 64] >> cpu % 64 & 1) cpumask_set_cpu(cpu, dst);
}

int ks_set_affinity(int pid, const uint64_t *mask)
{
	struct ks_task *t = find(pid);
	struct cpumask *new;
	int ret;

	if (!t)
		return -ESRCH;
	new = kzalloc(sizeof(*new), GFP_KERNEL);
	if (!new)
		return -ENOMEM;
	mask_in(new, mask);
	ks_syscall_enter();
	ret = sched_setaffinity(t->tsk->pid, new);
	ks_syscall_exit();
	kfree(new);
	return ret;
}

int ks_get_affinity(int pid, uint64_t *mask)
{
	struct ks_task *t = find(pid);
	int cpu;

	if (!t)
		return -ESRCH;
	memset(mask, 0, (nr_cpu_ids + 63) / 64 * sizeof(*mask));
	for_each_cpu(cpu, t->tsk->cpus_ptr) mask[cpu / 64] |= 1ULL << cpu % 64;
	return 0;
}

/* A process that leads its session stays where it is, as the system call refuses. */
int ks_setsid(void)
{
	ks_syscall_enter();
	sched_autogroup_create_attach(current);
	ks_syscall_exit();
	return 0;
}

int ks_autogroup_nice(int pid, int nice)
{
	struct ks_task *t = find(pid);
	int ret;

	if (!t)
		return -ESRCH;
	ks_syscall_enter();
	ret = proc_sched_autogroup_set_nice(t->tsk, nice);
	ks_syscall_exit();
	return ret;
}
