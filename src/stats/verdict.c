// SPDX-License-Identifier: GPL-2.0-only
#include <math.h>

#include "stats/verdict.h"

static const struct {
	const char *letter, *name;
} words[] = {
	[VERDICT_NONE] = { "", "none" },
	[VERDICT_REGRESSION] = { "R", "regression" },
	[VERDICT_IMPROVEMENT] = { "I", "improvement" },
	[VERDICT_EQUIVALENT] = { "=", "equivalent" },
	[VERDICT_UNDECIDED] = { "?", "undecided" },
	[VERDICT_DIFFERS] = { "d", "differs" },
};

const char *verdict_letter(enum verdict verdict)
{
	return words[verdict].letter;
}

const char *verdict_name(enum verdict verdict)
{
	return words[verdict].name;
}

double margin_of_ratio(double margin)
{
	return log1p(margin);
}

static int smaller_count(const struct effect *effect)
{
	return effect->n_base < effect->n_test ? effect->n_base : effect->n_test;
}

/* is n enough where there is no spread? */
static bool signs_suffice(int n, double alpha)
{
	return ldexp(1, 1 - n) <= alpha;
}

enum verdict verdict_of(const struct effect *effect, enum better better, double adjusted,
			double alpha, double margin)
{
	double half = effect_half_width(effect, 0, alpha);
	bool rises = effect->centre > 0;

	if (effect->no_spread && !signs_suffice(smaller_count(effect), alpha))
		return better == BETTER_NEITHER ? VERDICT_NONE : VERDICT_UNDECIDED;
	if (better == BETTER_NEITHER)
		return adjusted <= alpha ? VERDICT_DIFFERS : VERDICT_NONE;
	if (fabs(effect->centre) + half <= margin)
		return VERDICT_EQUIVALENT;
	if (adjusted <= alpha)
		return rises == (better == BETTER_HIGHER) ? VERDICT_IMPROVEMENT
							  : VERDICT_REGRESSION;
	return VERDICT_UNDECIDED;
}

/* the smallest 1 <= further <= FURTHER_MOST whose half width is <= limit, or FURTHER_MOST + 1 */
static int trials_for_width(const struct effect *effect, double alpha, double limit)
{
	int low = 0, high = FURTHER_MOST + 1;

	if (limit <= 0)
		return FURTHER_MOST + 1;
	while (high - low > 1) {
		int middle = (low + high) / 2;

		if (effect_half_width(effect, middle, alpha) <= limit)
			high = middle;
		else
			low = middle;
	}
	return high;
}

static int trials_for_signs(const struct effect *effect, double alpha)
{
	int further = 1;

	while (further <= FURTHER_MOST && !signs_suffice(smaller_count(effect) + further, alpha))
		further++;
	return further;
}

struct further further_trials(const struct effect *effect, double row_alpha, double alpha,
			      double margin)
{
	double distance = fabs(effect->centre);
	int to_differ, to_equal;

	if (effect->no_spread) {
		bool inside = distance <= margin;

		return (struct further){ trials_for_signs(effect, inside ? alpha : row_alpha),
					 inside };
	}
	to_differ = trials_for_width(effect, row_alpha, distance);
	to_equal = trials_for_width(effect, alpha, margin - distance);
	if (to_equal < to_differ)
		return (struct further){ to_equal, true };
	return (struct further){ to_differ, false };
}
