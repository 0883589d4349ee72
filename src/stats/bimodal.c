// SPDX-License-Identifier: GPL-2.0-only
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "stats/bimodal.h"

/*
 * 0.95 quantiles of sqrt(n) * dip over uniform samples, from 400,000 samples of each n up to 50 and
 * 40,000 above. Between them, interpolated in 1/sqrt(n). tests/stats/test_bimodal.c checks them.
 */
static const struct {
	int n;
	double quantile;
} critical[] = {
	{ 8, 0.4354 },	 { 9, 0.4400 },	  { 10, 0.4417 },  { 12, 0.4501 },
	{ 15, 0.4595 },	 { 20, 0.4699 },  { 30, 0.4835 },  { 50, 0.4974 },
	{ 100, 0.5111 }, { 200, 0.5216 }, { 500, 0.5320 }, { 1000, 0.5373 },
};

/*
 * A hull of the points (x[i], i), first to last: the greatest convex minorant (sign 1) or the least
 * concave majorant (sign -1). Fills @vertex with indices of its corners, returns their number.
 */
static int hull_of(const double *x, int first, int last, int sign, int *vertex)
{
	int n = 0;

	for (int i = first; i <= last; i++) {
		while (n >= 2) {
			int a = vertex[n - 2], b = vertex[n - 1];
			double turn = (x[b] - x[a]) * (i - a) - (x[i] - x[a]) * (b - a);

			if (sign * turn > 0)
				break;
			n--;
		}
		vertex[n++] = i;
	}
	return n;
}

/* height of the hull's edge a..b at x[i] */
static double edge_height(const double *x, int a, int b, int i)
{
	if (x[b] == x[a])
		return a;
	return a + (double)(b - a) * (x[i] - x[a]) / (x[b] - x[a]);
}

/* the edge of a hull that spans index i: the position of its right corner, at least 1 */
static int edge_at(const int *vertex, int n, int i)
{
	int right = 1;

	while (right < n - 1 && vertex[right] < i)
		right++;
	return right;
}

struct gap {
	double height; /* in steps of the distribution function */
	int low, high; /* the new modal interval */
};

/* the largest distance between the two hulls, at a corner of either */
static struct gap widest_gap(const double *x, const int *minor, int n_minor, const int *major,
			     int n_major)
{
	struct gap gap = { .height = 0, .low = minor[0], .high = minor[n_minor - 1] };

	for (int v = 0; v < n_minor; v++) {
		int right = edge_at(major, n_major, minor[v]);
		double height =
			edge_height(x, major[right - 1], major[right], minor[v]) - minor[v] + 1;

		if (height > gap.height)
			gap = (struct gap){ height, minor[v], major[right] };
	}
	for (int v = 0; v < n_major; v++) {
		int right = edge_at(minor, n_minor, major[v]);
		double height =
			major[v] + 1 - edge_height(x, minor[right - 1], minor[right], major[v]);

		if (height > gap.height)
			gap = (struct gap){ height, minor[right - 1], major[v] };
	}
	return gap;
}

/* how far the steps are from a hull outside of the modal interval, over edges within first..last */
static double outside(const double *x, const int *vertex, int n, int first, int last, int sign)
{
	double most = 0;

	for (int v = 1; v < n; v++) {
		int a = vertex[v - 1], b = vertex[v];

		if (a < first || b > last)
			continue;
		for (int i = a; i <= b; i++)
			most = fmax(most, sign * (i - edge_height(x, a, b, i)) + 1);
	}
	return most;
}

double dip_of(const double *sorted, int n)
{
	autofree int *minor = memory_zeroed(n + 1, sizeof(*minor));
	autofree int *major = memory_zeroed(n + 1, sizeof(*major));
	int low = 0, high = n - 1;
	double dip = 1; /* in steps: 2n times the dip */

	if (n < 2 || sorted[0] == sorted[n - 1])
		return 0;
	for (;;) {
		int n_minor = hull_of(sorted, low, high, 1, minor);
		int n_major = hull_of(sorted, low, high, -1, major);
		struct gap gap = widest_gap(sorted, minor, n_minor, major, n_major);

		if (gap.height <= dip)
			break;
		dip = fmax(dip, outside(sorted, minor, n_minor, low, gap.low, 1));
		dip = fmax(dip, outside(sorted, major, n_major, gap.high, high, -1));
		if (gap.low == low && gap.high == high) {
			dip = fmax(dip, 1);
			break;
		}
		low = gap.low;
		high = gap.high;
		if (low >= high)
			break;
	}
	return dip / (2 * n);
}

double dip_critical(int n)
{
	size_t last = ARRAY_SIZE(critical) - 1, i = 0;
	double position, share;

	if (n <= critical[0].n)
		return critical[0].quantile / sqrt(n);
	while (i < last - 1 && critical[i + 1].n < n)
		i++;
	position = fmax(1 / sqrt(n), 1 / sqrt(critical[last].n));
	share = (1 / sqrt(critical[i].n) - position) /
		(1 / sqrt(critical[i].n) - 1 / sqrt(critical[i + 1].n));
	return (critical[i].quantile + share * (critical[i + 1].quantile - critical[i].quantile)) /
	       sqrt(n);
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* splits sorted values where the sum of squares between the groups is largest */
static struct bimodal split(const double *sorted, int n)
{
	struct bimodal best = { .found = true };
	double total = 0, below = 0, most = -1;

	for (int i = 0; i < n; i++)
		total += sorted[i];
	for (int i = 1; i < n; i++) {
		double low, high, between;

		below += sorted[i - 1];
		low = below / i;
		high = (total - below) / (n - i);
		between = (double)i * (n - i) * (high - low) * (high - low);
		if (between > most) {
			most = between;
			best = (struct bimodal){ true, i, n - i, low, high };
		}
	}
	return best;
}

struct bimodal bimodal_of(const double *values, int n)
{
	autofree double *sorted = memory_zeroed(n, sizeof(*sorted));
	int count = 0;

	for (int i = 0; i < n; i++)
		if (!isnan(values[i]))
			sorted[count++] = values[i];
	if (count < BIMODAL_LEAST)
		return (struct bimodal){ false };
	qsort(sorted, count, sizeof(*sorted), ascending);
	if (dip_of(sorted, count) <= dip_critical(count))
		return (struct bimodal){ false };
	return split(sorted, count);
}
