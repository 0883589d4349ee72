// SPDX-License-Identifier: GPL-2.0-only
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "backend/setting_internal.h"
#include "base/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* each word of a features file is found, and means the same as itself */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	autofree char *text = memory_string_n((const char *)data, size);
	autofree char *copy = memory_string(text);
	char *rest = copy, *word;

	while ((word = strsep(&rest, " \t\n")))
		if (*word && features_find(text, word) != 1)
			abort();
	if (features_find(text, "NOT A WORD") != -1 || !setting_same_value(text, text))
		abort();
	return 0;
}
