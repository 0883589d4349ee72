/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trial_json.h - a trial as a JSON object: as export writes it (docs/results.md), but that case and
 * variant are indexes here and names there
 */
#ifndef FT_RESULT_TRIAL_JSON_H
#define FT_RESULT_TRIAL_JSON_H

#include "result/result.h"

/* trial_to_json - a new object with everything of the trial but its store id; NAN and infinity are
 * null, bytes that are not UTF-8 are replaced */
json_t *trial_to_json(const struct trial *trial);

/*
 * trial_from_json - the reverse, strict: unknown or missing keys and wrong types are ERR_INPUT
 * @file, @line: where the object comes from, for messages
 * @out:         zeroed by the caller; left empty on error
 */
struct error *trial_from_json(const json_t *object, const char *file, int line, struct trial *out);

#endif
