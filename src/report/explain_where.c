// SPDX-License-Identifier: GPL-2.0-only
/* explain_where.c - which nodes or LLCs are crowded, and which idle at the same time */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "machine/machine.h"
#include "report/explain.h"
#include "report/format.h"

#define MOST_PLACES 3
/* a group stands out if it has so much of what the fullest (the idlest) has, and any to speak of */
#define NEAR_FULLEST 0.1
#define NEAR_IDLEST  0.9
#define LEAST_TOLD   0.005

struct place {
	int id;
	char *cpus;
	double value, idle; /* a CPU: mean number of tasks; share of the time */
};

static int fullest_first(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? 1 : -1;
	return x->id - y->id;
}

static const char *level_word(const char *level)
{
	return strcmp(level, "llc") ? level : "LLC";
}

static double number_of(const json_t *group, const char *field)
{
	return json_number_value(json_object_get(group, field));
}

/* adds one trial's places of a level to the sums, which have the same groups in all trials */
static bool add_trial(const struct trial *trial, const char *level, const char *field,
		      struct place **places, int *n)
{
	json_t *list = json_object_get(json_object_get(trial->environment, "events"), level);
	json_t *group;
	size_t i;

	json_array_foreach(list, i, group)
	{
		const char *cpus = json_string_value(json_object_get(group, "cpus"));
		double allowed = fmax(1, number_of(group, "allowed"));

		if ((int)i == *n)
			*array_append(*places, *n) = (struct place){
				.id = (int)number_of(group, "id"),
				.cpus = memory_string(cpus ? cpus : "?"),
			};
		(*places)[i].value += number_of(group, field) / allowed;
		(*places)[i].idle += number_of(group, "idle") / allowed;
	}
	return json_array_size(list) > 0;
}

static struct place *places_of(const struct side *side, const char *case_name, const char *level,
			       const char *field, int *n)
{
	struct place *places = NULL;
	int trials = 0;

	*n = 0;
	for (int p = 0; p < side->n_parts; p++) {
		const struct run *run = side->parts[p].run;

		for (int t = 0; t < run->n_trials; t++) {
			const struct trial *trial = &run->trials[t];

			if (trial->variant_index == side->parts[p].variant &&
			    trial->status == TRIAL_OK &&
			    !strcmp(run->cases[trial->case_index].name, case_name))
				trials += add_trial(trial, level, field, &places, n);
		}
	}
	for (int i = 0; i < *n; i++) {
		places[i].value /= trials;
		places[i].idle /= trials;
	}
	return places;
}

static void places_free(struct place *places, int n)
{
	for (int i = 0; i < n; i++)
		free(places[i].cpus);
	free(places);
}

static bool stands_out(const struct place *place, const struct place *fullest)
{
	return place->value >= NEAR_FULLEST * fullest->value && place->value >= LEAST_TOLD;
}

static char *append_full(char *text, const struct place *places, int n, const char *level,
			 const char *field)
{
	int more = 0;

	for (int i = 0; i < n && stands_out(&places[i], &places[0]); i++) {
		autofree char *value = format_short(places[i].value);

		if (i >= MOST_PLACES)
			more++;
		else
			text = memory_append(text, "%s%s %d (CPUs %s) %s %s tasks a CPU",
					     i ? ", " : "", level_word(level), places[i].id,
					     places[i].cpus, value, field);
	}
	return more ? memory_append(text, ", and %d more", more) : text;
}

/* the idle groups beside them: "nodes 0-3 idle 33.1 to 37.5 % of the time" */
static char *append_idle(char *text, const struct place *places, int n, const char *level)
{
	hwloc_bitmap_t ids = hwloc_bitmap_alloc();
	double most = 0, least = 1;
	int idle = 0;

	for (int i = 0; i < n; i++)
		most = fmax(most, places[i].idle);
	for (int i = 0; i < n && most >= LEAST_TOLD; i++) {
		if (places[i].idle < NEAR_IDLEST * most)
			continue;
		least = fmin(least, places[i].idle);
		hwloc_bitmap_set(ids, (unsigned)places[i].id);
		idle++;
	}
	if (idle && idle < n) {
		autofree char *list = cpulist_format(ids);

		text = memory_append(text, "; %s%s %s idle ", level_word(level),
				     idle == 1 ? "" : "s", list);
		if (most - least >= 0.0005)
			text = memory_append(text, "%.1f to ", 100 * least);
		text = memory_append(text, "%.1f %% of the time", 100 * most);
	}
	hwloc_bitmap_free(ids);
	return text;
}

char *explain_where(const struct table *table, const struct finding *finding)
{
	static const char *const levels[] = { "node", "llc" };
	const struct cell *cell = &finding->row->cells[1];
	/* the variant in which there is more of it */
	const struct side *side = &table->sides[cell->test.mean > cell->base.mean];
	const char *field = finding->explanation->where;
	char *text = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(levels) && field && !text; i++) {
		int n;
		struct place *places =
			places_of(side, finding->row->case_name, levels[i], field, &n);

		if (n > 1)
			qsort(places, (size_t)n, sizeof(*places), fullest_first);
		if (n > 1 && stands_out(&places[0], &places[0])) {
			text = memory_format("in %s: ", side->name);
			text = append_full(text, places, n, levels[i], field);
			text = append_idle(text, places, n, levels[i]);
		}
		places_free(places, n);
	}
	return text;
}
