// SPDX-License-Identifier: GPL-2.0-only
/* the sections of a machine file that are the simulator's: "section key value" lines */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "sim/model.h"
#include "sim/unit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* a figure that was read is written so that it reads back as the same */
static void check_written(const struct sim_model *model)
{
	json_t *record = model_record(model);

	for (const struct figure *figure = model_figures(); figure->key; figure++) {
		autofree char *key = memory_format("%s.%s", figure->section, figure->key);
		const char *text = json_string_value(json_object_get(record, key));
		int64_t value;

		if (figure->unit == FIGURE_TEXT || figure->unit == FIGURE_BOOL)
			continue;
		if (!text || unit_parse(figure->unit, text, &value))
			abort();
	}
	json_decref(record);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	autofree char *text = memory_string_n((const char *)data, size);
	struct machine machine = { .source = (char *)"fuzz" };
	struct sim_model *model;
	struct error *error;
	int n;
	char **lines = text_split(text, '\n', &n);

	for (int i = 0; i < n; i++) {
		char *section = strtok(lines[i], " "), *key = strtok(NULL, " ");
		char *value = strtok(NULL, "");

		if (!section || !key || !value)
			continue;
		*array_append(machine.entries, machine.n_entries) =
			(struct machine_entry){ section, key, value, i + 1 };
	}
	error = model_read(&machine, &model);
	if (error) {
		if (error->code != ERR_INPUT)
			abort();
		error_free(error);
	} else {
		check_written(model);
		model_free(model);
	}
	free(machine.entries);
	text_split_free(lines, n);
	return 0;
}
