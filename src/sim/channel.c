// SPDX-License-Identifier: GPL-2.0-only
/*
 * Channels and mutexes: the kernel's wait queues with the rules of pipes, UNIX sockets, eventfds
 * and futexes, because who is woken when, and whether the waker says that it will sleep soon
 * (sync), is what the scheduler sees of them.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/team.h"

#define PAGE	       4096
#define PIPE_PAGES     16     /* PIPE_DEF_BUFFERS */
#define SOCKET_BUFFER  212992 /* net.core.wmem_default */
#define SKB_OVERHEAD   668    /* truesize beyond the data: 768 for a message of 100 bytes */
#define FUTEX_MESSAGES 65536

static int channel_capacity(enum channel_kind kind, size_t size)
{
	size_t pages = (size + PAGE - 1) / PAGE;

	switch (kind) {
	case CHANNEL_PIPE: /* a write goes into the last page if it fits there whole */
		if (size <= PAGE)
			return (int)(PIPE_PAGES * (PAGE / size));
		return pages < PIPE_PAGES ? (int)(PIPE_PAGES / pages) : 1;
	case CHANNEL_SOCKET:
	case CHANNEL_TCP:
		return (int)(SOCKET_BUFFER / (size + SKB_OVERHEAD));
	case CHANNEL_EVENTFD:
	case CHANNEL_FUTEX:
		break;
	}
	return FUTEX_MESSAGES;
}

static bool carries(enum channel_kind kind)
{
	return kind == CHANNEL_PIPE || kind == CHANNEL_SOCKET || kind == CHANNEL_TCP;
}

struct channel *sim_channel(struct team *base, enum channel_kind kind, size_t size)
{
	struct sim_team *team = sim_team(base);
	struct sim *sim = team->sim;
	struct channel *channel = memory_zeroed(1, sizeof(*channel));

	*array_append(team->channels, team->n_channels) = channel;
	channel->kind = kind;
	if (carries(kind)) {
		if (size < 1 || size > 65536) {
			engine_fail(sim, "a message of %zu bytes: 1 to 65536 are possible", size);
			size = 1;
		}
		channel->size = size;
	}
	channel->capacity = channel_capacity(kind, size);
	channel->copy = (uint64_t)((unsigned __int128)channel->size * 1000000000000 /
				   sim->model->copy_bandwidth);
	channel->readers = sim->kernel->waitq_new();
	channel->writers = sim->kernel->waitq_new();
	return channel;
}

struct channel *sim_reply_channel(struct team *team, struct channel *channel, size_t size)
{
	return sim_channel(team, channel->kind, size);
}

struct mutex *sim_mutex(struct team *base)
{
	struct sim_team *team = sim_team(base);
	struct mutex *mutex = memory_zeroed(1, sizeof(*mutex));

	*array_append(team->mutexes, team->n_mutexes) = mutex;
	return mutex;
}

struct condition *sim_condition(struct team *base)
{
	struct sim_team *team = sim_team(base);
	struct condition *condition = memory_zeroed(1, sizeof(*condition));

	*array_append(team->conditions, team->n_conditions) = condition;
	return condition;
}

/* ---- futexes ---- */

static void waiters_add(struct waiters *waiters, struct sim_task *task)
{
	if (waiters->n == waiters->room) {
		waiters->room = waiters->room ? 2 * waiters->room : 8;
		waiters->tasks = memory_resized(waiters->tasks, waiters->room, sizeof(task));
	}
	waiters->tasks[waiters->n++] = task;
}

static void waiters_remove(struct waiters *waiters, int at)
{
	memmove(&waiters->tasks[at], &waiters->tasks[at + 1],
		(size_t)(waiters->n - at - 1) * sizeof(*waiters->tasks));
	waiters->n--;
}

/* sleeps until it is woken as a futex waiter; false when the trial is over */
static bool waiters_wait(struct waiters *waiters, struct sim_task *task)
{
	bool going;

	waiters_add(waiters, task);
	going = task_block(task, KSCHED_NEVER);
	for (int i = 0; i < waiters->n; i++) /* not woken by waiters_wake(): the end of the trial */
		if (waiters->tasks[i] == task)
			waiters_remove(waiters, i);
	return going;
}

static void waiters_wake(struct waiters *waiters, struct sim_task *task)
{
	struct ksched_task *first;

	if (!waiters->n)
		return;
	first = waiters->tasks[0]->kernel;
	waiters_remove(waiters, 0);
	task->sim->kernel->wake(&first, 1);
}

bool sim_lock(struct task *base, struct mutex *mutex)
{
	struct sim_task *task = sim_task(base);

	task_settle(task, LOCK_PS);
	while (mutex->locked)
		if (!waiters_wait(&mutex->waiting, task))
			return false;
	if (task_over(task))
		return false;
	mutex->locked = true;
	return true;
}

void sim_unlock(struct task *base, struct mutex *mutex)
{
	struct sim_task *task = sim_task(base);

	task_settle(task, LOCK_PS);
	mutex->locked = false;
	for (int i = 0; i < mutex->spinning.n; i++)
		engine_finish_computing(task->sim, &mutex->spinning.tasks[i]->load);
	mutex->spinning.n = 0;
	waiters_wake(&mutex->waiting, task);
}

/* of those who spin and run, the first that sees it free has it; the others go on */
bool sim_spin(struct task *base, struct mutex *mutex)
{
	struct sim_task *task = sim_task(base);

	task_settle(task, LOCK_PS);
	while (mutex->locked && !task_over(task)) {
		waiters_add(&mutex->spinning, task);
		task_spin(task);
	}
	if (task_over(task))
		return false;
	mutex->locked = true;
	return true;
}

static bool waits(const struct waiters *waiters, const struct sim_task *task)
{
	for (int i = 0; i < waiters->n; i++)
		if (waiters->tasks[i] == task)
			return true;
	return false;
}

/* a waiter before the mutex is free: a wakeup that comes before the sleep takes it from the list */
bool sim_condition_wait(struct task *base, struct condition *condition, struct mutex *mutex)
{
	struct sim_task *task = sim_task(base);

	waiters_add(&condition->waiting, task);
	sim_unlock(base, mutex);
	while (waits(&condition->waiting, task))
		if (!task_block(task, KSCHED_NEVER))
			break;
	for (int i = 0; i < condition->waiting.n; i++)
		if (condition->waiting.tasks[i] == task)
			waiters_remove(&condition->waiting, i);
	return sim_lock(base, mutex);
}

void sim_condition_wake(struct task *base, struct condition *condition, bool all)
{
	struct sim_task *task = sim_task(base);
	int n = condition->waiting.n;

	task_settle(task, LOCK_PS);
	if (!all && n > 1)
		n = 1;
	while (n-- > 0)
		waiters_wake(&condition->waiting, task);
}

/* ---- sending ---- */

/* what a message costs at either end, in ps */
static uint64_t message_cost(const struct sim_task *task, const struct channel *channel)
{
	const struct sim_model *model = task->sim->model;

	return model->message + channel->copy + (channel->kind == CHANNEL_TCP ? model->tcp : 0);
}

/*
 * Waits for room and puts the message there. Calls of the kernel may let others run, so what
 * decides about wakeups is seen at the moment of the change.
 */
static bool put(struct sim_task *task, struct channel *channel, bool *was_empty)
{
	const struct ksched_api *kernel = task->sim->kernel;
	bool slept = false;

	while (channel->used >= channel->capacity) {
		if (task_over(task))
			return false;
		kernel->waitq_wait(channel->writers, channel->kind == CHANNEL_PIPE, KSCHED_NEVER);
		slept = true;
	}
	if (task_over(task))
		return false;
	*was_empty = !channel->used++;
	if (slept && channel->kind == CHANNEL_PIPE && channel->used < channel->capacity)
		kernel->waitq_wake(channel->writers, 1, 1);
	return true;
}

bool sim_send(struct task *base, struct channel *channel)
{
	struct sim_task *task = sim_task(base);
	const struct ksched_api *kernel = task->sim->kernel;
	bool was_empty;

	if (task_over(task))
		return false;
	if (channel->kind == CHANNEL_FUTEX) {
		task_settle(task, LOCK_PS);
		if (task_over(task))
			return false;
		channel->used++;
		waiters_wake(&channel->waiting, task);
		return true;
	}
	task_spend(task, message_cost(task, channel));
	if (!put(task, channel, &was_empty))
		return false;
	/* the loopback device hands packets to a softirq that runs at the end of the sender's call */
	if (channel->kind == CHANNEL_TCP)
		task_spend(task, task->sim->model->tcp_softirq);
	/* a pipe wakes its reader when it was empty, the others with every message */
	if (was_empty || channel->kind != CHANNEL_PIPE)
		kernel->waitq_wake(channel->readers, 1, channel->kind != CHANNEL_EVENTFD);
	return true;
}

/* ---- receiving ---- */

/* a socket is writable again when three quarters of its buffer are free, a pipe when it was full */
static void wake_writers(struct sim_task *task, struct channel *channel, bool was_full)
{
	if (channel->kind == CHANNEL_PIPE ? was_full : channel->used * 4 <= channel->capacity)
		task->sim->kernel->waitq_wake(channel->writers, 1, 1);
}

static bool receive_queued(struct sim_task *task, struct channel *channel)
{
	const struct ksched_api *kernel = task->sim->kernel;
	bool exclusive = channel->kind == CHANNEL_PIPE, slept = false;

	while (!channel->used) {
		if (task_over(task))
			return false;
		kernel->waitq_wait(channel->readers, exclusive, KSCHED_NEVER);
		slept = true;
	}
	if (task_over(task))
		return false;
	channel->used--;
	wake_writers(task, channel, channel->used + 1 == channel->capacity);
	/* one reader at a time is woken; it wakes the next while there is something left */
	if (slept && exclusive && channel->used)
		kernel->waitq_wake(channel->readers, 1, 1);
	return true;
}

bool sim_receive(struct task *base, struct channel *channel)
{
	struct sim_task *task = sim_task(base);

	if (task_over(task))
		return false;
	if (channel->kind != CHANNEL_FUTEX) {
		task_spend(task, message_cost(task, channel));
		return receive_queued(task, channel);
	}
	task_settle(task, LOCK_PS);
	while (!channel->used)
		if (!waiters_wait(&channel->waiting, task))
			return false;
	if (task_over(task))
		return false;
	channel->used--;
	return true;
}

/* ---- the end ---- */

void channel_release(struct sim_team *team)
{
	for (int i = 0; i < team->n_channels; i++) {
		team->sim->kernel->waitq_wake(team->channels[i]->readers, 0, 0);
		team->sim->kernel->waitq_wake(team->channels[i]->writers, 0, 0);
	}
}

void channel_free(struct sim_team *team)
{
	for (int i = 0; i < team->n_channels; i++) {
		free(team->channels[i]->waiting.tasks);
		free(team->channels[i]);
	}
	for (int i = 0; i < team->n_mutexes; i++) {
		free(team->mutexes[i]->waiting.tasks);
		free(team->mutexes[i]->spinning.tasks);
		free(team->mutexes[i]);
	}
	for (int i = 0; i < team->n_conditions; i++) {
		free(team->conditions[i]->waiting.tasks);
		free(team->conditions[i]);
	}
	free(team->channels);
	free(team->mutexes);
	free(team->conditions);
}
