// SPDX-License-Identifier: GPL-2.0-only
/* table_others.c - the CPU time that others took while the trials ran */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "stats/table_parts.h"

#define NOTED  5.0 /* per cent of the CPUs */
#define UNLIKE 5.0 /* points between two sides */

struct share {
	double sum, most;
	int n;
};

/* trials that failed are not compared; simulated ones and older records have no such value */
static struct share share_of(const struct side *side)
{
	struct share share = { 0 };

	for (int i = 0; i < side->n_parts; i++) {
		const struct run *run = side->parts[i].run;

		for (int j = 0; j < run->n_trials; j++) {
			const struct trial *trial = &run->trials[j];
			const json_t *others = json_object_get(trial->environment, "others");

			if (trial->variant_index != side->parts[i].variant ||
			    trial->status != TRIAL_OK || !json_is_number(others))
				continue;
			share.sum += json_number_value(others);
			share.most = fmax(share.most, json_number_value(others));
			share.n++;
		}
	}
	return share;
}

void note_others(struct table *table)
{
	autofree char *text = memory_string("");
	double least = INFINITY, most = 0, top = 0;

	for (int i = 0; i < table->n_sides; i++) {
		struct share share = share_of(&table->sides[i]);
		double mean = share.sum / share.n;

		if (!share.n)
			continue;
		text = memory_append(text, "%s%s %.0f %%", *text ? ", " : "", table->sides[i].name,
				     mean);
		least = fmin(least, mean);
		most = fmax(most, mean);
		top = fmax(top, share.most);
	}
	if (most < NOTED)
		return;
	if (most - least > UNLIKE)
		table_warn(table,
			   "others took unlike shares of the CPUs: %s (at most %.0f %% in a "
			   "trial); what differs may be what they left, not what the variants do",
			   text, top);
	else
		table_warn(table,
			   "others took part of the CPUs: %s (at most %.0f %% in a trial); on a "
			   "busy machine shares are compared, not only speeds",
			   text, top);
}
