// SPDX-License-Identifier: GPL-2.0-only
#include "task/live_reap.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"

/* from /proc/PID/stat: the field after the state, which follows the name in parentheses */
static pid_t parent_of(pid_t pid)
{
	autofree char *path = memory_format("/proc/%d/stat", pid);
	autofree char *text = file_read_line(path);
	const char *after_name = text ? strrchr(text, ')') : NULL;
	int parent;

	return after_name && sscanf(after_name + 1, " %*c %d", &parent) == 1 ? parent : -1;
}

static bool has_children(void)
{
	siginfo_t info;

	return !waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) || errno != ECHILD;
}

static pid_t *children(int *n)
{
	pid_t self = getpid(), *list = NULL;
	struct dirent *entry;
	DIR *folder;

	*n = 0;
	if (!has_children())
		return NULL;
	folder = opendir("/proc");
	while (folder && (entry = readdir(folder))) {
		pid_t pid = isdigit((unsigned char)*entry->d_name) ? atoi(entry->d_name) : 0;

		if (pid && parent_of(pid) == self)
			*array_append(list, *n) = pid;
	}
	if (folder)
		closedir(folder);
	return list;
}

static bool spared(const struct live_reaper *reaper, pid_t pid)
{
	for (int i = 0; i < reaper->n_spared; i++)
		if (reaper->spared[i] == pid)
			return true;
	return false;
}

void live_reaper_begin(struct live_reaper *reaper)
{
	reaper->was_reaper = 0;
	prctl(PR_GET_CHILD_SUBREAPER, &reaper->was_reaper);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	reaper->spared = children(&reaper->n_spared);
}

/* the children of a killed process become ours: again until there are none */
void live_reaper_end(struct live_reaper *reaper)
{
	int killed;

	do {
		int n;
		autofree pid_t *list = children(&n);

		killed = 0;
		for (int i = 0; i < n; i++)
			if (!spared(reaper, list[i]) && !kill(list[i], SIGKILL))
				killed++;
		for (int i = 0; i < n; i++)
			if (!spared(reaper, list[i]))
				while (waitpid(list[i], NULL, 0) < 0 && errno == EINTR)
					;
	} while (killed);
	prctl(PR_SET_CHILD_SUBREAPER, reaper->was_reaper);
	free(reaper->spared);
}
