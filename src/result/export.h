/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * export.h - runs and trials as JSON objects (docs/results.md), for export and `show --json`
 */
#ifndef FT_RESULT_EXPORT_H
#define FT_RESULT_EXPORT_H

#include "result/result.h"

#define EXPORT_SCHEMA 2 /* raised when a record changes so that older readers would misread it */
/* import.c reads all older ones: 1 has no histograms */

/* export_run, export_trial - new references; what was not loaded is null or empty */
json_t *export_run(const struct run *run);
json_t *export_trial(const struct run *run, const struct trial *trial);

#endif
