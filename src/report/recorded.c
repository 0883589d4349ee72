// SPDX-License-Identifier: GPL-2.0-only
#include "report/recorded.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

/* Means over the trials that were recorded; sums until the end. */
struct cost {
	int trials, recorded;
	double reader_percent; /* of one CPU */
	int n_events;	       /* trials that were also analysed */
	double events;	       /* 1/s */
	double lost;
};

static double number(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

static void add_trial(struct cost *cost, const struct trial *trial)
{
	const json_t *recorder = json_object_get(trial->environment, "events_recorder");
	const struct metric *events = trial_metric(trial, "events");
	const struct metric *lost = trial_metric(trial, "events_lost");
	double seconds = number(recorder, "seconds");

	cost->trials++;
	if (!(seconds > 0))
		return;
	cost->recorded++;
	cost->reader_percent += 100 * number(recorder, "reader_cpu_seconds") / seconds;
	if (!events || !lost || !isfinite(events->value) || !isfinite(lost->value))
		return;
	cost->n_events++;
	cost->events += events->value;
	cost->lost += lost->value;
}

static struct cost cost_of(const struct table *table)
{
	struct cost cost = { 0 };

	for (int side = 0; side < table->n_sides; side++)
		for (int i = 0; i < table->sides[side].n_parts; i++) {
			const struct side_part *part = &table->sides[side].parts[i];

			for (int j = 0; j < part->run->n_trials; j++)
				if (part->run->trials[j].variant_index == part->variant &&
				    part->run->trials[j].status == TRIAL_OK)
					add_trial(&cost, &part->run->trials[j]);
		}
	return cost;
}

char *recorded_text(const struct table *table)
{
	struct cost cost = cost_of(table);
	autofree char *which = NULL, *events = NULL;

	if (!cost.recorded)
		return NULL;
	if (cost.recorded == cost.trials)
		which = memory_string("all trials: rates and times are not those of trials "
				      "without recording");
	else
		which = memory_format("%d of %d trials: their rates and times are not comparable "
				      "with those of the others",
				      cost.recorded, cost.trials);
	if (cost.n_events)
		events = memory_format("%.0f events/s, %.0f lost, ", cost.events / cost.n_events,
				       cost.lost);
	return memory_format("scheduling events, in %s (%sreader %.1f %% of a CPU)", which,
			     events ? events : "", cost.reader_percent / cost.recorded);
}
