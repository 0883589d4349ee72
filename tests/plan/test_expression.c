// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"

#include "plan/plan.h"

/* two sockets of 48 CPUs, SMT 2, 6 LLCs a socket, SNC 2 */
static const struct machine_counts counts = {
	.nr_cpus = 96,
	.nr_cores = 48,
	.nr_llcs = 12,
	.nr_nodes = 4,
	.nr_sockets = 2,
	.cpus_per_llc = 8,
	.cpus_per_node = 24,
	.smt = 2,
};

START_TEST(expressions_have_the_usual_meaning)
{
	static const struct {
		const char *text;
		double value;
	} good[] = {
		{ "7", 7 },
		{ " 1.5 ", 1.5 },
		{ "1+2*3", 7 },
		{ "(1+2)*3", 9 },
		{ "10-4-3", 3 },
		{ "24/4/2", 3 },
		{ "-2+5", 3 },
		{ "2*-3", -6 },
		{ "--3", 3 },
		{ "nr_cpus / nr_nodes", 24 },
		{ "nr_cpus/nr_nodes - 1", 23 },
		{ "nr_cores+nr_llcs+nr_sockets+smt", 64 },
		{ "cpus_per_llc*cpus_per_node", 192 },
		{ "min(nr_cpus, 4)", 4 },
		{ "max(1, nr_llcs, nr_nodes)", 12 },
		{ "min(max(1,2),3)*2", 4 },
		{ "1/4", 0.25 },
	};
	double value = 0;

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		ck_no_error(expression_eval(good[i].text, &counts, &value));
		ck_assert_msg(value == good[i].value, "%s is %g", good[i].text, value);
	}
}
END_TEST

START_TEST(what_is_no_expression_says_where_and_why)
{
	static const struct {
		const char *text, *part;
	} bad[] = {
		{ "", "character 1: expected a number, a name or '('" },
		{ "1+", "character 3: expected a number" },
		{ "1 2", "character 3: expected an operator or the end" },
		{ "(1+2", "character 5: expected ')'" },
		{ "1+2)", "character 4: expected an operator or the end" },
		{ "1/0", "division by zero" },
		{ "nr_cpus/(nr_nodes-4)", "division by zero" },
		{ "nr_cpu", "unknown name 'nr_cpu': did you mean 'nr_cpus'?" },
		{ "wombats", "unknown name 'wombats': known are min, max, nr_cpus, nr_cores" },
		{ "min(1)", "two or more values" },
		{ "min 1", "expected '('" },
		{ "min(1,2", "expected ',' or ')'" },
		{ "1.2.3", "'1.2.3' is not a number" },
		{ ".", "is not a number" },
		{ "4K", "character 2: expected an operator" },
		{ "0x10", "character 2: expected an operator" },
		{ "2**3", "expected a number" },
		{ "nr_cpus;", "expected an operator" },
		{ "99999999999999999999999999999999999999999999999999999999999999999999999999999999"
		  "*99999999999999999999999999999999999999999999999999999999999999999999999999999999"
		  "*99999999999999999999999999999999999999999999999999999999999999999999999999999999"
		  "*99999999999999999999999999999999999999999999999999999999999999999999999999999999",
		  "too large" },
	};
	double value = 42;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		ck_error(expression_eval(bad[i].text, &counts, &value), ERR_INPUT, bad[i].part);
	ck_assert_double_eq(value, 42);
}
END_TEST

START_TEST(deep_nesting_is_refused_before_the_stack_ends)
{
	char text[200001];
	double value;

	memset(text, '(', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	ck_error(expression_eval(text, &counts, &value), ERR_INPUT, "nested too deeply");
	memset(text, '-', sizeof(text) - 1);
	ck_error(expression_eval(text, &counts, &value), ERR_INPUT, "nested too deeply");
}
END_TEST

UNIT_TESTS("expression", expressions_have_the_usual_meaning,
	   what_is_no_expression_says_where_and_why, deep_nesting_is_refused_before_the_stack_ends)
