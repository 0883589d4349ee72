// SPDX-License-Identifier: GPL-2.0-only
/* Trials whose answers are known: shares, quotas, budgets, moves, speeds. Nothing costs time. */
#include "simulation.h"

#include <errno.h>
#include <math.h>

#define near(value, expected, relative)                                                            \
	ck_assert_msg(fabs((double)(value) - (double)(expected)) <=                                \
			      (relative) * (double)(expected),                                     \
		      "%s = %.9g, expected %.9g", #value, (double)(value), (double)(expected))

static struct simulation trial;

START_TEST(as_many_hogs_as_cpus_have_one_each_to_themselves)
{
	if (!simulation_open("silent-2",
			     &(struct sim_options){
				     .runtime_ns = 5 * second, .stop_limit_ns = second, .seed = 1 },
			     &trial))
		return;
	add_hogs(&trial, 2, -1, false);
	simulation_run(&trial);
	near(cpu_of(&trial, 0), 5.0, 1e-6);
	near(cpu_of(&trial, 1), 5.0, 1e-6);
	/* a unit takes 1 us */
	ck_assert_uint_eq(trial.report.workers[0].counters[0], 5000000);
	ck_assert_uint_eq(trial.report.workers[1].counters[0], 5000000);
}
END_TEST

START_TEST(three_hogs_on_two_cpus_use_both_wholly_and_fairly)
{
	if (!simulation_open("silent-2",
			     &(struct sim_options){ .runtime_ns = 30 * second,
						    .stop_limit_ns = second,
						    .seed = 2 },
			     &trial))
		return;
	add_hogs(&trial, 3, -1, false);
	simulation_run(&trial);
	near(cpu_of(&trial, 0) + cpu_of(&trial, 1) + cpu_of(&trial, 2), 60.0, 1e-6);
	for (int i = 0; i < 3; i++)
		near(cpu_of(&trial, i), 20.0, 0.25);
}
END_TEST

START_TEST(siblings_share_a_core_as_the_machine_file_says)
{
	if (!simulation_open("silent-2x2",
			     &(struct sim_options){
				     .runtime_ns = 2 * second, .stop_limit_ns = second, .seed = 3 },
			     &trial))
		return;
	add_hogs(&trial, 4, -1, false);
	simulation_run(&trial);
	for (int i = 0; i < 4; i++) {
		near(cpu_of(&trial, i), 2.0, 1e-6);
		near((double)trial.report.workers[i].counters[0], 2000000 * 0.6, 1e-4);
	}
}
END_TEST

START_TEST(two_hogs_on_two_cores_run_at_full_speed)
{
	if (!simulation_open("silent-2x2",
			     &(struct sim_options){
				     .runtime_ns = 2 * second, .stop_limit_ns = second, .seed = 4 },
			     &trial))
		return;
	add_hogs(&trial, 2, -1, false);
	simulation_run(&trial);
	near((double)trial.report.workers[0].counters[0], 2000000, 1e-3);
	near((double)trial.report.workers[1].counters[0], 2000000, 1e-3);
}
END_TEST

static struct error *quota_150_percent(void *data, struct sim *sim)
{
	const struct ksched_api *kernel = sim_kernel(sim);
	struct ksched_group *group;

	(void)data;
	ck_assert_int_eq(kernel->group_new(NULL, &group), 0);
	ck_assert_int_eq(kernel->group_write(group, "cpu.max", "150000 100000"), 0);
	ck_assert_int_eq(kernel->group_move(group, 0), 0);
	return NULL;
}

START_TEST(a_quota_of_150_percent_gives_one_and_a_half_cpus)
{
	if (!simulation_open("silent-2",
			     &(struct sim_options){ .runtime_ns = 5 * second,
						    .stop_limit_ns = 3 * second,
						    .seed = 5,
						    .set_workers = quota_150_percent },
			     &trial))
		return;
	add_hogs(&trial, 4, -1, false);
	simulation_run(&trial);
	near(cpu_of(&trial, 0) + cpu_of(&trial, 1) + cpu_of(&trial, 2) + cpu_of(&trial, 3), 7.5,
	     0.03); /* a period of 100 ms at the edges */
}
END_TEST

/*
 * tests/ksched/test_answers.c has what a kernel with this file does by itself; this is without it.
 * Debian's 6.1 has autogroups off until they are asked for.
 */
static struct error *autogroups_of_one_weight(void *data, struct sim *sim)
{
	const struct ksched_api *kernel = sim_kernel(sim);
	int ret = kernel->write("/sys/kernel/debug/sched/cgroup_mode", "smp");

	(void)data;
	ck_assert_int_eq(kernel->write("/proc/sys/kernel/sched_autogroup_enabled", "1"), 0);
	ck_assert(ret >= 0 || ret == -ENOENT);
	return NULL;
}

START_TEST(autogroups_share_by_session_not_by_task)
{
	if (!simulation_open("silent-2",
			     &(struct sim_options){ .runtime_ns = 5 * second,
						    .stop_limit_ns = second,
						    .seed = 6,
						    .set_system = autogroups_of_one_weight },
			     &trial))
		return;
	add_hogs(&trial, 1, 1, true);
	add_hogs(&trial, 8, 2, true);
	simulation_run(&trial);
	near(cpu_of(&trial, 0), 5.0, 0.05);
}
END_TEST

static void deadline_hog(struct task *task, void *data)
{
	const struct ksched_api *kernel = sim_kernel(trial.sim);
	struct ksched_attr attr = {
		.policy = 6, .runtime = 10000000, .deadline = 100000000, .period = 100000000
	};

	ck_assert_int_eq(kernel->set_attr(0, &attr), 0);
	hog(task, data);
}

START_TEST(a_deadline_task_gets_its_budget_and_no_more)
{
	struct worker_spec spec = { .body = deadline_hog, .process = -1 };

	if (!simulation_open("silent-2",
			     &(struct sim_options){ .runtime_ns = 10 * second,
						    .warmup_ns = second,
						    .stop_limit_ns = second,
						    .seed = 7 },
			     &trial))
		return;
	team_add(trial.team, &spec);
	add_hogs(&trial, 4, -1, false);
	simulation_run(&trial);
	near(cpu_of(&trial, 0), 1.0, 0.05); /* overruns by up to a tick a period */
}
END_TEST

static void mover(struct task *task, void *data)
{
	struct compute *compute = task_compute_new(task, COMPUTE_INT128, 0);
	hwloc_bitmap_t cpu = hwloc_bitmap_alloc();

	(void)data;
	for (int i = 1; i <= 100; i++) {
		hwloc_bitmap_only(cpu, i % 2);
		ck_assert(task_set_affinity(task, cpu));
		ck_assert_int_eq(task_cpu(task), i % 2);
		task_compute(task, compute, 1000, 0);
	}
	hwloc_bitmap_free(cpu);
	task_compute_free(task, compute);
}

START_TEST(a_task_that_pins_itself_is_there_at_once)
{
	struct worker_spec spec = { .body = mover, .process = -1 };

	if (!simulation_open("silent-2",
			     &(struct sim_options){
				     .runtime_ns = second, .stop_limit_ns = second, .seed = 8 },
			     &trial))
		return;
	team_add(trial.team, &spec);
	simulation_run(&trial);
	ck_assert_uint_eq(trial.report.workers[0].counters[0], 100000);
	ck_assert(trial.report.workers[0].migrations >= 99);
	ck_assert(trial.report.workers[0].migrations <= 100);
}
END_TEST

/* pins itself to a CPU and computes there in turns, as a FIFO task that nothing preempts */
static void yielder(struct task *task, void *data)
{
	const struct ksched_api *kernel = sim_kernel(trial.sim);
	struct ksched_attr attr = { .policy = 1, .priority = 1 };
	struct compute *compute = task_compute_new(task, COMPUTE_INT128, 0);
	hwloc_bitmap_t cpu = hwloc_bitmap_alloc();

	(void)data;
	hwloc_bitmap_only(cpu, 1);
	/* in this order: a fair task would starve where the other one computes */
	ck_assert_int_eq(kernel->set_attr(0, &attr), 0);
	ck_assert(task_set_affinity(task, cpu));
	while (task_running(task)) {
		task_compute(task, compute, 1000, 0);
		task_yield(task);
	}
	hwloc_bitmap_free(cpu);
	task_compute_free(task, compute);
}

START_TEST(tasks_of_one_priority_that_yield_take_turns)
{
	struct worker_spec spec = { .body = yielder, .process = -1 };
	uint64_t first, second_one;

	if (!simulation_open("silent-2",
			     &(struct sim_options){ .runtime_ns = 500000000,
						    .warmup_ns = 100000000,
						    .stop_limit_ns = second,
						    .seed = 10 },
			     &trial))
		return;
	team_add(trial.team, &spec);
	team_add(trial.team, &spec);
	simulation_run(&trial);
	/* turns of 1000 units of 1 us; without yielding one of them would have all */
	first = trial.report.workers[0].counters[0];
	second_one = trial.report.workers[1].counters[0];
	near(first + second_one, 500000, 1e-3);
	ck_assert_uint_le(first > second_one ? first - second_one : second_one - first, 2000);
}
END_TEST

static void asks_for_what_is_not_there(struct task *task, void *data)
{
	static char text[1 << 20];

	(void)task;
	(void)data;
	sim_kernel(trial.sim)->read("/sys/kernel/debug/sched/debug", text, sizeof(text));
}

START_TEST(a_call_of_what_is_not_modelled_fails_the_trial_with_its_name)
{
	struct worker_spec spec = { .body = asks_for_what_is_not_there, .process = -1 };

	if (!simulation_open("silent-2",
			     &(struct sim_options){
				     .runtime_ns = second, .stop_limit_ns = second, .seed = 11 },
			     &trial))
		return;
	team_add(trial.team, &spec);
	ck_no_error(sim_team_run(trial.team, &trial.report));
	ck_assert_msg(trial.report.failure && strstr(trial.report.failure, "the kernel called ") &&
			      strstr(trial.report.failure, ", which is not modelled"),
		      "%s", trial.report.failure);
}
END_TEST

static void sleeper(struct task *task, void *data)
{
	(void)data;
	while (task_sleep(task, 10000000))
		task_count(task, 0, 1);
}

START_TEST(sleeps_last_as_long_as_asked_and_the_slack)
{
	struct worker_spec spec = { .body = sleeper, .process = -1 };

	if (!simulation_open("silent-2",
			     &(struct sim_options){
				     .runtime_ns = second, .stop_limit_ns = second, .seed = 9 },
			     &trial))
		return;
	team_add(trial.team, &spec);
	simulation_run(&trial);
	ck_assert_uint_ge(trial.report.workers[0].counters[0], 98);
	ck_assert_uint_le(trial.report.workers[0].counters[0], 100);
	ck_assert(cpu_of(&trial, 0) < 0.001);
}
END_TEST

UNIT_TESTS("sim exact", as_many_hogs_as_cpus_have_one_each_to_themselves,
	   three_hogs_on_two_cpus_use_both_wholly_and_fairly,
	   siblings_share_a_core_as_the_machine_file_says, two_hogs_on_two_cores_run_at_full_speed,
	   a_quota_of_150_percent_gives_one_and_a_half_cpus,
	   autogroups_share_by_session_not_by_task, a_deadline_task_gets_its_budget_and_no_more,
	   a_task_that_pins_itself_is_there_at_once, tasks_of_one_priority_that_yield_take_turns,
	   a_call_of_what_is_not_modelled_fails_the_trial_with_its_name,
	   sleeps_last_as_long_as_asked_and_the_slack)
