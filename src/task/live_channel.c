// SPDX-License-Identifier: GPL-2.0-only
/*
 * live_channel.c - channels (pipe, socket pair, TCP, eventfd, futex), mutexes, barriers
 *
 * Every call that sleeps is left by the wake signal, which the trial's process repeats until the
 * workers have seen that the trial is over.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "task/live_private.h"

/* as many tokens as a pipe of the default size has bytes */
#define FUTEX_MESSAGES_MAX 65536

void live_futex_wait(uint32_t *word, uint32_t value, uint64_t deadline)
{
	struct timespec time = { deadline / 1000000000, deadline % 1000000000 };

	syscall(SYS_futex, word, FUTEX_WAIT_BITSET, value, deadline == UINT64_MAX ? NULL : &time,
		NULL, FUTEX_BITSET_MATCH_ANY);
}

void live_futex_wake(uint32_t *word, int n)
{
	syscall(SYS_futex, word, FUTEX_WAKE, n, NULL, NULL, 0);
}

static int channel_open(struct channel *channel)
{
	int ends[2];

	switch (channel->kind) {
	case CHANNEL_PIPE:
		if (pipe2(ends, O_CLOEXEC))
			return -1;
		channel->receive_fd = ends[0];
		channel->send_fd = ends[1];
		return 0;
	case CHANNEL_SOCKET:
		if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
			return -1;
		channel->receive_fd = ends[0];
		channel->send_fd = ends[1];
		return 0;
	case CHANNEL_EVENTFD:
		channel->receive_fd = eventfd(0, EFD_SEMAPHORE | EFD_CLOEXEC);
		channel->send_fd = channel->receive_fd;
		return channel->receive_fd < 0 ? -1 : 0;
	case CHANNEL_TCP:
		return live_tcp_open(channel);
	case CHANNEL_FUTEX:
		return 0;
	}
	errno = EINVAL;
	return -1;
}

static struct error *open_error(int n_channels)
{
	struct rlimit limit = { 0 };
	int saved = errno;

	if (saved != EMFILE)
		return error_errno("cannot make channel %d", n_channels);
	getrlimit(RLIMIT_NOFILE, &limit);
	errno = saved;
	return error_errno("cannot make channel %d: the hard limit of open files is %llu (raise it "
			   "with ulimit -Hn)",
			   n_channels, (unsigned long long)limit.rlim_max);
}

/* is there content to pass? */
static bool carries(enum channel_kind kind)
{
	return kind == CHANNEL_PIPE || kind == CHANNEL_SOCKET || kind == CHANNEL_TCP;
}

/* a channel without ends */
static struct channel *channel_new(struct live_team *team, enum channel_kind kind, size_t size)
{
	struct channel *channel = live_shared(&team->base, sizeof(*channel));

	channel->kind = kind;
	channel->size = kind == CHANNEL_EVENTFD ? sizeof(uint64_t) : size;
	channel->receive_fd = -1;
	channel->send_fd = -1;
	*array_append(team->channels, team->n_channels) = channel;
	if (carries(kind) && (size < 1 || size > CHANNEL_MESSAGE_MAX))
		live_setup_error(team, error_new(ERR_DOMAIN,
						 "a message of %zu bytes: 1 to %d are possible",
						 size, CHANNEL_MESSAGE_MAX));
	if (channel->size > team->buffer_size)
		team->buffer_size = channel->size;
	return channel;
}

struct channel *live_channel_new(struct team *base, enum channel_kind kind, size_t size)
{
	struct live_team *team = live_team(base);
	struct channel *channel = channel_new(team, kind, size);

	if (!team->error && channel_open(channel))
		live_setup_error(team, open_error(team->n_channels));
	return channel;
}

struct channel *live_reply_channel(struct team *base, struct channel *channel, size_t size)
{
	struct channel *reply = channel_new(live_team(base), channel->kind, size);

	reply->receive_fd = channel->send_fd;
	reply->send_fd = channel->receive_fd;
	reply->reply = true;
	return reply;
}

void live_channel_close(struct channel *channel)
{
	if (channel->reply)
		return;
	if (channel->receive_fd >= 0)
		close(channel->receive_fd);
	if (channel->send_fd >= 0 && channel->send_fd != channel->receive_fd)
		close(channel->send_fd);
}

struct mutex *live_mutex_new(struct team *base)
{
	return live_shared(base, sizeof(struct mutex));
}

static bool channel_failed(struct live_task *task, const char *what, ssize_t result)
{
	autofree char *reason = memory_format(": %s: %s", what,
					      result ? strerror(errno) : "the other end is closed");

	live_fail(task->team, task->number, reason);
	return false;
}

static bool send_bytes(struct live_task *task, struct channel *channel)
{
	size_t done = 0;

	while (!live_stopped(task)) {
		ssize_t n = write(channel->send_fd, task->buffer + done, channel->size - done);

		if (n > 0) {
			done += n;
			if (done == channel->size)
				return true;
		} else if (n == 0 || errno != EINTR) {
			return channel_failed(task, "send", n);
		}
	}
	return false;
}

static bool receive_bytes(struct live_task *task, struct channel *channel)
{
	size_t done = 0;

	while (!live_stopped(task)) {
		ssize_t n = read(channel->receive_fd, task->buffer + done, channel->size - done);

		if (n > 0) {
			done += n;
			if (done == channel->size)
				return true;
		} else if (n == 0 || errno != EINTR) {
			return channel_failed(task, "receive", n);
		}
	}
	return false;
}

static bool send_event(struct live_task *task, struct channel *channel)
{
	const uint64_t one = 1;

	while (!live_stopped(task)) {
		if (write(channel->send_fd, &one, sizeof(one)) == sizeof(one))
			return true;
		if (errno != EINTR)
			return channel_failed(task, "send", -1);
	}
	return false;
}

/*
 * A counter below FUTEX_MESSAGES_MAX. Who sleeps first says so, then looks at the counter again in
 * the kernel: a change in between is seen either by the sleeper or by the one who changed it.
 */
static bool futex_change(struct live_task *task, struct channel *channel, bool send)
{
	uint32_t *sleepers = send ? &channel->senders : &channel->receivers;
	uint32_t *others = send ? &channel->receivers : &channel->senders;
	uint32_t blocked = send ? FUTEX_MESSAGES_MAX : 0;

	while (!live_stopped(task)) {
		uint32_t now = __atomic_load_n(&channel->messages, __ATOMIC_SEQ_CST);

		if (now != blocked) {
			if (!__atomic_compare_exchange_n(&channel->messages, &now,
							 send ? now + 1 : now - 1, false,
							 __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
				continue;
			if (__atomic_load_n(others, __ATOMIC_SEQ_CST))
				live_futex_wake(&channel->messages, 1);
			return true;
		}
		__atomic_add_fetch(sleepers, 1, __ATOMIC_SEQ_CST);
		live_futex_wait(&channel->messages, blocked, UINT64_MAX);
		__atomic_sub_fetch(sleepers, 1, __ATOMIC_SEQ_CST);
	}
	return false;
}

bool live_send(struct task *base, struct channel *channel)
{
	struct live_task *task = live_task(base);

	switch (channel->kind) {
	case CHANNEL_EVENTFD:
		return send_event(task, channel);
	case CHANNEL_FUTEX:
		return futex_change(task, channel, true);
	default:
		return send_bytes(task, channel);
	}
}

bool live_receive(struct task *base, struct channel *channel)
{
	struct live_task *task = live_task(base);

	if (channel->kind == CHANNEL_FUTEX)
		return futex_change(task, channel, false);
	return receive_bytes(task, channel);
}

/* The three states of U. Drepper, "Futexes Are Tricky" (2011), section 6. */
bool live_lock(struct task *base, struct mutex *mutex)
{
	struct live_task *task = live_task(base);
	uint32_t state = 0;

	if (!live_stopped(task) && __atomic_compare_exchange_n(&mutex->state, &state, 1, false,
							       __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return true;
	while (!live_stopped(task)) {
		if (!__atomic_exchange_n(&mutex->state, 2, __ATOMIC_ACQUIRE))
			return true;
		live_futex_wait(&mutex->state, 2, UINT64_MAX);
	}
	return false;
}

void live_unlock(struct task *base, struct mutex *mutex)
{
	(void)base;
	if (__atomic_exchange_n(&mutex->state, 0, __ATOMIC_RELEASE) == 2)
		live_futex_wake(&mutex->state, 1);
}

struct barrier *live_barrier_new(struct team *base, int n, bool spins)
{
	struct barrier *barrier = live_shared(base, sizeof(*barrier));

	barrier->n = n;
	barrier->spins = spins;
	return barrier;
}

bool live_meet(struct task *base, struct barrier *barrier)
{
	struct live_task *task = live_task(base);
	uint32_t round = __atomic_load_n(&barrier->round, __ATOMIC_ACQUIRE);

	if (__atomic_add_fetch(&barrier->arrived, 1, __ATOMIC_ACQ_REL) == barrier->n) {
		__atomic_store_n(&barrier->arrived, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&barrier->round, round + 1, __ATOMIC_RELEASE);
		if (!barrier->spins)
			live_futex_wake(&barrier->round, INT_MAX);
	}
	while (__atomic_load_n(&barrier->round, __ATOMIC_ACQUIRE) == round && !live_stopped(task))
		if (!barrier->spins)
			live_futex_wait(&barrier->round, round, UINT64_MAX);
	return !live_stopped(task);
}

/* no pause instruction: what is to be seen is a program that polls as fast as it can */
bool live_spin(struct task *base, struct mutex *mutex)
{
	struct live_task *task = live_task(base);

	while (!live_stopped(task)) {
		uint32_t state = 0;

		if (__atomic_compare_exchange_n(&mutex->state, &state, 1, false, __ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED))
			return true;
	}
	return false;
}
