/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * schedstat.h - the kernel's own scheduler statistics: of a thread and of CPUs
 *
 * Formats: Documentation/scheduler/sched-stats.rst of the kernel.
 */
#ifndef FT_MONITOR_SCHEDSTAT_H
#define FT_MONITOR_SCHEDSTAT_H

#include <hwloc.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

/* /proc/PID/task/TID/schedstat, since the thread was made */
struct thread_times {
	uint64_t run_ns, wait_ns; /* on a CPU; on a run queue without running */
	uint64_t slices;	  /* how often it was put on a CPU */
};

/* thread_times_read - Errors: ERR_SYSTEM (no such thread or file), ERR_INPUT */
struct error *thread_times_read(const char *root, pid_t tid, struct thread_times *out);

/* Sums over CPUs of the "cpuN" lines of /proc/schedstat, since boot */
struct cpu_schedstat {
	uint64_t wakeups, local_wakeups; /* tasks woken; of these, on the CPU that woke them */
	uint64_t wait_ns;		 /* time tasks spent waiting on the run queues */
	int n_cpus;			 /* lines that were summed */
};

/*
 * cpu_schedstat_parse - versions 15 to 17, whose cpu lines are alike
 * Errors: ERR_UNAVAILABLE for another version, ERR_INPUT for a line that is too short.
 */
struct error *cpu_schedstat_parse(const char *text, const char *file, hwloc_const_bitmap_t cpus,
				  struct cpu_schedstat *out);

/* schedstat_text - @root/proc/schedstat and its whole text, new strings, also after an error.
 * ERR_UNAVAILABLE if the kernel has none. */
struct error *schedstat_text(const char *root, char **path, char **text);

/* cpu_schedstat_read - @root/proc/schedstat. ERR_UNAVAILABLE if the kernel has none. */
struct error *cpu_schedstat_read(const char *root, hwloc_const_bitmap_t cpus,
				 struct cpu_schedstat *out);

#endif
