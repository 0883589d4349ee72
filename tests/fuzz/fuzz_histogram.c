// SPDX-License-Identifier: GPL-2.0-only
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "result/histogram.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* what is accepted is the one text of its histogram, and its quantiles rise within its range */
static void check(const char *text, const struct histogram *histogram)
{
	autofree char *again = histogram_text(histogram);
	double last = 0;

	if (strcmp(text, again))
		abort();
	for (int i = 0; histogram->count && i <= 8; i++) {
		double value = histogram_quantile(histogram, i / 8.0);

		if (!(value >= last && value >= histogram_min(histogram) &&
		      value <= histogram_max(histogram)))
			abort();
		last = value;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	autofree char *text = memory_string_n((const char *)data, size);
	struct histogram *histogram;
	struct error *error = histogram_parse(text, &histogram);

	if (!error) {
		check(text, histogram);
		free(histogram);
	}
	error_free(error);
	return 0;
}
