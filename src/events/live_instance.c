// SPDX-License-Identifier: GPL-2.0-only
/* live_instance.c - an instance of tracefs: found or mounted, made, set up, removed */
#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "events/live_private.h"

#define TRACEFS_PLACE "/sys/kernel/tracing"

static bool is_mounted(void)
{
	return !access(TRACEFS_PLACE "/trace_clock", F_OK) ||
	       !access("/sys/kernel/debug/tracing/trace_clock", F_OK);
}

/*
 * In a mount namespace of this process alone: nobody else sees it, and it is gone with the process,
 * however that ends.
 */
static struct error *mount_privately(void)
{
	if (access(TRACEFS_PLACE, F_OK))
		return error_new(ERR_UNAVAILABLE,
				 "this kernel was built without tracefs (CONFIG_TRACING)");
	if (geteuid())
		return error_new(ERR_PERMISSION, "recording events needs root; tracefs is not "
						 "mounted");
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("tracefs", TRACEFS_PLACE, "tracefs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL))
		return error_new(ERR_UNAVAILABLE,
				 "tracefs is not mounted and cannot be: %s; as root: mount -t "
				 "tracefs tracefs " TRACEFS_PLACE,
				 strerror(errno));
	return NULL;
}

static struct error *need_tracefs(void)
{
	const char *folder;

	if (geteuid() && access(TRACEFS_PLACE "/instances", W_OK))
		return error_new(ERR_PERMISSION,
				 "recording events needs root, or write access to " TRACEFS_PLACE);
	if (!is_mounted()) {
		struct error *error = mount_privately();

		if (error)
			return error;
		event_live_recover(); /* main saw no tracefs in which something might be left */
	}
	folder = tracefs_tracing_dir();
	if (!folder)
		return error_new(ERR_UNAVAILABLE, "tracefs cannot be found: %s", strerror(errno));
	if (!tracefs_dir_exists(NULL, "instances"))
		return error_new(ERR_UNAVAILABLE, "%s has no instances (Linux 3.10 or newer)",
				 folder);
	if (!tracefs_dir_exists(NULL, "events/sched/sched_switch"))
		return error_new(ERR_UNAVAILABLE,
				 "this kernel has no scheduling events (CONFIG_TRACEPOINTS)");
	return NULL;
}

struct error *event_live_check(void)
{
	return need_tracefs();
}

/* field 22 of /proc/PID/stat: when it was started, so that an id that is used again is told apart */
static unsigned long long start_time(long pid)
{
	autofree char *path = memory_format("/proc/%ld/stat", pid);
	autofree char *line = file_read_line(path);
	const char *close = line ? strrchr(line, ')') : NULL;
	unsigned long long start = 0;

	if (!close ||
	    sscanf(close + 1,
		   " %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
		   "%llu",
		   &start) != 1)
		return 0;
	return start;
}

static void write_file(struct tracefs_instance *instance, const char *file, const char *text,
		       struct error **error)
{
	if (*error)
		return;
	if (tracefs_instance_file_write(instance, file, text) < 0)
		*error = error_errno("cannot set up the recording: write '%s' to %s of the "
				     "tracefs instance",
				     text, file);
}

/* words of 32 bits in hexadecimal, the highest first */
static char *mask_text(hwloc_const_bitmap_t cpus)
{
	int words = hwloc_bitmap_last(cpus) / 32 + 1;
	char *text = memory_zeroed((size_t)words, 10), *at = text;

	for (int i = words - 1; i >= 0; i--) {
		unsigned long ulong =
			hwloc_bitmap_to_ith_ulong(cpus, (unsigned)i * 32 / (8 * sizeof(long)));
		unsigned int word =
			(unsigned int)(ulong >> ((unsigned)i * 32 % (8 * sizeof(long))));

		at += sprintf(at, "%08x%s", word, i ? "," : "");
	}
	return text;
}

static void choose_events(struct tracefs_instance *instance, bool without_idle,
			  struct error **error)
{
	for (const struct raw_event *event = raw_events(); event->name && !*error; event++) {
		if (event->idle_only && without_idle)
			continue;
		if (tracefs_event_enable(instance, event->system, event->name) && event->needed)
			*error = error_new(ERR_UNAVAILABLE,
					   "this kernel does not have the event %s:%s",
					   event->system, event->name);
	}
}

struct error *instance_new(const struct event_live_options *options, uint64_t buffer_bytes,
			   struct tracefs_instance **out)
{
	autofree char *name =
		memory_format(INSTANCE_PREFIX "%d-%llu", getpid(), start_time(getpid()));
	autofree char *kilobytes = memory_format("%llu", (unsigned long long)(buffer_bytes / 1024));
	struct tracefs_instance *instance;
	struct error *error = need_tracefs();

	if (error)
		return error;
	instance = tracefs_instance_create(name);
	if (!instance)
		return error_errno("cannot make an instance below tracefs' instances");
	write_file(instance, "tracing_on", "0", &error);
	write_file(instance, "trace_clock", "mono", &error);
	write_file(instance, "buffer_size_kb", kilobytes, &error);
	if (options->cpus) {
		autofree char *mask = mask_text(options->cpus);

		write_file(instance, "tracing_cpumask", mask, &error);
	}
	choose_events(instance, options->without_idle, &error);
	if (error) {
		instance_remove(instance);
		return error;
	}
	*out = instance;
	return NULL;
}

struct error *instance_on(struct tracefs_instance *instance)
{
	struct error *error = NULL;

	write_file(instance, "tracing_on", "1", &error);
	return error;
}

void instance_off(struct tracefs_instance *instance)
{
	tracefs_instance_file_write(instance, "tracing_on", "0");
}

void instance_remove(struct tracefs_instance *instance)
{
	tracefs_instance_destroy(instance);
	tracefs_instance_free(instance);
}

/* "NAME: number" lines of per_cpu/cpuN/stats */
static uint64_t stat_of(const char *text, const char *name)
{
	const char *line = text ? strstr(text, name) : NULL;

	/* "overrun:" is also the end of "commit overrun:" */
	return line && (line == text || line[-1] == '\n') ? strtoull(line + strlen(name), NULL, 10)
							  : 0;
}

uint64_t instance_lost(struct tracefs_instance *instance, int cpu)
{
	autofree char *file = memory_format("per_cpu/cpu%d/stats", cpu);
	autofree char *text = tracefs_instance_file_read(instance, file, NULL);

	return stat_of(text, "overrun:") + stat_of(text, "commit overrun:") +
	       stat_of(text, "dropped events:");
}

struct error *instance_events(struct tep_handle **out)
{
	static const char *const systems[] = { "sched", "task", "power", "cpuhp", NULL };
	struct tep_handle *tep = tracefs_local_events_system(tracefs_tracing_dir(), systems);

	if (!tep)
		return error_new(ERR_UNAVAILABLE,
				 "the kernel's descriptions of its events cannot "
				 "be read: %s",
				 strerror(errno));
	*out = tep;
	return NULL;
}

/* ---- what dead processes left ---- */

void event_live_recover(void)
{
	static const char *const places[] = { TRACEFS_PLACE "/instances",
					      "/sys/kernel/debug/tracing/instances" };
	DIR *folder = NULL;
	struct dirent *entry;
	const char *place = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(places) && !folder; i++) {
		place = places[i];
		folder = opendir(place);
	}
	while (folder && (entry = readdir(folder))) {
		autofree char *path = NULL;
		unsigned long long start;
		long pid;
		int end = 0;

		if (sscanf(entry->d_name, INSTANCE_PREFIX "%ld-%llu%n", &pid, &start, &end) != 2 ||
		    entry->d_name[end] || start_time(pid) == start)
			continue;
		path = memory_format("%s/%s", place, entry->d_name);
		/* EBUSY: somebody reads it, in another PID namespace; it is theirs */
		if (!rmdir(path))
			fprintf(stderr,
				"fairtrial: removed the tracefs instance %s of a recording that "
				"was killed\n",
				entry->d_name);
	}
	if (folder)
		closedir(folder);
}
