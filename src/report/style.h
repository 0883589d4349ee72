/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * style.h - the registry of report styles: ways to print one comparison
 *
 * A style is one file with one constant description; adding one touches its file, the list in
 * registry.c and the build list. docs/man/fairtrial-compare.1.scd describes them for users.
 */
#ifndef FT_REPORT_STYLE_H
#define FT_REPORT_STYLE_H

#include <stdio.h>

#include "stats/table.h"

#define REPORT_COLUMNS 78 /* no line of a table for people is longer, unless a name alone is */

struct report_options {
	bool colour;
};

struct report_style {
	const char *name;
	const char *summary;
	void (*print)(FILE *stream, const struct table *table,
		      const struct report_options *options);
};

/* style_find - by name, or NULL; style_all - ends with NULL */
const struct report_style *style_find(const char *name);
const struct report_style *const *style_all(void);

/* report_wants_colour - is @stream a terminal, and NO_COLOR not set (https://no-color.org)? */
bool report_wants_colour(FILE *stream);

#endif
