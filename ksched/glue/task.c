// SPDX-License-Identifier: GPL-2.0-only
/*
 * task.c - fork, exec, exit and wait
 *
 * kernel/fork.c and kernel/exit.c are mostly about memory, files and signals, which do not exist here. This
 * is what remains of them: a task_struct, a stack, and the calls into the scheduler in the order that
 * those files make them.
 */
#include "ks.h"

#include <linux/delayacct.h>
#include <linux/kthread.h>
#include <linux/posix-timers.h>
#include <linux/sched/autogroup.h>
#include <linux/sched/cputime.h>
#include <linux/sched/numa_balancing.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include <linux/task_work.h>

#define PID_BUCKETS   4096 /* power of two */
#define PID_MAX	      (1 << 22)
#define STACK_DEFAULT KS_STACK_SIZE
#define STACK_IDLE    (KS_STACK_SIZE / 4)

LIST_HEAD(ks_all_tasks);
/* Locks and counters that kernel/fork.c defines. */
__cacheline_aligned DEFINE_RWLOCK(tasklist_lock);
DEFINE_PER_CPU(unsigned long, process_counts) = 0;
unsigned long total_forks;
int nr_threads;

static struct ks_task *pid_table[PID_BUCKETS];
static int last_pid;
static struct ks_task init_handle;
struct ks_task *ks_init_handle;
static struct mm_struct user_mm; /* of every user task: tasks without one are kernel threads */

/* ---- handles and pids ------------------------------------------------------------------------ */

struct ks_task *ks_task_of(struct task_struct *tsk)
{
	return tsk->thread.handle;
}

struct ks_task *ks_find_pid(int pid)
{
	struct ks_task *t = pid_table[pid & (PID_BUCKETS - 1)];

	while (t && t->pub.pid != pid)
		t = t->next_pid;
	return t;
}

static void pid_insert(struct ks_task *t)
{
	struct ks_task **head;

	do {
		last_pid = last_pid + 1 < PID_MAX ? last_pid + 1 : 300;
	} while (ks_find_pid(last_pid));
	t->pub.pid = last_pid;
	head = &pid_table[last_pid & (PID_BUCKETS - 1)];
	t->next_pid = *head;
	*head = t;
}

static void pid_remove(struct ks_task *t)
{
	struct ks_task **link = &pid_table[t->pub.pid & (PID_BUCKETS - 1)];

	for (; *link; link = &(*link)->next_pid)
		if (*link == t) {
			*link = t->next_pid;
			return;
		}
}

static void set_comm(struct ks_task *t, const char *comm)
{
	strscpy(t->tsk->comm, comm, sizeof(t->tsk->comm));
	memcpy(t->pub.comm, t->tsk->comm, sizeof(t->pub.comm));
}

/* Its prototype changes between trees; an own name for the same symbol avoids a conflict. */
void ks_set_task_comm(struct task_struct *tsk, const char *buf) __asm__("__set_task_comm");

void ks_set_task_comm(struct task_struct *tsk, const char *buf)
{
	set_comm(ks_task_of(tsk), buf);
}

struct task_struct *find_task_by_vpid(pid_t nr)
{
	struct ks_task *t = ks_find_pid(nr);

	return t ? t->tsk : NULL;
}

/* ---- fork -------------------------------------------------------------------------------------- */

/* The task is in the CPU's hands for the first time, still inside the context switch. */
static void first_run(void *arg)
{
	struct task_struct *tsk = arg;
	struct ks_task *t = ks_task_of(tsk);

	schedule_tail(ks_switched_from());
	if (t->kfn)
		do_exit(t->kfn(t->arg));
	ks_run_user(t);
}

/* The first task of its CPU: nothing was switched from. */
static void first_run_idle(void *arg)
{
	ks_idle_entry();
}

void ks_run_user(struct ks_task *t)
{
	ks_syscall_exit();
	t->entry(t->arg);
	ks_syscall_enter();
	do_exit(0);
}

static struct signal_struct *new_signal(struct task_struct *tsk)
{
	struct signal_struct *sig = kzalloc(sizeof(*sig), GFP_KERNEL);

	if (!sig)
		return NULL;
	sig->nr_threads = 1;
	atomic_set(&sig->live, 1);
	refcount_set(&sig->sigcnt, 1);
	sig->thread_head = (struct list_head)LIST_HEAD_INIT(tsk->thread_node);
	tsk->thread_node = (struct list_head)LIST_HEAD_INIT(sig->thread_head);
	init_waitqueue_head(&sig->wait_chldexit);
	sig->curr_target = tsk;
	INIT_LIST_HEAD(&sig->shared_pending.list);
	INIT_HLIST_HEAD(&sig->multiprocess);
	seqlock_init(&sig->stats_lock);
	prev_cputime_init(&sig->prev_cputime);
	memcpy(sig->rlim, current->signal->rlim, sizeof(sig->rlim));
	sched_autogroup_fork(sig);
	mutex_init(&sig->cred_guard_mutex);
	init_rwsem(&sig->exec_update_lock);
	return sig;
}

static void put_signal(struct signal_struct *sig)
{
	if (!refcount_dec_and_test(&sig->sigcnt))
		return;
	sched_autogroup_exit(sig);
	kfree(sig);
}

/* As dup_task_struct() and the resets in copy_process(). */
static void dup_task(struct task_struct *tsk)
{
	*tsk = *current;
	tsk->thread_info.flags = 0;
	tsk->stack = NULL;
	refcount_set(&tsk->stack_refcount, 1);
	refcount_set(&tsk->rcu_users, 2);
	refcount_set(&tsk->usage, 1);
	if (tsk->cpus_ptr == &current->cpus_mask)
		tsk->cpus_ptr = &tsk->cpus_mask;
	tsk->user_cpus_ptr = NULL;
	dup_user_cpus_ptr(tsk, current, tsk_fork_get_node(current));
	tsk->wake_q.next = NULL;
	tsk->worker_private = NULL;
	tsk->flags &= ~(PF_SUPERPRIV | PF_WQ_WORKER | PF_IDLE | PF_NO_SETAFFINITY | PF_KTHREAD |
			PF_EXITING);
	tsk->flags |= PF_FORKNOEXEC;
	tsk->exit_state = 0;
	tsk->exit_code = 0;
	INIT_LIST_HEAD(&tsk->children);
	INIT_LIST_HEAD(&tsk->sibling);
	INIT_LIST_HEAD(&tsk->tasks);
	spin_lock_init(&tsk->alloc_lock);
	raw_spin_lock_init(&tsk->pi_lock);
	INIT_LIST_HEAD(&tsk->pending.list);
	tsk->utime = tsk->stime = tsk->gtime = 0;
	tsk->nvcsw = tsk->nivcsw = 0;
	prev_cputime_init(&tsk->prev_cputime);
	tsk->task_works = NULL;
	tsk->timer_slack_ns = tsk->default_timer_slack_ns = current->timer_slack_ns;
	tsk->start_time = ktime_get_ns();
}

static int join_process(struct task_struct *tsk, unsigned long clone_flags)
{
	struct signal_struct *sig;

	if (clone_flags & CLONE_THREAD) {
		sig = current->signal;
		sig->nr_threads++;
		atomic_inc(&sig->live);
		refcount_inc(&sig->sigcnt);
		tsk->group_leader = current->group_leader;
		tsk->tgid = current->tgid;
		tsk->real_parent = tsk->parent = current->real_parent;
		list_add_tail_rcu(&tsk->thread_node, &sig->thread_head);
		return 0;
	}
	tsk->signal = new_signal(tsk);
	if (!tsk->signal)
		return -ENOMEM;
	tsk->group_leader = tsk;
	tsk->tgid = tsk->pid;
	tsk->real_parent = tsk->parent = current;
	list_add_tail(&tsk->sibling, &current->children);
	return 0;
}

static void free_task_memory(struct ks_task *t)
{
	struct task_struct *tsk = t->tsk;

	if (tsk->flags & PF_KTHREAD && tsk->worker_private)
		free_kthread_struct(tsk);
	kfree(tsk->user_cpus_ptr);
	if (tsk->thread.coroutine)
		ks_coro_free(tsk->thread.coroutine);
	kfree(tsk);
	kfree(t);
}

struct task_struct *ks_fork(const struct ksched_clone *args, int (*kfn)(void *arg), void *karg,
			    const char *comm, unsigned long clone_flags, int idle_cpu)
{
	struct kernel_clone_args kargs = { .flags = clone_flags };
	int kthread = kfn || idle_cpu >= 0 || (args && args->flags & KSCHED_KTHREAD);
	/* Idle tasks are many and are entered often; 16 KiB is what the kernel gives to all. */
	size_t stack = idle_cpu >= 0		  ? STACK_IDLE
		       : args && args->stack_size ? args->stack_size
						  : STACK_DEFAULT;
	struct ks_task *t = kzalloc(sizeof(*t), GFP_KERNEL);
	struct task_struct *tsk = kzalloc(sizeof(*tsk), GFP_KERNEL);

	if (!t || !tsk)
		goto no_memory;
	dup_task(tsk);
	t->tsk = tsk;
	tsk->thread.handle = t;
	tsk->thread.coroutine = ks_coro_new(stack, idle_cpu >= 0 ? first_run_idle : first_run, tsk);
	if (!tsk->thread.coroutine)
		goto no_memory;
	t->kfn = kfn;
	t->arg = kfn ? karg : args ? args->arg : NULL;
	t->pub.kthread = kthread;
	t->flags = args ? args->flags : KSCHED_AUTOREAP;
	if (args) {
		t->entry = args->entry;
		t->pub.data = args->data;
	}
	set_comm(t, comm ? comm : current->comm);
	if (kthread) {
		tsk->flags |= PF_KTHREAD;
		tsk->mm = tsk->active_mm = NULL;
		if (!set_kthread_struct(tsk))
			goto no_memory;
	} else {
		tsk->mm = tsk->active_mm = &user_mm;
	}
	tsk->sched_reset_on_fork |= !!(t->flags & KSCHED_RESET_ON_FORK);
	t->cset = args && args->group ? ks_group_cset(args->group) : ks_task_of(current)->cset;
	if (kfn || idle_cpu >= 0)
		t->cset = &ks_root_cset;
	RCU_INIT_POINTER(tsk->cgroups, t->cset);
	kargs.cset = t->cset;

	if (idle_cpu < 0)
		pid_insert(t);
	tsk->pid = t->pub.pid;
	if (sched_fork(clone_flags, tsk))
		goto no_memory_pid;
	if (join_process(tsk, clone_flags))
		goto no_memory_pid;
	t->pub.tgid = tsk->tgid;
	if (idle_cpu < 0) {
		sched_cgroup_fork(tsk, &kargs);
		if (!(clone_flags & CLONE_THREAD))
			list_add_tail_rcu(&tsk->tasks, &init_task.tasks);
	}
	sched_post_fork(tsk);
	list_add_tail(&t->all, &ks_all_tasks);
	nr_threads++;
	total_forks++;
	if (idle_cpu >= 0)
		init_idle(tsk, idle_cpu);
	return tsk;

no_memory_pid:
	pid_remove(t);
no_memory:
	if (t && tsk) {
		t->tsk = tsk;
		free_task_memory(t);
	}
	return NULL;
}

int ks_kernel_thread(int (*fn)(void *), void *arg)
{
	struct task_struct *tsk = ks_fork(NULL, fn, arg, "kthread", CLONE_FS | CLONE_FILES, -1);

	if (!tsk)
		return -ENOMEM;
	wake_up_new_task(tsk);
	return tsk->pid;
}

struct task_struct *fork_idle(int cpu)
{
	char comm[TASK_COMM_LEN];

	snprintf(comm, sizeof(comm), "swapper/%d", cpu);
	return ks_fork(NULL, NULL, NULL, comm, CLONE_VM, cpu) ?: ERR_PTR(-ENOMEM);
}

/* init_task is static: it is the idle task of the boot CPU. */
void ks_adopt_init_task(void)
{
	struct ks_task *t = &init_handle;

	t->tsk = &init_task;
	t->pub.kthread = 1;
	t->cset = &ks_root_cset;
	init_task.thread.handle = t;
	RCU_INIT_POINTER(init_task.cgroups, t->cset);
	strscpy(t->pub.comm, "swapper/0", sizeof(t->pub.comm));
	strscpy(init_task.comm, "swapper/0", sizeof(init_task.comm));
	list_add_tail(&t->all, &ks_all_tasks);
	user_mm.mm_users = (atomic_t)ATOMIC_INIT(1);
	user_mm.mm_count = (atomic_t)ATOMIC_INIT(1);
}

/* The kernel thread that booted becomes the first user task, as exec of init does. */
void ks_become_root(const struct ksched_clone *root)
{
	struct ks_task *t = ks_task_of(current);

	t->entry = root->entry;
	t->arg = root->arg;
	t->pub.data = root->data;
	t->pub.kthread = 0;
	t->kfn = NULL;
	set_comm(t, root->comm ? root->comm : "init");
	current->flags &= ~PF_KTHREAD;
	if (current->active_mm)
		mmdrop(current->active_mm); /* borrowed, as kernel threads do */
	current->mm = current->active_mm = &user_mm;
	ks_init_handle = t;
}

/* ---- exit and wait ------------------------------------------------------------------------------- */

static void release(struct ks_task *t)
{
	struct task_struct *tsk = t->tsk;

	pid_remove(t);
	list_del_init(&tsk->sibling);
	if (thread_group_leader(tsk))
		list_del_rcu(&tsk->tasks);
	else
		list_del_rcu(&tsk->thread_node);
	list_del(&t->all);
	nr_threads--;
	tsk->exit_state = EXIT_DEAD;
	put_task_struct_rcu_user(tsk);
}

/* Children of a task that exits are init's, and die with nobody to wait for them. */
static void forget_children(struct task_struct *tsk)
{
	struct task_struct *child, *next;

	list_for_each_entry_safe(child, next, &tsk->children, sibling)
	{
		struct ks_task *c = ks_task_of(child);

		c->flags |= KSCHED_AUTOREAP;
		child->real_parent = child->parent = ks_init_handle->tsk;
		list_move_tail(&child->sibling, &ks_init_handle->tsk->children);
		if (child->exit_state == EXIT_ZOMBIE)
			release(c);
	}
}

void __noreturn do_exit(long code)
{
	struct task_struct *tsk = current;
	struct ks_task *t = ks_task_of(tsk);
	struct task_struct *parent = tsk->real_parent;

	ks_charge(KSCHED_COST_EXIT);
	ks_catch_up();
	if (t == ks_init_handle)
		ks_trap("exit of the first task");
	task_work_run();
	tsk->flags |= PF_EXITING;
	ks_event_task(KSCHED_EV_EXIT, tsk, NULL);
	if (tsk->mm) {
		tsk->mm = NULL;
		mmgrab(&user_mm); /* as a kernel thread, it borrows this one until the end */
	}
	sched_autogroup_exit_task(tsk);
	forget_children(tsk);
	atomic_dec(&tsk->signal->live);
	t->exit_code = code;
	tsk->exit_code = code;
	tsk->exit_state = EXIT_ZOMBIE;
	if (!thread_group_leader(tsk))
		tsk->signal->nr_threads--;
	if (t->flags & KSCHED_AUTOREAP || !thread_group_leader(tsk) || tsk->flags & PF_KTHREAD)
		release(t);
	else
		__wake_up_sync_key(&parent->signal->wait_chldexit, TASK_INTERRUPTIBLE, tsk);
	preempt_disable();
	do_task_dead();
}

static void delayed_put(struct rcu_head *rhp)
{
	put_task_struct(container_of(rhp, struct task_struct, rcu));
}

void put_task_struct_rcu_user(struct task_struct *task)
{
	if (refcount_dec_and_test(&task->rcu_users))
		call_rcu(&task->rcu, delayed_put);
}

void __put_task_struct(struct task_struct *tsk)
{
	struct ks_task *t = ks_task_of(tsk);

	WARN_ON(!tsk->exit_state);
	WARN_ON(refcount_read(&tsk->usage));
	WARN_ON(tsk == current);
	task_numa_free(tsk, true);
	put_signal(tsk->signal);
	if (ks_host.task_free)
		ks_host.task_free(ks_host.self, &t->pub);
	free_task_memory(t);
}

void __put_task_struct_rcu_cb(struct rcu_head *rhp)
{
	__put_task_struct(container_of(rhp, struct task_struct, rcu));
}

/* The stack goes with the task_struct. */
void put_task_stack(struct task_struct *tsk)
{
}

/* -ECHILD: no such child, 0: none has exited, else the pid of the one that was reaped. */
static int reap(int pid, int *code)
{
	struct task_struct *child;
	int found = 0;

	list_for_each_entry(child, &current->children, sibling)
	{
		struct ks_task *c = ks_task_of(child);

		if (pid > 0 && child->pid != pid)
			continue;
		if (c->flags & KSCHED_AUTOREAP)
			continue;
		found = 1;
		if (child->exit_state != EXIT_ZOMBIE)
			continue;
		if (code)
			*code = c->exit_code;
		pid = child->pid;
		release(c);
		return pid;
	}
	return found ? 0 : -ECHILD;
}

/* As do_wait(): only a child that is waited for wakes, and the entry stays until the end. */
struct child_wait {
	struct wait_queue_entry entry;
	int pid;
};

static int wake_for_child(struct wait_queue_entry *entry, unsigned int mode, int sync, void *key)
{
	struct child_wait *wait = container_of(entry, struct child_wait, entry);
	struct task_struct *child = key;

	if (wait->pid > 0 && child->pid != wait->pid)
		return 0;
	return default_wake_function(entry, mode, sync, key);
}

int ks_wait(int pid, int nohang, int *code)
{
	struct child_wait wait = { .pid = pid };
	int ret;

	ks_syscall_enter();
	ks_event_task(KSCHED_EV_WAIT, current, NULL);
	init_waitqueue_func_entry(&wait.entry, wake_for_child);
	wait.entry.private = current;
	add_wait_queue(&current->signal->wait_chldexit, &wait.entry);
	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		ret = reap(pid, code);
		if (ret || nohang)
			break;
		schedule();
	}
	__set_current_state(TASK_RUNNING);
	remove_wait_queue(&current->signal->wait_chldexit, &wait.entry);
	ks_syscall_exit();
	return ret;
}

int ks_clone(const struct ksched_clone *args, struct ksched_task **child)
{
	unsigned long flags = args->flags & KSCHED_THREAD ? CLONE_THREAD | CLONE_VM : 0;
	struct task_struct *tsk;

	ks_syscall_enter();
	ks_charge(KSCHED_COST_FORK);
	tsk = ks_fork(args, NULL, NULL, args->comm, flags, -1);
	if (tsk) {
		if (child)
			*child = &ks_task_of(tsk)->pub;
		ks_catch_up();
		ks_event_task(KSCHED_EV_FORK, current, tsk);
		wake_up_new_task(tsk);
	}
	ks_syscall_exit();
	return tsk ? 0 : -EAGAIN;
}

void ks_exec(const char *comm)
{
	ks_syscall_enter();
	ks_charge(KSCHED_COST_EXEC);
	sched_exec();
	if (comm)
		set_comm(ks_task_of(current), comm);
	ks_event_task(KSCHED_EV_EXEC, current, NULL);
	ks_syscall_exit();
}

void ks_exit(int code)
{
	ks_syscall_enter();
	do_exit(code);
}
