// SPDX-License-Identifier: GPL-2.0-only
/* load.c - how much load a case is: per cent of the CPUs, or of what a search finds to be full */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "plan/internal.h"

#define MOST_PERCENT 100000
#define TO_BE_FOUND  "to be found"

/* ---- which parameter it is ---- */

static const struct param *find_param(const struct workload *workload, const char *name)
{
	for (const struct param *at = workload->params; at->name; at++)
		if (!strcmp(at->name, name))
			return at;
	return NULL;
}

/* @by: of `load-by`, NULL: the workload's first */
static struct error *find_load(struct plan_case *into, const char *by)
{
	const struct workload *workload = into->workload;
	int n;
	char **words = text_split(workload->load ? workload->load : "", ' ', &n);
	struct error *error = NULL;

	if (!workload->load)
		error = error_new(ERR_INPUT, "workload %s has no parameter that is its load",
				  workload->name);
	for (int i = 0; i < n && workload->load && !into->load_param; i++)
		if (!by || !strcmp(words[i], by))
			into->load_param = find_param(workload, words[i]);
	if (!error && !into->load_param)
		error = error_new(ERR_INPUT, "'%s' is no load of workload %s; there is: %s",
				  by ? by : "", workload->name, workload->load);
	text_split_free(words, n);
	for (int i = 0; i < into->n_params && !error; i++)
		if (!strcmp(into->params[i].key, into->load_param->name))
			error = error_new(ERR_INPUT, "it stands for '%s' here, which is given too",
					  into->load_param->name);
	return error;
}

struct error *case_load_read(const struct plan *plan, const struct section *section,
			     struct plan_case *into)
{
	const struct plan_entry *by = NULL, *load = NULL;

	for (int i = 0; i < section->n_entries; i++) {
		if (!strcmp(section->entries[i].key, "load"))
			load = &section->entries[i];
		else if (!strcmp(section->entries[i].key, "load-by"))
			by = &section->entries[i];
	}
	if (by && !load)
		return plan_problem(plan->file, by->line, "load-by: there is no 'load' to go with");
	if (!load)
		return NULL;
	into->load = memory_string(load->value);
	into->load_line = load->line;
	return plan_locate(find_load(into, by ? by->value : NULL), plan->file, by ? by : load);
}

/* ---- how much it is ---- */

struct loads {
	const struct param *param;
	const struct machine_counts *counts;
	struct load_value *loads;
	struct param_value *values;
	int n, n_values;
};

/* "25%", "25% of WHAT", "saturation" -> per cent, and whether it is of the saturation */
static struct error *read_element(const char *text, double *percent, bool *of_saturation)
{
	const char *sign = strchr(text, '%');
	autofree char *digits = memory_string_n(text, sign ? (size_t)(sign - text) : 0);
	autofree char *rest = memory_string(sign ? sign + 1 : text);
	const char *of = text_trim(rest);
	struct error *error = NULL;

	*percent = 100;
	*of_saturation = !strcmp(of, sign ? "of saturation" : "saturation");
	if (sign)
		error = text_number(text_trim(digits), percent);
	if (!error && *percent > 0 && *percent <= MOST_PERCENT &&
	    (*of_saturation || (sign && (!*of || !strcmp(of, "of nr_cpus")))))
		return NULL;
	error_free(error);
	return error_new(ERR_INPUT,
			 "'%s' is no load: 50%% (of nr_cpus), saturation, or 50%% of saturation "
			 "are accepted, above 0 and at most %d%%",
			 text, MOST_PERCENT);
}

static struct error *number_of(const struct loads *loads, double percent, int64_t *out)
{
	const struct param *param = loads->param;
	double whole = floor(loads->counts->nr_cpus * percent / 100 * (1 + 8 * DBL_EPSILON));

	if (whole < 1)
		whole = 1;
	if (whole < param_least(param) || whole > param_most(param))
		return error_new(ERR_INPUT,
				 "%g%% of nr_cpus is %.0f here: %s takes from %" PRId64 " to %.0f",
				 percent, whole, param->name, param_least(param),
				 param_most(param));
	*out = whole;
	return NULL;
}

static void add(struct loads *loads, double percent, bool of_saturation, int64_t number)
{
	struct load_value *load;
	struct param_value *value;

	for (int i = 0; i < loads->n; i++)
		if (loads->loads[i].of_saturation == of_saturation &&
		    (of_saturation ? loads->loads[i].percent == percent
				   : loads->values[i].number == number))
			return;
	load = array_append(loads->loads, loads->n);
	value = array_append(loads->values, loads->n_values);
	load->percent = percent;
	load->of_saturation = of_saturation;
	if (of_saturation && percent == 100)
		load->label = memory_string("saturation");
	else
		load->label =
			memory_format("%.12g%%%s", percent, of_saturation ? "-of-saturation" : "");
	value->param = loads->param;
	value->number = number;
	value->text =
		of_saturation ? memory_string(TO_BE_FOUND) : memory_format("%" PRId64, number);
}

static struct error *add_element(struct loads *loads, const char *text)
{
	int64_t number = param_least(loads->param);
	bool of_saturation;
	double percent;
	struct error *error = read_element(text, &percent, &of_saturation);

	if (!error && !of_saturation)
		error = number_of(loads, percent, &number);
	if (!error)
		add(loads, percent, of_saturation, number);
	return error;
}

struct error *load_values_read(const struct param *param, const char *text,
			       const struct machine_counts *counts, struct load_value **out,
			       struct param_value **values, int *n, bool *swept)
{
	struct loads loads = { .param = param, .counts = counts };
	struct error *error = NULL;
	int n_words;
	char **words = text_split(text, ',', &n_words);

	for (int i = 0; i < n_words && !error; i++)
		error = add_element(&loads, text_trim(words[i]));
	*swept = n_words > 1;
	text_split_free(words, n_words);
	if (error) {
		load_values_free(loads.loads, loads.n);
		param_values_free(loads.values, loads.n_values);
		return error;
	}
	*out = loads.loads;
	*values = loads.values;
	*n = loads.n;
	return NULL;
}

void load_values_free(struct load_value *loads, int n)
{
	for (int i = 0; loads && i < n; i++)
		free(loads[i].label);
	free(loads);
}

void case_load_found(struct case_instance *instance, int64_t saturation)
{
	struct param_value *value = &instance->params.values[instance->load.param];
	double number = round(saturation * instance->load.percent / 100);

	/* 0 has a meaning of its own where it is accepted */
	number = fmax(number, fmax(1, param_least(value->param)));
	number = fmin(number, param_most(value->param));
	instance->load.saturation = saturation;
	value->number = number;
	free(value->text);
	value->text = memory_format("%" PRId64, value->number);
}
