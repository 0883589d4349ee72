// SPDX-License-Identifier: GPL-2.0-only
#include "backend/sim_kernel.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "ksched/build/kernel.h"

static bool is_library(const char *name)
{
	size_t length = name ? strlen(name) : 0;

	return length > 3 && strchr(name, '/') && !strcmp(name + length - 3, ".so");
}

static struct error *from_registry(const char *name, struct sim_kernel *into)
{
	struct kernel *found;
	struct error *error = kernel_open(name, &found);

	if (error && error->code == ERR_USAGE)
		error->code = ERR_INPUT; /* plans name kernels, too */
	if (error)
		return error;
	into->library = memory_string(found->library);
	into->record = json_deep_copy(found->record);
	/* the list is long and says nothing about what ran; `fairtrial kernel show` has it */
	json_object_del(into->record, "not_modelled");
	/* once a run is enough */
	json_object_del(into->record, "patch_text");
	into->found = found;
	return NULL;
}

/* a library that is built again keeps its path, not its key */
static struct error *from_library(const char *path, struct sim_kernel *into)
{
	autofree char *key = NULL;
	struct error *error = content_key_of_file(path, &key);

	if (error)
		return error;
	into->library = memory_string(path);
	into->record = json_pack("{s:s, s:s}", "library", path, "key", key);
	return NULL;
}

struct error *sim_kernel_find(const char *name, struct sim_kernel **out)
{
	struct sim_kernel *kernel = memory_zeroed(1, sizeof(*kernel));
	struct error *error = NULL;

	kernel->asked = name ? memory_string(name) : NULL;
	if (is_library(name))
		error = from_library(name, kernel);
	else
		error = from_registry(name, kernel);
	if (error)
		sim_kernel_free(kernel);
	else
		*out = kernel;
	return error;
}

void sim_kernel_free(struct sim_kernel *kernel)
{
	if (!kernel)
		return;
	free(kernel->asked);
	free(kernel->library);
	json_decref(kernel->record);
	kernel_free(kernel->found);
	free(kernel);
}

bool sim_kernel_same(const char *a, const char *b)
{
	struct sim_kernel *first = NULL, *second = NULL;
	struct error *error = sim_kernel_find(a, &first);
	bool same;

	if (!error)
		error = sim_kernel_find(b, &second);
	same = !error && !strcmp(first->library, second->library);
	error_free(error);
	sim_kernel_free(first);
	sim_kernel_free(second);
	return same;
}
