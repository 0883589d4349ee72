// SPDX-License-Identifier: GPL-2.0-only
#include "report/recorded.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "stats/origin.h"

/* metrics of monitor `events` */
#define EVENTS	       "event_rate"
#define EVENTS_LOST    "events_lost"
#define EVENTS_MISSING "events_missing"

/* Sums over the trials of a table. */
struct cost {
	int trials, recorded;
	int n_reader; /* trials whose environment tells what the reader took */
	double reader_percent;
	int n_events; /* trials that were analysed */
	double events, lost, missing;
};

static double number(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

static double value_of(const struct trial *trial, const char *name)
{
	const struct metric *metric = trial_metric(trial, name);

	return metric ? metric->value : NAN;
}

/* @costs: not in simulated time; environments of trials are not always loaded */
static void add_trial(struct cost *cost, const struct trial *trial, bool costs)
{
	const json_t *recorder = json_object_get(trial->environment, "events_recorder");
	double events = value_of(trial, EVENTS), lost = value_of(trial, EVENTS_LOST);
	double missing = value_of(trial, EVENTS_MISSING);
	double seconds = number(recorder, "seconds");

	cost->trials++;
	if (seconds > 0) {
		cost->n_reader++;
		cost->reader_percent += 100 * number(recorder, "reader_cpu_seconds") / seconds;
	}
	if (costs && isfinite(events)) {
		cost->n_events++;
		cost->events += events;
		cost->lost += isfinite(lost) ? lost : 0;
		cost->missing += isfinite(missing) ? missing : 0;
	}
	cost->recorded += seconds > 0 || (costs && isfinite(events));
}

static struct cost cost_of(const struct table *table)
{
	struct cost cost = { 0 };

	for (int side = 0; side < table->n_sides; side++)
		for (int i = 0; i < table->sides[side].n_parts; i++) {
			const struct side_part *part = &table->sides[side].parts[i];
			bool costs = !strcmp(origin_backend(part), "live");

			for (int j = 0; j < part->run->n_trials; j++)
				if (part->run->trials[j].variant_index == part->variant &&
				    part->run->trials[j].status == TRIAL_OK)
					add_trial(&cost, &part->run->trials[j], costs);
		}
	return cost;
}

char *recorded_text(const struct table *table)
{
	struct cost cost = cost_of(table);
	autofree char *which = NULL, *events = NULL, *reader = NULL, *missing = NULL;

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
		events = memory_format(" (%.0f events/s, %.0f lost)", cost.events / cost.n_events,
				       cost.lost);
	if (cost.n_reader)
		reader = memory_format("; the reader took %.1f %% of a CPU",
				       cost.reader_percent / cost.n_reader);
	if (cost.missing > 0)
		missing =
			memory_format("; %.0f switches contradict the one before on their CPU: the "
				      "kernel left out events, do not trust idle and waiting times",
				      cost.missing);
	return memory_format("scheduling events%s, in %s%s%s", events ? events : "", which,
			     reader ? reader : "", missing ? missing : "");
}
