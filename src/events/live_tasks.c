// SPDX-License-Identifier: GPL-2.0-only
/* live_tasks.c - names and processes of the tasks that are there when a recording begins */
#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "events/live_private.h"

#define FLAG_KTHREAD 0x00200000 /* PF_KTHREAD, field 9 of /proc/PID/stat */

/* "TID (NAME) STATE PPID PGRP SESSION TTY TPGID FLAGS ..."; a name may hold parentheses */
static bool parse_stat(const char *text, struct event_task *task)
{
	const char *open = strchr(text, '('), *close = strrchr(text, ')');
	int parent;
	unsigned int flags;

	if (!open || !close || close < open ||
	    sscanf(close + 1, " %*c %d %*d %*d %*d %*d %u", &parent, &flags) != 2)
		return false;
	event_name_copy(task->name, open + 1, (size_t)(close - open - 1));
	task->parent = parent;
	task->kernel = flags & FLAG_KTHREAD;
	return true;
}

static struct error *tell_thread(struct event_feed *feed, uint64_t time, int tgid, int tid)
{
	autofree char *path = memory_format("/proc/%d/task/%d/stat", tgid, tid);
	autofree char *line = file_read_line(path);
	struct event_task task = {
		.time = time, .pid = tid, .tgid = tgid, .reason = EVENT_TASK_FOUND
	};

	/* it may have ended meanwhile */
	return line && parse_stat(line, &task) ? event_feed_task(feed, &task) : NULL;
}

static struct error *tell_process(struct event_feed *feed, uint64_t time, int tgid)
{
	autofree char *path = memory_format("/proc/%d/task", tgid);
	DIR *threads = opendir(path);
	struct error *error = NULL;
	struct dirent *entry;

	while (!error && threads && (entry = readdir(threads)))
		if (isdigit((unsigned char)*entry->d_name))
			error = tell_thread(feed, time, tgid, atoi(entry->d_name));
	if (threads)
		closedir(threads);
	return error;
}

struct error *live_tasks_tell(struct event_feed *feed, uint64_t time)
{
	DIR *processes = opendir("/proc");
	struct error *error = NULL;
	struct dirent *entry;

	while (!error && processes && (entry = readdir(processes)))
		if (isdigit((unsigned char)*entry->d_name))
			error = tell_process(feed, time, atoi(entry->d_name));
	if (processes)
		closedir(processes);
	return error;
}
