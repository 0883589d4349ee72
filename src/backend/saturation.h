/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * saturation.h - at which load is a machine just full? A short search
 *
 * A load that is a number of workers, and throughput in a unit of its own: doubling, from the start on,
 * until two doublings in a row gave less than 5 % more than was reached; downwards by halves if the start was
 * full already; then bisection for the smallest load that reaches 95 % of the most that was seen, to
 * 1/50 of the load; the last 5 % are extrapolated along the line from the last doubled load that was not
 * full. So a knee is found also behind a gentle slope, as that of SMT siblings, with few trials.
 *
 * A load that is offered, in the unit of the throughput (requests a second): a load is kept up with if 95 % of
 * it are completed, so that what waits grows by less than 5 % of what arrives. That does not depend on
 * how long a trial is, nor on what other loads gave. Doubling until one is not kept up with, halves
 * if the start is not; bisection between the two to 1/50. What is found is at most the throughput seen.
 *
 * Others who use the machine make a trial worse and hardly ever better: where a trial would end a
 * direction, the load is tried again, and the best of its trials counts.
 */
#ifndef FT_BACKEND_SATURATION_H
#define FT_BACKEND_SATURATION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

#define SATURATION_GAIN	  0.05 /* of a doubling: less is none */
#define SATURATION_SHARE  0.95 /* of the most throughput, or of what is offered */
#define SATURATION_TRIALS 60   /* at most, whatever is measured */
#define SATURATION_REPEAT 3    /* trials of a load that decides, at most */

/* What one trial measured. */
struct saturation_point {
	int64_t load;
	double throughput; /* in any unit, >= 0 */
};

struct saturation {
	int64_t load;
	double throughput;		 /* the most that was measured */
	struct saturation_point *points; /* in the order of the search */
	int n;
};

struct saturation_range {
	int64_t start, least, most; /* least <= start <= most */
	bool offered;		    /* the load is what is offered, in the unit of the throughput */
};

/* saturation_measure - the throughput at a load in the trial of that number; an error ends the search */
typedef struct error *(*saturation_measure)(int64_t load, int trial, void *data,
					    double *throughput);

/*
 * saturation_search
 * @out: points are there also after an error; freed by saturation_clear()
 *
 * Errors: of @measure; ERR_DOMAIN if throughput still grows at the most load, if there is none at all, or
 * if not even the least that is offered is kept up with.
 */
struct error *saturation_search(const struct saturation_range *range, saturation_measure measure,
				void *data, struct saturation *out);
void saturation_clear(struct saturation *saturation);

#endif
