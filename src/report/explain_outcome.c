// SPDX-License-Identifier: GPL-2.0-only
/* explain_outcome.c - base and test with and without an experiment's setting: what that showed */
#include <math.h>

#include "base/memory.h"
#include "report/explain.h"
#include "report/format.h"

/* less than this part of the effect, in logarithms, is left: it has gone */
#define GONE 0.25

static bool all_identical(const double *const values[4], int n)
{
	for (int i = 0; i < n; i++)
		for (int side = 0; side < 2; side++)
			if (!isnan(values[side][i]) && !isnan(values[2 + side][i]) &&
			    values[side][i] != values[2 + side][i])
				return false;
	return true;
}

/* a missing value of any of the four drops the block from all */
struct error *explain_outcome(const double *const values[4], int n, double level,
			      struct outcome *out)
{
	autofree double *without = memory_zeroed((size_t)n, sizeof(double));
	autofree double *with = memory_zeroed((size_t)n, sizeof(double));
	struct error *error;

	for (int i = 0; i < n; i++) {
		without[i] = values[1][i] / values[0][i];
		with[i] = values[3][i] / values[2][i];
		if (isnan(without[i]) || isnan(with[i]))
			without[i] = with[i] = NAN;
	}
	error = ratio_paired(values[0], values[1], n, level, &out->without);
	if (!error)
		error = ratio_paired(values[2], values[3], n, level, &out->with);
	if (!error)
		error = ratio_paired(without, with, n, level, &out->ratio);
	if (!error) {
		out->adjusted = out->ratio.p_value;
		out->identical = all_identical(values, n);
	}
	return error;
}

/* what follows from the figures, a new string */
static char *conclusion(const struct outcome *outcome, double level)
{
	double before = log(outcome->without.point), after = log(outcome->with.point);
	double left = after / before; /* of the difference, in logarithms */

	if (outcome->without.p_value > 1 - level)
		return memory_string("there was no clear difference to explain this time");
	if (outcome->adjusted > 1 - level)
		return memory_string("the difference does not depend on it, as far as these trials "
				     "can tell");
	if (fabs(left) < GONE || outcome->with.p_value > 1 - level)
		return memory_string("the difference goes with it");
	if (left < 0)
		return memory_string("the difference changes its sign without it");
	if (left < 1)
		return memory_format("%.0f %% of the difference goes with it", 100 - 100 * left);
	return memory_format("the difference grows by %.0f %% without it", 100 * left - 100);
}

void explain_outcome_print(FILE *stream, const char *metric, const struct outcome *outcome,
			   double level)
{
	autofree char *without = format_effect(&outcome->without);
	autofree char *without_interval = format_interval(&outcome->without);
	autofree char *with = format_effect(&outcome->with);
	autofree char *with_interval = format_interval(&outcome->with);
	autofree char *ratio = format_effect(&outcome->ratio);
	autofree char *ratio_interval = format_interval(&outcome->ratio);
	autofree char *follows = conclusion(outcome, level);
	autofree char *text = NULL;

	if (outcome->identical)
		text = memory_format("%s: every value is the same with it and without, to the last "
				     "digit: the setting had no effect here, and nothing follows "
				     "for the difference",
				     metric);
	else
		text = memory_format("%s %s %s -> %s %s; ratio %s %s: %s", metric, without,
				     without_interval, with, with_interval, ratio, ratio_interval,
				     follows);
	fprintf(stream, "    ");
	print_wrapped(stream, text, 4, 6);
}

void explain_experiment_print(FILE *stream, const struct experiment *experiment)
{
	autofree char *settings = experiment_settings(experiment);
	autofree char *text = memory_format("%s: %s in both (without %s)", experiment->name,
					    settings, experiment->removes);

	print_wrapped(stream, text, 0, 2);
}
