// SPDX-License-Identifier: GPL-2.0-only
#include "workload/rtapp_run.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* of FIFO and RR where a file gives none, as in rt-app */
#define PRIORITY_DEFAULT 10

#define PS_PER_NS 1000

/* What a loop of a phase adds up for its line of the log. */
struct loop_log {
	uint64_t begin, run_ns;
	int64_t slack;
	bool runs, has_slack;
};

static bool over(struct task *task, const struct rtapp_thread *thread)
{
	return !task_running(task) || (thread->end && task_clock(task) >= thread->end);
}

static bool fail(struct task *task, const struct rtapp_thread *thread,
		 const struct rtapp_event *event, const char *what)
{
	task_fail(task, "%s:%d: %s: %s", thread->file->name, event->line, event->path, what);
	return false;
}

/* ---- computing ---- */

static bool run(struct task *task, struct rtapp_thread *thread, uint64_t ns)
{
	uint64_t ps = ns * PS_PER_NS + thread->carry_ps;

	task_compute(task, thread->compute, ps / thread->unit_ps, -1);
	thread->carry_ps = ps % thread->unit_ps;
	return task_running(task);
}

/* half of what is left at the calibrated speed, so that the end is met from below */
static bool run_until(struct task *task, struct rtapp_thread *thread, uint64_t end)
{
	for (uint64_t now = task_clock(task); now < end; now = task_clock(task)) {
		uint64_t units = (end - now) * PS_PER_NS / thread->unit_ps / 2;

		task_compute(task, thread->compute, units ? units : 1, -1);
		if (!task_running(task))
			return false;
	}
	return true;
}

static bool compute(struct task *task, struct rtapp_thread *thread, const struct rtapp_event *event,
		    struct loop_log *log)
{
	uint64_t begin = task_clock(task);
	bool going = event->kind == RTAPP_RUN ? run(task, thread, event->ns)
					      : run_until(task, thread, begin + event->ns);

	log->runs = true;
	log->run_ns += task_clock(task) - begin;
	return going;
}

/* ---- timers ---- */

static void log_slack(const struct rtapp_thread *thread, struct loop_log *log, int64_t slack)
{
	log->slack = thread->file->cumulative_slack ? log->slack + slack : slack;
	log->has_slack = true;
}

/* the first use counts from the beginning of the loop */
static bool timer(struct task *task, struct rtapp_thread *thread, const struct rtapp_event *event,
		  struct loop_log *log)
{
	bool own = thread->file->objects[event->object].unique;
	uint64_t *last =
		own ? &thread->timers[event->object] : &thread->states[event->object].timer;
	uint64_t before = __atomic_load_n(last, __ATOMIC_RELAXED);
	uint64_t next = (before ? before : log->begin) + event->ns, now = task_clock(task);
	bool missed = now >= next;

	__atomic_store_n(last, missed && !event->absolute ? now : next, __ATOMIC_RELAXED);
	log_slack(thread, log, (int64_t)(next - now));
	task_count(task, RTAPP_TIMERS, 1);
	if (missed) {
		task_count(task, RTAPP_MISSED, 1);
		return true;
	}
	if (!task_sleep_until(task, next))
		return false;
	task_record(task, RTAPP_WAKEUP, task_clock(task) - next);
	return true;
}

/* ---- locks and conditions ---- */

static bool lock(struct task *task, struct rtapp_thread *thread, const struct rtapp_event *event,
		 int mutex)
{
	if (thread->held[mutex])
		return fail(task, thread, event, "the task holds this mutex already");
	thread->held[mutex] = mutex_lock(task, thread->states[mutex].mutex);
	return thread->held[mutex];
}

static bool unlock(struct task *task, struct rtapp_thread *thread, const struct rtapp_event *event,
		   int mutex)
{
	if (!thread->held[mutex])
		return fail(task, thread, event, "the task does not hold this mutex");
	thread->held[mutex] = false;
	mutex_unlock(task, thread->states[mutex].mutex);
	return true;
}

static bool wait_for(struct task *task, struct rtapp_thread *thread,
		     const struct rtapp_event *event)
{
	if (!thread->held[event->mutex])
		return fail(task, thread, event, "the task does not hold the mutex");
	thread->held[event->mutex] = condition_wait(task, thread->states[event->object].condition,
						    thread->states[event->mutex].mutex);
	return thread->held[event->mutex];
}

static bool wake(struct task *task, struct rtapp_thread *thread, int object, bool all)
{
	condition_wake(task, thread->states[object].condition, all);
	return true;
}

static bool signal_and_wait(struct task *task, struct rtapp_thread *thread,
			    const struct rtapp_event *event)
{
	/* rt-app's files write their own lock and unlock around it, too */
	bool held = thread->held[event->mutex];

	if (!held && !lock(task, thread, event, event->mutex))
		return false;
	wake(task, thread, event->object, false);
	if (!wait_for(task, thread, event))
		return false;
	return held || unlock(task, thread, event, event->mutex);
}

static bool suspend(struct task *task, struct rtapp_state *state)
{
	if (!mutex_lock(task, state->mutex))
		return false;
	if (!condition_wait(task, state->condition, state->mutex))
		return false;
	mutex_unlock(task, state->mutex);
	return true;
}

static bool resume(struct task *task, struct rtapp_state *state)
{
	if (!mutex_lock(task, state->mutex))
		return false;
	condition_wake(task, state->condition, true);
	mutex_unlock(task, state->mutex);
	return true;
}

static bool meet(struct task *task, struct rtapp_state *state, int users)
{
	uint64_t meeting;

	if (!mutex_lock(task, state->mutex))
		return false;
	meeting = state->meeting;
	if (++state->arrived == users) {
		state->arrived = 0;
		state->meeting++;
		condition_wake(task, state->condition, true);
	}
	while (state->meeting == meeting)
		if (!condition_wait(task, state->condition, state->mutex))
			return false;
	mutex_unlock(task, state->mutex);
	return true;
}

/* ---- a loop ---- */

/* false: the thread's time is over */
static bool perform(struct task *task, struct rtapp_thread *thread, const struct rtapp_event *event,
		    struct loop_log *log)
{
	switch (event->kind) {
	case RTAPP_RUN:
	case RTAPP_RUNTIME:
		return compute(task, thread, event, log);
	case RTAPP_SLEEP:
		return task_sleep(task, event->ns);
	case RTAPP_TIMER:
		return timer(task, thread, event, log);
	case RTAPP_LOCK:
		return lock(task, thread, event, event->object);
	case RTAPP_UNLOCK:
		return unlock(task, thread, event, event->object);
	case RTAPP_WAIT:
		return wait_for(task, thread, event);
	case RTAPP_SIGNAL:
	case RTAPP_BROAD:
		return wake(task, thread, event->object, event->kind == RTAPP_BROAD);
	case RTAPP_SYNC:
		return signal_and_wait(task, thread, event);
	case RTAPP_SUSPEND:
		return suspend(task, &thread->states[event->object]);
	case RTAPP_RESUME:
		return resume(task, &thread->states[event->object]);
	case RTAPP_BARRIER:
		return meet(task, &thread->states[event->object],
			    thread->file->objects[event->object].users);
	case RTAPP_YIELD:
		task_yield(task);
		return true;
	case N_RTAPP_EVENTS:
		break;
	}
	return false;
}

static void write_log(struct task *task, const struct loop_log *log)
{
	task_count(task, RTAPP_ACTIVATIONS, 1);
	task_record(task, RTAPP_PERIOD, task_clock(task) - log->begin);
	if (log->runs)
		task_record(task, RTAPP_RUN_TIME, log->run_ns);
	if (!log->has_slack)
		return;
	task_count(task, RTAPP_SLACKS, 1);
	if (log->slack >= 0) {
		task_record(task, RTAPP_SLACK, log->slack);
		task_count(task, RTAPP_SLACK_LEFT, log->slack);
	} else {
		task_count(task, RTAPP_SLACK_LACK, -log->slack);
	}
}

static bool run_loop(struct task *task, struct rtapp_thread *thread,
		     const struct rtapp_phase *phase)
{
	struct loop_log log = { .begin = task_clock(task) };

	for (int i = 0; i < phase->n_events; i++)
		if (!perform(task, thread, &phase->events[i], &log) || over(task, thread))
			return false;
	write_log(task, &log);
	return true;
}

/* ---- scheduling properties ---- */

static bool set_policy(struct task *task, struct rtapp_thread *thread,
		       const struct rtapp_properties *properties)
{
	bool real_time = thread->policy == SCHED_FIFO || thread->policy == SCHED_RR;
	struct task_policy policy = {
		.policy = thread->policy,
		.runtime = properties->dl_runtime,
		.period = properties->dl_period ? properties->dl_period : properties->dl_runtime,
	};
	const char *path = properties->path ? properties->path : "global/default_policy";
	int result;

	policy.deadline = properties->dl_deadline ? properties->dl_deadline : policy.period;
	if (real_time)
		policy.priority =
			properties->has_priority ? properties->priority : PRIORITY_DEFAULT;
	else
		policy.nice = properties->priority;
	result = task_set_policy(task, &policy);
	if (!result)
		return true;
	task_fail(task, "%s:%d: %s: the system refuses policy or priority: %s", thread->file->name,
		  properties->line, path, strerror(-result));
	return false;
}

/* an affinity that a phase does not give is the task's */
static bool set_cpus(struct task *task, struct rtapp_thread *thread,
		     const struct rtapp_properties *properties)
{
	hwloc_const_bitmap_t wanted =
		properties->cpus ? properties->cpus : thread->task->properties.cpus;

	if (wanted == thread->cpus)
		return true;
	thread->cpus = wanted;
	if (task_set_affinity(task, wanted ? wanted : thread->all_cpus))
		return true;
	task_fail(task, "%s: task %s cannot be bound to its CPUs", thread->file->name,
		  thread->task->name);
	return false;
}

static bool apply(struct task *task, struct rtapp_thread *thread,
		  const struct rtapp_properties *properties, bool first)
{
	if (properties->policy >= 0)
		thread->policy = properties->policy;
	if (!set_cpus(task, thread, properties))
		return false;
	/* without a word in the file the workers are as the variant makes them */
	if (!properties->given && !(first && thread->policy != SCHED_OTHER))
		return true;
	return set_policy(task, thread, properties);
}

/* ---- a thread ---- */

void rtapp_prepare(struct task *task, void *data)
{
	struct rtapp_thread *thread = data;
	int n = thread->file->n_objects;

	thread->compute = task_compute_new(task, COMPUTE_INT128, 0);
	thread->timers = memory_zeroed(n, sizeof(*thread->timers));
	thread->held = memory_zeroed(n, sizeof(*thread->held));
	thread->policy = thread->file->default_policy;
}

static bool run_phase(struct task *task, struct rtapp_thread *thread,
		      const struct rtapp_phase *phase)
{
	if (!apply(task, thread, &phase->properties, false))
		return false;
	for (int64_t i = 0; phase->loop < 0 || i < phase->loop; i++)
		if (!run_loop(task, thread, phase))
			return false;
	return true;
}

static bool run_phases(struct task *task, struct rtapp_thread *thread)
{
	for (int i = 0; i < thread->task->n_phases; i++)
		if (!run_phase(task, thread, &thread->task->phases[i]))
			return false;
	return !over(task, thread);
}

static void run_task(struct task *task, struct rtapp_thread *thread)
{
	const struct rtapp_task *described = thread->task;

	if (described->delay_ns && !task_sleep(task, described->delay_ns))
		return;
	if (!apply(task, thread, &described->properties, true))
		return;
	for (int64_t i = 0; described->loop < 0 || i < described->loop; i++)
		if (!run_phases(task, thread))
			return;
}

/* a mutex that a task leaves locked would stop the others for ever, as in rt-app */
void rtapp_body(struct task *task, void *data)
{
	struct rtapp_thread *thread = data;

	if (!thread->compute)
		return;
	if (thread->file->duration_ns)
		thread->end = task_clock(task) + thread->file->duration_ns;
	run_task(task, thread);
	task_compute_free(task, thread->compute);
	free(thread->timers);
	free(thread->held);
}
