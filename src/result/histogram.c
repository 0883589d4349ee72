// SPDX-License-Identifier: GPL-2.0-only
#include "result/histogram.h"

#include <math.h>

#define LIMIT ((uint64_t)1 << HISTOGRAM_VALUE_BITS)

int histogram_bucket(uint64_t ns)
{
	int top, shift;

	if (ns < HISTOGRAM_SUB_BUCKETS)
		return (int)ns;
	top = 63 - __builtin_clzll(ns);
	shift = top - HISTOGRAM_SUB_BITS;
	/* the highest bit is in the number of the power of two, the bits below it in the rest */
	return shift * HISTOGRAM_SUB_BUCKETS + (int)(ns >> shift);
}

uint64_t histogram_lower(int bucket)
{
	int shift = bucket / HISTOGRAM_SUB_BUCKETS - 1;

	if (shift < 0)
		return (uint64_t)bucket;
	return (uint64_t)(HISTOGRAM_SUB_BUCKETS + bucket % HISTOGRAM_SUB_BUCKETS) << shift;
}

static uint64_t sum_of(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static void raise_to(uint64_t *at, uint64_t value)
{
	uint64_t now = __atomic_load_n(at, __ATOMIC_RELAXED);

	while (now < value && !__atomic_compare_exchange_n(at, &now, value, true, __ATOMIC_RELAXED,
							   __ATOMIC_RELAXED))
		;
}

static void add_to_sum(uint64_t *sum, uint64_t value)
{
	uint64_t now = __atomic_load_n(sum, __ATOMIC_RELAXED);

	while (!__atomic_compare_exchange_n(sum, &now, sum_of(now, value), true, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED))
		;
}

void histogram_record(struct histogram *histogram, uint64_t ns)
{
	uint64_t *at =
		ns < LIMIT ? &histogram->buckets[histogram_bucket(ns)] : &histogram->overflow;

	__atomic_add_fetch(at, 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&histogram->count, 1, __ATOMIC_RELAXED);
	add_to_sum(&histogram->sum, ns);
	raise_to(&histogram->max, ns);
	raise_to(&histogram->complement, UINT64_MAX - ns);
}

/* the buckets that can hold a value are [first, end): the others are not looked at */
static void used_range(const struct histogram *histogram, int *first, int *end)
{
	uint64_t min = UINT64_MAX - histogram->complement;
	uint64_t max = histogram->max < LIMIT ? histogram->max : LIMIT - 1;

	*first = *end = 0;
	if (!histogram->count || min >= LIMIT)
		return;
	*first = histogram_bucket(min);
	*end = histogram_bucket(max) + 1;
}

void histogram_merge(struct histogram *to, const struct histogram *from)
{
	int first, end;

	used_range(from, &first, &end);
	for (int i = first; i < end; i++)
		if (from->buckets[i])
			to->buckets[i] += from->buckets[i];
	to->count += from->count;
	to->overflow += from->overflow;
	to->sum = sum_of(to->sum, from->sum);
	if (from->max > to->max)
		to->max = from->max;
	if (from->complement > to->complement)
		to->complement = from->complement;
}

double histogram_min(const struct histogram *histogram)
{
	return histogram->count ? (double)(UINT64_MAX - histogram->complement) : NAN;
}

double histogram_max(const struct histogram *histogram)
{
	return histogram->count ? (double)histogram->max : NAN;
}

double histogram_mean(const struct histogram *histogram)
{
	return histogram->count ? (double)histogram->sum / (double)histogram->count : NAN;
}

/*
 * ceil(q * count), at least 1. 0.9 is a little more as a double, and 0.9 of 10 values is still the
 * ninth: the product is lowered by twice the rounding of q.
 */
static uint64_t place_of(uint64_t count, double q)
{
	long double place = ceill((long double)q * count * (1 - 0x1p-52L));

	if (place < 1)
		return 1;
	return place < (long double)count ? (uint64_t)place : count;
}

/*
 * A bucket's middle is nearest to all of its values: they are at most half a width away, and its
 * width is 1/HISTOGRAM_SUB_BUCKETS of its power of two. What is known better is the range.
 */
static double middle_of(const struct histogram *histogram, int bucket)
{
	double middle = (double)(histogram_lower(bucket) + histogram_lower(bucket + 1) - 1) / 2;

	return fmin(fmax(middle, histogram_min(histogram)), histogram_max(histogram));
}

double histogram_quantile(const struct histogram *histogram, double q)
{
	uint64_t place, passed = 0;
	int first, end;

	if (!histogram->count)
		return NAN;
	place = place_of(histogram->count, q);
	if (place == 1)
		return histogram_min(histogram);
	if (place == histogram->count)
		return histogram_max(histogram);
	used_range(histogram, &first, &end);
	for (int i = first; i < end; i++) {
		passed += histogram->buckets[i];
		if (passed >= place)
			return middle_of(histogram, i);
	}
	return histogram_max(histogram);
}
