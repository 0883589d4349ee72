/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * library.h - loading a kernel's scheduler (ksched/ksched.h) into this process
 *
 * Kernel state is static: a loaded library boots at most once. Several libraries, or several copies
 * of one, live side by side in a process.
 */
#ifndef FT_SIM_LIBRARY_H
#define FT_SIM_LIBRARY_H

#include <stdbool.h>

#include "base/error.h"
#include "ksched/ksched.h"

/*
 * library_open - loads the shared object and checks its ABI; it stays loaded
 * @hints: what it has of them; a function that it lacks does nothing
 * @fresh: a copy of its own, with its own kernel state, though the file may be loaded already
 *
 * Errors: ERR_UNAVAILABLE when it cannot be loaded or is of another ABI (says to add the kernel
 * again).
 */
struct error *library_open(const char *path, bool fresh, const struct ksched_api **out,
			   const struct ksched_hints **hints);

#endif
