// SPDX-License-Identifier: GPL-2.0-only
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "stats/multiplicity.h"

struct ranked {
	double p;
	int row;
};

static int by_p(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return (x->p > y->p) - (x->p < y->p);
}

void adjust_p_values(const double *p, int n, double *adjusted)
{
	autofree struct ranked *ranked = memory_zeroed(n, sizeof(*ranked));
	double smallest = 1;
	int family = 0;

	for (int i = 0; i < n; i++) {
		if (isnan(p[i]))
			adjusted[i] = NAN;
		else
			ranked[family++] = (struct ranked){ p[i], i };
	}
	qsort(ranked, family, sizeof(*ranked), by_p);
	for (int rank = family; rank >= 1; rank--) {
		smallest = fmin(smallest, ranked[rank - 1].p * family / rank);
		adjusted[ranked[rank - 1].row] = smallest;
	}
}

double next_row_alpha(const double *adjusted, int n, double alpha)
{
	int family = 0, called = 0;

	for (int i = 0; i < n; i++) {
		family += !isnan(adjusted[i]);
		called += adjusted[i] <= alpha;
	}
	return family ? alpha * fmin(called + 1, family) / family : alpha;
}
