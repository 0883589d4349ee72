/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * live_lean.h - a process whose forks copy as little as those of a small program
 *
 * fork() copies the memory map and the page tables of the private memory, and exit() takes them
 * down again: a fork of a process with a dozen libraries and a heap costs twice that of a small C
 * program, and spawn would measure fairtrial instead of the kernel. A child that only exits
 * needs the program, the C library, the stack and thread-local storage. So a worker marks all else
 * MADV_DONTFORK while its children are of that kind.
 *
 * A mapping that is left out still costs: the kernel copies the tree of all mappings and takes each
 * one out again, 0.4 us on a machine of 2025, and a library has five. So neighbouring libraries
 * become one anonymous mapping with the same content at the same place (some 3 MiB a worker,
 * copied once). So do the data segments of each file that stays, read-only and writable; they
 * belong to three generations of processes, and the kernel keeps a list of those for each mapping.
 * All works as before: nothing needs to be undone, and code that runs later in the
 * worker needs to know nothing of it. Only tools that look up addresses in /proc/PID/maps see no
 * file names there. Rejected: unmapping them (any call into one later, an unwinder, or a lookup by
 * the loader would crash), static libraries (hwloc and what it needs cannot be), a host program
 * of its own (workloads would have to be in two programs).
 */
#ifndef FT_TASK_LIVE_LEAN_H
#define FT_TASK_LIVE_LEAN_H

#include <stdbool.h>

/*
 * live_lean_enter - from now on children of fork() have only that memory; they may call nothing
 * but _exit()
 *
 * Returns false, and changes nothing, where that is not safe: fork() in a process that has had
 * threads, and a sanitizer's run-time, touch more memory in the child.
 */
bool live_lean_enter(void);

/* live_lean_leave - children have all memory again; libraries stay merged */
void live_lean_leave(void);

#endif
