// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"

#include <math.h>

#include "machine/machine.h"
#include "monitor/schedstat_domains.h"

/* 2 packages of 2 cores of 2 threads, an LLC and a node a package: CPUs 0-1 2-3 | 4-5 6-7 */
static struct machine *machine;

static void open_machine(void)
{
	ck_no_error(machine_open("pack:2 [numa] l3:1 core:2 pu:2", &machine));
}

/* 8 counts of a kind of balancing: lb_count and lb_gained are told, the others are noise */
#define KIND(count, gained)   " " #count " 7 7 7 " #gained " 7 7 7"
#define KIND17(count, gained) " " #count " 7 7 7 7 7 7 " #gained " 7 7 7"
#define TAIL(pushed)	      " 9 9 " #pushed " 0 0 0 0 0 0 9 9 9\n"
#define CPU(n)		      "cpu" #n " 0 0 1 2 3 4 5 6 7\n"

static const char version_15[] = "version 15\ntimestamp 4294892296\n" CPU(0) "domain0 03" KIND(1, 2)
	KIND(3, 4) KIND(5, 6) TAIL(11) "domain1 0f" KIND(10, 20) KIND(30, 40) KIND(50, 60)
		TAIL(12) "domain2 ff" KIND(100, 200) KIND(300, 400) KIND(500, 600) TAIL(13)
			CPU(4) "domain0 30" KIND(9, 9) KIND(9, 9) KIND(9, 9) TAIL(9);

static const char version_16[] =
	"version 16\ntimestamp 1\n" CPU(0) "domain0 00000000,00000003" KIND(1, 2) KIND(3, 4)
		KIND(5, 6) TAIL(11);

static const char version_17[] =
	"version 17\ntimestamp 1\n" CPU(0) "domain0 SMT 03" KIND17(1, 2) KIND17(3, 4) KIND17(5, 6)
		TAIL(11) "domain1 NUMA ff" KIND17(1, 2) KIND17(3, 4) KIND17(5, 6) TAIL(11);

static struct balance_counts parse(const char *text)
{
	struct balance_counts counts;
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();

	hwloc_bitmap_set_range(cpus, 0, 3);
	ck_no_error(balance_counts_parse(text, "schedstat", machine, cpus, NULL, 0, &counts));
	hwloc_bitmap_free(cpus);
	return counts;
}

START_TEST(idle_counts_come_first_in_version_15_and_only_the_cases_cpus_count)
{
	struct balance_counts counts;

	open_machine();
	counts = parse(version_15);
	ck_assert_int_eq(counts.levels[LEVEL_CORE].n_domains, 1);
	ck_assert_uint_eq(counts.levels[LEVEL_CORE].calls[BALANCE_IDLE], 1);
	ck_assert_uint_eq(counts.levels[LEVEL_CORE].pulled[BALANCE_BUSY], 4);
	ck_assert_uint_eq(counts.levels[LEVEL_CORE].calls[BALANCE_NEWIDLE], 5);
	ck_assert_uint_eq(counts.levels[LEVEL_CORE].active, 11);
	ck_assert_uint_eq(counts.levels[LEVEL_LLC].calls[BALANCE_BUSY], 30);
	ck_assert_uint_eq(counts.levels[N_MACHINE_LEVELS].pulled[BALANCE_NEWIDLE], 600);
	ck_assert_uint_eq(counts.levels[N_MACHINE_LEVELS].active, 13);
	machine_close(machine);
}
END_TEST

START_TEST(busy_counts_come_first_since_version_16_and_names_since_17)
{
	struct balance_counts counts;

	open_machine();
	counts = parse(version_16);
	ck_assert_uint_eq(counts.levels[LEVEL_CORE].calls[BALANCE_BUSY], 1);
	ck_assert_uint_eq(counts.levels[LEVEL_CORE].pulled[BALANCE_IDLE], 4);
	counts = parse(version_17);
	ck_assert_uint_eq(counts.levels[LEVEL_CORE].pulled[BALANCE_BUSY], 2);
	ck_assert_uint_eq(counts.levels[LEVEL_CORE].calls[BALANCE_NEWIDLE], 5);
	ck_assert_uint_eq(counts.levels[N_MACHINE_LEVELS].active, 11);
	machine_close(machine);
}
END_TEST

START_TEST(cpu_numbers_of_a_simulated_machine_are_translated)
{
	static const int ids[] = { 4, 5 }; /* CPUs 0 and 1 of the text */
	struct balance_counts counts;
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();

	open_machine();
	hwloc_bitmap_set(cpus, 4);
	ck_no_error(balance_counts_parse(version_16, "schedstat", machine, cpus, ids, 2, &counts));
	ck_assert_int_eq(counts.levels[LEVEL_CORE].n_domains, 1);
	hwloc_bitmap_free(cpus);
	machine_close(machine);
}
END_TEST

START_TEST(rates_are_differences_and_a_missing_level_says_so)
{
	struct balance_counts before, after;
	struct trial trial = { 0 };

	open_machine();
	before = parse(version_16);
	after = before;
	after.levels[LEVEL_CORE].calls[BALANCE_NEWIDLE] += 50;
	balance_report(&before, &after, 2, &trial);
	ck_assert_double_eq_tol(trial_metric(&trial, "newidle_balance_smt")->value, 25, 1e-9);
	ck_assert_double_eq_tol(trial_metric(&trial, "active_balance_smt")->value, 0, 1e-9);
	ck_assert_str_eq(trial_metric(&trial, "idle_pulled_llc")->unavailable,
			 "the kernel has no domain of this level");
	trial_clear(&trial);
	after.levels[LEVEL_CORE].active = 0;
	balance_report(&before, &after, 2, &trial);
	ck_assert_str_eq(trial_metric(&trial, "active_balance_smt")->unavailable,
			 "a counter wrapped");
	trial_clear(&trial);
	machine_close(machine);
}
END_TEST

/* lb_count, lb_balanced, lb_failed, then noise; ttwu_wake_remote 21, ttwu_move_affine 22 */
#define OUTCOME(count, balanced, failed)   " " #count " " #balanced " " #failed " 7 5 7 7 7"
#define OUTCOME17(count, balanced, failed) " " #count " " #balanced " " #failed " 7 7 7 7 5 7 7 7"
#define WAKEUPS				   " 9 9 3 0 0 0 0 0 0 21 22 9\n"

START_TEST(calls_are_told_apart_by_whether_they_moved_tasks)
{
	static const char *const texts[] = {
		"version 15\n" CPU(0) "domain0 03" OUTCOME(1, 1, 0) OUTCOME(9, 4, 2)
			OUTCOME(100, 70, 10) WAKEUPS,
		"version 16\n" CPU(0) "domain0 03" OUTCOME(9, 4, 2) OUTCOME(1, 1, 0)
			OUTCOME(100, 70, 10) WAKEUPS,
		"version 17\n" CPU(0) "domain0 SMT 03" OUTCOME17(9, 4, 2) OUTCOME17(1, 1, 0)
			OUTCOME17(100, 70, 10) WAKEUPS,
	};

	open_machine();
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct balance_counts counts = parse(texts[i]);
		const struct level_balance *core = &counts.levels[LEVEL_CORE];

		ck_assert_uint_eq(core->success[BALANCE_BUSY], 3);
		ck_assert_uint_eq(core->failed[BALANCE_BUSY], 2);
		ck_assert_uint_eq(core->success[BALANCE_IDLE], 0);
		ck_assert_uint_eq(core->success[BALANCE_NEWIDLE], 20);
		ck_assert_uint_eq(core->failed[BALANCE_NEWIDLE], 10);
		ck_assert_uint_eq(core->wake_remote, 21);
		ck_assert_uint_eq(core->wake_affine, 22);
	}
	machine_close(machine);
}
END_TEST

/* the rate of newidle_success_smt over 2 s, or NAN: it wrapped */
static double success_rate(const struct balance_counts *before, const struct balance_counts *after)
{
	struct trial trial = { 0 };
	const struct metric *metric;
	double value;

	balance_report(before, after, 2, &trial);
	metric = trial_metric(&trial, "newidle_success_smt");
	value = metric->unavailable ? NAN : metric->value;
	trial_clear(&trial);
	return value;
}

START_TEST(a_call_under_way_is_no_wrapped_counter_and_no_success)
{
	struct balance_counts before = { 0 }, after;
	struct level_balance *core = &after.levels[LEVEL_CORE];

	before.levels[LEVEL_CORE] = (struct level_balance){ .n_domains = 2,
							    .calls[BALANCE_NEWIDLE] = 1000,
							    .success[BALANCE_NEWIDLE] = 100 };
	after = before;
	core->calls[BALANCE_NEWIDLE] += 50;
	core->success[BALANCE_NEWIDLE] += 40;
	ck_assert_double_eq_tol(success_rate(&before, &after), 20, 1e-9);
	core->success[BALANCE_NEWIDLE] = 98;
	ck_assert_double_eq_tol(success_rate(&before, &after), 0, 1e-9);
	core->success[BALANCE_NEWIDLE] = 97;
	ck_assert(isnan(success_rate(&before, &after)));
	/* lb_balanced has wrapped */
	core->success[BALANCE_NEWIDLE] = 140 + (1ull << 32);
	ck_assert(isnan(success_rate(&before, &after)));
}
END_TEST

START_TEST(unknown_versions_and_short_lines_are_refused_with_the_line)
{
	struct balance_counts counts;
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();

	open_machine();
	hwloc_bitmap_set(cpus, 0);
	ck_error(balance_counts_parse("version 18\n", "f", machine, cpus, NULL, 0, &counts),
		 ERR_UNAVAILABLE, "f:1: version 18; 15 to 17 are known");
	ck_error(balance_counts_parse("", "f", machine, cpus, NULL, 0, &counts), ERR_INPUT,
		 "f:1: no version");
	ck_error(balance_counts_parse("version 16\n" CPU(0) "domain0 03 1 2 3\n", "f", machine,
				      cpus, NULL, 0, &counts),
		 ERR_INPUT, "f:3: fewer than the 36 counts of version 16");
	ck_error(balance_counts_parse("version 16\n" CPU(0) "domain0 xyz 1 2 3\n", "f", machine,
				      cpus, NULL, 0, &counts),
		 ERR_INPUT, "f:3: no CPU mask");
	hwloc_bitmap_free(cpus);
	machine_close(machine);
}
END_TEST

UNIT_TESTS("schedstat", idle_counts_come_first_in_version_15_and_only_the_cases_cpus_count,
	   busy_counts_come_first_since_version_16_and_names_since_17,
	   cpu_numbers_of_a_simulated_machine_are_translated,
	   rates_are_differences_and_a_missing_level_says_so,
	   calls_are_told_apart_by_whether_they_moved_tasks,
	   a_call_under_way_is_no_wrapped_counter_and_no_success,
	   unknown_versions_and_short_lines_are_refused_with_the_line)
