/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * library.h - loading a kernel's scheduler (ksched/ksched.h) into this process
 *
 * Kernel state is static: a process boots a library at most once. Whoever wants several machines or
 * kernels at a time forks first.
 */
#ifndef FT_SIM_LIBRARY_H
#define FT_SIM_LIBRARY_H

#include "base/error.h"
#include "ksched/ksched.h"

/*
 * library_open - loads the shared object and checks its ABI; it stays loaded
 * Errors: ERR_UNAVAILABLE when it cannot be loaded or is of another ABI (says to add the kernel
 * again).
 */
struct error *library_open(const char *path, const struct ksched_api **out);

#endif
