// SPDX-License-Identifier: GPL-2.0-only
/* the styles for programs: JSON and CSV; and the numbers of those for people */
#include "unit.h"

#include <math.h>

#include "capture.h"
#include "report/format.h"

static struct run *spawn_run(const char *case_name)
{
	struct run *run = fixture_run(12, "off on");

	free(run->cases[0].name);
	run->cases[0].name = memory_string(case_name);
	for (int i = 0; i < 16; i++) {
		const double workers[] = { 10 + i % 3, 12, i % 2 ? 30 + i : 11 };

		trial_add_metric(fixture_trial(run, 0, i % 2, i / 2), &fixture_ops,
				 i % 2 ? 90 + i % 5 : 100 + i % 7, workers, 3);
	}
	return run;
}

START_TEST(json_holds_values_effect_and_verdict)
{
	char *text = captured(spawn_run("spawn"), "json");
	const char *verdict, *scale;
	json_t *root, *rows, *test;
	double point, low, high, adjusted, jain;

	ck_no_error(json_parse(text, "report", 1, &root));
	rows = json_object_get(root, "rows");
	ck_assert_uint_eq(json_array_size(rows), 2);
	ck_assert(json_is_true(json_object_get(root, "regression")));
	test = json_array_get(json_object_get(json_array_get(rows, 0), "sides"), 1);
	ck_assert_uint_eq(json_array_size(json_object_get(test, "values")), 8);
	ck_assert_int_eq(json_unpack(test, "{s:s, s:{s:s, s:f, s:f, s:f, s:f}}", "verdict",
				     &verdict, "effect", "scale", &scale, "point", &point, "low",
				     &low, "high", &high, "p_adjusted", &adjusted),
			 0);
	ck_assert_str_eq(verdict, "regression");
	ck_assert_str_eq(scale, "ratio");
	ck_assert(low < point && point < high && high < 1);
	ck_assert_double_lt(adjusted, 0.05);
	test = json_array_get(json_object_get(json_array_get(rows, 1), "sides"), 1);
	ck_assert_int_eq(json_unpack(test, "{s:f}", "jain", &jain), 0);
	ck_assert(jain > 0.3 && jain < 1);
	json_decref(root);
	free(text);
}
END_TEST

START_TEST(json_says_null_for_what_is_not_there)
{
	const double base[] = { 100, 101, 99 }, none[] = { NAN, NAN, NAN };
	json_t *root, *test;
	char *text = captured(fixture_pair("off on", &fixture_ops, base, none), "json");

	ck_no_error(json_parse(text, "report", 1, &root));
	test = json_array_get(
		json_object_get(json_array_get(json_object_get(root, "rows"), 0), "sides"), 1);
	ck_assert(json_is_null(json_object_get(test, "effect")));
	ck_assert(json_is_null(json_array_get(json_object_get(test, "values"), 0)));
	ck_assert_int_eq(json_integer_value(json_object_get(test, "failed")), 3);
	ck_assert_str_eq(json_string_value(json_object_get(test, "verdict")), "none");
	json_decref(root);
	free(text);
}
END_TEST

/* fields of a line, quotes taken into account */
static int fields_of(const char *line)
{
	bool quoted = false;
	int n = 1;

	for (; *line && *line != '\r'; line++) {
		if (*line == '"')
			quoted = !quoted;
		n += *line == ',' && !quoted;
	}
	return n;
}

START_TEST(csv_has_as_many_fields_as_columns_and_quotes_names)
{
	char *text = captured(spawn_run("spawn, \"4\" workers"), "csv");
	const char *second = strstr(text, "\r\n") + 2, *third = strstr(second, "\r\n") + 2;

	ck_assert_int_eq(fields_of(text), 29);
	ck_assert_int_eq(fields_of(second), 29);
	ck_assert_int_eq(fields_of(third), 29);
	ck_assert(!strncmp(
		second, "\"spawn, \"\"4\"\" workers\",ops,1/s,higher,yes,off,on,yes,8,8,",
		strlen("\"spawn, \"\"4\"\" workers\",ops,1/s,higher,yes,off,on,yes,8,8,")));
	ck_contains(text, ",regression,");
	ck_assert_str_eq(strstr(third, "\r\n"), "\r\n");
	free(text);
}
END_TEST

static void ck_text(char *text, const char *expected)
{
	ck_assert_str_eq(text, expected);
	free(text);
}

START_TEST(numbers_keep_six_significant_digits)
{
	ck_text(format_value(27745.1234), "27745.1");
	ck_text(format_value(395660.4), "395660");
	ck_text(format_value(1234567.8), "1.23457M");
	ck_text(format_value(2.5e9), "2.50000G");
	ck_text(format_value(0.0457), "0.0457000");
	ck_text(format_value(0.0001), "1.00000e-04");
	ck_text(format_value(0), "0");
	ck_text(format_value(-12.5), "-12.5000");
	ck_text(format_value(NAN), "-");
	ck_text(format_short(96.71), "96.71");
}
END_TEST

START_TEST(changes_have_a_sign)
{
	ck_text(format_change(1.0119), "+1.19%");
	ck_text(format_change(0.757), "-24.30%");
	ck_text(format_change(3.5705), "+257.05%");
	ck_text(format_change(31), "+3000%");
	ck_text(format_change(0.99999), "0.00%");
	ck_text(format_change(INFINITY), "+inf%");
	ck_text(format_difference(-56.6), "-56.60");
	ck_text(format_difference(0.5), "+0.5000");
}
END_TEST

START_TEST(unknown_style_is_none)
{
	ck_assert_ptr_null(style_find("table"));
	ck_assert_str_eq(style_all()[0]->name, "summary");
}
END_TEST

UNIT_TESTS("machine_styles", json_holds_values_effect_and_verdict,
	   json_says_null_for_what_is_not_there, csv_has_as_many_fields_as_columns_and_quotes_names,
	   numbers_keep_six_significant_digits, changes_have_a_sign, unknown_style_is_none)
