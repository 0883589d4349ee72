// SPDX-License-Identifier: GPL-2.0-only
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "backend/setting_internal.h"
#include "base/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* what is accepted is complete, and its text reads back as the same */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	autofree char *text = memory_string_n((const char *)data, size);
	struct setting_journal *journal, *again;
	struct error *error = journal_parse(text, "fuzz", &journal);
	autofree char *first = NULL, *second = NULL;

	if (error) {
		if (error->code != ERR_INPUT)
			abort();
		error_free(error);
		return 0;
	}
	for (int i = 0; i < journal->n; i++)
		if (journal->changes[i].path[0] != '/' ||
		    (journal->changes[i].kind != CHANGE_CGROUP && !journal->changes[i].old))
			abort();
	first = journal_text(journal);
	if (journal_parse(first, "again", &again))
		abort();
	second = journal_text(again);
	if (strcmp(first, second) != 0)
		abort();
	journal_free(journal);
	journal_free(again);
	return 0;
}
