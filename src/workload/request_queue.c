// SPDX-License-Identifier: GPL-2.0-only
/* request_queue.c - how requests come to workers */
#include "workload/request_parts.h"

/* ---- the list of workers that wait ---- */

void request_list_push(struct request_worker *worker)
{
	struct request_worker **head = &worker->messenger->newcomers;

	worker->next = __atomic_load_n(head, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(head, &worker->next, worker, true, __ATOMIC_SEQ_CST,
					    __ATOMIC_RELAXED))
		;
}

/* newcomers are taken all at once and turned round: who came first is woken first */
static void take_newcomers(struct request_messenger *messenger)
{
	struct request_worker *worker =
		__atomic_exchange_n(&messenger->newcomers, NULL, __ATOMIC_SEQ_CST);

	messenger->last = worker;
	while (worker) {
		struct request_worker *next = worker->next;

		worker->next = messenger->first;
		messenger->first = worker;
		worker = next;
	}
}

struct request_worker *request_list_pop(struct request_messenger *messenger)
{
	struct request_worker *worker;

	if (!messenger->first)
		take_newcomers(messenger);
	worker = messenger->first;
	if (worker)
		messenger->first = worker->next;
	return worker;
}

static bool wake(struct task *task, struct request_worker *worker)
{
	__atomic_store_n(&worker->woken_ns, task_clock(task), __ATOMIC_RELAXED);
	return channel_send(task, worker->wake);
}

static bool wait_for_wake(struct task *task, struct request_worker *worker)
{
	uint64_t now;

	if (!channel_receive(task, worker->wake))
		return false;
	now = task_clock(task);
	task_record(task, REQUEST_WAKEUP,
		    now - __atomic_load_n(&worker->woken_ns, __ATOMIC_RELAXED));
	return true;
}

/* ---- closed loop ---- */

static void wake_all(struct task *task, struct request_messenger *messenger)
{
	struct request_worker *worker;

	while ((worker = request_list_pop(messenger)))
		if (!wake(task, worker))
			return;
}

static bool next_closed(struct task *task, struct request_worker *worker, uint64_t *begin)
{
	request_list_push(worker);
	if (!channel_send(task, worker->messenger->bell) || !wait_for_wake(task, worker))
		return false;
	*begin = task_clock(task);
	return true;
}

/* ---- open loop ---- */

/* arrivals of all messengers together are evenly spaced: each has its share, shifted by its number */
static uint64_t arrival_of(const struct request_messenger *messenger, uint64_t request)
{
	const struct request_team *team = messenger->team;
	unsigned __int128 place =
		(unsigned __int128)request * team->n_messengers + messenger->number;

	return messenger->begin_ns + (uint64_t)(place * 1000000000 / team->rate);
}

/* counts the requests that have arrived by now; returns how many are new */
static uint64_t arrive(struct task *task, struct request_messenger *messenger)
{
	uint64_t now = task_clock(task), before = messenger->arrived, n = before;

	while (arrival_of(messenger, n) <= now)
		n++;
	__atomic_store_n(&messenger->arrived, n, __ATOMIC_SEQ_CST);
	return n - before;
}

static struct request_worker *idle_worker(struct request_messenger *messenger)
{
	struct request_worker *worker;

	while ((worker = request_list_pop(messenger)))
		if (__atomic_exchange_n(&worker->place, PLACE_OFF, __ATOMIC_SEQ_CST) == PLACE_IDLE)
			return worker;
	return NULL;
}

static void dispatch(struct task *task, struct request_messenger *messenger)
{
	messenger->begin_ns = task_clock(task);
	while (task_sleep_until(task, arrival_of(messenger, messenger->arrived))) {
		for (uint64_t n = arrive(task, messenger); n; n--) {
			struct request_worker *worker = idle_worker(messenger);

			if (worker && !wake(task, worker))
				return;
			if (!worker)
				break; /* the workers come for it when they are done */
		}
	}
}

static bool take(struct request_messenger *messenger, uint64_t *begin)
{
	uint64_t taken = __atomic_load_n(&messenger->taken, __ATOMIC_RELAXED);

	do {
		if (taken >= __atomic_load_n(&messenger->arrived, __ATOMIC_SEQ_CST))
			return false;
	} while (!__atomic_compare_exchange_n(&messenger->taken, &taken, taken + 1, false,
					      __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
	*begin = arrival_of(messenger, taken);
	return true;
}

static bool change_place(struct request_worker *worker, int from, int to)
{
	return __atomic_compare_exchange_n(&worker->place, &from, to, false, __ATOMIC_SEQ_CST,
					   __ATOMIC_SEQ_CST);
}

/* to be woken for the next request */
static void go_idle(struct request_worker *worker)
{
	if (change_place(worker, PLACE_SERVING, PLACE_IDLE))
		return; /* still on the list */
	__atomic_store_n(&worker->place, PLACE_IDLE, __ATOMIC_SEQ_CST);
	request_list_push(worker);
}

/*
 * It goes idle first and looks again, so that a request that arrives in between is seen here or by
 * the messenger. Who takes one although it is on the list must not be woken for another: unless
 * the messenger was faster, then the wakeup is on its way and is taken up here.
 */
static bool next_open(struct task *task, struct request_worker *worker, uint64_t *begin)
{
	struct request_messenger *messenger = worker->messenger;

	while (!take(messenger, begin)) {
		go_idle(worker);
		if (take(messenger, begin))
			return change_place(worker, PLACE_IDLE, PLACE_SERVING) ||
			       channel_receive(task, worker->wake);
		if (!wait_for_wake(task, worker))
			return false;
	}
	return task_running(task);
}

/* ---- both ---- */

void request_messenger_body(struct task *task, void *data)
{
	struct request_messenger *messenger = data;

	if (messenger->team->rate) {
		dispatch(task, messenger);
		return;
	}
	while (channel_receive(task, messenger->bell))
		wake_all(task, messenger);
}

bool request_next(struct task *task, struct request_worker *worker, uint64_t *begin)
{
	return worker->messenger->team->rate ? next_open(task, worker, begin)
					     : next_closed(task, worker, begin);
}
