// SPDX-License-Identifier: GPL-2.0-only
#include "task/live_prompt.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

/* SCHED_FLAG_RESET_ON_FORK of <linux/sched.h> */
#define FLAG_RESET_ON_FORK 1

void live_prompt_begin(struct live_prompt *prompt)
{
	struct live_sched_attr fifo = {
		.size = sizeof(fifo),
		.sched_policy =
			1, /* SCHED_FIFO; <sched.h> and <linux/sched.h> exclude each other */
		.sched_flags = FLAG_RESET_ON_FORK,
		.sched_priority = 1,
	};

	prompt->changed =
		!syscall(SYS_sched_getattr, 0, &prompt->before, sizeof(prompt->before), 0) &&
		!syscall(SYS_sched_setattr, 0, &fifo, 0);
}

void live_prompt_end(struct live_prompt *prompt)
{
	if (prompt->changed)
		syscall(SYS_sched_setattr, 0, &prompt->before, 0);
}
