// SPDX-License-Identifier: GPL-2.0-only
#include <linux/perf_event.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/memory.h"
#include "monitor/perf.h"
#include "replay.h"
#include "workload/workload.h"

START_TEST(cpu_shares_are_of_the_cases_cpus_with_nice_in_user_and_guests_counted_once)
{
	struct trial trial = replay("cpu", "steal/before", "steal/after", 1);

	expect(&trial, "user", 50, "%");
	expect(&trial, "system", 20, "%");
	expect(&trial, "idle", 15, "%");
	expect(&trial, "iowait", 0, "%"); /* stepped back on CPU 109 */
	expect(&trial, "irq", 2, "%");
	expect(&trial, "steal", 13, "%");
	trial_clear(&trial);
}
END_TEST

START_TEST(cpu_says_which_cpu_was_not_online)
{
	struct trial trial = replay("cpu", "steal/before", "old-kernel", 1);

	expect_reason(&trial, "user", "CPU 109 was not on-line");
	expect_reason(&trial, "steal", "CPU 109 was not on-line");
	trial_clear(&trial);
}
END_TEST

START_TEST(a_trial_shorter_than_a_tick_has_no_cpu_shares)
{
	struct trial trial = replay("cpu", "steal/before", "steal/before", 0.001);

	expect_reason(&trial, "idle", "shorter than a tick");
	trial_clear(&trial);
}
END_TEST

START_TEST(a_missing_proc_makes_every_metric_say_why)
{
	for (const struct monitor *const *monitor = monitor_all(); *monitor; monitor++) {
		struct trial trial;

		if ((*monitor)->recorded)
			continue; /* reads no file */
		trial = replay((*monitor)->name, "none", "none", 1);

		for (const struct metric_desc *desc = (*monitor)->metrics; desc->name; desc++)
			expect_reason(&trial, desc->name, "");
		trial_clear(&trial);
	}
}
END_TEST

START_TEST(sched_gives_rates_and_waits_of_workers_and_run_queues)
{
	struct trial trial = replay("sched", "steal/before", "steal/after", 2);

	expect(&trial, "system_switches", 2000, "1/s");
	/* waits 10 + 10 ms, runs 30 + 50 ms */
	expect(&trial, "wait_share", 20, "%");
	/* 1 s and 0.5 s of waiting in 2 s */
	expect(&trial, "queued", 0.75, "1");
	/* 45 + 30 of 60 + 40 */
	expect(&trial, "local_wakeups", 75, "%");
	expect_reason(&trial, "cpu_switches", "recorded tree");
	trial_clear(&trial);
}
END_TEST

START_TEST(sched_sources_fail_one_by_one)
{
	struct trial trial = replay("sched", "no-wakeups", "no-wakeups", 1);

	expect(&trial, "system_switches", 0, "1/s");
	expect(&trial, "queued", 0, "1");
	expect_reason(&trial, "local_wakeups", "kernel.sched_schedstats is 0");
	expect_reason(&trial, "wait_share", "501");
	trial_clear(&trial);
	trial = replay("sched", "newer-schedstat", "newer-schedstat", 1);
	expect_reason(&trial, "queued", "version 99; 15 to 17 are known");
	trial_clear(&trial);
	trial = replay("sched", "old-kernel", "old-kernel", 1);
	expect_reason(&trial, "queued", "CONFIG_SCHEDSTATS");
	trial_clear(&trial);
}
END_TEST

START_TEST(throttling_is_read_from_v1)
{
	struct trial trial = replay("throttle", "quota-v1/before", "quota-v1/after", 1);

	expect(&trial, "quota_periods", 60, "1");
	expect(&trial, "throttled_periods", 34, "1");
	expect(&trial, "throttled_time", 6.5, "ms");
	trial_clear(&trial);
}
END_TEST

START_TEST(throttling_of_v2_sums_all_cgroups_on_the_way_up)
{
	struct trial trial = replay("throttle", "quota-v2/before", "quota-v2/after", 1);

	expect(&trial, "quota_periods", 25, "1");
	expect(&trial, "throttled_periods", 15, "1");
	expect(&trial, "throttled_time", 2.9, "ms");
	trial_clear(&trial);
}
END_TEST

START_TEST(no_cpu_controller_means_no_throttling_with_a_reason)
{
	struct trial trial = replay("throttle", "root-v2", "root-v2", 1);

	expect_reason(&trial, "throttled_periods", "no cgroup from /init.scope upwards");
	trial_clear(&trial);
	trial = replay("throttle", "hidden", "hidden", 1);
	expect_reason(&trial, "throttled_time", "no mounted hierarchy");
	trial_clear(&trial);
}
END_TEST

START_TEST(load_is_of_the_start_and_leaves_out_fairtrials_own_tasks)
{
	struct trial trial = replay("load", "steal/before", "steal/after", 1);

	expect(&trial, "load1", 0.69, "1");
	expect(&trial, "load5", 0.36, "1");
	/* of 4, one reads this, one is a worker; the other worker's name only looks like state R */
	expect(&trial, "others_running", 2, "1");
	trial_clear(&trial);
}
END_TEST

START_TEST(an_unknown_or_repeated_monitor_is_refused_with_the_list)
{
	char *typo[] = { (char *)"cpu", (char *)"shced" };
	char *twice[] = { (char *)"cpu", (char *)"load", (char *)"cpu" };
	struct monitor_set *set;

	ck_error(monitor_check_names(typo, 2, "a.plan", 7), ERR_INPUT,
		 "a.plan:7: unknown monitor 'shced', did you mean sched; there are: cpu, sched");
	ck_error(monitor_set_new(typo, 2, &set), ERR_INPUT, "unknown monitor 'shced'");
	ck_error(monitor_check_names(twice, 3, "a.plan", 7), ERR_INPUT, "'cpu' is named twice");
	ck_no_error(monitor_check_names(twice, 2, NULL, 0));
	ck_assert_ptr_null(monitor_find("cpux"));
}
END_TEST

START_TEST(a_set_can_be_used_for_trial_after_trial)
{
	autofree char *root = test_data("monitor/data/steal/before");
	autofree char *after = test_data("monitor/data/steal/after");
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
	struct monitor_context context = { .root = root, .cpus = cpus };
	char *names[] = { (char *)"cpu", (char *)"load" };
	struct monitor_set *set;
	struct trial trial = { 0 };

	hwloc_bitmap_set(cpus, 0);
	ck_no_error(monitor_set_new(names, 2, &set));
	monitor_set_start(set, &context); /* of a trial that failed */
	monitor_set_start(set, &context);
	context.root = after;
	monitor_set_stop(set, &context, &trial);
	expect(&trial, "user", 50, "%");
	ck_assert_int_eq(trial.n_metrics, 9);
	trial_clear(&trial);
	monitor_set_stop(set, &context, &trial); /* without a start */
	expect_reason(&trial, "user", "not started");
	trial_clear(&trial);
	monitor_set_start(set, &context);
	monitor_set_free(set);
	hwloc_bitmap_free(cpus);
}
END_TEST

START_TEST(this_machine_gives_sane_values)
{
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
	pid_t pid = getpid();
	struct monitor_context context = { .root = "", .cpus = cpus, .pids = &pid, .n_pids = 1 };
	char **names = NULL;
	struct monitor_set *set;
	struct trial trial = { 0 };
	double sum = 0;
	int n = 0;

	for (const struct monitor *const *monitor = monitor_all(); *monitor; monitor++)
		if (!(*monitor)->recorded)
			*array_append(names, n) = (char *)(*monitor)->name;
	hwloc_bitmap_set(cpus, 0);
	ck_no_error(monitor_set_new(names, n, &set));
	free(names);
	monitor_set_start(set, &context);
	usleep(50000);
	monitor_set_stop(set, &context, &trial);
	for (int i = 0; i < trial.n_metrics; i++) {
		const struct metric *metric = &trial.metrics[i];

		ck_assert(metric->unavailable ? isnan(metric->value) : metric->value >= 0);
	}
	for (const struct monitor *const *monitor = monitor_all(); *monitor; monitor++)
		if (!(*monitor)->recorded)
			for (const struct metric_desc *desc = (*monitor)->metrics; desc->name;
			     desc++)
				ck_assert_ptr_nonnull(trial_metric(&trial, desc->name));
	for (int i = 0; i < 6; i++)
		sum += trial.metrics[i].value;
	if (!trial.metrics[0].unavailable)
		ck_assert_double_eq_tol(sum, 100, 1e-6);
	trial_clear(&trial);
	monitor_set_free(set);
	hwloc_bitmap_free(cpus);
}
END_TEST

START_TEST(counting_on_many_cpus_raises_the_limit_of_open_files)
{
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
	struct rlimit limit;
	struct perf_counters *counters;
	struct error *error;
	uint64_t sum = 0;

	hwloc_bitmap_set(cpus, 0);
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	error = perf_open(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, cpus, &counters);
	if (error) {
		fprintf(stderr, "skipped: %s\n", error->message);
		error_free(error);
		hwloc_bitmap_free(cpus);
		return;
	}
	perf_close(counters);
	limit.rlim_cur = 3; /* none is free */
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	ck_no_error(perf_open(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, cpus, &counters));
	ck_no_error(perf_sum(counters, &sum));
	perf_close(counters);
	hwloc_bitmap_free(cpus);
}
END_TEST

/* a trial cannot have two metrics of one name: the workload could not run with that monitor */
START_TEST(no_metric_of_a_monitor_has_the_name_of_another_ones_or_a_workloads)
{
	const char **names = NULL;
	int n = 0, n_monitors;

	for (const struct monitor *const *monitor = monitor_all(); *monitor; monitor++)
		for (const struct metric_desc *desc = (*monitor)->metrics; desc->name; desc++)
			*array_append(names, n) = desc->name;
	n_monitors = n;
	for (int i = 0; i < n_monitors; i++)
		for (int j = 0; j < i; j++)
			ck_assert_str_ne(names[i], names[j]);
	for (const struct workload *const *workload = workload_all(); *workload; workload++)
		for (const struct workload_metric *metric = (*workload)->metrics; metric->desc.name;
		     metric++)
			for (int i = 0; i < n_monitors; i++)
				ck_assert_msg(strcmp(metric->desc.name, names[i]) != 0,
					      "%s: metric %s is a monitor's, too",
					      (*workload)->name, names[i]);
	free(names);
}
END_TEST

START_TEST(a_probe_says_which_monitors_have_nothing_here_and_only_those)
{
	char *names[] = { "cpu", "thermal", "events" };
	struct trial trial = { 0 };
	pid_t self = getpid();
	struct monitor_context context = { .pids = &self, .n_pids = 1 };

	context.cpus = hwloc_bitmap_alloc_full();
	context.root = "/nowhere";
	ck_no_error(monitor_probe(names, 3, &context, &trial));
	ck_assert_ptr_nonnull(monitor_reason(monitor_find("cpu"), &trial));
	ck_assert_ptr_nonnull(monitor_reason(monitor_find("thermal"), &trial));
	ck_assert_ptr_null(
		monitor_reason(monitor_find("events"), &trial));	  /* recorded: not asked */
	ck_assert_ptr_null(monitor_reason(monitor_find("load"), &trial)); /* not among them */
	trial_clear(&trial);
	hwloc_bitmap_free((hwloc_bitmap_t)context.cpus);

	context.cpus = hwloc_bitmap_alloc();
	hwloc_bitmap_set((hwloc_bitmap_t)context.cpus, (unsigned)sched_getcpu());
	context.root = "";
	ck_no_error(monitor_probe(names, 1, &context, &trial));
	ck_assert_ptr_null(monitor_reason(monitor_find("cpu"), &trial));
	trial_clear(&trial);
	hwloc_bitmap_free((hwloc_bitmap_t)context.cpus);
}
END_TEST

UNIT_TESTS("monitor", a_probe_says_which_monitors_have_nothing_here_and_only_those,
	   no_metric_of_a_monitor_has_the_name_of_another_ones_or_a_workloads,
	   cpu_shares_are_of_the_cases_cpus_with_nice_in_user_and_guests_counted_once,
	   cpu_says_which_cpu_was_not_online, a_trial_shorter_than_a_tick_has_no_cpu_shares,
	   a_missing_proc_makes_every_metric_say_why,
	   sched_gives_rates_and_waits_of_workers_and_run_queues, sched_sources_fail_one_by_one,
	   throttling_is_read_from_v1, throttling_of_v2_sums_all_cgroups_on_the_way_up,
	   no_cpu_controller_means_no_throttling_with_a_reason,
	   load_is_of_the_start_and_leaves_out_fairtrials_own_tasks,
	   an_unknown_or_repeated_monitor_is_refused_with_the_list,
	   counting_on_many_cpus_raises_the_limit_of_open_files,
	   a_set_can_be_used_for_trial_after_trial, this_machine_gives_sane_values)
