// SPDX-License-Identifier: GPL-2.0-only
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "plan/internal.h"

/*
 * "nr_cpus * 0.1 * 10" is nr_cpus, also where binary fractions make it a hair less: some units in the
 * last place, so that a size of many digits stays what it is
 */
#define ROUNDING (8 * DBL_EPSILON)

struct sweep {
	const struct param *param;
	const struct machine_counts *counts;
	struct param_value *values;
	int n;
};

static char *value_text(const struct param *param, int64_t number)
{
	switch (param->type) {
	case PARAM_SIZE:
		return text_size_format(number);
	case PARAM_DURATION:
		return text_duration_format(number);
	case PARAM_BOOL:
		return memory_string(number ? "yes" : "no");
	default:
		return memory_format("%" PRId64, number);
	}
}

/* takes @text over; a value that is there already is dropped */
static struct error *add_value(struct sweep *sweep, int64_t number, char *text)
{
	struct param_value *value;

	for (int i = 0; i < sweep->n; i++) {
		if (!strcmp(sweep->values[i].text, text)) {
			free(text);
			return NULL;
		}
	}
	if (sweep->n == PLAN_MAX_SWEEP) {
		free(text);
		return error_new(ERR_INPUT, "more than %d values", PLAN_MAX_SWEEP);
	}
	value = array_append(sweep->values, sweep->n);
	*value = (struct param_value){ sweep->param, number, text };
	return NULL;
}

/* ---- numbers: counts, sizes, times ---- */

int64_t param_least(const struct param *param)
{
	if (param->type == PARAM_COUNT && !param->min)
		return param->zero ? 0 : 1;
	return param->min;
}

double param_most(const struct param *param)
{
	if (param->max)
		return param->max;
	return param->type == PARAM_COUNT ? INT32_MAX : 9007199254740992.0;
}

static struct error *read_size(const char *text, const struct machine_counts *counts, double *out)
{
	uint64_t bytes;
	struct error *error = text_size(text, &bytes), *as_expression;

	if (!error) {
		*out = bytes;
		return NULL;
	}
	as_expression = expression_eval(text, counts, out);
	if (!as_expression) {
		error_free(error);
		return NULL;
	}
	/* "4X" or "many" was meant as a size, "nr_cpus *" as an expression */
	if (strpbrk(text, "+-*/()_")) {
		error_free(error);
		return as_expression;
	}
	error_free(as_expression);
	return error;
}

/* a value before it is rounded and checked against the parameter's limits */
static struct error *read_number(const struct sweep *sweep, const char *text, double *out)
{
	struct error *error;
	uint64_t time;

	if (!*text)
		return error_new(ERR_INPUT, "an empty value in the list");
	switch (sweep->param->type) {
	case PARAM_SIZE:
		return read_size(text, sweep->counts, out);
	case PARAM_DURATION:
		error = text_duration(text, &time);
		if (!error)
			*out = time;
		return error;
	default:
		return expression_eval(text, sweep->counts, out);
	}
}

static struct error *add_number(struct sweep *sweep, const char *written, double value)
{
	const struct param *param = sweep->param;
	double limit = param_most(param);
	double whole = floor(value + fabs(value) * ROUNDING);

	if (!(whole >= param_least(param)) || whole > limit) {
		autofree char *min = value_text(param, param_least(param));
		autofree char *max = value_text(param, limit);

		return error_new(ERR_INPUT, "'%s' is %.15g here: from %s to %s%s%s are accepted",
				 written, value, min, max, param->unit ? " " : "",
				 param->unit ? param->unit : "");
	}
	return add_value(sweep, whole, value_text(param, whole));
}

/* a range as written: FROM..TO, FROM..TO step N, FROM..TO step *N */
struct range {
	double from, to, step;
	bool factor;
};

/* splits "FROM..TO step N" in place; @step NULL if there is none */
static void split_range(char *text, char **to, char **step)
{
	char *dots = strstr(text, "..");

	*dots = '\0';
	*to = dots + 2;
	*step = strstr(*to, " step ");
	if (*step) {
		**step = '\0';
		*step = text_trim(*step + strlen(" step "));
	}
	*to = text_trim(*to);
	text_trim(text);
}

static struct error *read_step(const struct sweep *sweep, const char *text, struct range *range)
{
	struct error *error;

	if (!text) {
		if (sweep->param->type == PARAM_COUNT) {
			range->step = 1;
			return NULL;
		}
		return error_new(ERR_INPUT, "a range of %s needs a step: FROM..TO step *2",
				 sweep->param->type == PARAM_SIZE ? "sizes" : "times");
	}
	range->factor = *text == '*';
	if (range->factor)
		error = expression_eval(text + 1, sweep->counts, &range->step);
	else
		error = read_number(sweep, text, &range->step);
	if (error)
		return error;
	if (range->factor && !(range->step > 1 && range->from > 0))
		return error_new(ERR_INPUT,
				 "'step %s': a factor above 1, of a start above 0, is "
				 "accepted",
				 text);
	if (!range->factor && !(range->step > 0))
		return error_new(ERR_INPUT, "'step %s': a step above 0 is accepted", text);
	return NULL;
}

static struct error *add_range(struct sweep *sweep, const char *written)
{
	autofree char *text = memory_string(written);
	struct range range = { 0 };
	struct error *error;
	char *to, *step;

	split_range(text, &to, &step);
	error = read_number(sweep, text, &range.from);
	if (!error)
		error = read_number(sweep, to, &range.to);
	if (!error)
		error = read_step(sweep, step, &range);
	if (error)
		return error;
	if (range.from > range.to)
		return error_new(ERR_INPUT,
				 "'%s' falls from %.15g to %.15g here: a range rises, a list may "
				 "have any order",
				 written, range.from, range.to);
	for (int i = 0; !error; i++) {
		double value = range.factor ? range.from * pow(range.step, i)
					    : range.from + range.step * i;

		if (value > range.to + fabs(range.to) * ROUNDING)
			break;
		if (i > PLAN_MAX_SWEEP)
			return error_new(ERR_INPUT, "'%s': more than %d values", written,
					 PLAN_MAX_SWEEP);
		error = add_number(sweep, written, value);
	}
	return error;
}

static struct error *add_numbers(struct sweep *sweep, const char *written)
{
	struct error *error;
	double value;

	if (strstr(written, ".."))
		return add_range(sweep, written);
	error = read_number(sweep, written, &value);
	return error ? error : add_number(sweep, written, value);
}

/* ---- words ---- */

static struct error *add_choice(struct sweep *sweep, const char *word)
{
	int n;
	char **choices = text_split(sweep->param->choices, ' ', &n);
	struct error *error = NULL;
	int found = -1;

	for (int i = 0; i < n; i++)
		if (!strcmp(choices[i], word))
			found = i;
	if (found < 0) {
		autofree char *hint = NULL;

		*array_append(choices, n) = NULL;
		hint = unknown_word(word, (const char *const *)choices);
		error = error_new(ERR_INPUT, "unknown word '%s'%s", word, hint);
	} else {
		error = add_value(sweep, found, memory_string(word));
	}
	text_split_free(choices, n);
	return error;
}

static struct error *add_bool(struct sweep *sweep, const char *word)
{
	bool value;
	struct error *error = text_bool(word, &value);

	return error ? error : add_value(sweep, value, value_text(sweep->param, value));
}

static struct error *add_element(struct sweep *sweep, const char *written)
{
	switch (sweep->param->type) {
	case PARAM_CHOICE:
		return add_choice(sweep, written);
	case PARAM_BOOL:
		return add_bool(sweep, written);
	default:
		return add_numbers(sweep, written);
	}
}

/* the end of the list element that starts at @text: a comma outside of min(a, b), or the end */
static const char *element_end(const char *text)
{
	int depth = 0;

	for (; *text && (*text != ',' || depth > 0); text++)
		depth += (*text == '(') - (*text == ')');
	return text;
}

struct error *param_values_read(const struct param *param, const char *text,
				const struct machine_counts *counts, struct param_value **values,
				int *n, bool *swept)
{
	struct sweep sweep = { .param = param, .counts = counts };
	struct error *error = NULL;

	*swept = false;
	if (param->type == PARAM_TEXT) {
		error = add_value(&sweep, 0, memory_string(text));
		text = "";
	}
	while (*text && !error) {
		const char *end = element_end(text);
		autofree char *element = memory_string_n(text, end - text);

		error = add_element(&sweep, text_trim(element));
		*swept = *swept || *end || strstr(element, "..");
		text = *end ? end + 1 : end;
		if (*end && !*text && !error)
			error = error_new(ERR_INPUT, "a ',' with nothing behind it");
	}
	if (error) {
		param_values_free(sweep.values, sweep.n);
		return error;
	}
	*values = sweep.values;
	*n = sweep.n;
	return NULL;
}

void param_values_free(struct param_value *values, int n)
{
	for (int i = 0; i < n; i++)
		free(values[i].text);
	free(values);
}
