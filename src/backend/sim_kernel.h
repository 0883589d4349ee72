/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sim_kernel.h - the kernel that a variant names, as the simulator needs it
 */
#ifndef FT_BACKEND_SIM_KERNEL_H
#define FT_BACKEND_SIM_KERNEL_H

#include <stdbool.h>

#include "base/error.h"
#include "base/json.h"

struct kernel;

struct sim_kernel {
	char *asked;	      /* the name that was asked for, NULL: the default */
	char *library;	      /* path of the shared object */
	json_t *record;	      /* version, source, patches, configuration, compiler: for results */
	struct kernel *found; /* keeps its library where it is; NULL for a path */
};

/*
 * sim_kernel_find - a kernel that `fairtrial kernel add` made, or the path of a library (with a
 * '/', ending in .so); NULL: the default one
 *
 * Errors: ERR_UNAVAILABLE with the names there are.
 */
struct error *sim_kernel_find(const char *name, struct sim_kernel **out);
void sim_kernel_free(struct sim_kernel *kernel);

/* sim_kernel_same - whether two names stand for the same build; false where one of them is not there */
bool sim_kernel_same(const char *a, const char *b);

#endif
