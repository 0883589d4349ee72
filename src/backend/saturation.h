/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * saturation.h - at which load is a machine just full? A short search
 *
 * Doubling, from the start on, until two doublings in a row gave less than 5 % more than was reached;
 * downwards by halves if the start was full already; then bisection for the smallest load that
 * reaches 95 % of the most that was seen, to 1/50 of the load; the last 5 % are extrapolated along the
 * line from the last doubled load that was not full. So a knee is found also behind a gentle slope,
 * as that of SMT siblings, with few trials; a noise of some per cent moves the result by as much.
 */
#ifndef FT_BACKEND_SATURATION_H
#define FT_BACKEND_SATURATION_H

#include <stdint.h>

#include "base/error.h"

#define SATURATION_GAIN	  0.05 /* of a doubling: less is none */
#define SATURATION_SHARE  0.95 /* of the most throughput: the bisection is for that */
#define SATURATION_TRIALS 40   /* at most, whatever is measured */

/* What was measured at one load. */
struct saturation_point {
	int64_t load;
	double throughput; /* in any unit, > 0 */
};

struct saturation {
	int64_t load;
	double throughput;		 /* the most that was measured */
	struct saturation_point *points; /* in the order of the search */
	int n;
};

/* saturation_measure - the throughput at a load; an error ends the search */
typedef struct error *(*saturation_measure)(int64_t load, void *data, double *throughput);

/*
 * saturation_search - @least <= @start <= @most
 * @out: points are there also after an error; freed by saturation_clear()
 *
 * Errors: of @measure; ERR_DOMAIN if throughput still grows at @most or there is none at all.
 */
struct error *saturation_search(int64_t start, int64_t least, int64_t most,
				saturation_measure measure, void *data, struct saturation *out);
void saturation_clear(struct saturation *saturation);

#endif
