// SPDX-License-Identifier: GPL-2.0-only
/*
 * overlay.c - where our own files for a kernel build are
 */
#include <stdlib.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "ksched/build/internal.h"
#include "version.h"

struct error *overlay_find(char **folder)
{
	const char *asked = getenv("FAIRTRIAL_KSCHED");
	/* The source tree comes first: a developer's edit counts. */
	const char *const places[] = { FT_SOURCE_ROOT "/ksched", FT_DATA "/ksched" };

	if (asked) {
		if (!path_exists("%s/kernel.lds", asked))
			return error_new(ERR_UNAVAILABLE,
					 "FAIRTRIAL_KSCHED=%s: no kernel.lds there", asked);
		*folder = memory_string(asked);
		return NULL;
	}
	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		if (path_exists("%s/kernel.lds", places[i])) {
			*folder = memory_string(places[i]);
			return NULL;
		}
	return error_new(ERR_UNAVAILABLE,
			 "the files of the simulator's kernel build are missing (%s)", places[1]);
}

struct error *overlay_lines(const char *overlay, const char *name, char ***lines, int *n)
{
	autofree char *path = memory_format("%s/%s", overlay, name), *text = NULL;
	struct error *error = file_read(path, &text, NULL);

	if (!error)
		*lines = text_split(text, '\n', n);
	return error;
}
