/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ks.h - what the parts of the glue share; includes the scheduler's private header
 *
 * The glue is compiled like kernel code, against the tree. Differences between trees are in compat.h only.
 */
#ifndef KSCHED_GLUE_KS_H
#define KSCHED_GLUE_KS_H

/* kernel/sched/sched.h relies on it before 6.2. */
#include <linux/sched/cputime.h>
#include "sched.h"

#include "compat.h"
#include "coro.h"
/* "current" is a macro of the kernel and a function of the interface. */
#pragma push_macro("current")
#undef current
#include "ksched.h"
#pragma pop_macro("current")
#include "state.h"

/* ---- cpu.c: the simulated CPU ------------------------------------------------------------- */

/* Stop here and return to the host, which sees `mode`. Returns why the CPU was entered again. */
enum ksched_enter ks_pause(enum ksched_mode mode);

/* Pause until RESUME, with interrupts and what follows from them in between. */
void ks_pause_until_resumed(enum ksched_mode mode);

/* Work before a return to user mode: reschedule, task work. Interrupts enabled. */
void ks_exit_to_user(void);

/*
 * What this CPU does next is seen by others: those whose time is behind its own go first. Without
 * it a child of a fork that costs 50 us would run on another CPU 50 us before it was forked.
 */
void ks_catch_up(void);

/* Begin and end of every [task] function of the interface. */
void ks_syscall_enter(void);
void ks_syscall_exit(void);

/* The task that the context switch now ending came from. */
struct task_struct *ks_switched_from(void);

void ks_register_clock(void);
void ks_init_clockevent(void); /* of the CPU that runs */
void ks_set_current_cpu(int cpu);
void ks_enter(int cpu, enum ksched_enter why, uint64_t now);
void ks_interrupt(int cpu, uint64_t now, void (*fn)(void *arg), void *arg);

/* ---- task.c ------------------------------------------------------------------------------- */

/* The task behind a handle and back. Both are made by ks_fork(). */
struct ks_task {
	struct ksched_task pub; /* first: the host's view */
	struct task_struct *tsk;
	struct ks_task *next_pid; /* in a chain of the pid table */
	struct list_head all;
	int exit_code;
	bool blocked;	    /* in ks_block() */
	unsigned int flags; /* of ksched_clone */
	void (*entry)(void *arg);
	void *arg;
	int (*kfn)(void *arg); /* of a kernel thread */
	struct css_set *cset;
};

extern struct list_head ks_all_tasks;
extern struct ks_task *ks_init_handle; /* pid 1 */

struct ks_task *ks_task_of(struct task_struct *tsk);
/* kernel_thread(), whose prototype differs between trees. */
int ks_kernel_thread(int (*fn)(void *), void *arg) __asm__("kernel_thread");
struct task_struct *ks_fork(const struct ksched_clone *args, int (*kfn)(void *arg), void *karg,
			    const char *comm, unsigned long clone_flags, int idle_cpu);
struct ks_task *ks_find_pid(int pid);
void ks_adopt_init_task(void);
void ks_become_root(const struct ksched_clone *root);
void ks_run_user(struct ks_task *t) __noreturn;
int ks_clone(const struct ksched_clone *args, struct ksched_task **child);
void ks_exec(const char *comm);
void ks_exit(int code);
int ks_wait(int pid, int nohang, int *code);

/* ---- events.c ------------------------------------------------------------------------------- */

void ks_event_irq(enum ksched_enter why);
void ks_event_task(enum ksched_event_kind kind, struct task_struct *task,
		   struct task_struct *other);

/* ---- the others ----------------------------------------------------------------------------- */

const char *ks_topology_check(const struct ksched_machine *m); /* NULL, or what is wrong */
const char *ks_topology_init(const struct ksched_machine *m);  /* NULL, or why not */
void ks_topology_levels(void); /* the machine's own sched domain levels, if any */
int ks_machine_polls(int cpu);
void ks_workqueue_init(void);
void ks_boot_cpu_masks(const struct ksched_machine *m);
void ks_idle_entry(void) __noreturn; /* where the idle task of a new CPU begins */
int ks_boot(const struct ksched_machine *m, const struct ksched_host *host,
	    const struct ksched_clone *root, struct ksched_shared **shared, const char **why);
extern struct css_set ks_root_cset;
void ks_groups_init(void);
struct css_set *ks_group_cset(struct ksched_group *g);

#endif
