// SPDX-License-Identifier: GPL-2.0-only
/* backend.c - the list of backends */
#include "backend/backend.h"

#include <string.h>

static const struct backend *const backends[] = {
	&backend_live,
	&backend_sim,
	NULL,
};

const struct backend *const *backend_all(void)
{
	return backends;
}

const struct backend *backend_find(const char *name)
{
	for (const struct backend *const *backend = backends; *backend; backend++)
		if (!strcmp((*backend)->name, name))
			return *backend;
	return NULL;
}
