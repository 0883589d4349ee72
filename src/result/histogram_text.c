// SPDX-License-Identifier: GPL-2.0-only
/* histogram_text.c - a histogram as text, and strictly back */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "result/histogram.h"

#define STRING_(x) #x
#define STRING(x)  STRING_(x)
#define MARK	   "hdr" STRING(HISTOGRAM_SUB_BITS)

static uint64_t min_of(const struct histogram *histogram)
{
	return histogram->count ? UINT64_MAX - histogram->complement : 0;
}

char *histogram_text(const struct histogram *histogram)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);
	const char *separator = "";

	if (!stream)
		abort();
	fprintf(stream, MARK ";%" PRIu64 ";%" PRIu64 ";%" PRIu64 ";%" PRIu64 ";", histogram->sum,
		min_of(histogram), histogram->max, histogram->overflow);
	for (int i = 0; i < HISTOGRAM_BUCKETS; i++) {
		if (!histogram->buckets[i])
			continue;
		fprintf(stream, "%s%" PRIu64 ":%" PRIu64, separator, histogram_lower(i),
			histogram->buckets[i]);
		separator = " ";
	}
	if (fclose(stream))
		abort();
	return text;
}

/* digits without a leading zero, then @end ('\0': a blank or the end of the text) */
static bool number(const char **at, char end, uint64_t *out)
{
	const char *p = *at;

	*out = 0;
	if (*p < '0' || *p > '9' || (p[0] == '0' && p[1] >= '0' && p[1] <= '9'))
		return false;
	for (; *p >= '0' && *p <= '9'; p++)
		if (__builtin_mul_overflow(*out, 10, out) ||
		    __builtin_add_overflow(*out, (uint64_t)(*p - '0'), out))
			return false;
	if (end ? *p != end : *p && *p != ' ')
		return false;
	*at = *p ? p + 1 : p;
	return end || !*p || **at; /* no blank at the end of the text */
}

static const char *read_head(const char *text, struct histogram *histogram, const char **buckets)
{
	const char *at = text + strlen(MARK ";");
	uint64_t min;

	if (strncmp(text, MARK ";", strlen(MARK ";")) != 0)
		return "it does not begin with " MARK;
	if (!number(&at, ';', &histogram->sum) || !number(&at, ';', &min) ||
	    !number(&at, ';', &histogram->max) || !number(&at, ';', &histogram->overflow))
		return "SUM;MIN;MAX;OVERFLOW; is expected after " MARK ";";
	histogram->complement = UINT64_MAX - min;
	histogram->count = histogram->overflow;
	*buckets = at;
	return NULL;
}

static const char *read_buckets(const char *at, struct histogram *histogram)
{
	int last = -1;

	while (*at) {
		uint64_t lower, count;
		int bucket;

		if (!number(&at, ':', &lower) || !number(&at, '\0', &count))
			return "a bucket is LOWER:COUNT, buckets are separated by one blank";
		if (lower >> HISTOGRAM_VALUE_BITS)
			return "a bucket is beyond 2^" STRING(HISTOGRAM_VALUE_BITS) " ns";
		bucket = histogram_bucket(lower);
		if (histogram_lower(bucket) != lower)
			return "a number does not begin a bucket";
		if (bucket <= last)
			return "buckets must rise";
		if (!count || __builtin_add_overflow(histogram->count, count, &histogram->count))
			return "a count is 0 or too large";
		histogram->buckets[bucket] = count;
		last = bucket;
	}
	return NULL;
}

/* does the value belong to the outermost bucket that is used, the overflow being the last one? */
static bool belongs(const struct histogram *histogram, uint64_t value, int step)
{
	int i = step > 0 ? 0 : HISTOGRAM_BUCKETS - 1;

	if (step < 0 && histogram->overflow)
		return value >> HISTOGRAM_VALUE_BITS;
	while (i >= 0 && i < HISTOGRAM_BUCKETS && !histogram->buckets[i])
		i += step;
	if (i < 0 || i >= HISTOGRAM_BUCKETS)
		return value >> HISTOGRAM_VALUE_BITS;
	return !(value >> HISTOGRAM_VALUE_BITS) && histogram_bucket(value) == i;
}

/* the sum is at least that of all values being the smallest, at most that of all the largest */
static bool sum_is_possible(const struct histogram *histogram)
{
	unsigned __int128 low = (unsigned __int128)histogram->count * min_of(histogram);
	unsigned __int128 high = (unsigned __int128)histogram->count * histogram->max;

	return (histogram->sum >= low || histogram->sum == UINT64_MAX) && histogram->sum <= high;
}

static const char *contradiction(const struct histogram *histogram)
{
	uint64_t min = UINT64_MAX - histogram->complement;

	if (!histogram->count)
		return histogram->sum || min || histogram->max
			       ? "it is empty, but has a sum or range"
			       : NULL;
	if (min > histogram->max || !belongs(histogram, min, 1) ||
	    !belongs(histogram, histogram->max, -1))
		return "MIN and MAX must be in the first and last bucket that is used";
	if (!sum_is_possible(histogram))
		return "SUM does not fit to the count, MIN and MAX";
	return NULL;
}

struct error *histogram_parse(const char *text, struct histogram **out)
{
	struct histogram *histogram = memory_zeroed(1, sizeof(*histogram));
	const char *buckets, *problem = read_head(text, histogram, &buckets);

	if (!problem)
		problem = read_buckets(buckets, histogram);
	if (!problem)
		problem = contradiction(histogram);
	if (problem) {
		free(histogram);
		return error_new(ERR_INPUT, "not a histogram: %s", problem);
	}
	if (!histogram->count)
		histogram->complement = 0;
	*out = histogram;
	return NULL;
}
