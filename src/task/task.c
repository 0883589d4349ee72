// SPDX-License-Identifier: GPL-2.0-only
/* The functions of task.h: each hands over to the backend's operations. */
#include "task/team.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

void team_add(struct team *team, const struct worker_spec *spec)
{
	team->ops->add(team, spec);
}

void *team_shared(struct team *team, size_t size)
{
	return team->ops->shared(team, size);
}

struct channel *team_channel(struct team *team, enum channel_kind kind, size_t size)
{
	return team->ops->channel(team, kind, size);
}

struct channel *team_reply_channel(struct team *team, struct channel *channel, size_t size)
{
	return team->ops->reply_channel(team, channel, size);
}

struct condition *team_condition(struct team *team)
{
	return team->ops->condition(team);
}

struct folder *team_folder(struct team *team, const char *below)
{
	return team->ops->folder(team, below && *below ? below : NULL);
}

uint64_t team_unit_time(struct team *team, enum compute_method method, int cpu)
{
	return team->ops->unit_time(team, method, cpu);
}

struct mutex *team_mutex(struct team *team)
{
	return team->ops->mutex(team);
}

void team_histograms(struct team *team, int n)
{
	if (n < 0 || n > TEAM_MAX_HISTOGRAMS) {
		fprintf(stderr, "fairtrial: bug: a workload asks for %d histograms\n", n);
		abort();
	}
	team->n_histograms = n;
}

struct barrier *team_barrier(struct team *team, int n, bool spins)
{
	return team->ops->barrier(team, n, spins);
}

void team_keep(struct team *team, void *data)
{
	team->kept = data;
}

void *team_kept(const struct team *team)
{
	return team->kept;
}

const struct machine *team_machine(const struct team *team)
{
	return team->machine;
}

hwloc_const_bitmap_t team_cpus(const struct team *team)
{
	return team->cpus;
}

bool task_running(struct task *task)
{
	return task->ops->running(task);
}

bool task_measured(struct task *task)
{
	return task->ops->measured(task);
}

bool task_elapsed(struct task *task, uint64_t *ns)
{
	return task->ops->elapsed(task, ns);
}

void task_count(struct task *task, int counter, uint64_t n)
{
	task->ops->count(task, counter, n);
}

void task_record(struct task *task, int histogram, uint64_t ns)
{
	task->ops->record(task, histogram, ns);
}

uint64_t task_clock(struct task *task)
{
	return task->ops->clock(task);
}

void task_fail(struct task *task, const char *format, ...)
{
	char *reason;
	va_list args;

	va_start(args, format);
	reason = memory_vformat(format, args);
	va_end(args);
	task->ops->fail(task, reason);
	free(reason);
}

struct compute *task_compute_new(struct task *task, enum compute_method method, size_t bytes)
{
	return task->ops->compute_new(task, method, bytes);
}

void task_compute_free(struct task *task, struct compute *compute)
{
	if (compute)
		task->ops->compute_free(task, compute);
}

void task_compute(struct task *task, struct compute *compute, uint64_t units, int counter)
{
	task->ops->compute(task, compute, units, counter);
}

void task_compute_select(struct task *task, struct compute *compute, enum compute_method method)
{
	task->ops->compute_select(compute, method);
}

void task_compute_seek(struct task *task, struct compute *compute, uint64_t unit)
{
	task->ops->compute_seek(compute, unit);
}

bool task_compute_result(struct task *task, const struct compute *compute,
			 struct compute_result *out)
{
	*out = (struct compute_result){ 0 };
	return task->ops->compute_result(compute, out);
}

bool channel_send(struct task *task, struct channel *channel)
{
	return task->ops->send(task, channel);
}

bool channel_receive(struct task *task, struct channel *channel)
{
	return task->ops->receive(task, channel);
}

bool mutex_lock(struct task *task, struct mutex *mutex)
{
	return task->ops->lock(task, mutex);
}

void mutex_unlock(struct task *task, struct mutex *mutex)
{
	task->ops->unlock(task, mutex);
}

bool mutex_spin(struct task *task, struct mutex *mutex)
{
	return task->ops->spin(task, mutex);
}

bool condition_wait(struct task *task, struct condition *condition, struct mutex *mutex)
{
	return task->ops->condition_wait(task, condition, mutex);
}

void condition_wake(struct task *task, struct condition *condition, bool all)
{
	task->ops->condition_wake(task, condition, all);
}

int64_t task_file(struct task *task, struct folder *folder, const struct file_request *request)
{
	return task->ops->file(task, folder, request);
}

bool barrier_wait(struct task *task, struct barrier *barrier)
{
	return task->ops->meet(task, barrier);
}

bool task_sleep(struct task *task, uint64_t nanoseconds)
{
	return task_sleep_until(task, task_clock(task) + nanoseconds);
}

bool task_sleep_until(struct task *task, uint64_t time)
{
	return task->ops->sleep_until(task, time);
}

void task_yield(struct task *task)
{
	task->ops->yield(task);
}

int64_t task_spawn(struct task *task, enum child_kind kind, task_body body, void *data)
{
	return task->ops->spawn(task, kind, body, data);
}

bool task_wait(struct task *task, int64_t child)
{
	return task->ops->wait(task, child);
}

bool task_set_affinity(struct task *task, hwloc_const_bitmap_t cpus)
{
	return task->ops->set_affinity(task, cpus);
}

int task_set_policy(struct task *task, const struct task_policy *policy)
{
	return task->ops->set_policy(task, policy);
}

void task_set_slack(struct task *task, uint64_t ns)
{
	task->ops->set_slack(task, ns);
}

int task_cpu(struct task *task)
{
	return task->ops->cpu(task);
}

void team_report_clear(struct team_report *report)
{
	free(report->workers);
	free(report->failure);
	free(report->wait_source);
	free(report->migrations_source);
	*report = (struct team_report){ 0 };
}
