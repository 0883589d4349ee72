// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "plan/plan.h"

/* deep enough for people, shallow enough for the stack */
#define MAX_DEPTH 100

static const struct {
	const char *name;
	size_t offset;
} names[] = {
	{ "nr_cpus", offsetof(struct machine_counts, nr_cpus) },
	{ "nr_cores", offsetof(struct machine_counts, nr_cores) },
	{ "nr_llcs", offsetof(struct machine_counts, nr_llcs) },
	{ "nr_nodes", offsetof(struct machine_counts, nr_nodes) },
	{ "nr_sockets", offsetof(struct machine_counts, nr_sockets) },
	{ "cpus_per_llc", offsetof(struct machine_counts, cpus_per_llc) },
	{ "cpus_per_node", offsetof(struct machine_counts, cpus_per_node) },
	{ "smt", offsetof(struct machine_counts, smt) },
};

struct parser {
	const char *text, *at;
	const struct machine_counts *counts;
	int depth;
	struct error *error; /* the first one; everything after it is skipped */
};

static double sum(struct parser *parser);

static void skip_space(struct parser *parser)
{
	while (isspace((unsigned char)*parser->at))
		parser->at++;
}

static double fail(struct parser *parser, const char *reason)
{
	if (!parser->error)
		parser->error = error_new(ERR_INPUT, "'%s', character %d: %s", parser->text,
					  (int)(parser->at - parser->text) + 1, reason);
	return 0;
}

/* true and consumed if the next character is @wanted */
static bool take(struct parser *parser, char wanted)
{
	skip_space(parser);
	if (*parser->at != wanted)
		return false;
	parser->at++;
	return true;
}

static double number(struct parser *parser)
{
	size_t length = strspn(parser->at, "0123456789.");
	autofree char *digits = memory_string_n(parser->at, length);
	double value = 0;
	struct error *error = text_number(digits, &value);

	if (error) {
		autofree char *reason = memory_string(error->message);

		error_free(error);
		return fail(parser, reason);
	}
	parser->at += length;
	return value;
}

/* the arguments of min and max: two or more */
static double least_or_most(struct parser *parser, bool least)
{
	double value, other;
	int n = 1;

	if (!take(parser, '('))
		return fail(parser, "expected '(' after min or max");
	value = sum(parser);
	while (!parser->error && take(parser, ',')) {
		other = sum(parser);
		value = least ? fmin(value, other) : fmax(value, other);
		n++;
	}
	if (n < 2)
		return fail(parser, "expected ',': min and max take two or more values");
	if (!take(parser, ')'))
		return fail(parser, "expected ',' or ')'");
	return value;
}

static double unknown_name(struct parser *parser, const char *name)
{
	const char *known[ARRAY_SIZE(names) + 3] = { "min", "max" }, *nearest;
	autofree char *list = memory_string("min, max");
	autofree char *reason = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		list = memory_append(list, ", %s", names[i].name);
		known[i + 2] = names[i].name;
	}
	nearest = text_nearest(name, known);
	if (nearest)
		reason = memory_format("unknown name '%s': did you mean '%s'?", name, nearest);
	else
		reason = memory_format("unknown name '%s': known are %s", name, list);
	return fail(parser, reason);
}

static double name_value(struct parser *parser)
{
	const char *end = parser->at;
	autofree char *name = NULL;

	while (isalnum((unsigned char)*end) || *end == '_')
		end++;
	name = memory_string_n(parser->at, end - parser->at);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!strcmp(name, names[i].name)) {
			parser->at = end;
			return *(const int *)((const char *)parser->counts + names[i].offset);
		}
	}
	if (strcmp(name, "min") && strcmp(name, "max"))
		return unknown_name(parser, name);
	parser->at = end;
	return least_or_most(parser, !strcmp(name, "min"));
}

static double factor(struct parser *parser)
{
	double value;

	if (parser->error)
		return 0;
	if (++parser->depth > MAX_DEPTH)
		return fail(parser, "nested too deeply");
	if (take(parser, '-')) {
		value = -factor(parser);
	} else if (take(parser, '(')) {
		value = sum(parser);
		if (!parser->error && !take(parser, ')'))
			fail(parser, "expected ')' or an operator");
	} else if (isdigit((unsigned char)*parser->at) || *parser->at == '.') {
		value = number(parser);
	} else if (isalpha((unsigned char)*parser->at) || *parser->at == '_') {
		value = name_value(parser);
	} else {
		value = fail(parser, "expected a number, a name or '('");
	}
	parser->depth--;
	return value;
}

static double product(struct parser *parser)
{
	double value = factor(parser), divisor;

	while (!parser->error) {
		if (take(parser, '*')) {
			value *= factor(parser);
		} else if (take(parser, '/')) {
			divisor = factor(parser);
			if (!parser->error && divisor == 0)
				fail(parser, "division by zero");
			value = parser->error ? 0 : value / divisor;
		} else {
			break;
		}
	}
	return value;
}

static double sum(struct parser *parser)
{
	double value = product(parser);

	while (!parser->error) {
		if (take(parser, '+'))
			value += product(parser);
		else if (take(parser, '-'))
			value -= product(parser);
		else
			break;
	}
	return value;
}

struct error *expression_eval(const char *text, const struct machine_counts *counts, double *out)
{
	struct parser parser = { .text = text, .at = text, .counts = counts };
	double value = sum(&parser);

	skip_space(&parser);
	if (!parser.error && *parser.at)
		fail(&parser, "expected an operator or the end");
	if (!parser.error && !isfinite(value))
		fail(&parser, "the value is too large");
	if (parser.error)
		return parser.error;
	*out = value;
	return NULL;
}
