/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * csv.h - private to the parsers: a record of comma-separated values, as RFC 4180 has it
 *
 * Fields may be quoted, "" stands for a quote; a quoted field does not run over the end of a line.
 */
#ifndef FT_RESULT_FOREIGN_CSV_H
#define FT_RESULT_FOREIGN_CSV_H

#include "result/foreign/lines.h"

/* csv_split - the fields of the current line, blanks around them taken off; text_split_free() */
struct error *csv_split(const struct lines *lines, char ***fields, int *n);

#endif
