// SPDX-License-Identifier: GPL-2.0-only
#include "backend/sim_kernel.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static bool is_library(const char *name)
{
	size_t length = name ? strlen(name) : 0;

	return length > 3 && strchr(name, '/') && !strcmp(name + length - 3, ".so");
}

struct error *sim_kernel_find(const char *name, struct sim_kernel **out)
{
	struct sim_kernel *kernel;

	if (!is_library(name))
		return error_new(ERR_UNAVAILABLE, "kernel '%s' not found", name ? name : "default");
	kernel = memory_zeroed(1, sizeof(*kernel));
	kernel->asked = memory_string(name);
	kernel->library = memory_string(name);
	kernel->record = json_pack("{s:s}", "library", name);
	*out = kernel;
	return NULL;
}

void sim_kernel_free(struct sim_kernel *kernel)
{
	if (!kernel)
		return;
	free(kernel->asked);
	free(kernel->library);
	json_decref(kernel->record);
	free(kernel);
}
