/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * metric.h - a named value of a trial, with unit and direction
 *
 * Everything that can be compared is a metric: what a workload counts, what a monitor reads, what
 * an analysis of events computes. Values of different units or definitions (versions) are never
 * compared.
 */
#ifndef FT_RESULT_METRIC_H
#define FT_RESULT_METRIC_H

#include <stdbool.h>

#include "base/error.h"
#include "result/histogram.h"

enum better {
	BETTER_HIGHER,
	BETTER_LOWER,
	BETTER_NEITHER, /* an explanation, not a judgement: it can differ, but not be worse */
};

/* better_name - "higher", "lower", "neither"; better_parse - the reverse, false if it is none */
const char *better_name(enum better better);
bool better_parse(const char *name, enum better *out);

/* The definition of a metric; constant descriptions of these are what workloads and monitors have. */
struct metric_desc {
	const char *name; /* "ops", "user", "run_delay" */
	const char *unit; /* "1/s", "%", "ms", "1" for a plain number */
	enum better better;
	int version; /* raised when the definition changes so that values stop being comparable */
	const char *help;
};

/* The value of a metric in one trial. */
struct metric {
	char *name, *unit;
	enum better better;
	int version;
	double value;	    /* NAN when it is not available */
	char *unavailable;  /* why, when value is NAN; else NULL */
	double *per_worker; /* in the same unit, by worker; NAN marks a worker without value */
	int n_workers;	    /* 0: no values per worker */
	struct histogram *histogram; /* of what the value was computed from, ns; NULL: none */
};

/*
 * What is shown of per-worker values. All NAN for n = 0.
 * Jain's index: Jain, Chiu and Hawe 1984, DEC-TR-301.
 */
struct spread {
	int n; /* values that are not NAN */
	double mean, min, max;
	double stddev; /* of the population: divided by n */
	double cov;    /* 100 * stddev / |mean| in per cent; NAN if n < 2 or the mean is 0 */
	double jain; /* (sum x)^2 / (n * sum x^2): 1 all equal, 1/n one has all; NAN if all are 0 */
};

/* spread_of - NAN values are passed over */
struct spread spread_of(const double *values, int n);

#endif
