// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>

#include "base/memory.h"
#include "base/random.h"
#include "plan/plan.h"

/* so that the order of variants and the seeds of trials are not drawn from the same numbers */
#define ORDER_STREAM 1
#define TRIAL_STREAM 2

static uint64_t case_seed(const struct plan *plan, int case_index, uint64_t stream)
{
	return random_mixed(random_mixed(plan->seed, stream), case_index);
}

/* the variants that are not skipped, shuffled (Fisher and Yates) by the seed of the case */
static void draw_order(const struct plan *plan, int case_index, const int *variants, int n,
		       int *order)
{
	struct random random = random_seeded(case_seed(plan, case_index, ORDER_STREAM));

	for (int i = 0; i < n; i++) {
		int at = random_below(&random, i + 1);

		order[i] = order[at];
		order[at] = variants[i];
	}
}

void plan_schedule(const struct plan *plan, int n_cases, const bool *skipped,
		   struct plan_step **steps, int *n_steps)
{
	autofree int *variants = memory_zeroed(plan->n_variants, sizeof(*variants));
	autofree int *orders = NULL;
	struct plan_step *step;
	int n = 0;

	for (int i = 0; i < plan->n_variants; i++)
		if (!skipped || !skipped[i])
			variants[n++] = i;
	orders = memory_zeroed((size_t)n_cases * n, sizeof(*orders));
	for (int i = 0; i < n_cases; i++)
		draw_order(plan, i, variants, n, orders + i * n);

	*n_steps = plan->trials * n_cases * n;
	step = *steps = memory_zeroed(*n_steps, sizeof(**steps));
	for (int block = 0; block < plan->trials; block++) {
		for (int i = 0; i < n_cases; i++) {
			uint64_t seed = random_mixed(case_seed(plan, i, TRIAL_STREAM), block);

			for (int k = 0; k < n; k++, step++) {
				int place = block % 2 ? n - 1 - k : k;

				step->case_index = i;
				step->variant_index = orders[i * n + place];
				step->block = block;
				step->seed = seed;
			}
		}
	}
}
