/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * histogram.h - how often values of nanoseconds came, in buckets whose width grows with the value
 *
 * The scheme of HdrHistogram (G. Tene): values below 2 * HISTOGRAM_SUB_BUCKETS have a bucket each;
 * above that every power of two is divided into HISTOGRAM_SUB_BUCKETS buckets of equal width. Two
 * histograms are merged by adding their buckets, which loses nothing: the merged histograms of
 * workers are the histogram of all their values.
 *
 * A plain structure without pointers, so that it can be in memory that processes share. Zeroed
 * memory is an empty histogram; buckets that were never used are never touched, so that a page of
 * it that holds no value takes no memory.
 */
#ifndef FT_RESULT_HISTOGRAM_H
#define FT_RESULT_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

#define HISTOGRAM_SUB_BITS    7
#define HISTOGRAM_SUB_BUCKETS (1 << HISTOGRAM_SUB_BITS)
#define HISTOGRAM_VALUE_BITS  40 /* values below 2^40 ns (18.3 minutes) have a bucket */
#define HISTOGRAM_BUCKETS     ((HISTOGRAM_VALUE_BITS - HISTOGRAM_SUB_BITS + 1) * HISTOGRAM_SUB_BUCKETS)

/* Fields are for this file and its tests; min is kept as its complement, which 0 begins rightly. */
struct histogram {
	uint64_t count;	     /* of all values, those without a bucket too */
	uint64_t sum;	     /* ns; stays at UINT64_MAX when it gets there (584 years) */
	uint64_t max;	     /* exact, of all values */
	uint64_t complement; /* UINT64_MAX - the smallest value */
	uint64_t overflow;   /* values of 2^40 ns and more */
	uint64_t buckets[HISTOGRAM_BUCKETS];
};

/* histogram_record - one value; tasks of several processes may record into one at the same time */
void histogram_record(struct histogram *histogram, uint64_t ns);

/* histogram_merge - adds all that @from holds; nobody may record into @to meanwhile */
void histogram_merge(struct histogram *to, const struct histogram *from);

/*
 * histogram_quantile - the value that at least the share @q of all values does not exceed, ns
 * @q: 0 to 1; of n sorted values the one at place ceil(q * n), the first for q = 0 (no
 *     interpolation between two values: Hyndman and Fan 1996, definition 1)
 *
 * The relative error is at most HISTOGRAM_ERROR, and 0 for q = 0, for q = 1, and for values below
 * 2 * HISTOGRAM_SUB_BUCKETS. Of a place among the overflow the largest value is given, which is an
 * upper bound alone. NAN if it is empty.
 */
#define HISTOGRAM_ERROR (1.0 / (2 * HISTOGRAM_SUB_BUCKETS))
double histogram_quantile(const struct histogram *histogram, double q);

/* exact; NAN if it is empty. The mean is sum / count. */
double histogram_min(const struct histogram *histogram);
double histogram_max(const struct histogram *histogram);
double histogram_mean(const struct histogram *histogram);

/* histogram_bucket - the bucket of a value below 2^40 ns; histogram_lower - the smallest value of a
 * bucket; that of HISTOGRAM_BUCKETS is 2^40 */
int histogram_bucket(uint64_t ns);
uint64_t histogram_lower(int bucket);

/*
 * histogram_text - all of it as text, of the buckets those that are used; a new string:
 *
 *     hdr7;SUM;MIN;MAX;OVERFLOW;LOWER:COUNT LOWER:COUNT ...
 *
 * Decimal, ns; LOWER is the smallest value of a bucket, rising; 7 is HISTOGRAM_SUB_BITS. Empty:
 * "hdr7;0;0;0;0;".
 */
char *histogram_text(const struct histogram *histogram);

/*
 * histogram_parse - reads what histogram_text() wrote, and nothing else
 * @out: a new histogram
 *
 * Errors: ERR_INPUT for another form, a LOWER that begins no bucket or does not rise, a count of 0,
 * and numbers that contradict each other.
 */
struct error *histogram_parse(const char *text, struct histogram **out);

#endif
