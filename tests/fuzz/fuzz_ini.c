// SPDX-License-Identifier: GPL-2.0-only
#include <stdint.h>
#include <stdlib.h>

#include "base/ini.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* every part is there, and lines never go back */
static struct error *check(void *data, int line, const char *section, const char *key,
			   const char *value)
{
	int *last = data;

	if (line < *last || !*section || (key && (!*key || !*value)))
		abort();
	*last = line;
	return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int last = 0;
	struct error *error = ini_read("fuzz", (const char *)data, size, check, &last);

	if (error && (error->code != ERR_INPUT || error->line < last))
		abort();
	error_free(error);
	return 0;
}
