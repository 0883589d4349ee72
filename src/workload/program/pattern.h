/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pattern.h - private to `command`: how a metric is found in what a program printed
 *
 * NAME UNIT BETTER SOURCE, separated by blanks; BETTER is higher, lower or neither; SOURCE is
 *
 *   /ERE/          a POSIX extended regular expression with one group, which is the number; '^' and '$'
 *                  match at lines; of several matches the last counts
 *   $.a.b[0]["c"]  a path in a JSON text, to a number
 */
#ifndef FT_WORKLOAD_PROGRAM_PATTERN_H
#define FT_WORKLOAD_PROGRAM_PATTERN_H

#include <regex.h>

#include "base/json.h"
#include "result/metric.h"

struct pattern {
	char *name, *unit;
	enum better better;
	bool is_path;
	regex_t expression; /* compiled; unless is_path */
	char *source;	    /* as written: the path, or the expression without its slashes */
};

/* pattern_read - errors: ERR_INPUT with what is accepted; @out is zeroed on error */
struct error *pattern_read(const char *text, struct pattern *out);
void pattern_clear(struct pattern *pattern);

/*
 * pattern_find - the number in @text
 * @json: @text parsed, for paths; NULL if it is no JSON
 *
 * Errors: ERR_INPUT: nothing matches, or what matches is not a number.
 */
struct error *pattern_find(const struct pattern *pattern, const char *text, const json_t *json,
			   double *out);

#endif
