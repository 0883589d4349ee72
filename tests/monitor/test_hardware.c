// SPDX-License-Identifier: GPL-2.0-only
#include <unistd.h>

#include "monitor/clock.h"
#include "monitor/counters.h"
#include "replay.h"

START_TEST(power_sums_packages_corrects_a_wrap_and_leaves_psys_and_twins_out)
{
	struct trial trial = replay("power", "hardware/before", "hardware/after", 2);

	/* 120 J, and 40 J before the wrap plus 40 J after it, in 2 s */
	expect(&trial, "package_power", 100, "W");
	expect(&trial, "core_power", 40, "W");
	expect_reason(&trial, "memory_power", "neither a powercap zone 'dram' nor a perf event");
	trial_clear(&trial);
}
END_TEST

START_TEST(clock_tells_what_cpufreq_says_and_why_there_is_no_aperf)
{
	struct trial trial = replay("clock", "hardware/before", "hardware/after", 2);

	expect(&trial, "cpufreq_clock", 2454.5, "MHz");
	expect(&trial, "clock_limit", 80, "%");
	expect_reason(&trial, "clock", "no event msr/aperf/");
	expect_reason(&trial, "awake", "no event msr/aperf/");
	trial_clear(&trial);
}
END_TEST

START_TEST(clock_is_the_tsc_rate_times_aperf_over_mperf)
{
	/* 2 CPUs for 3 s at a TSC of 2 GHz, awake for a quarter of it at 3.5 GHz */
	struct clock_counts counts = {
		.aperf = 5250000000, .mperf = 3000000000, .tsc = 12000000000, .cpu_seconds = 6
	};
	double mhz, awake;

	ck_assert(clock_of(&counts, &mhz, &awake));
	ck_assert_double_eq_tol(mhz, 3500, 1e-9);
	ck_assert_double_eq_tol(awake, 25, 1e-9);
	counts.mperf = 0;
	ck_assert(!clock_of(&counts, &mhz, &awake));
}
END_TEST

START_TEST(thermal_takes_the_hottest_sensor_of_a_processor_and_counts_throttling)
{
	struct trial trial = replay("thermal", "hardware/before", "hardware/after", 2);

	expect(&trial, "temperature", 61.375, "degC"); /* not the disk's 99 */
	expect(&trial, "core_throttles", 6, "1");
	expect(&trial, "package_throttles", 5, "1");
	trial_clear(&trial);
	trial = replay("thermal", "steal/before", "steal/after", 2);
	expect_reason(&trial, "temperature", "no sensor of a processor");
	expect_reason(&trial, "core_throttles", "CPU 0 has no thermal_throttle");
	trial_clear(&trial);
}
END_TEST

/* 2 workers, 2 s: one ran 2 s at 3 cycles a ns, the other 1 s at 2 */
static void fill(struct counter_reading workers[2][N_COUNTER_GROUPS])
{
	memset(workers, 0, 2 * sizeof(*workers));
	workers[0][GROUP_SOFTWARE] =
		(struct counter_reading){ 2000, 2000, { 2000000000, 10, 2, 40 } };
	workers[1][GROUP_SOFTWARE] =
		(struct counter_reading){ 2000, 2000, { 1000000000, 30, 0, 20 } };
	workers[0][GROUP_CYCLES] =
		(struct counter_reading){ 2000, 2000, { 6000000000, 9000000000 } };
	/* had the counters for half of its time */
	workers[1][GROUP_CYCLES] =
		(struct counter_reading){ 2000, 1000, { 1000000000, 500000000 } };
	workers[0][GROUP_BRANCHES] = (struct counter_reading){ 5, 5, { 1000, 10 } };
	workers[1][GROUP_BRANCHES] = (struct counter_reading){ 5, 5, { 1000, 30 } };
	workers[0][GROUP_NODE] = (struct counter_reading){ 5, 0, { 0 } };
}

START_TEST(counters_are_scaled_by_the_time_on_a_counter_and_ratios_are_of_sums)
{
	struct counter_reading workers[2][N_COUNTER_GROUPS];
	struct counter_readings readings = {
		.n_workers = 2,
		.workers = workers,
		.missing = { [GROUP_CACHE] = "no such counter" },
	};
	struct trial trial = { 0 };
	const struct metric *ipc;

	fill(workers);
	counters_report(&readings, 2, &trial);
	expect(&trial, "task_clock", 1.5, "CPUs");
	expect(&trial, "perf_switches", 20, "1/s");
	expect(&trial, "perf_migrations", 1, "1/s");
	expect(&trial, "page_faults", 30, "1/s");
	expect(&trial, "cycles", 4e9, "1/s");
	expect(&trial, "instructions", 5e9, "1/s");
	expect(&trial, "ipc", 1.25, "1");
	expect(&trial, "worker_clock", 8000. / 3, "MHz");
	expect(&trial, "branch_misses", 2, "%");
	expect_reason(&trial, "cache_misses", "no such counter");
	expect_reason(&trial, "node_loads", "never got a counter");
	ipc = trial_metric(&trial, "ipc");
	ck_assert_int_eq(ipc->n_workers, 2);
	ck_assert_double_eq_tol(ipc->per_worker[0], 1.5, 1e-9);
	ck_assert_double_eq_tol(ipc->per_worker[1], 0.5, 1e-9);
	trial_clear(&trial);
}
END_TEST

START_TEST(counters_of_a_running_process_have_values_or_a_reason)
{
	pid_t pid = getpid();
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
	struct monitor_context context = { .root = "", .cpus = cpus, .pids = &pid, .n_pids = 1 };
	char *names[] = { (char *)"counters" };
	struct monitor_set *set;
	struct trial trial = { 0 };
	const struct metric *clock;
	volatile double x = 1;

	hwloc_bitmap_set(cpus, 0);
	ck_no_error(monitor_set_new(names, 1, &set));
	monitor_set_start(set, &context);
	for (int i = 0; i < 3000000; i++)
		x = x * 1.0000001;
	monitor_set_stop(set, &context, &trial);
	for (const struct metric_desc *desc = counter_metrics; desc->name; desc++) {
		const struct metric *metric = trial_metric(&trial, desc->name);

		ck_assert_ptr_nonnull(metric);
		ck_assert(metric->unavailable ? isnan(metric->value) : metric->value >= 0);
	}
	clock = trial_metric(&trial, "task_clock");
	if (clock->unavailable)
		fprintf(stderr, "skipped: %s\n", clock->unavailable);
	else
		ck_assert(clock->value > 0);
	trial_clear(&trial);
	monitor_set_free(set);
	hwloc_bitmap_free(cpus);
}
END_TEST

UNIT_TESTS("hardware", power_sums_packages_corrects_a_wrap_and_leaves_psys_and_twins_out,
	   clock_tells_what_cpufreq_says_and_why_there_is_no_aperf,
	   clock_is_the_tsc_rate_times_aperf_over_mperf,
	   thermal_takes_the_hottest_sensor_of_a_processor_and_counts_throttling,
	   counters_are_scaled_by_the_time_on_a_counter_and_ratios_are_of_sums,
	   counters_of_a_running_process_have_values_or_a_reason)
