// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "plan/internal.h"

/* More cases, or trials in all, than these are a mistake: years of run time. */
#define MAX_CASES 10000
#define MAX_STEPS 1000000

/* One parameter of a case on one set of CPUs: all the values that it takes. */
struct axis {
	const struct param *param;
	struct param_value *values;
	int n;
	bool swept;
	struct load_value *loads; /* of `load`, one a value; NULL for other parameters */
};

/* The instances of one case on one set of CPUs. */
struct expansion {
	const struct plan *plan;
	const struct plan_case *section;
	const struct machine *machine;
	const struct cpu_choice *choice;
	bool cpus_swept;
	struct axis *axes; /* one a parameter, in the order of the workload's description */
	int n_axes;
	int *order; /* axes in the order of the plan's lines, then those not given */
};

struct machine_counts plan_counts(const struct machine *machine, hwloc_const_bitmap_t cpus)
{
	struct machine_counts counts = machine_counts(machine, cpus);
	int quota = machine_quota_cpus(machine, counts.nr_cpus);

	if (quota >= counts.nr_cpus)
		return counts;
	counts.nr_cpus = quota;
	if (counts.nr_cores > quota)
		counts.nr_cores = quota;
	counts.cpus_per_llc = quota > counts.nr_llcs ? quota / counts.nr_llcs : 1;
	counts.cpus_per_node = quota > counts.nr_nodes ? quota / counts.nr_nodes : 1;
	return counts;
}

static const struct plan_entry *entry_of(const struct plan_case *section, const char *key)
{
	for (int i = 0; i < section->n_params; i++)
		if (!strcmp(section->params[i].key, key))
			return &section->params[i];
	return NULL;
}

static struct error *read_axis(const struct plan *plan, const struct plan_case *section,
			       const struct machine_counts *counts, struct axis *axis)
{
	const struct param *param = axis->param;
	const struct plan_entry *entry = entry_of(section, param->name);
	struct plan_entry of_load = { (char *)"load", section->load, section->load_line };
	struct plan_entry of_default = { (char *)param->name, (char *)param->def, section->line };
	struct error *error;

	if (param == section->load_param) {
		error = load_values_read(param, section->load, counts, &axis->loads, &axis->values,
					 &axis->n, &axis->swept);
		return plan_locate(error, plan->file, &of_load);
	}
	if (!entry && !param->def)
		return plan_problem(plan->file, section->line,
				    "[case %s] has no key '%s', which workload %s needs: %s",
				    section->name, param->name, section->workload->name,
				    param->help ? param->help : param->name);
	if (!entry)
		entry = &of_default;
	error = param_values_read(param, entry->value, counts, &axis->values, &axis->n,
				  &axis->swept);
	return plan_locate(error, plan->file, entry);
}

static void free_axes(struct expansion *expansion)
{
	for (int i = 0; i < expansion->n_axes; i++) {
		load_values_free(expansion->axes[i].loads, expansion->axes[i].n);
		param_values_free(expansion->axes[i].values, expansion->axes[i].n);
	}
	free(expansion->axes);
	free(expansion->order);
}

/* parameters in the order of their lines: the last line is the fastest */
static void order_axes(struct expansion *expansion)
{
	const struct plan_case *section = expansion->section;
	int n = 0;

	expansion->order = memory_zeroed(expansion->n_axes, sizeof(*expansion->order));
	for (int i = 0; i <= section->n_params; i++) {
		for (int k = 0; k < expansion->n_axes; k++) {
			const struct param *param = expansion->axes[k].param;

			if (section->load_place == i && param == section->load_param)
				expansion->order[n++] = k;
			if (i < section->n_params && !strcmp(section->params[i].key, param->name))
				expansion->order[n++] = k;
		}
	}
	for (int k = 0; k < expansion->n_axes; k++)
		if (!entry_of(section, expansion->axes[k].param->name) &&
		    expansion->axes[k].param != section->load_param)
			expansion->order[n++] = k;
}

static struct error *read_axes(struct expansion *expansion)
{
	struct machine_counts counts = plan_counts(expansion->machine, expansion->choice->cpus);
	const struct param *param = expansion->section->workload->params;
	struct error *error = NULL;

	for (; param->name && !error; param++) {
		struct axis *axis = array_append(expansion->axes, expansion->n_axes);

		axis->param = param;
		error = read_axis(expansion->plan, expansion->section, &counts, axis);
	}
	if (!error)
		order_axes(expansion);
	return error;
}

/* "schbench workers=4 cpus=node:0-1" */
static char *instance_name(const struct expansion *expansion, const int *at)
{
	char *name = memory_string(expansion->section->name);

	for (int i = 0; i < expansion->n_axes; i++) {
		const struct axis *axis = &expansion->axes[expansion->order[i]];

		if (!axis->swept)
			continue;
		if (axis->loads)
			name = memory_append(name, " load=%s",
					     axis->loads[at[expansion->order[i]]].label);
		else
			name = memory_append(name, " %s=%s", axis->param->name,
					     axis->values[at[expansion->order[i]]].text);
	}
	if (expansion->cpus_swept)
		name = memory_append(name, " cpus=%s", expansion->choice->label);
	return name;
}

static void make_instance(const struct expansion *expansion, const int *at,
			  struct case_instance *into)
{
	into->name = instance_name(expansion, at);
	into->section = expansion->section;
	into->workload = expansion->section->workload;
	into->machine = expansion->machine;
	into->params.n = expansion->n_axes;
	into->params.values = memory_zeroed(expansion->n_axes, sizeof(*into->params.values));
	for (int i = 0; i < expansion->n_axes; i++) {
		into->params.values[i] = expansion->axes[i].values[at[i]];
		into->params.values[i].text = memory_string(into->params.values[i].text);
		if (expansion->axes[i].loads)
			into->load = (struct case_load){
				.given = true,
				.param = i,
				.percent = expansion->axes[i].loads[at[i]].percent,
				.of_saturation = expansion->axes[i].loads[at[i]].of_saturation,
			};
	}
	into->cpus = hwloc_bitmap_dup(expansion->choice->cpus);
	into->cpus_text = cpulist_format(into->cpus);
}

/* the next combination, the last axis in order first; false after the last one */
static bool advance(const struct expansion *expansion, int *at)
{
	for (int i = expansion->n_axes - 1; i >= 0; i--) {
		int axis = expansion->order[i];

		if (++at[axis] < expansion->axes[axis].n)
			return true;
		at[axis] = 0;
	}
	return false;
}

static bool differ_in_load_only(const struct case_instance *a, const struct case_instance *b)
{
	if (a->section != b->section || !b->load.of_saturation ||
	    !hwloc_bitmap_isequal(a->cpus, b->cpus))
		return false;
	for (int i = 0; i < a->params.n; i++)
		if (i != a->load.param &&
		    strcmp(a->params.values[i].text, b->params.values[i].text) != 0)
			return false;
	return true;
}

static void find_group(struct case_instance *cases, int index)
{
	int first = 0;

	if (!cases[index].load.of_saturation)
		return;
	while (!differ_in_load_only(&cases[index], &cases[first]))
		first++;
	cases[index].load.group = first;
}

static struct error *add_instances(const struct expansion *expansion, struct case_instance **cases,
				   int *n)
{
	autofree int *at = memory_zeroed(expansion->n_axes, sizeof(*at));

	do {
		if (*n == MAX_CASES)
			return plan_problem(expansion->plan->file, expansion->section->line,
					    "the sweeps of [case %s] lead to more than %d cases",
					    expansion->section->name, MAX_CASES);
		make_instance(expansion, at, array_append(*cases, *n));
		find_group(*cases, *n - 1);
	} while (advance(expansion, at));
	return NULL;
}

static struct error *expand_case(const struct plan *plan, const struct plan_case *section,
				 const struct machine *machine, struct case_instance **cases,
				 int *n)
{
	struct plan_entry entry = { (char *)"cpus", section->cpus, section->cpus_line };
	struct cpu_choice *choices = NULL;
	struct error *error;
	int n_choices = 0;
	bool swept;

	error = cpu_choices_read(section->cpus, machine, &choices, &n_choices, &swept);
	if (error)
		return plan_locate(error, plan->file, &entry);
	for (int i = 0; i < n_choices && !error; i++) {
		struct expansion expansion = {
			.plan = plan,
			.section = section,
			.machine = machine,
			.choice = &choices[i],
			.cpus_swept = swept,
		};

		error = read_axes(&expansion);
		if (!error)
			error = add_instances(&expansion, cases, n);
		free_axes(&expansion);
	}
	cpu_choices_free(choices, n_choices);
	return error;
}

struct error *case_check(const struct plan *plan, const struct case_instance *instance)
{
	const struct workload *workload = instance->workload;
	double tasks = workload_demand(workload, &instance->params, instance->cpus).tasks;
	struct error *error = NULL;

	if (tasks > PARAM_TASKS_MOST)
		error = error_new(ERR_INPUT,
				  "%s would be %.0f tasks: at most %d in all are accepted",
				  workload->name, tasks, PARAM_TASKS_MOST);
	else if (workload->check)
		error = workload->check(&instance->params, instance->cpus);
	if (!error || error->file)
		return error;
	error->file = memory_string(plan->file);
	error->line = instance->section->line;
	return error_prefix(error, "[case %s]", instance->section->name);
}

struct error *plan_expand_on(const struct plan *plan, const struct machine *const *machines,
			     struct case_instance **out, int *n_out)
{
	struct case_instance *cases = NULL;
	struct error *error = NULL;
	int n = 0;

	for (int i = 0; i < plan->n_cases && !error; i++)
		error = expand_case(plan, &plan->cases[i], machines[i], &cases, &n);
	for (int i = 0; i < n && !error; i++)
		error = case_check(plan, &cases[i]);
	if (!error && (int64_t)n * plan->n_variants * plan->trials > MAX_STEPS)
		error = error_at(ERR_INPUT, plan->file, 0,
				 "%d cases x %d variants x %d trials are too many: at most %d "
				 "trials in all are accepted",
				 n, plan->n_variants, plan->trials, MAX_STEPS);
	if (error) {
		case_instances_free(cases, n);
		return error;
	}
	*out = cases;
	*n_out = n;
	return NULL;
}

struct error *plan_expand(const struct plan *plan, const struct machine *machine,
			  struct case_instance **out, int *n_out)
{
	autofree const struct machine **machines =
		memory_zeroed(plan->n_cases, sizeof(struct machine *));

	for (int i = 0; i < plan->n_cases; i++)
		machines[i] = machine;
	return plan_expand_on(plan, machines, out, n_out);
}

void case_instance_clear(struct case_instance *instance)
{
	free(instance->name);
	free(instance->cpus_text);
	free(instance->program_version);
	params_clear(&instance->params);
	hwloc_bitmap_free(instance->cpus);
}

void case_instances_free(struct case_instance *cases, int n)
{
	for (int i = 0; i < n; i++)
		case_instance_clear(&cases[i]);
	free(cases);
}
