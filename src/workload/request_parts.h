/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * request_parts.h - what the files of the workload `request` share
 *
 * A messenger has workers. Closed loop: a worker without a request puts itself on the messenger's list and
 * rings; the messenger wakes whoever is on the list. Open loop: requests arrive by a schedule of the
 * messenger, whatever the workers do; it wakes one that is idle for each, and workers that are done
 * take what has arrived before they go idle.
 */
#ifndef FT_WORKLOAD_REQUEST_PARTS_H
#define FT_WORKLOAD_REQUEST_PARTS_H

#include "workload/workload.h"

/* Longer measured times have no rps_* metrics: a counter a second. */
#define REQUEST_MOST_SECONDS 86400

enum request_lock {
	REQUEST_LOCK_CPU, /* spinning, as schbench does */
	REQUEST_LOCK_CPU_SLEEP,
	REQUEST_LOCK_PRIVATE,
	REQUEST_LOCK_NONE,
};

enum request_histogram {
	REQUEST_WAKEUP,
	REQUEST_LATENCY,
	N_REQUEST_HISTOGRAMS
};

/* Where a worker is in an open loop; changed by exchange. */
enum request_place {
	PLACE_OFF,    /* not on the messenger's list */
	PLACE_IDLE,   /* on it, to be woken */
	PLACE_SERVING /* on it, but it has taken a request itself: to be passed over */
};

/* One for the team. */
struct request_team {
	uint64_t units; /* of computing a request */
	int64_t sleeps;
	uint64_t sleep_ns, think_ns;
	size_t footprint;
	enum request_lock lock;
	int64_t rate; /* requests a second of all messengers; 0: closed loop */
	int64_t n_messengers;
	struct mutex **cpu_locks; /* by CPU number, up to n_cpus; NULL for CPUs not in the case */
	int n_cpus;
	uint64_t *seconds; /* requests completed in each second of the measured time */
	struct request_messenger **messengers;
	uint64_t completed __attribute__((aligned(64))); /* since the start */
};

struct request_worker {
	struct request_messenger *messenger;
	struct channel *wake;
	struct mutex *own;
	struct compute *compute;
	struct request_worker *next; /* on the list */
	uint64_t woken_ns;	     /* when the messenger began to wake it */
	int place;		     /* enum request_place */
};

struct request_messenger {
	struct request_team *team;
	int64_t number;
	struct channel *bell;		     /* closed loop */
	struct request_worker *newcomers;    /* pushed by workers, last first */
	struct request_worker *first, *last; /* the messenger's own, in the order they came */
	/* open loop: request i arrives i intervals after `begin` */
	uint64_t begin_ns, arrived, taken;
};

/* request_list_push - by a worker; request_list_pop - by its messenger, in order; NULL: none */
void request_list_push(struct request_worker *worker);
struct request_worker *request_list_pop(struct request_messenger *messenger);

/* request_messenger_body - wakes until the end; data is the messenger */
void request_messenger_body(struct task *task, void *data);

/*
 * request_next - a worker waits for its next request
 * @begin: when the latency of the request begins: when it is taken up (closed loop), when it should
 *         have arrived (open loop)
 * Returns false when the trial is over.
 */
bool request_next(struct task *task, struct request_worker *worker, uint64_t *begin);

#endif
