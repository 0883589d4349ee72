// SPDX-License-Identifier: GPL-2.0-only
/* live_child.c - children of workers: fork, vfork and exec, threads; waiting for them */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "task/live_lean.h"
#include "task/live_private.h"

#define THREAD_STACK ((size_t)256 << 10)

/* of threads; above every process id */
#define FIRST_THREAD_ID ((int64_t)1 << 32)

/* CPU time of children is asked for once in so many waits: asking costs 0.3 us */
#define WAITS_A_USAGE 16

struct live_thread {
	pthread_t thread;
	struct live_task task;
	task_body body;
	void *data;
	pid_t tid;
	uint32_t done; /* a futex */
};

static void fail(struct live_task *task, const char *what, const char *why)
{
	autofree char *reason = memory_format(": %s: %s", what, why);

	live_fail(task->team, task->number, reason);
}

static int64_t child_failed(struct live_task *task)
{
	const char *limits = errno == EAGAIN ? " (limits: ulimit -u, pids.max of the cgroup)" : "";
	autofree char *why = memory_format("%s%s", strerror(errno), limits);

	fail(task, "cannot make a child", why);
	return -1;
}

static int64_t remember(struct live_task *task, int64_t id, struct live_thread *thread)
{
	struct live_child *child = array_append(task->children, task->n_children);

	child->id = id;
	child->thread = thread;
	return id;
}

static struct live_task child_of(const struct live_task *task)
{
	struct live_task child = *task;

	child.child = true;
	child.children = NULL;
	child.n_children = 0;
	return child;
}

/* in the child */
static void __attribute__((noreturn))
child_process(const struct live_task *parent, task_body body, void *data, pid_t parent_pid)
{
	struct live_task task = child_of(parent);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent_pid)
		_exit(EXIT_FAILURE);
	task.alone = true;
	body(&task.base, data);
	live_end_children(&task);
	_exit(EXIT_SUCCESS);
}

/*
 * By its address: the first call of a function through the procedure linkage table would have the
 * loader look into libraries that a lean child does not have.
 */
static void (*const volatile exit_now)(int) __attribute__((noreturn)) = _exit;

static int64_t spawn_fork(struct live_task *task, task_body body, void *data)
{
	pid_t self, pid;

	if (!body && !task->lean && task->alone && !task->threads) {
		task->lean = live_lean_enter();
	} else if (body && task->lean) {
		live_lean_leave();
		task->lean = false;
	}
	self = body ? getpid() : 0;
	pid = fork();
	if (!pid) {
		if (!body)
			exit_now(EXIT_SUCCESS);
		child_process(task, body, data, self);
	}
	if (pid < 0)
		return child_failed(task);
	return remember(task, pid, NULL);
}

/* a function of its own: the child of vfork() works on our stack frame */
static __attribute__((noinline)) pid_t vfork_exec(const char *program)
{
	char *const arguments[] = { (char *)program, NULL };
	char *const environment[] = { NULL };
	pid_t pid = vfork();

	if (!pid) {
		execve(program, arguments, environment);
		_exit(127);
	}
	return pid;
}

static int64_t spawn_exec(struct live_task *task)
{
	pid_t pid;

	if (!task->waits && access(task->team->exit_program, X_OK)) {
		fail(task, task->team->exit_program, strerror(errno));
		return -1;
	}
	pid = vfork_exec(task->team->exit_program);
	if (pid < 0)
		return child_failed(task);
	return remember(task, pid, NULL);
}

static void *thread_main(void *data)
{
	struct live_thread *thread = data;
	struct timespec used;

	thread->tid = gettid();
	thread->body(&thread->task.base, thread->data);
	live_end_children(&thread->task);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	__atomic_add_fetch(&thread->task.slot->child_ns, used.tv_sec * 1000000000ull + used.tv_nsec,
			   __ATOMIC_RELAXED);
	__atomic_store_n(&thread->done, 1, __ATOMIC_RELEASE);
	live_futex_wake(&thread->done, 1);
	return NULL;
}

static void thread_free(struct live_thread *thread)
{
	free(thread->task.buffer);
	free(thread->task.children);
	free(thread);
}

static int64_t spawn_thread(struct live_task *task, task_body body, void *data)
{
	struct live_thread *thread = memory_zeroed(1, sizeof(*thread));
	pthread_attr_t attributes;
	int result;

	if (task->lean) {
		live_lean_leave();
		task->lean = false;
	}
	task->threads = true;
	thread->task = child_of(task);
	thread->task.alone = false;
	thread->task.buffer = memory_zeroed(1, task->team->buffer_size);
	thread->body = body;
	thread->data = data;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, THREAD_STACK);
	result = pthread_create(&thread->thread, &attributes, thread_main, thread);
	pthread_attr_destroy(&attributes);
	if (result) {
		errno = result;
		thread_free(thread);
		return child_failed(task);
	}
	return remember(task, FIRST_THREAD_ID + ++task->thread_ids, thread);
}

static void nothing(struct task *task, void *data)
{
	(void)task;
	(void)data;
}

int64_t live_spawn(struct task *base, enum child_kind kind, task_body body, void *data)
{
	struct live_task *task = live_task(base);

	if (live_stopped(task))
		return -1;
	switch (kind) {
	case CHILD_FORK:
		return spawn_fork(task, body, data);
	case CHILD_EXEC:
		return spawn_exec(task);
	case CHILD_THREAD:
		return spawn_thread(task, body ? body : nothing, data);
	}
	return -1;
}

static uint64_t usage_ns(const struct rusage *usage)
{
	return (usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1000000000ull +
	       (usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) * 1000ull;
}

/* the total of all children is exact, that of a single one is rounded down to microseconds */
static void account(struct live_task *task, const struct rusage *child)
{
	struct rusage all;
	uint64_t used;

	if (!task->alone) {
		__atomic_add_fetch(&task->slot->child_ns, usage_ns(child), __ATOMIC_RELAXED);
		return;
	}
	if (task->waits++ % WAITS_A_USAGE)
		return;
	getrusage(RUSAGE_CHILDREN, &all);
	used = usage_ns(&all);
	__atomic_add_fetch(&task->slot->child_ns, used - task->children_ns, __ATOMIC_RELAXED);
	task->children_ns = used;
}

static bool ended_well(struct live_task *task, int status)
{
	autofree char *why = NULL;

	if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS)
		return true;
	why = WIFSIGNALED(status) ? memory_format("killed by signal %d (%s)", WTERMSIG(status),
						  strsignal(WTERMSIG(status)))
				  : memory_format("exit status %d", WEXITSTATUS(status));
	fail(task, "a child ended badly", why);
	return false;
}

/* a child that sleeps when the trial is over is woken as we are: by the signal that we were given */
static bool wait_process(struct live_task *task, pid_t pid)
{
	struct rusage usage;
	int status;

	while (wait4(pid, &status, 0, task->alone ? NULL : &usage) < 0) {
		if (errno != EINTR) {
			fail(task, "wait", strerror(errno));
			return false;
		}
		if (live_stopped(task))
			kill(pid, LIVE_WAKE_SIGNAL);
	}
	if (!task->child)
		account(task, &usage);
	return ended_well(task, status);
}

static void wait_thread(struct live_task *task, struct live_thread *thread)
{
	while (!__atomic_load_n(&thread->done, __ATOMIC_ACQUIRE)) {
		live_futex_wait(&thread->done, 0, UINT64_MAX);
		if (live_stopped(task) && thread->tid)
			syscall(SYS_tgkill, getpid(), thread->tid, LIVE_WAKE_SIGNAL);
	}
	pthread_join(thread->thread, NULL);
	thread_free(thread);
}

bool live_wait(struct task *base, int64_t id)
{
	struct live_task *task = live_task(base);
	struct live_child child;
	int at = task->n_children - 1;

	while (at >= 0 && task->children[at].id != id)
		at--;
	if (at < 0) {
		fail(task, "wait", "it has no such child");
		return false;
	}
	child = task->children[at];
	task->children[at] = task->children[--task->n_children];
	if (!child.thread)
		return wait_process(task, id);
	wait_thread(task, child.thread);
	return true;
}

/* children that the body did not wait for: they end because the trial is over, or are killed */
void live_end_children(struct live_task *task)
{
	while (task->n_children) {
		struct live_child child = task->children[--task->n_children];

		if (child.thread) {
			wait_thread(task, child.thread);
			continue;
		}
		kill(child.id, SIGKILL);
		while (waitpid(child.id, NULL, 0) < 0 && errno == EINTR)
			;
	}
	free(task->children);
	task->children = NULL;
}
