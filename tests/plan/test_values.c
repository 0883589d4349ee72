// SPDX-License-Identifier: GPL-2.0-only
#include "fixture.h"

static const struct machine_counts counts = {
	.nr_cpus = 6,
	.nr_cores = 3,
	.nr_llcs = 1,
	.nr_nodes = 1,
	.nr_sockets = 1,
	.cpus_per_llc = 6,
	.cpus_per_node = 6,
	.smt = 2,
};

enum {
	WORKERS,
	SIZE,
	SLEEP,
	MODE,
	EXEC
};

/* the values as "1 2 4"; a '*' in front if it is a sweep */
static char *joined(const struct param *param, const char *text)
{
	struct param_value *values;
	char *all, *longer;
	bool swept;
	int n;

	ck_no_error(param_values_read(param, text, &counts, &values, &n, &swept));
	all = memory_string(swept ? "*" : "");
	for (int i = 0; i < n; i++) {
		longer = memory_format("%s%s%s", all, i ? " " : "", values[i].text);
		free(all);
		all = longer;
		ck_assert_ptr_eq(values[i].param, param);
	}
	param_values_free(values, n);
	return all;
}

START_TEST(values_lists_and_ranges_are_expanded)
{
	static const struct {
		int param;
		const char *text, *values;
	} good[] = {
		{ WORKERS, "4", "4" },
		{ WORKERS, "nr_cpus / nr_cores", "2" },
		{ WORKERS, "nr_cpus/4", "1" },
		{ WORKERS, "nr_cpus*0.1*10", "6" },
		{ WORKERS, "1, 2,4", "*1 2 4" },
		{ WORKERS, "4, nr_cpus, 6, 1", "*4 6 1" },
		{ WORKERS, "min(nr_cpus, 4), max(1,2)", "*4 2" },
		{ WORKERS, "1..4", "*1 2 3 4" },
		{ WORKERS, "2 .. nr_cpus step 2", "*2 4 6" },
		{ WORKERS, "1..nr_cpus step 2", "*1 3 5" },
		{ WORKERS, "1..64 step *2", "*1 2 4 8 16 32 64" },
		{ WORKERS, "1..nr_cpus step *2, nr_cpus", "*1 2 4 6" },
		{ WORKERS, "1..4 step 0.5", "*1 2 3 4" },
		{ WORKERS, "nr_llcs..nr_nodes", "*1" },
		{ SIZE, "64K", "64K" },
		{ SIZE, "65536", "64K" },
		{ SIZE, "1000G", "1000G" },
		{ WORKERS, "2147483647", "2147483647" },
		{ SIZE, "nr_cpus * 4096", "24K" },
		{ SIZE, "4K..64K step *4", "*4K 16K 64K" },
		{ SIZE, "1M..3M step 1M", "*1M 2M 3M" },
		{ SLEEP, "0", "0ns" },
		{ SLEEP, "10us, 1ms", "*10us 1ms" },
		{ SLEEP, "10us..1ms step *10", "*10us 100us 1ms" },
		{ MODE, "socket", "socket" },
		{ MODE, "pipe, futex", "*pipe futex" },
		{ EXEC, "1", "yes" },
		{ EXEC, "off, on, yes", "*no yes" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		autofree char *all = joined(&beat_params[good[i].param], good[i].text);

		ck_assert_msg(!strcmp(all, good[i].values), "'%s' is '%s'", good[i].text, all);
	}
}
END_TEST

START_TEST(numbers_of_words_are_their_places)
{
	struct param_value *values;
	bool swept;
	int n;

	ck_no_error(param_values_read(&beat_params[MODE], "futex", &counts, &values, &n, &swept));
	ck_assert_int_eq(values[0].number, 2);
	param_values_free(values, n);
	ck_no_error(param_values_read(&beat_params[SLEEP], "3ms", &counts, &values, &n, &swept));
	ck_assert_int_eq(values[0].number, 3000000);
	param_values_free(values, n);
}
END_TEST

START_TEST(a_text_is_taken_as_it_is)
{
	autofree char *text = joined(&program_params[0], "make -j 4, twice..");

	ck_assert_str_eq(text, "make -j 4, twice..");
}
END_TEST

START_TEST(values_that_make_no_sense_are_refused)
{
	static const struct {
		int param;
		const char *text, *part;
	} bad[] = {
		{ WORKERS, "0", "'0' is 0 here: from 1 to 2147483647 are accepted" },
		{ WORKERS, "nr_cpus/10", "'nr_cpus/10' is 0.6 here: from 1 to" },
		{ WORKERS, "-1", "from 1 to" },
		{ WORKERS, "2147483648", "'2147483648' is 2147483648 here" },
		{ WORKERS, "nr_cpus * 1000000000", "from 1 to 2147483647 are accepted" },
		{ WORKERS, "nr_cpus/0", "division by zero" },
		{ WORKERS, "nrcpus", "did you mean 'nr_cpus'?" },
		{ WORKERS, "1,", "a ',' with nothing behind it" },
		{ WORKERS, ",1", "an empty value in the list" },
		{ WORKERS, "1,,2", "an empty value in the list" },
		{ WORKERS, "..4", "an empty value" },
		{ WORKERS, "4..", "an empty value" },
		{ WORKERS, "4..1", "'4..1' falls from 4 to 1 here" },
		{ WORKERS, "nr_cpus..nr_cores", "falls from 6 to 3 here" },
		{ WORKERS, "1..4 step 0", "a step above 0 is accepted" },
		{ WORKERS, "1..4 step -1", "a step above 0 is accepted" },
		{ WORKERS, "1..4 step *1", "a factor above 1" },
		{ WORKERS, "0..4 step *2", "of a start above 0" },
		{ WORKERS, "0..4", "from 1 to" },
		{ WORKERS, "1..4 steps 2", "expected an operator" },
		{ WORKERS, "1..2..3", "" },
		{ WORKERS, "1..1000000000", "more than 1000 values" },
		{ WORKERS, "1..1000000000 step 0.000001", "more than 1000 values" },
		{ WORKERS, "min(1,2", "expected" },
		{ SIZE, "1K", "'1K' is 1024 here: from 4K to" },
		{ SIZE, "64X", "'64X' is not a size" },
		{ SIZE, "nr_cpus *", "expected a number" },
		{ SIZE, "4K..64K", "a range of sizes needs a step" },
		{ SLEEP, "10", "'10' is not a time" },
		{ SLEEP, "1ms..2ms", "a range of times needs a step" },
		{ MODE, "pip",
		  "unknown word 'pip': did you mean 'pipe'? Accepted: pipe, socket, "
		  "futex" },
		{ MODE, "pipe,", "nothing behind" },
		{ EXEC, "maybe", "'maybe' is neither 0" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct param_value *values = NULL;
		bool swept;
		int n;

		ck_error(param_values_read(&beat_params[bad[i].param], bad[i].text, &counts,
					   &values, &n, &swept),
			 ERR_INPUT, bad[i].part);
		ck_assert_ptr_null(values);
	}
}
END_TEST

UNIT_TESTS("values", values_lists_and_ranges_are_expanded, numbers_of_words_are_their_places,
	   a_text_is_taken_as_it_is, values_that_make_no_sense_are_refused)
