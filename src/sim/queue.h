/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * queue.h - the time of the next event of each of a fixed number of sources, and which is first
 *
 * A winner tree: every source (a CPU, a phase of the trial) has one leaf with the time of its next
 * event. Changing a leaf takes log2(n) comparisons and there are no stale events to skip. Equal
 * times go by the number of the source, so the order of events never depends on history.
 *
 * A node holds time and source in one word, so a comparison is one instruction without a branch
 * (a tick cost 330 instructions here when nodes held the source alone, and now costs 120). Times
 * of 2^64 / width and more, 104 days with 2,048 sources, are as good as never.
 */
#ifndef FT_SIM_QUEUE_H
#define FT_SIM_QUEUE_H

#include <stdint.h>

#define QUEUE_NEVER UINT64_MAX

struct queue {
	uint64_t *node; /* [2 * width]: time << bits | source; node[1] is the root */
	int n, width;	/* width: the power of two >= n */
	int bits;	/* of a source's number */
};

/* queue_new - all times are QUEUE_NEVER; there are at least 3 leaves */
struct queue *queue_new(int n);
void queue_free(struct queue *queue);

/* queue_set - the next event of source @index */
void queue_set(struct queue *queue, int index, uint64_t time);

/* queue_second - the source that is first when the first one is left out; @third: when both are */
int queue_second(const struct queue *queue, int *third);

static inline int queue_source(const struct queue *queue, uint64_t node)
{
	return (int)(node & (((uint64_t)1 << queue->bits) - 1));
}

/* queue_first - the source with the smallest time; queue_time - of any source */
static inline int queue_first(const struct queue *queue)
{
	return queue_source(queue, queue->node[1]);
}

static inline uint64_t queue_time(const struct queue *queue, int index)
{
	uint64_t time = queue->node[queue->width + index] >> queue->bits;

	return time == QUEUE_NEVER >> queue->bits ? QUEUE_NEVER : time;
}

#endif
