// SPDX-License-Identifier: GPL-2.0-only
/* The tables that came with the kernel's allowed-NUMA-imbalance change (e496132ebedd, Linux 5.18). */
#include "unit.h"

#include <math.h>

#include "capture.h"

/* the style's report of a run whose only case has that name; frees the run */
static char *shown(struct run *run, const char *name)
{
	free(run->cases[0].name);
	run->cases[0].name = memory_string(name);
	return captured(run, "mmtests");
}

START_TEST(lower_is_better_as_in_the_times_of_ep)
{
	const double vanilla[] = { 31.79, 31.86, 31.93 }, patched[] = { 26.19, 26.11, 26.21 };
	char *text = shown(fixture_pair("5.17.0-rc0-vanilla 5.17.0-rc0-sched-numaimb-v6",
					&fixture_time, vanilla, patched),
			   "ep.D");

	ck_contains(text, "\nMin       ep.D       31.79 (   0.00%)       26.11 (  17.87%)\n");
	ck_contains(text, "\nAmean     ep.D       31.86 (   0.00%)       26.17 *  17.86%*\n");
	ck_contains(text, "\nStddev    ep.D        0.07 (   0.00%)        0.05 (  24.41%)\n");
	ck_contains(text, "\nCoeffVar  ep.D        0.22 (   0.00%)        0.20 (   7.97%)\n");
	ck_contains(text, "\nMax       ep.D       31.93 (   0.00%)       26.21 (  17.91%)\n");
	ck_contains(text, "\nBAmean-95 ep.D ");
	/* "-rc0" stays in the first row, the rest of the name is in the second */
	ck_contains(text, "\n                           5.17.0-rc0             5.17.0-rc0\n"
			  "                              vanilla       sched-numaimb-v6\n");
	ck_fits(text);
	free(text);
}
END_TEST

START_TEST(names_wider_than_a_column_stand_above_the_table)
{
	const double values[] = { 31.79, 31.86, 31.93 };
	char *text = shown(fixture_pair("plain-a-name-that-is-wider-than-its-column second",
					&fixture_time, values, values),
			   "ep.D");

	ck_contains(text, "\nbase = plain-a-name-that-is-wider-than-its-column\n"
			  "test 1 = second\n\n");
	ck_contains(text, "\n                                 base                 test 1\n");
	ck_fits(text);
	free(text);
}
END_TEST

/* values that have the minimum, harmonic mean, maximum and deviation of the CoreMark table */
START_TEST(higher_is_better_as_in_the_scores_of_coremark)
{
	const double vanilla[] = { 368239.36, 382991.35, 396635.87, 408945.69 };
	const double patched[] = { 389816.06, 404244.88, 427877.08, 427877.08,
				   427877.08, 427877.08, 448327.48, 481022.17 };
	char *text = shown(fixture_pair("vanilla sched-numaimb-v5", &fixture_ops, vanilla, patched),
			   "Score-16");

	ck_contains(text, "\nMin       Score-16   368239.36 (   0.00%)   389816.06 (   5.86%)\n");
	/* by the rule as it is there is no star: 39270 < 1.96 * (15247 + 24967) */
	ck_contains(text, "\nHmean     Score-16   388607.33 (   0.00%)   427877.08 (  10.11%)\n");
	ck_contains(text, "\nMax       Score-16   408945.69 (   0.00%)   481022.17 (  17.62%)\n");
	ck_contains(text, "\nStddev    Score-16    15247.04 (   0.00%)    24966.82 ( -63.75%)\n");
	ck_contains(text, "\nCoeffVar  Score-16        3.92 (   0.00%)        5.84 ( -48.72%)\n");
	free(text);
}
END_TEST

START_TEST(rate_that_fell_to_zero_is_minus_100_per_cent)
{
	const double base[] = { 10, 11, 12 }, zero[] = { 0, 0, 0 };
	char *text = shown(fixture_pair("off on", &fixture_ops, base, zero), "spawn");

	ck_contains(text, "\nMin       spawn       10.00 (   0.00%)        0.00 (-100.00%)\n");
	ck_contains(text, "\nHmean     spawn       10.94 (   0.00%)        0.00 (-100.00%)\n");
	/* no deviation of a harmonic mean of 0 */
	ck_contains(text, "\nStddev    spawn        0.82 (   0.00%)           - (       -)\n");
	free(text);
}
END_TEST

START_TEST(missing_data_is_a_dash_not_a_number)
{
	const double base[] = { 10, 11, 12 }, none[] = { NAN, NAN, NAN };
	char *text = shown(fixture_pair("off on", &fixture_ops, base, none), "spawn");

	ck_contains(text, "\nHmean     spawn       10.94 (   0.00%)           - (       -)\n");
	ck_contains(text, "3 of 3 trials of on failed");
	free(text);
}
END_TEST

/* the grid that could not be read in mail had seven kernels */
START_TEST(seven_kernels_are_split_into_tables_of_78_columns)
{
	const double values[] = { 1263.97, 1270.1, 1255.3 };
	struct run *run =
		fixture_run(1, "6.18 6.19-rc1 6.19-rc2 6.19-rc3 revert-1 revert-2 revert-both");
	char *text, *copy;
	int headers = 0;

	for (int variant = 0; variant < 7; variant++)
		fixture_values(run, variant, &fixture_ops, values, 3);
	text = shown(run, "schbench");
	ck_fits(text);
	/* base leads every table: 78 - 10 - 8 columns hold two, so there are six */
	for (copy = text; (copy = strstr(copy, "\nHmean ")); copy++)
		headers++;
	ck_assert_int_eq(headers, 6);
	ck_contains(text, "revert");
	free(text);
}
END_TEST

START_TEST(long_names_of_operations_become_numbers)
{
	const double values[] = { 1, 2, 3 };
	char *text = shown(fixture_pair("off on", &fixture_ops, values, values),
			   "schbench messengers=2 workers=32 cpus=node:0-1");

	ck_contains(text, "\n#1 = schbench-messengers=2-workers=32-cpus=node:0-1\n");
	ck_contains(text, "\nHmean     #1        1.64 (   0.00%)        1.64 (   0.00%)\n");
	ck_fits(text);
	free(text);
}
END_TEST

START_TEST(star_is_labelled_as_the_rule_of_mmtests)
{
	const double values[] = { 1, 2, 3 };
	char *text = shown(fixture_pair("off on", &fixture_ops, values, values), "spawn");

	ck_contains(text, "*: mmtests'\nrule");
	ck_contains(text, "no verdict");
	free(text);
}
END_TEST

UNIT_TESTS("mmtests", lower_is_better_as_in_the_times_of_ep,
	   names_wider_than_a_column_stand_above_the_table,
	   higher_is_better_as_in_the_scores_of_coremark,
	   rate_that_fell_to_zero_is_minus_100_per_cent, missing_data_is_a_dash_not_a_number,
	   seven_kernels_are_split_into_tables_of_78_columns,
	   long_names_of_operations_become_numbers, star_is_labelled_as_the_rule_of_mmtests)
