// SPDX-License-Identifier: GPL-2.0-only
#include "sim/library.h"

#include <dlfcn.h>

struct error *library_open(const char *path, const struct ksched_api **out)
{
	void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	const struct ksched_api *api;

	if (!handle)
		return error_new(ERR_UNAVAILABLE, "cannot load the kernel: %s", dlerror());
	api = dlsym(handle, KSCHED_SYMBOL);
	if (!api || api->abi != KSCHED_ABI)
		return error_new(ERR_UNAVAILABLE,
				 "%s was built for another version of fairtrial (interface %d, "
				 "this one has %d): add the kernel again",
				 path, api ? api->abi : 0, KSCHED_ABI);
	*out = api;
	return NULL;
}
