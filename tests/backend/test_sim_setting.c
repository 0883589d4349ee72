// SPDX-License-Identifier: GPL-2.0-only
/*
 * Settings of a variant on the simulated kernel: that each has its effect, not only that it is taken.
 * Worker 0 has the settings; a rival has taken them back from itself. Nothing costs time. For Linux 6.12, which
 * has slices and whose groups have one weight each.
 */
#include "sim/simulation.h"

#include <math.h>

#include "backend/sim_setting.h"
#include "plan/plan.h"

static struct simulation trial;

static struct plan_entry entries[4];
static struct plan_variant variant = { .settings = entries };

static struct error *set_system(void *data, struct sim *sim)
{
	return sim_setting_system(data, sim);
}

static struct error *set_workers(void *data, struct sim *sim)
{
	return sim_setting_workers(data, sim);
}

/* key, value, key, value ..., NULL; a trial of @n_cpus of the two CPUs. False: no kernel to test with */
static bool open_with(int n_cpus, double seconds, const char *key, ...)
{
	struct sim_options options = {
		.runtime_ns = (uint64_t)(seconds * 1e9),
		.warmup_ns = second / 2,
		.stop_limit_ns = second,
		.seed = 1,
		.set_system = set_system,
		.set_workers = set_workers,
		.set_data = &variant,
	};
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
	va_list args;
	bool open;

	va_start(args, key);
	for (; key; key = va_arg(args, const char *))
		entries[variant.n_settings++] = (struct plan_entry){
			.key = (char *)key,
			.value = va_arg(args, char *),
		};
	va_end(args);
	hwloc_bitmap_set_range(cpus, 0, n_cpus - 1);
	ck_no_error(sim_setting_narrow(&variant, cpus));
	options.cpus = cpus;
	open = simulation_open("silent-2", &options, &trial);
	hwloc_bitmap_free(cpus);
	return open;
}

static void rival(struct task *task, void *data)
{
	const struct ksched_api *kernel = sim_kernel(trial.sim);
	struct ksched_attr normal = { 0 };

	ck_assert_int_eq(kernel->group_move(NULL, 0), 0);
	ck_assert_int_eq(kernel->set_attr(0, &normal), 0);
	hog(task, data);
}

static void add(task_body body, bool session)
{
	/* one that has settings to take back cannot do it while it spins */
	struct worker_spec spec = {
		.body = body, .process = -1, .session = session, .spins = body == hog
	};

	team_add(trial.team, &spec);
}

/* of the CPU time of workers 0 and 1 */
static double share_of_first(void)
{
	return cpu_of(&trial, 0) / (cpu_of(&trial, 0) + cpu_of(&trial, 1));
}

static double share_against_rival(void)
{
	add(hog, false);
	add(rival, false);
	simulation_run(&trial);
	return share_of_first();
}

START_TEST(nice_weighs_by_the_table_of_the_kernel)
{
	if (open_with(1, 5, "nice", "5", NULL))
		ck_assert_double_eq_tol(share_against_rival(), 335. / (335 + 1024), 0.01);
}
END_TEST

START_TEST(policy_idle_gets_next_to_nothing)
{
	if (open_with(1, 5, "policy", "idle", NULL))
		ck_assert_double_eq_tol(share_against_rival(), 3. / (3 + 1024), 0.01);
}
END_TEST

START_TEST(a_cgroup_of_weight_300_gets_three_quarters)
{
	if (open_with(1, 5, "cpu.weight", "300", NULL))
		ck_assert_double_eq_tol(share_against_rival(), 0.75, 0.01);
}
END_TEST

START_TEST(a_quota_of_half_a_cpu_gives_half_a_cpu)
{
	if (!open_with(2, 4, "cpu.max", "50000 100000", NULL))
		return;
	add(hog, false);
	add(hog, false);
	simulation_run(&trial);
	ck_assert_double_eq_tol(cpu_of(&trial, 0) + cpu_of(&trial, 1), 2, 0.06);
}
END_TEST

START_TEST(affinity_keeps_workers_on_its_cpus)
{
	if (!open_with(2, 2, "affinity", "1", NULL))
		return;
	add(hog, false);
	add(hog, false);
	simulation_run(&trial);
	ck_assert_double_eq_tol(cpu_of(&trial, 0) + cpu_of(&trial, 1), 2, 0.01);
	ck_assert_double_eq_tol(cpu_of(&trial, 0), 1, 0.02);
}
END_TEST

/* how often the first of two hogs on a CPU is preempted, 1/s */
static double preemptions(const char *key, const char *value, const char *key2, const char *value2)
{
	if (!open_with(1, 2, key, value, key2, value2, NULL))
		return NAN;
	add(hog, false);
	add(hog, false);
	simulation_run(&trial);
	ck_assert_double_eq_tol(share_of_first(), 0.5, 0.03);
	return trial.report.workers[0].involuntary / 2;
}

/* a slice of at most a tick, on two hogs in turn: one of them is preempted at every second tick */
START_TEST(a_default_slice_ends_at_a_tick)
{
	double rate = preemptions(NULL, NULL, NULL, NULL);

	if (!isnan(rate)) {
		ck_assert_double_ge(rate, 70);
		ck_assert_double_le(rate, 130);
	}
}
END_TEST

START_TEST(a_slice_of_100_ms_preempts_every_200_ms)
{
	double rate = preemptions("slice", "100ms", NULL, NULL);

	if (!isnan(rate))
		ck_assert_double_eq_tol(rate, 5, 1);
}
END_TEST

START_TEST(a_base_slice_of_50_ms_preempts_every_100_ms)
{
	double rate = preemptions("sched.base_slice_ns", "50000000", NULL, NULL);

	if (!isnan(rate))
		ck_assert_double_eq_tol(rate, 10, 2);
}
END_TEST

START_TEST(feature_hrtick_ends_a_slice_of_1_ms_between_ticks)
{
	double rate = preemptions("feature.HRTICK", "1", "slice", "1ms");

	if (!isnan(rate))
		ck_assert_double_ge(rate, 400);
}
END_TEST

START_TEST(without_feature_hrtick_a_slice_of_1_ms_ends_at_a_tick)
{
	double rate = preemptions("feature.HRTICK", "0", "slice", "1ms");

	if (!isnan(rate))
		ck_assert_double_le(rate, 130);
}
END_TEST

/*
 * Worker 0 is in the session of the one who forks, each other worker in a session of its own: with
 * autogroup they are two groups of one, three with two rivals.
 */
static double share_with_sessions(const char *key, const char *value)
{
	if (!open_with(1, 5, key, value, NULL))
		return NAN;
	add(hog, false);
	add(hog, false);
	add(hog, true);
	simulation_run(&trial);
	return cpu_of(&trial, 0) / (cpu_of(&trial, 0) + cpu_of(&trial, 1) + cpu_of(&trial, 2));
}

START_TEST(autogroup_shares_by_session)
{
	double share = share_with_sessions("autogroup", "1");

	if (!isnan(share))
		ck_assert_double_eq_tol(share, 0.25, 0.01);
}
END_TEST

START_TEST(without_autogroup_tasks_share)
{
	double share = share_with_sessions("autogroup", "0");

	if (!isnan(share))
		ck_assert_double_eq_tol(share, 1. / 3, 0.01);
}
END_TEST

START_TEST(a_sysctl_is_the_kernels)
{
	double share = share_with_sessions("sysctl.kernel.sched_autogroup_enabled", "0");

	if (!isnan(share))
		ck_assert_double_eq_tol(share, 1. / 3, 0.01);
}
END_TEST

/* 110 is the weight of nice 10; two of three workers share the group's */
START_TEST(autogroup_nice_weighs_the_group)
{
	double share = share_with_sessions("autogroup.nice", "10");

	if (!isnan(share))
		ck_assert_double_eq_tol(share, 110. / (110 + 1024) / 2, 0.01);
}
END_TEST

UNIT_TESTS("sim settings", nice_weighs_by_the_table_of_the_kernel, policy_idle_gets_next_to_nothing,
	   a_cgroup_of_weight_300_gets_three_quarters, a_quota_of_half_a_cpu_gives_half_a_cpu,
	   affinity_keeps_workers_on_its_cpus, a_default_slice_ends_at_a_tick,
	   a_slice_of_100_ms_preempts_every_200_ms, a_base_slice_of_50_ms_preempts_every_100_ms,
	   feature_hrtick_ends_a_slice_of_1_ms_between_ticks,
	   without_feature_hrtick_a_slice_of_1_ms_ends_at_a_tick, autogroup_shares_by_session,
	   without_autogroup_tasks_share, a_sysctl_is_the_kernels, autogroup_nice_weighs_the_group)
