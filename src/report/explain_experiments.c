// SPDX-License-Identifier: GPL-2.0-only
/*
 * explain_experiments.c - which experiments could tell anything here
 *
 * What is in force already in both, what the two differ in, and what their kernels do not have
 * would give identical results, a comparison of equals, or an error.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/explain.h"
#include "report/format.h"
#include "report/in_force.h"

#define MOST_PROPOSED 5

/* ---- of what moved ---- */

static struct finding *all_findings(const struct table *table, int *n)
{
	struct finding *all = NULL;

	*n = 0;
	for (int i = 0; i < table->n_cases; i++) {
		int n_case;
		autofree struct finding *findings = explain_findings(table, i, &n_case);

		for (int j = 0; j < n_case; j++)
			*array_append(all, *n) = findings[j];
	}
	if (*n)
		qsort(all, (size_t)*n, sizeof(*all), finding_compare);
	return all;
}

const struct experiment **explain_experiments(const struct table *table, int *n_out)
{
	const struct experiment **list = NULL;
	int n;
	autofree struct finding *findings = all_findings(table, &n);

	*n_out = 0;
	for (int i = 0; i < n; i++) {
		const char *const *names = findings[i].explanation->experiments;

		for (int j = 0; j < EXPLANATION_EXPERIMENTS && names[j]; j++) {
			const struct experiment *experiment = experiment_find(names[j]);
			bool known = false;

			for (int k = 0; k < *n_out; k++)
				known |= list[k] == experiment;
			if (!known)
				*array_append(list, *n_out) = experiment;
		}
	}
	return list;
}

/* ---- are they of use? ---- */

static const struct result_variant *variant_of(const struct side *side)
{
	const struct side_part *part = &side->parts[side->n_parts - 1];

	return &part->run->variants[part->variant];
}

/* NULL and "1" differ, too: one sets it, the other leaves it as it is */
static bool asked_differs(const struct side *base, const struct side *test, const char *key)
{
	const char *a = in_force_asked(variant_of(base), key);
	const char *b = in_force_asked(variant_of(test), key);

	if (!a != !b) {
		/* one asks for what the other has anyway */
		autofree char *in_base = in_force_value(base, key);
		autofree char *in_test = in_force_value(test, key);

		return !in_force_equal(key, in_base, in_test);
	}
	return a && !in_force_equal(key, a, b);
}

static bool in_force(const struct table *table, const char *setting)
{
	autofree char *key = experiment_key(setting);
	const char *value = experiment_value(setting);
	autofree char *in_base = in_force_value(&table->sides[0], key);
	autofree char *in_test = in_force_value(&table->sides[1], key);

	return in_force_equal(key, in_base, value) && in_force_equal(key, in_test, value);
}

/* a task group of their own keeps the workers out of autogroups */
static char *group_obstacle(const struct table *table, const struct experiment *experiment)
{
	bool grouped = in_force_grouped(&table->sides[0]) && in_force_grouped(&table->sides[1]);
	autofree char *key = experiment_key(experiment->settings[0]);

	if (grouped && !strcmp(key, "cpu.weight"))
		return memory_string("the workers of both are in a cgroup already");
	if (grouped && !strcmp(key, "autogroup"))
		return memory_string("autogroup does not act on the workers of either: they are "
				     "in a cgroup");
	return NULL;
}

enum experiment_use experiment_use(const struct table *table, const struct experiment *experiment,
				   char **why)
{
	const struct side *base = &table->sides[0], *test = &table->sides[1];
	autofree char *settings = experiment_settings(experiment);
	bool nothing_new = true;

	*why = NULL;
	for (int i = 0; i < EXPERIMENT_SETTINGS && experiment->settings[i]; i++) {
		autofree char *key = experiment_key(experiment->settings[i]);

		if (asked_differs(base, test, key)) {
			*why = memory_format("%s is what %s and %s differ in", key, base->name,
					     test->name);
			return EXPERIMENT_DIFFERENCE;
		}
		*why = in_force_lacking(base, key);
		if (!*why)
			*why = in_force_lacking(test, key);
		if (*why)
			return EXPERIMENT_IMPOSSIBLE;
		nothing_new &= in_force(table, experiment->settings[i]);
	}
	if (nothing_new) {
		*why = memory_format("%s is in force in both already", settings);
		return EXPERIMENT_IN_FORCE;
	}
	*why = group_obstacle(table, experiment);
	return *why ? EXPERIMENT_IN_FORCE : EXPERIMENT_USEFUL;
}

/* ---- printing ---- */

static void print_proposed(FILE *stream, const struct experiment *experiment)
{
	autofree char *settings = experiment_settings(experiment);
	autofree char *text = memory_format("%s (%s): without %s", experiment->name, settings,
					    experiment->removes);

	fprintf(stream, "  ");
	print_wrapped(stream, text, 2, 4);
}

/* experiments that have one reason stand together: "a, b (why)" */
struct refusal {
	char *why, *names;
};

static void add_refusal(struct refusal **list, int *n, const char *name, char *why)
{
	struct refusal *refusal;

	for (int i = 0; i < *n; i++) {
		if (strcmp((*list)[i].why, why) != 0)
			continue;
		(*list)[i].names = memory_append((*list)[i].names, ", %s", name);
		free(why);
		return;
	}
	refusal = array_append(*list, *n);
	refusal->why = why;
	refusal->names = memory_string(name);
}

static void print_refusals(FILE *stream, struct refusal *list, int n)
{
	char *text = memory_string("not proposed: ");

	for (int i = 0; i < n; i++) {
		text = memory_append(text, "%s%s (%s)", i ? "; " : "", list[i].names, list[i].why);
		free(list[i].why);
		free(list[i].names);
	}
	if (n) {
		fprintf(stream, "  ");
		print_wrapped(stream, text, 2, 4);
	}
	free(text);
	free(list);
}

void explain_print_experiments(FILE *stream, const struct table *table)
{
	int n, n_refused = 0, n_proposed = 0;
	autofree const struct experiment **list = explain_experiments(table, &n);
	struct refusal *refused = NULL;

	if (!n)
		return;
	fprintf(stream, "\nexperiments, set in both (explain --run): does the difference go "
			"with it?\n");
	for (int i = 0; i < n; i++) {
		char *why;

		if (experiment_use(table, list[i], &why) != EXPERIMENT_USEFUL)
			add_refusal(&refused, &n_refused, list[i]->name, why);
		else if (n_proposed++ < MOST_PROPOSED)
			print_proposed(stream, list[i]);
	}
	if (!n_proposed)
		fprintf(stream, "  none for what moved here\n");
	if (n_proposed > MOST_PROPOSED)
		fprintf(stream,
			"  and %d more, further from what moved most "
			"(--list-experiments)\n",
			n_proposed - MOST_PROPOSED);
	print_refusals(stream, refused, n_refused);
}
