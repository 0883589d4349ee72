/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * format.h - numbers and lines as reports for people show them
 *
 * All functions return new strings. A value that is NAN is "-".
 */
#ifndef FT_REPORT_FORMAT_H
#define FT_REPORT_FORMAT_H

#include <stdio.h>

#include "stats/effect.h"

/*
 * format_value - six significant digits, so that a change printed beside it in hundredths of a per
 * cent can be recomputed from it; from a million on with M, G or T
 */
char *format_value(double value);

/* format_short - four significant digits, for what is not judged */
char *format_short(double value);

/* format_percent - of a CoV: "1.2%" */
char *format_percent(double percent);

/* format_change - a ratio as "+1.19%" (its change), "+1234%" from ten times on */
char *format_change(double ratio);

/* format_difference - with its sign and four significant digits */
char *format_difference(double difference);

/* format_effect, format_interval - of either scale: "-24.29%", "[-25.10%, -23.48%]" */
char *format_effect(const struct effect *effect);
char *format_interval(const struct effect *effect);

/* format_date - UTC, "2026-11-30 21:10" */
char *format_date(double seconds);

/* format_name - a name from the store, fit for a terminal: control characters become '?' */
char *format_name(const char *name);

/*
 * print_wrapped - @text over lines of at most 78 columns, ends with a newline
 * Control characters become '?'.
 * @start:  columns that are used already on the first line
 * @indent: blanks before all other lines
 */
void print_wrapped(FILE *stream, const char *text, int start, int indent);

#endif
