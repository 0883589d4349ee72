// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"

#include "monitor/procstat.h"
#include "monitor/schedstat.h"

START_TEST(cpu_lines_of_old_kernels_have_four_times)
{
	struct proc_stat stat;

	ck_no_error(proc_stat_parse("cpu  1 2 3 4\ncpu7 1 2 3 4\nctxt 9\n", "f", &stat));
	ck_assert_int_eq(stat.n_cpus, 1);
	ck_assert_int_eq(stat.cpus[0].id, 7);
	ck_assert_uint_eq(stat.cpus[0].user, 3);
	ck_assert_uint_eq(stat.cpus[0].idle, 4);
	ck_assert_uint_eq(stat.cpus[0].steal, 0);
	ck_assert_uint_eq(stat.switches, 9);
	proc_stat_clear(&stat);
}
END_TEST

START_TEST(a_short_line_does_not_take_numbers_from_the_next_one)
{
	struct proc_stat stat;

	ck_error(proc_stat_parse("cpu0 1 2\n3 4\nctxt 9\n", "f", &stat), ERR_INPUT, "f:1: ");
	ck_error(proc_stat_parse("cpu0 1 2 3 4\ncpu1 x\nctxt 9\n", "f", &stat), ERR_INPUT, "f:2: ");
	ck_error(proc_stat_parse("cpu0 1 2 3 4\nctxt\n9\n", "f", &stat), ERR_INPUT, "ctxt");
	ck_error(proc_stat_parse("", "f", &stat), ERR_INPUT, "ctxt");
}
END_TEST

START_TEST(schedstat_sums_the_asked_cpus_only)
{
	static const char text[] = "version 16\ntimestamp 1\n"
				   "cpu0 0 0 1 1 10 4 0 100 1\n"
				   "cpu2 0 0 1 1 20 5 0 200 1\n"
				   "cpu3 0 0 1 1 40 6 0 400 1\n";
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
	struct cpu_schedstat sum;

	hwloc_bitmap_set(cpus, 2);
	hwloc_bitmap_set(cpus, 3);
	ck_no_error(cpu_schedstat_parse(text, "f", cpus, &sum));
	ck_assert_uint_eq(sum.wakeups, 60);
	ck_assert_uint_eq(sum.local_wakeups, 11);
	ck_assert_uint_eq(sum.wait_ns, 600);
	ck_assert_int_eq(sum.n_cpus, 2);
	ck_error(cpu_schedstat_parse("version 15\ncpu2 1 2 3\n", "f", cpus, &sum), ERR_INPUT,
		 "f:2: ");
	ck_error(cpu_schedstat_parse("nothing", "f", cpus, &sum), ERR_INPUT, "no version");
	hwloc_bitmap_free(cpus);
}
END_TEST

UNIT_TESTS("procstat", cpu_lines_of_old_kernels_have_four_times,
	   a_short_line_does_not_take_numbers_from_the_next_one, schedstat_sums_the_asked_cpus_only)
