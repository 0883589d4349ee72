/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * queue.h - the time of the next event of each of a fixed number of sources, and which is first
 *
 * A winner tree: every source (a CPU, a phase of the trial) has one leaf with the time of its next
 * event. Changing a leaf takes log2(n) comparisons and there are no stale events to skip. Equal
 * times go by the number of the source, so the order of events never depends on history.
 */
#ifndef FT_SIM_QUEUE_H
#define FT_SIM_QUEUE_H

#include <stdint.h>

#define QUEUE_NEVER UINT64_MAX

struct queue {
	uint64_t *time; /* [n] */
	int *winner;	/* [2 * width], the tree; winner[1] is the root */
	int n, width;	/* width: the power of two >= n */
};

/* queue_new - all times are QUEUE_NEVER */
struct queue *queue_new(int n);
void queue_free(struct queue *queue);

/* queue_set - the next event of source @index */
void queue_set(struct queue *queue, int index, uint64_t time);

/* queue_first - the source with the smallest time; queue_time - of any source */
static inline int queue_first(const struct queue *queue)
{
	return queue->winner[1];
}

static inline uint64_t queue_time(const struct queue *queue, int index)
{
	return queue->time[index];
}

#endif
