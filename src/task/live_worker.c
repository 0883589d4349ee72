// SPDX-License-Identifier: GPL-2.0-only
/* live_worker.c - a worker from the gate to its end, and what it may do on the way */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "task/compute.h"
#include "task/live_private.h"
#include "task/live_prompt.h"

#define THREAD_STACK ((size_t)256 << 10)

/* wakes the trial's process out of its sleep */
static void notify(struct live_team *team)
{
	syscall(SYS_tgkill, team->parent_pid, team->parent_tid, SIGCHLD);
}

/* the first failure is the one that counts */
static void record(struct live_team *team, const char *text)
{
	struct live_control *control = team->control;
	uint32_t none = 0;

	if (!__atomic_compare_exchange_n(&control->failed, &none, 1, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_RELAXED))
		return;
	snprintf(control->failure, LIVE_FAILURE_SIZE, "%s", text);
	__atomic_store_n(&control->failed, 2, __ATOMIC_RELEASE);
	notify(team);
}

void live_fail(struct live_team *team, int number, const char *reason)
{
	const struct live_worker *worker = number < 0 ? NULL : &team->workers[number];
	autofree char *text = NULL;

	if (!worker)
		text = memory_string(reason);
	else if (worker->index < 0)
		text = memory_format("a helper%s", reason);
	else
		text = memory_format("worker %d%s", worker->index, reason);
	record(team, text);
}

static void fail_errno(struct live_task *task, const char *what)
{
	autofree char *reason = memory_format(": %s: %s", what, strerror(errno));

	live_fail(task->team, task->number, reason);
}

/* ---- operations ---- */

static bool running(struct task *task)
{
	return !live_stopped(live_task(task));
}

static bool measured(struct task *task)
{
	return __atomic_load_n(&live_task(task)->team->control->measuring, __ATOMIC_RELAXED);
}

static bool elapsed(struct task *task, uint64_t *ns)
{
	const struct live_control *control = live_task(task)->team->control;
	bool measuring = __atomic_load_n(&control->measuring, __ATOMIC_ACQUIRE);

	*ns = measuring ? clock_ns() - control->begin_ns : 0;
	return measuring;
}

static void count(struct task *base, int counter, uint64_t n)
{
	struct live_task *task = live_task(base);
	uint64_t *own = &task->slot->counters[counter];

	if (task->child)
		__atomic_add_fetch(&task->slot->child_counters[counter], n, __ATOMIC_RELAXED);
	else
		__atomic_store_n(own, *own + n, __ATOMIC_RELAXED);
}

static void record_value(struct task *base, int histogram, uint64_t ns)
{
	struct live_task *task = live_task(base);
	const struct live_team *team = task->team;

	if (task->worker->index >= 0 &&
	    __atomic_load_n(&team->control->measuring, __ATOMIC_RELAXED))
		histogram_record(&team->histograms[task->worker->index * team->base.n_histograms +
						   histogram],
				 ns);
}

static uint64_t clock_now(struct task *task)
{
	(void)task;
	return clock_ns();
}

static void fail(struct task *task, const char *reason)
{
	autofree char *text = memory_format(": %s", reason);

	live_fail(live_task(task)->team, live_task(task)->number, text);
}

static struct compute *new_compute(struct task *base, enum compute_method method, size_t bytes)
{
	struct compute *compute = compute_new(method, bytes);

	if (!compute) {
		autofree char *what = memory_format("a working set of %zu bytes", bytes);

		fail_errno(live_task(base), what);
	}
	return compute;
}

static void free_compute(struct task *task, struct compute *compute)
{
	(void)task;
	compute_free(compute);
}

static bool result_of(const struct compute *compute, struct compute_result *out)
{
	compute_result(compute, out);
	return true;
}

/* looks at the stop flag once a batch: compute_batch() units take some 50 us */
static void compute(struct task *base, struct compute *compute, uint64_t units, int counter)
{
	struct live_task *task = live_task(base);
	uint64_t batch = compute_batch(compute);

	while (units && !live_stopped(task)) {
		uint64_t now = units < batch ? units : batch;

		compute_run(compute, now);
		if (counter >= 0)
			count(base, counter, now);
		units -= now;
	}
}

static bool sleep_until(struct task *base, uint64_t time)
{
	struct timespec until = { time / 1000000000, time % 1000000000 };

	while (!live_stopped(live_task(base)))
		if (!clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL))
			return !live_stopped(live_task(base));
	return false;
}

static void yield(struct task *task)
{
	(void)task;
	sched_yield();
}

static bool set_affinity(struct task *task, hwloc_const_bitmap_t cpus)
{
	autofree cpu_set_t *set = NULL;
	size_t size;

	(void)task;
	set = live_cpu_set(cpus, &size);
	return set && !sched_setaffinity(0, size, set);
}

static int set_policy(struct task *task, const struct task_policy *policy)
{
	struct live_sched_attr attr = {
		.size = sizeof(attr),
		.sched_policy = policy->policy,
		.sched_nice = policy->nice,
		.sched_priority = policy->priority,
		.sched_runtime = policy->runtime,
		.sched_deadline = policy->deadline,
		.sched_period = policy->period,
	};

	(void)task;
	return syscall(SYS_sched_setattr, 0, &attr, 0) ? -errno : 0;
}

static void set_slack(struct task *task, uint64_t ns)
{
	(void)task;
	prctl(PR_SET_TIMERSLACK, (unsigned long)(ns ? ns : 1));
}

static int cpu(struct task *task)
{
	(void)task;
	return sched_getcpu();
}

const struct task_ops live_task_ops = {
	.running = running,
	.measured = measured,
	.elapsed = elapsed,
	.count = count,
	.record = record_value,
	.clock = clock_now,
	.fail = fail,
	.compute_new = new_compute,
	.compute_free = free_compute,
	.compute = compute,
	.compute_select = compute_select,
	.compute_seek = compute_seek,
	.compute_result = result_of,
	.send = live_send,
	.receive = live_receive,
	.lock = live_lock,
	.unlock = live_unlock,
	.spin = live_spin,
	.condition_wait = live_condition_wait,
	.condition_wake = live_condition_wake,
	.file = live_file,
	.meet = live_meet,
	.sleep_until = sleep_until,
	.yield = yield,
	.spawn = live_spawn,
	.wait = live_wait,
	.set_affinity = set_affinity,
	.set_policy = set_policy,
	.set_slack = set_slack,
	.cpu = cpu,
	.program = live_program,
	.shared = live_shared,
	.channel = live_channel_new,
	.reply_channel = live_reply_channel,
	.mutex = live_mutex_new,
	.condition = live_condition_new,
	.folder = live_folder_new,
	.unit_time = live_unit_time,
	.barrier = live_barrier_new,
	.add = live_add,
};

/* ---- the life of a worker ---- */

static void set_state(struct live_slot *slot, enum slot_state state)
{
	__atomic_store_n(&slot->state, state, __ATOMIC_RELEASE);
}

static void prepare(struct live_task *task)
{
	const struct live_worker *worker = task->worker;

	if (worker->set && sched_setaffinity(0, worker->set_size, worker->set)) {
		autofree char *reason = NULL;
		char *list;
		int saved = errno;

		hwloc_bitmap_list_asprintf(&list, worker->cpus);
		reason = memory_format(" cannot be pinned to CPUs %s: %s", list, strerror(saved));
		free(list);
		live_fail(task->team, task->number, reason);
		return;
	}
	task->buffer = memory_zeroed(1, task->team->buffer_size);
	if (worker->spec.prepare)
		worker->spec.prepare(&task->base, worker->spec.data);
}

static void wait_at_gate(struct live_task *task)
{
	struct live_control *control = task->team->control;
	uint32_t all = task->team->n_workers;

	set_state(task->slot, SLOT_AT_GATE);
	if (__atomic_add_fetch(&control->arrived, 1, __ATOMIC_ACQ_REL) == all)
		notify(task->team);
	while (!__atomic_load_n(&control->gate, __ATOMIC_ACQUIRE))
		if (!task->worker->spec.spins)
			live_futex_wait(&control->gate, 0, UINT64_MAX);
}

/* stays after its body has returned, so that the trial's process can read what the kernel counted */
static void wait_for_end(struct live_task *task)
{
	struct live_control *control = task->team->control;

	set_state(task->slot, SLOT_RETURNED);
	if (task->worker->index >= 0 &&
	    __atomic_add_fetch(&control->returned, 1, __ATOMIC_ACQ_REL) ==
		    (uint32_t)task->team->n_reported)
		notify(task->team);
	while (!live_stopped(task))
		live_futex_wait(&control->stop, 0, UINT64_MAX);
}

static void worker_run(struct live_team *team, int number)
{
	struct live_task task = {
		.base.ops = &live_task_ops,
		.team = team,
		.slot = &team->slots[number],
		.worker = &team->workers[number],
		.number = number,
		.alone = team->processes[team->workers[number].process].number < 0,
	};

	task.slot->pid = getpid();
	task.slot->tid = gettid();
	prepare(&task);
	wait_at_gate(&task);
	__atomic_store_n(&task.slot->started, clock_ns(), __ATOMIC_RELEASE);
	set_state(task.slot, SLOT_RUNNING);
	if (!live_stopped(&task))
		task.worker->spec.body(&task.base, task.worker->spec.data);
	__atomic_store_n(&task.slot->finished, clock_ns(), __ATOMIC_RELEASE);
	live_end_children(&task);
	wait_for_end(&task);
	free(task.buffer);
	free(task.children);
}

struct thread_start {
	struct live_team *team;
	int number;
};

static void *thread_main(void *data)
{
	struct thread_start start = *(struct thread_start *)data;

	free(data);
	worker_run(start.team, start.number);
	return NULL;
}

static void on_wake(int signal_number)
{
	(void)signal_number;
}

/*
 * A process group or a session of its own: a terminal's Ctrl-C must stop the trial, not kill its
 * workers. Signals are as they were before fairtrial set its own handlers.
 */
static void process_prepare(struct live_team *team, const struct live_process *process)
{
	static const int handled[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD, SIGPIPE };
	struct sigaction action = { .sa_handler = on_wake };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != team->parent_pid)
		_exit(EXIT_FAILURE);
	if (process->session ? setsid() < 0 : setpgid(0, 0)) {
		autofree char *reason =
			memory_format("cannot start a session of its own: %s", strerror(errno));

		live_fail(team, -1, reason);
	}
	for (size_t i = 0; i < ARRAY_SIZE(handled); i++)
		signal(handled[i], SIG_DFL);
	sigaction(LIVE_WAKE_SIGNAL, &action, NULL);
	sigdelset(&team->worker_mask, LIVE_WAKE_SIGNAL);
	pthread_sigmask(SIG_SETMASK, &team->worker_mask, NULL);
}

static int thread_new(struct live_team *team, int number, pthread_t *thread)
{
	struct thread_start *start = memory_zeroed(1, sizeof(*start));
	pthread_attr_t attributes;
	int result;

	start->team = team;
	start->number = number;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, THREAD_STACK);
	result = pthread_create(thread, &attributes, thread_main, start);
	pthread_attr_destroy(&attributes);
	if (result)
		free(start);
	return result;
}

void live_worker_process(struct live_team *team, int process)
{
	autofree pthread_t *threads = memory_zeroed(team->n_workers, sizeof(*threads));
	int n_threads = 0, first = -1;

	process_prepare(team, &team->processes[process]);
	for (int i = 0; i < team->n_workers; i++) {
		int result;

		if (team->workers[i].process != process)
			continue;
		if (first < 0) {
			first = i;
			continue;
		}
		result = thread_new(team, i, &threads[n_threads]);
		if (result) {
			errno = result;
			fail_errno(&(struct live_task){ .team = team, .number = i },
				   "cannot make its thread (limits: ulimit -u, pids.max of the "
				   "cgroup, memory)");
			_exit(EXIT_FAILURE);
		}
		n_threads++;
	}
	worker_run(team, first);
	for (int i = 0; i < n_threads; i++)
		pthread_join(threads[i], NULL);
	_exit(EXIT_SUCCESS);
}
