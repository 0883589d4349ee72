// SPDX-License-Identifier: GPL-2.0-only
/*
 * data.c - variables that files outside of this build define, and that the scheduler or the first
 * task point to
 */
#include "ks.h"

#include <linux/cred.h>
#include <linux/fdtable.h>
#include <linux/fs_struct.h>
#include <linux/nsproxy.h>
#include <linux/pid.h>
#include <linux/utsname.h>

struct mm_struct init_mm = {
	.mm_users = ATOMIC_INIT(2),
	.mm_count = ATOMIC_INIT(1),
};

struct cred init_cred = {
	.usage = ATOMIC_INIT(4),
	.uid = GLOBAL_ROOT_UID,
	.euid = GLOBAL_ROOT_UID,
};

struct files_struct init_files;
struct fs_struct init_fs;
struct nsproxy init_nsproxy;
struct pid init_struct_pid;
struct uts_namespace init_uts_ns;

/* 6.13: a statistic of kernel/time/timekeeping.c, kept by its debugfs part. */
DEFINE_PER_CPU(unsigned long, timekeeping_mg_floor_swaps);

/* A pid namespace has nothing to translate: there is one. */
pid_t __task_pid_nr_ns(struct task_struct *task, enum pid_type type, struct pid_namespace *ns)
{
	return type == PIDTYPE_TGID ? task->tgid : task->pid;
}

/* 7.0: without the underscores, which were for a macro around it. */
struct sighand_struct *ks_lock_sighand(struct task_struct *tsk,
				       unsigned long *flags) __asm__("lock_task_sighand");
struct sighand_struct *ks___lock_sighand(struct task_struct *tsk,
					 unsigned long *flags) __asm__("__lock_task_sighand");

struct sighand_struct *ks___lock_sighand(struct task_struct *tsk, unsigned long *flags)
{
	return ks_lock_sighand(tsk, flags);
}

struct sighand_struct *ks_lock_sighand(struct task_struct *tsk, unsigned long *flags)
{
	spin_lock_irqsave(&tsk->sighand->siglock, *flags);
	return tsk->sighand;
}

/* The last reference to an mm is never dropped: there are two, and both are static. */
void __mmdrop(struct mm_struct *mm)
{
	WARN_ON(1);
}

int numa_nearest_node(int node, unsigned int state)
{
	return node;
}
