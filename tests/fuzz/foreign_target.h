/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * foreign_target.h - the body of the fuzz targets of the parsers of foreign text: FOREIGN_FORMAT is
 * the format under test
 */
#ifndef FT_TESTS_FUZZ_FOREIGN_TARGET_H
#define FT_TESTS_FUZZ_FOREIGN_TARGET_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "result/foreign.h"
#include "result/trial_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* what is accepted can be stored: named, with figures that are numbers, and back from JSON */
static void check_result(const struct foreign_result *result)
{
	json_t *json = trial_to_json(&result->trial);
	struct trial again = { 0 };
	struct error *error = trial_from_json(json, "fuzz", 1, &again);

	if (error || !*result->case_name || !result->trial.n_metrics ||
	    again.n_metrics != result->trial.n_metrics)
		abort();
	for (int i = 0; i < again.n_metrics; i++) {
		const struct metric *metric = &again.metrics[i];

		if (isnan(metric->value) == !metric->unavailable ||
		    trial_metric(&again, metric->name) != metric)
			abort();
	}
	trial_clear(&again);
	json_decref(json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = memory_zeroed(size + 1, 1);
	struct foreign foreign = { 0 };
	struct error *error;

	memcpy(text, data, size);
	(void)foreign_format_detect(text);
	error = foreign_read(&FOREIGN_FORMAT, "fuzz", text, size, &foreign);
	if (error ? (error->code != ERR_INPUT || !error->file || foreign.n) : !foreign.n)
		abort();
	for (int i = 0; i < foreign.n; i++)
		check_result(&foreign.results[i]);
	foreign_clear(&foreign);
	error_free(error);
	free(text);
	return 0;
}

#endif
