// SPDX-License-Identifier: GPL-2.0-only
#include "sim/queue.h"

#include <stdlib.h>

#include "base/memory.h"

static uint64_t node_of(const struct queue *queue, int index, uint64_t time)
{
	uint64_t never = QUEUE_NEVER >> queue->bits;

	return (time < never ? time : never) << queue->bits | (uint64_t)index;
}

static inline uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

struct queue *queue_new(int n)
{
	struct queue *queue = memory_zeroed(1, sizeof(*queue));

	queue->n = n;
	queue->bits = 2;
	while (1 << queue->bits < n)
		queue->bits++;
	queue->width = 1 << queue->bits;
	queue->node = memory_zeroed(2 * queue->width, sizeof(*queue->node));
	for (int i = 0; i < queue->width; i++)
		queue->node[queue->width + i] = node_of(queue, i, QUEUE_NEVER);
	for (int i = queue->width - 1; i > 0; i--)
		queue->node[i] = queue->node[2 * i];
	return queue;
}

void queue_free(struct queue *queue)
{
	if (!queue)
		return;
	free(queue->node);
	free(queue);
}

void queue_set(struct queue *queue, int index, uint64_t time)
{
	uint64_t *node = queue->node;
	uint64_t now = node_of(queue, index, time);
	unsigned int at = (unsigned int)(queue->width + index);

	if (node[at] == now)
		return;
	node[at] = now;
	for (; at > 1; at /= 2) {
		now = earlier(now, node[at ^ 1]);
		node[at / 2] = now;
	}
}

int queue_second(const struct queue *queue, int *third)
{
	const uint64_t *node = queue->node;
	unsigned int first = (unsigned int)(queue->width + queue_first(queue)), at = first;
	uint64_t second = UINT64_MAX, after = UINT64_MAX;

	/* it lost against the first one somewhere on the first one's way to the root */
	for (; at > 1; at /= 2) {
		uint64_t other = node[at ^ 1];

		after = earlier(after, other < second ? second : other);
		second = earlier(second, other);
	}
	/* the third one did too, or it lost against the second before */
	at = (unsigned int)(queue->width + queue_source(queue, second));
	for (; (at ^ first) != 1; at /= 2, first /= 2)
		after = earlier(after, node[at ^ 1]);
	*third = queue_source(queue, after);
	return queue_source(queue, second);
}
