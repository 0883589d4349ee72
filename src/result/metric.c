// SPDX-License-Identifier: GPL-2.0-only
#include "result/metric.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

static const char *const better_names[] = {
	[BETTER_HIGHER] = "higher",
	[BETTER_LOWER] = "lower",
	[BETTER_NEITHER] = "neither",
};

const char *better_name(enum better better)
{
	return better_names[better];
}

bool better_parse(const char *name, enum better *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(better_names); i++) {
		if (!strcmp(name, better_names[i])) {
			*out = i;
			return true;
		}
	}
	return false;
}

static struct spread spread_unknown(void)
{
	return (struct spread){
		.mean = NAN, .min = NAN, .max = NAN, .stddev = NAN, .cov = NAN, .jain = NAN
	};
}

/* first pass: count, range and a mean that may be off by rounding */
static void first_pass(const double *values, int n, struct spread *spread)
{
	double sum = 0;

	for (int i = 0; i < n; i++) {
		if (isnan(values[i]))
			continue;
		sum += values[i];
		if (!spread->n || values[i] < spread->min)
			spread->min = values[i];
		if (!spread->n || values[i] > spread->max)
			spread->max = values[i];
		spread->n++;
	}
	if (spread->n)
		spread->mean = sum / spread->n;
}

/*
 * Second pass: deviations from that mean. Their sum corrects the mean and the variance for its
 * rounding (the corrected two-pass algorithm; Chan, Golub and LeVeque 1983), so that equal values
 * have a deviation of exactly 0.
 */
static void second_pass(const double *values, int n, struct spread *spread)
{
	double sum = 0, squares = 0, variance;

	for (int i = 0; i < n; i++) {
		double deviation = values[i] - spread->mean;

		if (isnan(values[i]))
			continue;
		sum += deviation;
		squares += deviation * deviation;
	}
	variance = (squares - sum * sum / spread->n) / spread->n;
	spread->stddev = variance > 0 ? sqrt(variance) : 0;
	spread->mean = fmin(fmax(spread->mean + sum / spread->n, spread->min), spread->max);
	if (spread->min == spread->max)
		spread->stddev = 0;
}

struct spread spread_of(const double *values, int n)
{
	struct spread spread = spread_unknown();

	first_pass(values, n, &spread);
	if (!spread.n)
		return spread;
	second_pass(values, n, &spread);
	if (spread.mean != 0) {
		double ratio = spread.stddev / spread.mean;

		if (spread.n >= 2)
			spread.cov = 100 * fabs(ratio);
		/* (sum x)^2 / (n sum x^2) with sum x^2 = n (mean^2 + stddev^2) */
		spread.jain = 1 / (1 + ratio * ratio);
	} else if (spread.stddev > 0) {
		spread.jain = 0;
	}
	return spread;
}
