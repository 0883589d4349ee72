/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * procstat.h - /proc/stat: the time of each CPU by what it did, and context switches
 */
#ifndef FT_MONITOR_PROCSTAT_H
#define FT_MONITOR_PROCSTAT_H

#include <stdint.h>

#include "base/error.h"

/*
 * Ticks of USER_HZ since boot (proc_stat(5)). The kernel counts a guest's time in user (or nice)
 * too, so the guest fields are not kept; nice is added to user. A field that an old kernel does not
 * have is 0.
 */
struct cpu_ticks {
	int id;
	uint64_t user, system, idle, iowait, irq, steal; /* irq: hard and soft interrupts */
};

struct proc_stat {
	struct cpu_ticks *cpus; /* on-line CPUs in the order of the file */
	int n_cpus;
	uint64_t switches; /* of the whole system since boot */
};

/*
 * proc_stat_parse - @file is for messages
 * Errors: ERR_INPUT for a CPU line without numbers or a text without ctxt.
 */
struct error *proc_stat_parse(const char *text, const char *file, struct proc_stat *out);

/* proc_stat_read - @root/proc/stat */
struct error *proc_stat_read(const char *root, struct proc_stat *out);
void proc_stat_clear(struct proc_stat *stat);

#endif
