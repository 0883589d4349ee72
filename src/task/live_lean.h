/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * live_lean.h - a process whose forks copy as little as those of a small program
 *
 * fork() copies the memory map and the page tables of the private memory, and exit() takes them
 * down again: a fork of a process with a dozen libraries and a heap costs twice that of a small C
 * program, and spawn would measure fairtrial instead of the kernel. A child that only exits
 * needs the program, the C library, the stack and thread-local storage. So a worker marks all else
 * MADV_DONTFORK while its children are of that kind.
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

/* live_lean_leave - children have all memory again */
void live_lean_leave(void);

#endif
