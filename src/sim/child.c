// SPDX-License-Identifier: GPL-2.0-only
/*
 * Children of workers: fork, vfork with exec, threads; waiting for them and what they cost
 *
 * The library charges the paths of the scheduler (fork, exit, exec); memory maps are charged here:
 * copied by the parent before the child can run, faulted in by the child, freed before it exits.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "sim/team.h"

/* adds the CPU time of an exiting task to its worker; what exit() costs is still to come */
static void account_child(struct sim_task *task)
{
	struct ksched_task_stat stat;

	if (!task->worker || task->sim->over || task->sim->kernel->task_stat(task->kernel, &stat))
		return;
	task->worker->child_ns += stat.exec_ns + (uint64_t)task->sim->model->exit / 1000;
}

static void forked_child(void *argument)
{
	struct sim_task *task = argument;

	task->kernel = task->sim->kernel->current();
	/* what it touches first is in the caches of the CPU that forked it */
	task_spend(task, speed_refill(task->sim, task->forked_on, task->sim->shared->this_cpu));
	task_spend(task, task->sim->model->page_faults);
	if (task->body)
		task->body(&task->base, task->data);
	child_join_all(task);
	task_spend(task, task->sim->model->reap);
	account_child(task);
}

/* half of loading a program is the kernel's, half the dynamic linker's */
static void execed_child(void *argument)
{
	struct sim_task *task = argument;
	struct sim *sim = task->sim;
	struct ksched_task *parent = task->parent->kernel;

	task->kernel = sim->kernel->current();
	sim->kernel->exec("exit");
	task->released = true;
	sim->kernel->wake(&parent, 1);
	task_spend(task, sim->model->exec_load / 2);
	task_work(task, sim->model->exec_load / 2);
	task_spend(task, sim->model->reap);
	account_child(task);
}

static void thread_child(void *argument)
{
	struct sim_task *task = argument;
	struct ksched_task *parent = task->parent->kernel;

	task->kernel = task->sim->kernel->current();
	if (task->body)
		task->body(&task->base, task->data);
	child_join_all(task);
	account_child(task);
	task->released = true;
	task->sim->kernel->wake(&parent, 1);
}

static int clone_child(struct sim_task *child, void (*entry)(void *), unsigned flags)
{
	struct ksched_clone clone = {
		.entry = entry,
		.arg = child,
		.flags = flags,
		.data = &child->load,
		.stack_size = SIM_WORKER_STACK,
	};

	return child->sim->kernel->clone(&clone, &child->kernel);
}

static uint64_t spawn_cost(const struct sim_model *model, enum child_kind kind)
{
	if (kind == CHILD_FORK)
		return model->copy_mm;
	return kind == CHILD_THREAD ? model->thread : 0; /* vfork copies nothing */
}

int64_t sim_spawn(struct task *base, enum child_kind kind, task_body body, void *data)
{
	static void (*const entries[])(void *) = {
		[CHILD_FORK] = forked_child,
		[CHILD_EXEC] = execed_child,
		[CHILD_THREAD] = thread_child,
	};
	struct sim_task *task = sim_task(base), *child;
	unsigned flags = kind == CHILD_THREAD ? KSCHED_THREAD | KSCHED_AUTOREAP : 0;
	int result;
	int64_t id;

	if (task_over(task))
		return -1;
	child = memory_zeroed(1, sizeof(*child));
	task_init(child, task->team, task->worker);
	child->kind = kind;
	child->body = body;
	child->data = data;
	child->parent = task;
	task_spend(task, spawn_cost(task->sim->model, kind));
	if (kind == CHILD_THREAD) {
		child->next_thread = task->threads;
		task->threads = child;
	}
	task_link(child);
	child->forked_on = task->sim->shared->this_cpu;
	result = clone_child(child, entries[kind], flags);
	if (result) {
		engine_fail(task->sim, "a child could not be made: error %d", -result);
		return -1;
	}
	id = child->kernel->pid;
	while (kind == CHILD_EXEC && !child->released && task_block(task, KSCHED_NEVER))
		;
	return id;
}

/* a thread's memory is needed by its parent (join) and by the kernel (the load it runs) */
static void thread_drop(struct sim_task *thread)
{
	if (thread->gone && !thread->parent)
		free(thread);
}

void child_freed(struct sim_task *task)
{
	if (!task->worker)
		return;
	task->kernel = NULL;
	if (task == &task->worker->task) {
		task_unlink(task);
		return;
	}
	task_unlink(task);
	task->gone = true;
	if (task->kind == CHILD_THREAD)
		thread_drop(task);
	else
		free(task);
}

static void join(struct sim_task *task, struct sim_task *thread)
{
	struct sim_task **link = &task->threads;

	/* also after the end of the trial: threads must not outlive their process */
	while (!thread->released) {
		task->blocked = true;
		task->sim->kernel->block(KSCHED_NEVER);
		task->blocked = false;
	}
	while (*link != thread)
		link = &(*link)->next_thread;
	*link = thread->next_thread;
	thread->parent = NULL;
	thread_drop(thread);
}

void child_join_all(struct sim_task *task)
{
	while (task->threads)
		join(task, task->threads);
}

bool sim_wait(struct task *base, int64_t id)
{
	struct sim_task *task = sim_task(base);
	int code = 0;

	for (struct sim_task *thread = task->threads; thread; thread = thread->next_thread)
		if (thread->kernel->pid == id) {
			join(task, thread);
			return true;
		}
	if (task->sim->kernel->wait((int)id, 0, &code) != id || code) {
		engine_fail(task->sim, "child %d ended badly", (int)id);
		return false;
	}
	return true;
}
