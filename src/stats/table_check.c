// SPDX-License-Identifier: GPL-2.0-only
/* table_check.c - what must not be compared, and what a reader must be told */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "result/foreign.h"
#include "stats/conditions.h"
#include "stats/origin.h"
#include "stats/table_parts.h"

/* refuses, or warns if forced; takes @message */
static struct error *mismatch(struct table *table, char *message)
{
	struct error *error = NULL;

	if (table->options.force)
		table_warn(table, "forced: %s", message);
	else
		error = error_new(ERR_MISMATCH, "%s; --force compares all the same", message);
	free(message);
	return error;
}

static bool equal_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool same_variant(const struct side *a, const struct side *b)
{
	for (int i = 0; i < a->n_parts; i++)
		for (int j = 0; j < b->n_parts; j++)
			if (a->parts[i].run->id == b->parts[j].run->id &&
			    a->parts[i].variant == b->parts[j].variant)
				return true;
	return false;
}

static struct error *check_pair_of_sides(struct table *table, const struct side *base,
					 const struct side *test)
{
	const struct side_part *first = &base->parts[0];
	autofree char *machine = NULL;

	if (same_variant(base, test))
		return error_new(ERR_INPUT, "%s and %s are the same trials", base->name,
				 test->name);
	machine = origin_machine(first);
	for (int i = 0; i < test->n_parts; i++) {
		const struct side_part *part = &test->parts[i];
		autofree char *other = origin_machine(part);

		if (strcmp(origin_backend(first), origin_backend(part)))
			return mismatch(table, memory_format("%s ran on backend %s, %s on %s",
							     base->name, origin_backend(first),
							     test->name, origin_backend(part)));
		if (strcmp(machine, other)) {
			table_warn(table, "different machines: %s ran on %s, %s on %s", base->name,
				   machine, test->name, other);
			break;
		}
	}
	return NULL;
}

static const struct result_variant *variant_of(const struct side_part *part)
{
	return &part->run->variants[part->variant];
}

/* runs that are pooled into one side must be of one variant */
static struct error *check_variant(struct table *table, const struct side *side,
				   const struct side_part *first, const struct side_part *part)
{
	autofree char *settings = json_text(variant_of(first)->settings);
	autofree char *other = json_text(variant_of(part)->settings);

	if (strcmp(origin_backend(first), origin_backend(part)) != 0)
		return mismatch(table, memory_format("runs of %s are of different backends: %s, %s",
						     side->name, origin_backend(first),
						     origin_backend(part)));
	if (!strcmp(settings, other))
		return NULL;
	return mismatch(table, memory_format("%s is not one variant: %s in run %lld, %s in run "
					     "%lld",
					     side->name, settings, (long long)first->run->id, other,
					     (long long)part->run->id));
}

/* one condition over all runs of a side; the first difference is enough */
static struct error *check_pooled(struct table *table, const struct side *side,
				  const struct condition *condition)
{
	const struct side_part *first = &side->parts[0];

	for (int i = 1; i < side->n_parts; i++) {
		const struct side_part *part = &side->parts[i];
		autofree char *difference = condition->difference(first, part);

		if (!difference)
			continue;
		if (condition->refused)
			return mismatch(
				table,
				memory_format("runs %lld and %lld of %s differ in their "
					      "%s: %s; compare one of them: '#%lld:%s'",
					      (long long)first->run->id, (long long)part->run->id,
					      side->name, condition->what, difference,
					      (long long)part->run->id, variant_of(part)->name));
		table_warn(table, "runs %lld and %lld of %s differ in their %s: %s",
			   (long long)first->run->id, (long long)part->run->id, side->name,
			   condition->what, difference);
		return NULL;
	}
	return NULL;
}

static struct error *check_parts(struct table *table, const struct side *side)
{
	const struct side_part *first = &side->parts[0];
	autofree char *machine = origin_machine(first);
	struct error *error = NULL;
	bool machines = false;

	for (int i = 1; i < side->n_parts && !error; i++) {
		autofree char *other = origin_machine(&side->parts[i]);

		error = check_variant(table, side, first, &side->parts[i]);
		machines |= strcmp(machine, other) != 0;
	}
	for (const struct condition *const *all = condition_all(); *all && !error; all++)
		error = check_pooled(table, side, *all);
	if (machines && !error)
		table_warn(table, "the runs of %s are of different machines", side->name);
	return error;
}

/* what differs between runs that are compared may be what makes their values differ */
static void note_conditions(struct table *table, const struct side *base, const struct side *test)
{
	for (const struct condition *const *all = condition_all(); *all; all++) {
		char *difference = NULL;

		for (int i = 0; (*all)->noted && i < test->n_parts && !difference; i++)
			difference = (*all)->difference(&base->parts[0], &test->parts[i]);
		if (difference)
			table_warn(table, "%s and %s differ in their %s: %s", base->name,
				   test->name, (*all)->what, difference);
		free(difference);
	}
}

/* two names of one build: a patch that was not applied looks like a patch without effect */
static void note_same_kernel(struct table *table, const struct side *base, const struct side *test)
{
	const struct side_part *a = &base->parts[0], *b = &test->parts[0];
	autofree char *name = origin_kernel(a), *other = origin_kernel(b);
	autofree char *key = origin_kernel_key(a), *other_key = origin_kernel_key(b);

	if (!strcmp(origin_backend(a), "sim") && strcmp(name, other) != 0 && key && other_key &&
	    !strcmp(key, other_key))
		table_warn(table, "kernel %s of %s and kernel %s of %s are the same build", name,
			   base->name, other, test->name);
}

struct error *check_sides(struct table *table)
{
	struct error *error = NULL;

	for (int i = 0; i < table->n_sides && !error; i++)
		error = check_parts(table, &table->sides[i]);
	for (int i = 1; i < table->n_sides && !error; i++)
		error = check_pair_of_sides(table, &table->sides[0], &table->sides[i]);
	for (int i = 1; i < table->n_sides && !error; i++) {
		note_same_kernel(table, &table->sides[0], &table->sides[i]);
		if (!table->interleaved)
			note_conditions(table, &table->sides[0], &table->sides[i]);
	}
	return error;
}

/* results that came from elsewhere: nobody knows whether they may be compared */
static void warn_of_unknown(struct table *table, const char *name,
			    const struct result_case *instance)
{
	const char *key;
	json_t *value;

	if (equal_text(instance->program_version, FOREIGN_UNKNOWN_VERSION))
		table_warn(table,
			   "case %s: the version of %s is not recorded; if it was not the same, "
			   "the change may be that of the version",
			   name, instance->workload);
	json_object_foreach(instance->params, key, value)
	{
		if (equal_text(json_string_value(value), FOREIGN_UNKNOWN_VERSION))
			table_warn(
				table,
				"case %s: parameter '%s' of %s is not recorded; if it was not the "
				"same, the change may come from it",
				name, key, instance->workload);
	}
}

struct error *check_case(struct table *table, const char *name)
{
	const struct result_case *first = NULL;
	const char *first_name = NULL;

	for (int side = 0; side < table->n_sides; side++) {
		for (int i = 0; i < table->sides[side].n_parts; i++) {
			const struct run *run = table->sides[side].parts[i].run;
			int index = run_case_index(run, name);
			char *difference;
			struct error *error;

			if (index < 0)
				continue;
			if (!first) {
				first = &run->cases[index];
				first_name = table->sides[side].name;
				warn_of_unknown(table, name, first);
				continue;
			}
			difference = difference_of_cases(first, &run->cases[index]);
			if (!difference)
				continue;
			error = mismatch(table,
					 memory_format("case %s differs between %s and %s: %s",
						       name, first_name, table->sides[side].name,
						       difference));
			free(difference);
			if (error)
				return error;
		}
	}
	return NULL;
}

static char *difference_of_metrics(const struct metric *a, const struct metric *b)
{
	if (strcmp(a->unit, b->unit))
		return memory_format("unit %s, and %s", a->unit, b->unit);
	if (a->better != b->better)
		return memory_format("better is %s, and %s", better_name(a->better),
				     better_name(b->better));
	if (a->version != b->version)
		return memory_format("definition version %d, and %d", a->version, b->version);
	return NULL;
}

/* another unit or direction cannot be forced either: the metric is left out then */
static bool forcible(const struct metric *a, const struct metric *b)
{
	return !strcmp(a->unit, b->unit) && a->better == b->better;
}

struct error *check_metric(struct table *table, const struct case_trials *trials,
			   const char *case_name, const char *metric, bool *usable)
{
	const struct metric *first = NULL;
	bool warned = false;
	int first_side = 0;

	*usable = true;
	for (int side = 0; side < trials->n_sides; side++) {
		for (int i = 0; i < trials->n_slots[side]; i++) {
			const struct trial *trial = trials->slots[side][i];
			const struct metric *found = trial ? trial_metric(trial, metric) : NULL;
			autofree char *difference = NULL;
			struct error *error;

			if (!found)
				continue;
			if (!first) {
				first = found;
				first_side = side;
			}
			difference = difference_of_metrics(first, found);
			if (!difference || (warned && forcible(first, found)))
				continue;
			*usable = forcible(first, found);
			error = mismatch(table,
					 memory_format("metric %s of %s differs between %s and %s: "
						       "%s%s",
						       metric, case_name,
						       table->sides[first_side].name,
						       table->sides[side].name, difference,
						       *usable ? "" : " (it is left out)"));
			if (error || !*usable)
				return error;
			warned = true;
		}
	}
	return NULL;
}
