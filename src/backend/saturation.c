// SPDX-License-Identifier: GPL-2.0-only
#include "backend/saturation.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

#define RESOLUTION 50 /* the bisection ends at 1/50 of the load */
/* SMT siblings add less than cores do, so the last 5 % of throughput may be 20 % of the load */
#define MOST_EXTRAPOLATED 4
/* of the most: less is not full, without another trial */
#define NEAR_SHARE 0.85

struct search {
	saturation_measure measure;
	void *data;
	int64_t least, most;
	struct saturation *out;
	double best; /* the most throughput of all points */
};

/* the most of the trials of a load; returns how many there are */
static int seen_at(const struct search *search, int64_t load, double *most)
{
	const struct saturation *saturation = search->out;
	int n = 0;

	*most = 0;
	for (int i = 0; i < saturation->n; i++) {
		if (saturation->points[i].load != load)
			continue;
		*most = fmax(*most, saturation->points[i].throughput);
		n++;
	}
	return n;
}

static struct error *measure_at(struct search *search, int64_t load)
{
	struct saturation *saturation = search->out;
	struct saturation_point *point;
	struct error *error;
	double throughput = 0;

	if (saturation->n == SATURATION_TRIALS)
		return error_new(ERR_DOMAIN, "no saturation was found with %d trials",
				 SATURATION_TRIALS);
	error = search->measure(load, saturation->n, search->data, &throughput);
	if (error)
		return error;
	point = array_append(saturation->points, saturation->n);
	point->load = load;
	point->throughput = throughput;
	search->best = fmax(search->best, throughput);
	return NULL;
}

/* of the trials that there were, else of one */
static struct error *throughput_at(struct search *search, int64_t load, double *out)
{
	struct error *error = NULL;

	if (!seen_at(search, load, out))
		error = measure_at(search, load);
	seen_at(search, load, out);
	return error;
}

/* further trials while the load gives less than @wanted; *out is the most of all of its trials */
static struct error *insist(struct search *search, int64_t load, double wanted, int trials,
			    double *out)
{
	struct error *error = NULL;

	while (!error && seen_at(search, load, out) < trials && *out < wanted)
		error = measure_at(search, load);
	seen_at(search, load, out);
	return error;
}

/* a load that just misses it is tried again: the most that was seen is of a lucky trial, perhaps */
static struct error *is_full(struct search *search, int64_t load, bool *full)
{
	double throughput, wanted = SATURATION_SHARE * search->best;
	struct error *error = throughput_at(search, load, &throughput);

	if (!error && throughput >= NEAR_SHARE * search->best)
		error = insist(search, load, wanted, SATURATION_REPEAT, &throughput);
	*full = throughput >= SATURATION_SHARE * search->best;
	return error;
}

/*
 * Until two doublings in a row gave nothing, each tried twice: one alone may be a load between two good
 * placements.
 */
static struct error *double_up(struct search *search, int64_t start)
{
	double throughput, reached = 0;
	int without_gain = 0;

	for (int64_t load = start; without_gain < 2; load *= 2) {
		double wanted = reached * (1 + SATURATION_GAIN);
		struct error *error = throughput_at(search, load, &throughput);

		if (!error)
			error = insist(search, load, wanted, SATURATION_REPEAT - 1, &throughput);
		if (error)
			return error;
		/* a load so small that a short trial counted nothing says nothing */
		if (throughput >= wanted) {
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
	struct error *error;
	bool full;

	for (*out = start;; *out *= 2) {
		error = is_full(search, *out, &full);
		if (error || full)
			return error;
	}
}
/* a pair of loads: *low is not full (or below the least), *high is */
static struct error *bracket(struct search *search, int64_t start, int64_t *low, int64_t *high)
{
	bool full;
	struct error *error = first_full(search, start, high);

	*low = *high / 2;
	if (error || *high > start)
		return error;
	*low = search->least - 1;
	while (!error && *high > search->least) {
		int64_t half = *high / 2 > search->least ? *high / 2 : search->least;

		error = is_full(search, half, &full);
		if (!error && !full) {
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

static bool is_apart(int64_t low, int64_t high)
{
	return high - low > 1 && high - low > high / RESOLUTION;
}

static struct error *bisect(struct search *search, int64_t low, int64_t high)
{
	struct saturation_point from = { 0, 0 }, to = { high, 0 };
	struct error *error = NULL;
	bool full;

	if (low >= search->least) {
		from.load = low;
		error = throughput_at(search, low, &from.throughput);
	}
	while (!error && is_apart(low, to.load)) {
		int64_t middle = low + (to.load - low) / 2;

		error = is_full(search, middle, &full);
		if (full)
			to.load = middle;
		else
			low = middle;
	}
	if (error)
		return error;
	error = throughput_at(search, to.load, &to.throughput);
	search->out->load = extrapolate(search, from, to);
	search->out->throughput = search->best;
	return error;
}

static struct error *search_workers(struct search *search, int64_t start)
{
	int64_t low, high;
	struct error *error = double_up(search, start);

	if (!error && !(search->best > 0))
		error = error_new(ERR_DOMAIN, "there is no throughput at any load");
	if (!error)
		error = bracket(search, start, &low, &high);
	return error ? error : bisect(search, low, high);
}

/* ---- what is offered ---- */

static struct error *keeps_up(struct search *search, int64_t load, bool *up)
{
	double throughput, wanted = SATURATION_SHARE * (double)load;
	struct error *error = insist(search, load, wanted, SATURATION_REPEAT, &throughput);

	*up = throughput >= wanted;
	return error;
}

/* doubles *low, which is kept up with, until *high is not */
static struct error *rise(struct search *search, int64_t *low, int64_t *high)
{
	struct error *error = NULL;
	bool up = true;

	while (!error && up) {
		if (*low > search->most / 2)
			return error_new(ERR_DOMAIN,
					 "all of %" PRId64
					 " is completed, above which there is no search",
					 *low);
		*high = *low * 2;
		error = keeps_up(search, *high, &up);
		if (up)
			*low = *high;
	}
	return error;
}

/* halves *high, which is not kept up with, until *low is */
static struct error *sink(struct search *search, int64_t *low, int64_t *high)
{
	struct error *error = NULL;
	bool up = false;

	while (!error && !up) {
		if (*high == search->least)
			return error_new(ERR_DOMAIN,
					 "not even %" PRId64
					 ", the least that there is a search for, is completed",
					 search->least);
		*low = *high / 2 > search->least ? *high / 2 : search->least;
		error = keeps_up(search, *low, &up);
		if (!up)
			*high = *low;
	}
	return error;
}

static struct error *search_offered(struct search *search, int64_t start)
{
	int64_t low = start, high = start;
	struct error *error;
	bool up;

	error = keeps_up(search, start, &up);
	if (!error)
		error = up ? rise(search, &low, &high) : sink(search, &low, &high);
	while (!error && is_apart(low, high)) {
		int64_t middle = low + (high - low) / 2;

		error = keeps_up(search, middle, &up);
		if (up)
			low = middle;
		else
			high = middle;
	}
	search->out->load = llround(fmin((double)low, search->best));
	search->out->throughput = search->best;
	return error;
}

struct error *saturation_search(const struct saturation_range *range, saturation_measure measure,
				void *data, struct saturation *out)
{
	struct search search = { measure, data, range->least, range->most, out, 0 };

	*out = (struct saturation){ 0 };
	return range->offered ? search_offered(&search, range->start)
			      : search_workers(&search, range->start);
}

void saturation_clear(struct saturation *saturation)
{
	free(saturation->points);
	*saturation = (struct saturation){ 0 };
}
