/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hwbench_values.h - the quantities of hwbench's comparison, of each variant of a row
 *
 * Definitions (docs/statistics.md): those of hwbench's own tables, taken over trials. A quantity
 * that was not measured is NAN.
 */
#ifndef FT_REPORT_HWBENCH_VALUES_H
#define FT_REPORT_HWBENCH_VALUES_H

#include "stats/table.h"

enum hwbench_quantity {
	HWBENCH_WORKERS,
	HWBENCH_PERF,	   /* the metric's unit */
	HWBENCH_PER_CORE,  /* Perf / physical cores of the machine */
	HWBENCH_POWER,	   /* W */
	HWBENCH_PER_WATT,  /* Perf / Power, the metric's unit / W; only where higher is better */
	HWBENCH_CLOCK,	   /* MHz */
	HWBENCH_IPC,	   /* instructions a cycle */
	HWBENCH_COV,	   /* between workers, per cent */
	HWBENCH_LINEARITY, /* per cent off the fewest workers' rate a worker */
	N_HWBENCH_QUANTITIES
};

/* A row of the table: a case and a judged metric, over its sides. */
struct hwbench_section {
	const struct row *row;
	const struct row *spread;		/* the row of the spread between workers, or NULL */
	double (*values)[N_HWBENCH_QUANTITIES]; /* one a side */
};

/* hwbench_sections - those of all rows with a direction that are shown; free with _free() */
struct hwbench_section *hwbench_sections(const struct table *table, int *n);
void hwbench_sections_free(struct hwbench_section *sections, int n);

/* hwbench_ratio - of a side to base; NAN if it cannot be computed */
double hwbench_ratio(const struct hwbench_section *section, int side,
		     enum hwbench_quantity quantity);

#endif
