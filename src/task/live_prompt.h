/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * live_prompt.h - the trial's process gets a CPU at once when the measured time is over
 *
 * With hundreds of busy workers a CPU, a normal task that wakes to read some thousand counters
 * would be preempted for seconds in the middle. Where the right is there (CAP_SYS_NICE) it
 * measures as SCHED_FIFO 1; it sleeps all the time between. Processes that it starts meanwhile do
 * not inherit that.
 */
#ifndef FT_TASK_LIVE_PROMPT_H
#define FT_TASK_LIVE_PROMPT_H

#include <stdbool.h>
#include <stdint.h>

/* struct sched_attr of the kernel (its header and <sched.h> exclude each other), as of Linux 5.3 */
struct live_sched_attr {
	uint32_t size, sched_policy;
	uint64_t sched_flags;
	int32_t sched_nice;
	uint32_t sched_priority;
	uint64_t sched_runtime, sched_deadline, sched_period;
	uint32_t sched_util_min, sched_util_max;
};

struct live_prompt {
	struct live_sched_attr before;
	bool changed;
};

void live_prompt_begin(struct live_prompt *prompt);

/* live_prompt_end - class, nice value and slice are what they were */
void live_prompt_end(struct live_prompt *prompt);

#endif
