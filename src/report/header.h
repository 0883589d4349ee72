/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * header.h - what stands around a table: what is compared, on what, and what a reader must know
 */
#ifndef FT_REPORT_HEADER_H
#define FT_REPORT_HEADER_H

#include <stdio.h>

#include "stats/table.h"

/* print_header - runs, plan, machine, kernel, backend, number of blocks, interleaved or
 * not, and what recording events cost */
void print_header(FILE *stream, const struct table *table);

/* print_warnings - the warnings of the table, wrapped */
void print_warnings(FILE *stream, const struct table *table);

#endif
