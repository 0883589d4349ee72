/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * live_reap.h - nothing of a team outlives it
 *
 * The trial's process becomes the reaper of orphans (PR_SET_CHILD_SUBREAPER), so every descendant,
 * also one that left its session and process group, ends up as its child and can be found.
 */
#ifndef FT_TASK_LIVE_REAP_H
#define FT_TASK_LIVE_REAP_H

#include <sys/types.h>

struct live_reaper {
	int was_reaper;
	pid_t *spared; /* children that the process had before */
	int n_spared;
};

void live_reaper_begin(struct live_reaper *reaper);

/* live_reaper_end - kills and reaps all children but those that were there at the beginning */
void live_reaper_end(struct live_reaper *reaper);

#endif
