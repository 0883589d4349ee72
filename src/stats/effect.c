// SPDX-License-Identifier: GPL-2.0-only
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "stats/effect.h"
#include "stats/sample.h"

#define MATHLIB_STANDALONE 1
#include <Rmath.h>

/*
 * Rounding leaves a spread of some 1e-16 of the values where there is none. Below this, relative to
 * the size of the values on the scale of the test, it is taken as none.
 */
static const double no_spread_below = 1e-12;

static struct error *check_level(double level)
{
	if (level >= 0.5 && level < 1)
		return NULL;
	return error_new(ERR_DOMAIN, "level %g is not within 0.5 and 1 (1 excluded)", level);
}

/* the values on the scale of the test, a new array; NAN stays */
static struct error *transform(const double *values, int n, enum effect_scale scale,
			       const char *what, double **out)
{
	double *scaled = memory_zeroed(n, sizeof(*scaled));

	for (int i = 0; i < n; i++) {
		double value = values[i];

		if (isinf(value) || (scale == EFFECT_RATIO && value <= 0)) {
			free(scaled);
			return error_new(ERR_DOMAIN, "%s %d: value %g has no %s", what, i + 1,
					 value, scale == EFFECT_RATIO ? "ratio" : "difference");
		}
		scaled[i] = scale == EFFECT_RATIO ? log(value) : value;
	}
	*out = scaled;
	return NULL;
}

static double magnitude(const double *values, int n)
{
	double largest = 0;

	for (int i = 0; i < n; i++)
		largest = fmax(largest, fabs(values[i]));
	return largest;
}

/* fills interval and p-value from centre, standard error and df */
static void conclude(struct effect *effect, double level, double size)
{
	double limit = no_spread_below * fmax(size, effect->scale == EFFECT_RATIO ? 1 : 0);
	double half;
	int n = effect->n_base < effect->n_test ? effect->n_base : effect->n_test;

	effect->no_spread = sqrt(effect->variance_base + effect->variance_test) <= limit;
	if (effect->no_spread) {
		if (fabs(effect->centre) <= limit)
			effect->centre = 0;
		effect->standard_error = effect->variance_base = effect->variance_test = 0;
		effect->p_value = effect->centre == 0 ? 1 : ldexp(1, 1 - n);
		half = 0;
	} else {
		half = qt(0.5 + level / 2, effect->df, 1, 0) * effect->standard_error;
		effect->p_value =
			2 * pt(-fabs(effect->centre) / effect->standard_error, effect->df, 1, 0);
	}
	effect->point = effect->centre;
	effect->low = effect->centre - half;
	effect->high = effect->centre + half;
	if (effect->scale == EFFECT_RATIO) {
		effect->point = exp(effect->point);
		effect->low = exp(effect->low);
		effect->high = exp(effect->high);
	}
}

static struct error *paired(const double *base, const double *test, int n, double level,
			    enum effect_scale scale, struct effect *out)
{
	struct effect effect = { .scale = scale, .paired = true };
	autofree double *scaled_base = NULL, *scaled_test = NULL, *differences = NULL;
	struct sample sample;
	struct error *error = check_level(level);

	if (!error)
		error = transform(base, n, scale, "base block", &scaled_base);
	if (!error)
		error = transform(test, n, scale, "test block", &scaled_test);
	if (error)
		return error;
	differences = memory_zeroed(n, sizeof(*differences));
	for (int i = 0; i < n; i++)
		differences[i] = scaled_test[i] - scaled_base[i];
	sample = sample_of(differences, n);
	if (sample.n < 2)
		return error_new(ERR_TOO_FEW,
				 "%d block%s with a value of both; at least 2 are needed", sample.n,
				 sample.n == 1 ? "" : "s");
	effect.n_base = effect.n_test = sample.n;
	effect.centre = sample.mean;
	effect.variance_base = sample.stddev * sample.stddev;
	effect.standard_error = sample.stddev / sqrt(sample.n);
	effect.df = sample.n - 1;
	conclude(&effect, level, fmax(magnitude(scaled_base, n), magnitude(scaled_test, n)));
	*out = effect;
	return NULL;
}

/* Welch's standard error and the Welch-Satterthwaite degrees of freedom */
static void welch(double variance_base, double n_base, double variance_test, double n_test,
		  double *standard_error, double *df)
{
	double a = variance_base / n_base, b = variance_test / n_test;

	*standard_error = sqrt(a + b);
	*df = (a + b) * (a + b) / (a * a / (n_base - 1) + b * b / (n_test - 1));
}

static struct error *unpaired(const double *base, int n_base, const double *test, int n_test,
			      double level, enum effect_scale scale, struct effect *out)
{
	struct effect effect = { .scale = scale };
	autofree double *scaled_base = NULL, *scaled_test = NULL;
	struct sample a, b;
	struct error *error = check_level(level);

	if (!error)
		error = transform(base, n_base, scale, "base trial", &scaled_base);
	if (!error)
		error = transform(test, n_test, scale, "test trial", &scaled_test);
	if (error)
		return error;
	a = sample_of(scaled_base, n_base);
	b = sample_of(scaled_test, n_test);
	if (a.n < 2 || b.n < 2)
		return error_new(ERR_TOO_FEW,
				 "%d and %d trials with a value; at least 2 of each are needed",
				 a.n, b.n);
	effect.n_base = a.n;
	effect.n_test = b.n;
	effect.centre = b.mean - a.mean;
	effect.variance_base = a.stddev * a.stddev;
	effect.variance_test = b.stddev * b.stddev;
	welch(effect.variance_base, a.n, effect.variance_test, b.n, &effect.standard_error,
	      &effect.df);
	conclude(&effect, level,
		 fmax(magnitude(scaled_base, n_base), magnitude(scaled_test, n_test)));
	*out = effect;
	return NULL;
}

struct error *ratio_paired(const double *base, const double *test, int n, double level,
			   struct effect *out)
{
	return paired(base, test, n, level, EFFECT_RATIO, out);
}

struct error *difference_paired(const double *base, const double *test, int n, double level,
				struct effect *out)
{
	return paired(base, test, n, level, EFFECT_DIFFERENCE, out);
}

struct error *ratio_unpaired(const double *base, int n_base, const double *test, int n_test,
			     double level, struct effect *out)
{
	return unpaired(base, n_base, test, n_test, level, EFFECT_RATIO, out);
}

struct error *difference_unpaired(const double *base, int n_base, const double *test, int n_test,
				  double level, struct effect *out)
{
	return unpaired(base, n_base, test, n_test, level, EFFECT_DIFFERENCE, out);
}

double effect_half_width(const struct effect *effect, int further, double alpha)
{
	double n_base = (double)effect->n_base + further, n_test = (double)effect->n_test + further;
	double standard_error, df;

	if (effect->no_spread)
		return 0;
	if (effect->paired) {
		standard_error = sqrt(effect->variance_base / n_base);
		df = n_base - 1;
	} else {
		welch(effect->variance_base, n_base, effect->variance_test, n_test, &standard_error,
		      &df);
	}
	return qt(1 - alpha / 2, df, 1, 0) * standard_error;
}
