// SPDX-License-Identifier: GPL-2.0-only
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/memory.h"
#include "plan/internal.h"

#define N_TYPES 6

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct machine_counts counts = { 8, 4, 2, 2, 1, 4, 4, 2 };

/* the value of a parameter of each type: an error, or values within the limits of the type */
static void read_as(enum param_type type, const char *text)
{
	const struct param param = { "p", type, .choices = "pipe socket futex" };
	struct param_value *values;
	struct error *error;
	bool swept;
	int n;

	error = param_values_read(&param, text, &counts, &values, &n, &swept);
	if (error) {
		if (error->code != ERR_INPUT || error->file)
			abort();
		error_free(error);
		return;
	}
	if (n > PLAN_MAX_SWEEP || (n > 1 && !swept))
		abort();
	for (int i = 0; i < n; i++)
		if (values[i].number < (type == PARAM_COUNT) || !values[i].text)
			abort();
	param_values_free(values, n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	autofree char *text = memory_string_n((const char *)data, size);
	struct error *error;
	double value = 0;

	error = expression_eval(text, &counts, &value);
	if (!error && !isfinite(value))
		abort();
	error_free(error);
	for (int type = 0; type < N_TYPES; type++)
		read_as(type, text);
	return 0;
}
