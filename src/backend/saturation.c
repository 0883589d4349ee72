// SPDX-License-Identifier: GPL-2.0-only
#include "backend/saturation.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"

#define RESOLUTION 50 /* the bisection ends at 1/50 of the load */
/* SMT siblings add less than cores do, so the last 5 % of throughput may be 20 % of the load */
#define MOST_EXTRAPOLATED 4

struct search {
	saturation_measure measure;
	void *data;
	int64_t least, most;
	struct saturation *out;
	double best; /* the most throughput of all points */
};

/* each load is measured once */
static struct error *throughput_at(struct search *search, int64_t load, double *out)
{
	struct saturation *saturation = search->out;
	struct saturation_point *point;
	struct error *error;
	double throughput = 0;

	for (int i = 0; i < saturation->n; i++) {
		if (saturation->points[i].load == load) {
			*out = saturation->points[i].throughput;
			return NULL;
		}
	}
	if (saturation->n == SATURATION_TRIALS)
		return error_new(ERR_DOMAIN, "no saturation was found with %d trials",
				 SATURATION_TRIALS);
	error = search->measure(load, search->data, &throughput);
	if (error)
		return error;
	point = array_append(saturation->points, saturation->n);
	point->load = load;
	point->throughput = throughput;
	search->best = throughput > search->best ? throughput : search->best;
	*out = throughput;
	return NULL;
}

static bool is_full(const struct search *search, double throughput)
{
	return throughput >= SATURATION_SHARE * search->best;
}

/*
 * Until two doublings in a row gave nothing: one alone may be an unlucky trial, or a load between two
 * good placements.
 */
static struct error *double_up(struct search *search, int64_t start)
{
	double throughput, reached = 0;
	int without_gain = 0;

	for (int64_t load = start; without_gain < 2; load *= 2) {
		struct error *error = throughput_at(search, load, &throughput);

		if (error)
			return error;
		/* a load so small that a short trial counted nothing says nothing */
		if (throughput >= reached * (1 + SATURATION_GAIN)) {
			without_gain = 0;
			reached = throughput;
		} else {
			without_gain++;
		}
		if (load > search->most / 2)
			return without_gain || !(reached > 0)
				       ? NULL
				       : error_new(ERR_DOMAIN,
						   "throughput still grows at %" PRId64
						   ", above which there is no search",
						   load);
	}
	return NULL;
}

/* the smallest of the loads start, 2 start, 4 start ... that is full; all were measured */
static struct error *first_full(struct search *search, int64_t start, int64_t *out)
{
	double throughput;
	struct error *error = throughput_at(search, start, &throughput);

	for (*out = start; !error && !is_full(search, throughput);) {
		*out *= 2;
		error = throughput_at(search, *out, &throughput);
	}
	return error;
}

/* a pair of loads: *low is not full (or below the least), *high is */
static struct error *bracket(struct search *search, int64_t start, int64_t *low, int64_t *high)
{
	double throughput;
	struct error *error = first_full(search, start, high);

	*low = *high / 2;
	if (error || *high > start)
		return error;
	*low = search->least - 1;
	while (!error && *high > search->least) {
		int64_t half = *high / 2 > search->least ? *high / 2 : search->least;

		error = throughput_at(search, half, &throughput);
		if (!error && !is_full(search, throughput)) {
			*low = half;
			return NULL;
		}
		*high = half;
	}
	return error;
}

/*
 * Where the line through two points reaches the most: @from is well below the saturation, @to a little.
 * Below it, throughput grows with load in a straight line, at least within a doubling.
 */
static int64_t extrapolate(const struct search *search, struct saturation_point from,
			   struct saturation_point to)
{
	double slope = (to.throughput - from.throughput) / (double)(to.load - from.load);
	double more = slope > 0 ? (search->best - to.throughput) / slope : 0;

	return llround(to.load +
		       fmin(more, to.load * (1 / SATURATION_SHARE - 1) * MOST_EXTRAPOLATED));
}

static struct error *bisect(struct search *search, int64_t low, int64_t high)
{
	struct saturation_point from = { 0, 0 };
	double throughput, of_high;
	struct error *error = throughput_at(search, high, &of_high);

	if (!error && low >= search->least) {
		from.load = low;
		error = throughput_at(search, low, &from.throughput);
	}

	while (!error && high - low > 1 && high - low > high / RESOLUTION) {
		int64_t middle = low + (high - low) / 2;

		error = throughput_at(search, middle, &throughput);
		if (error)
			break;
		if (is_full(search, throughput)) {
			high = middle;
			of_high = throughput;
		} else {
			low = middle;
		}
	}
	search->out->load = extrapolate(search, from, (struct saturation_point){ high, of_high });
	search->out->throughput = search->best;
	return error;
}

struct error *saturation_search(int64_t start, int64_t least, int64_t most,
				saturation_measure measure, void *data, struct saturation *out)
{
	struct search search = { measure, data, least, most, out, 0 };
	int64_t low, high;
	struct error *error;

	*out = (struct saturation){ 0 };
	error = double_up(&search, start);
	if (!error && !(search.best > 0))
		error = error_new(ERR_DOMAIN, "there is no throughput at any load");
	if (!error)
		error = bracket(&search, start, &low, &high);
	if (!error)
		error = bisect(&search, low, high);
	return error;
}

void saturation_clear(struct saturation *saturation)
{
	free(saturation->points);
	*saturation = (struct saturation){ 0 };
}
