// SPDX-License-Identifier: GPL-2.0-only
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "workload/loadfile_list.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* what every step of an accepted list keeps to */
static void check(const struct step *step)
{
	autofree char *path = step->path ? loadfile_path(step->path, 3) : NULL;

	if (step->line < 1 || step->handle < 0 || step->handle >= LOADFILE_HANDLES)
		abort();
	if (path && (*path == '/' || strstr(path, "/../") || strstr(path, "//")))
		abort();
	if ((step->op == FILE_READ || step->op == FILE_WRITE) &&
	    (step->size < 1 || step->size > FILE_IO_MAX))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	autofree char *text = memory_string_n((const char *)data, size);
	struct loadfile *list;
	struct error *error = loadfile_parse("fuzz", text, strlen(text), &list);

	if (error) {
		if (error->code != ERR_INPUT || !error->file)
			abort();
		error_free(error);
		return 0;
	}
	for (int i = 0; i < list->n_present; i++)
		check(&list->present[i]);
	for (int i = 0; i < list->n_steps; i++)
		check(&list->steps[i]);
	loadfile_free(list);
	return 0;
}
