// SPDX-License-Identifier: GPL-2.0-only
#include "sim/queue.h"

#include <stdlib.h>

#include "base/memory.h"

/* @left stands left of @right in the tree, so it has the smaller number and wins a tie */
static int earlier(const struct queue *queue, int left, int right)
{
	return queue->time[right] < queue->time[left] ? right : left;
}

struct queue *queue_new(int n)
{
	struct queue *queue = memory_zeroed(1, sizeof(*queue));
	int width = 2;

	while (width < n)
		width *= 2;
	queue->n = n;
	queue->width = width;
	queue->time = memory_zeroed(width, sizeof(*queue->time));
	queue->winner = memory_zeroed(2 * width, sizeof(*queue->winner));
	for (int i = 0; i < width; i++) {
		queue->time[i] = QUEUE_NEVER;
		queue->winner[width + i] = i;
	}
	for (int i = width - 1; i > 0; i--)
		queue->winner[i] = queue->winner[2 * i];
	return queue;
}

void queue_free(struct queue *queue)
{
	if (!queue)
		return;
	free(queue->time);
	free(queue->winner);
	free(queue);
}

void queue_set(struct queue *queue, int index, uint64_t time)
{
	int *winner = queue->winner;

	if (queue->time[index] == time)
		return;
	queue->time[index] = time;
	for (int at = (queue->width + index) / 2; at > 0; at /= 2)
		winner[at] = earlier(queue, winner[2 * at], winner[2 * at + 1]);
}
