// SPDX-License-Identifier: GPL-2.0-only
#include <math.h>

#include "stats/sample.h"

#define MATHLIB_STANDALONE 1
#include <Rmath.h>

/* divided by n - 1; NAN if fewer than two are there */
static double variance(const double *values, int n, double mean)
{
	double squares = 0;
	int count = 0;

	for (int i = 0; i < n; i++) {
		if (isnan(values[i]))
			continue;
		squares += (values[i] - mean) * (values[i] - mean);
		count++;
	}
	return count < 2 ? NAN : squares / (count - 1);
}

struct sample sample_of(const double *values, int n)
{
	struct sample sample = {
		.mean = NAN, .geometric = NAN, .stddev = NAN, .cov = NAN, .min = NAN, .max = NAN
	};
	double sum = 0, logs = 0;

	for (int i = 0; i < n; i++) {
		if (isnan(values[i]))
			continue;
		sum += values[i];
		logs += values[i] > 0 ? log(values[i]) : NAN;
		sample.min = fmin(sample.min, values[i]);
		sample.max = fmax(sample.max, values[i]);
		sample.n++;
	}
	if (!sample.n)
		return sample;
	sample.mean = sum / sample.n;
	sample.geometric = exp(logs / sample.n);
	sample.stddev = sqrt(variance(values, n, sample.mean));
	if (sample.mean != 0)
		sample.cov = 100 * sample.stddev / fabs(sample.mean);
	return sample;
}

double sample_half_width(const struct sample *sample, double level)
{
	if (sample->n < 2)
		return NAN;
	return qt(0.5 + level / 2, sample->n - 1, 1, 0) * sample->stddev / sqrt(sample->n);
}
