// SPDX-License-Identifier: GPL-2.0-only
/* table_check.c - what must not be compared, and what a reader must be told */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "result/foreign.h"
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

/* runs that are pooled into one side must be of one variant, and should be of one kernel */
static struct error *check_parts(struct table *table, const struct side *side)
{
	const struct side_part *first = &side->parts[0];
	autofree char *settings = json_text(variant_of(first)->settings);
	autofree char *kernel = origin_kernel(first), *machine = origin_machine(first);
	bool kernels = false, machines = false;

	for (int i = 1; i < side->n_parts; i++) {
		const struct side_part *part = &side->parts[i];
		autofree char *other = json_text(variant_of(part)->settings);
		autofree char *other_kernel = origin_kernel(part);
		autofree char *other_machine = origin_machine(part);
		struct error *error;

		kernels |= strcmp(kernel, other_kernel) != 0;
		machines |= strcmp(machine, other_machine) != 0;
		if (strcmp(origin_backend(first), origin_backend(part)))
			error = mismatch(
				table, memory_format("runs of %s are of different backends: %s, %s",
						     side->name, origin_backend(first),
						     origin_backend(part)));
		else if (!strcmp(settings, other))
			continue;
		else
			error = mismatch(
				table,
				memory_format("%s is not one variant: %s in run %lld, %s in run "
					      "%lld",
					      side->name, settings, (long long)first->run->id,
					      other, (long long)part->run->id));
		if (error)
			return error;
	}
	if (kernels)
		table_warn(table, "the runs of %s are of different kernels", side->name);
	if (machines)
		table_warn(table, "the runs of %s are of different machines", side->name);
	return NULL;
}

struct error *check_sides(struct table *table)
{
	struct error *error = NULL;

	for (int i = 0; i < table->n_sides && !error; i++)
		error = check_parts(table, &table->sides[i]);
	for (int i = 1; i < table->n_sides && !error; i++)
		error = check_pair_of_sides(table, &table->sides[0], &table->sides[i]);
	return error;
}

static char *difference_of_cases(const struct result_case *a, const struct result_case *b)
{
	autofree char *params_a = json_text(a->params), *params_b = json_text(b->params);

	if (!equal_text(a->workload, b->workload))
		return memory_format("workload %s, and %s", a->workload, b->workload);
	if (a->workload_version != b->workload_version)
		return memory_format("workload %s version %d, and %d", a->workload,
				     a->workload_version, b->workload_version);
	if (!equal_text(a->program_version, b->program_version))
		return memory_format("program version %s, and %s",
				     a->program_version ? a->program_version : "unknown",
				     b->program_version ? b->program_version : "unknown");
	if (strcmp(params_a, params_b))
		return memory_format("parameters %s, and %s", params_a, params_b);
	if (!equal_text(a->cpus, b->cpus))
		return memory_format("CPUs %s, and %s", a->cpus ? a->cpus : "?",
				     b->cpus ? b->cpus : "?");
	return NULL;
}

/* results that came from elsewhere: nobody knows whether they may be compared */
static void warn_about_version(struct table *table, const char *name,
			       const struct result_case *instance)
{
	if (equal_text(instance->program_version, FOREIGN_UNKNOWN_VERSION))
		table_warn(table,
			   "case %s: the version of %s is unknown; figures of different versions "
			   "cannot be compared",
			   name, instance->workload);
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
				warn_about_version(table, name, first);
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
