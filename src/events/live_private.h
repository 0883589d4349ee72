/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * live_private.h - the parts of live.h: the instance, the thread that reads, the tasks that are there
 */
#ifndef FT_EVENTS_LIVE_PRIVATE_H
#define FT_EVENTS_LIVE_PRIVATE_H

#include <pthread.h>
#include <tracefs.h>

#include "events/feed.h"
#include "events/live.h"
#include "events/raw.h"

#define INSTANCE_PREFIX "fairtrial-"

/* ---- live_instance.c ---- */

/* instance_new - an instance of this process, its events chosen, not yet recording */
struct error *instance_new(const struct event_live_options *options, uint64_t buffer_bytes,
			   struct tracefs_instance **out);
struct error *instance_on(struct tracefs_instance *instance);
void instance_off(struct tracefs_instance *instance);

/* instance_remove - also frees it; its files must be closed */
void instance_remove(struct tracefs_instance *instance);

/* instance_lost - how many events the kernel says that CPU lost */
uint64_t instance_lost(struct tracefs_instance *instance, int cpu);

/* instance_events - the descriptions of our events; tep_free() frees them */
struct error *instance_events(struct tep_handle **out);

/* ---- live_spool.c ---- */

/* Raw pages of one CPU, in the order in which they were read. */
struct spool_chunk {
	struct spool_chunk *next;
	size_t size; /* as mapped */
	size_t used;
	unsigned char bytes[];
};

struct spool_cpu {
	int cpu, fd;
	struct spool_chunk *first, *last;
	uint64_t last_time, lost; /* of what was decoded; lost: told so far */
	/* between these times events were lost and the pages do not tell how many; to 0: none */
	uint64_t gap_from, gap_to;
	/* while decoding */
	struct spool_chunk *at;
	size_t offset;
	struct kbuffer *page;
	void *record;
	unsigned long long time;
};

struct spool {
	struct spool_cpu *cpus;
	int n;
	size_t page_size; /* of the kernel's sub-buffers */
	uint64_t bytes;	  /* held now */
	uint64_t read;	  /* in all */
	unsigned char *page;
};

struct error *spool_open(struct tracefs_instance *instance, struct spool *spool);

/* spool_fill - reads all that is there; the most that one CPU had, in bytes */
uint64_t spool_fill(struct spool *spool);

/*
 * spool_decode - all that is held, merged by time, into the feed
 * @horizon: all that happened before this time has been read
 */
struct error *spool_decode(struct spool *spool, const struct raw_decoder *decoder, uint64_t horizon,
			   struct event_feed *feed);

/* spool_close - the CPUs' files; spool_clear - the rest */
void spool_close(struct spool *spool);
void spool_clear(struct spool *spool);

/* ---- live_tasks.c ---- */

/* live_tasks_tell - the tasks that /proc shows, as found at @time */
struct error *live_tasks_tell(struct event_feed *feed, uint64_t time);

#endif
