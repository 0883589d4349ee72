// SPDX-License-Identifier: GPL-2.0-only
/* Questions with exact answers: quotas, budgets, shares, pinned moves, tasks on CPUs. */
#include "unit.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "loop.h"

#define CGROUP_MODE "/sys/kernel/debug/sched/cgroup_mode"

#define MAX_HOGS 32

static struct ksched_task *hog[MAX_HOGS];
static uint64_t before[MAX_HOGS];
static int n_hogs;
static void (*scene)(void); /* makes the hogs */

/* What the hogs ran between warm-up and end, s each; and all of it */
static double ran[MAX_HOGS], all;

/*
 * Not a round number: a wake-up at the very moment when the fair server's budget ends loses its reschedule
 * inside the kernel's pick (6.12 and 7.2), and with no costs and noise round times do coincide.
 */
#define WARM_UP (1013 * NS_PER_MS)

static uint64_t measured;

static void conduct(void *arg)
{
	(void)arg;
	scene();
	ks->sleep_until(loop_start + WARM_UP, 0);
	for (int i = 0; i < n_hogs; i++)
		before[i] = loop_exec_ns(hog[i]);
	ks->sleep_until(loop_start + WARM_UP + measured, 0);
	for (int i = 0; i < n_hogs; i++) {
		ran[i] = (loop_exec_ns(hog[i]) - before[i]) / 1e9;
		all += ran[i];
	}
	loop_stop();
	for (;;)
		ks->compute(KSCHED_USER);
}

static void run(int cpus, double seconds, void (*what)(void))
{
	struct loop_machine m = { .nodes = 1, .llcs_per_node = 1, .cores_per_llc = cpus, .smt = 1 };

	scene = what;
	measured = seconds * NS_PER_SEC;
	loop_open(getenv("KSCHED_LIBRARY"));
	loop_boot(&m, conduct, NULL);
	loop_run(WARM_UP + measured + NS_PER_SEC);
}

static void hogs_in(struct ksched_group *group, int n)
{
	while (n--) {
		hog[n_hogs] = loop_hog(group, -1, -1);
		ck_assert_ptr_nonnull(hog[n_hogs++]);
	}
}

static double sum(int first, int n)
{
	double s = 0;

	for (int i = first; i < first + n; i++)
		s += ran[i];
	return s;
}

static struct ksched_group *group(void)
{
	struct ksched_group *g;

	ck_assert_int_eq(ks->group_new(NULL, &g), 0);
	return g;
}

static void twelve_hogs(void)
{
	hogs_in(NULL, 12);
}

START_TEST(twelve_hogs_use_eight_cpus_fully)
{
	run(8, 10, twelve_hogs);
	ck_assert_double_eq_tol(all, 80, 0.1);
	for (int i = 0; i < 12; i++)
		ck_assert_double_eq_tol(ran[i], 80. / 12, 1.5);
}
END_TEST

static void eight_hogs(void)
{
	hogs_in(NULL, 8);
}

START_TEST(eight_hogs_get_a_cpu_each)
{
	run(8, 5, eight_hogs);
	for (int i = 0; i < 8; i++)
		ck_assert_double_eq_tol(ran[i], 5, 0.02);
}
END_TEST

static void quota(void)
{
	struct ksched_group *g = group();

	ck_assert_int_eq(ks->group_write(g, "cpu.max", "150000 100000"), 0);
	hogs_in(g, 4);
}

START_TEST(quota_of_150_percent_is_7_5_s_in_5_s)
{
	run(4, 5, quota);
	ck_assert_double_eq_tol(all, 7.5, 0.05);
}
END_TEST

/*
 * What a group of that many hogs weighs, in groups of one weight. Trees with the file cgroup_mode (first in
 * 7.3) start with "concur": the weight counts once for each task, up to the CPUs. They count tasks by
 * tg->runnable_avg, cut to a whole number; a hog's average stays just below 1, so that n hogs count as
 * n - 1. Trees without the file are what "smp" is there: one weight, however many tasks.
 */
static double weight_of(int hogs, int cpus)
{
	char mode[128];

	if (ks->read(CGROUP_MODE, mode, sizeof(mode)) == -ENOENT || strstr(mode, "(smp)"))
		return 1;
	ck_assert_msg(strstr(mode, "(concur)"), "cgroup_mode is %s", mode);
	return fmax(1, fmin(hogs - 1, cpus));
}

static void two_groups(void)
{
	hogs_in(group(), 2);
	hogs_in(group(), 8);
}

START_TEST(equal_groups_get_shares_by_the_rule_of_the_kernel)
{
	double few, many;

	run(2, 20, two_groups);
	few = weight_of(2, 2);
	many = weight_of(8, 2);
	ck_assert_double_eq_tol(sum(0, 2), 40 * few / (few + many), 0.5);
	ck_assert_double_eq_tol(sum(2, 8), 40 * many / (few + many), 0.5);
}
END_TEST

static void two_groups_of_one_weight(void)
{
	int ret = ks->write(CGROUP_MODE, "smp");

	ck_assert(ret >= 0 || ret == -ENOENT);
	two_groups();
}

START_TEST(equal_groups_get_equal_shares)
{
	run(2, 20, two_groups_of_one_weight);
	ck_assert_double_eq(weight_of(8, 2), 1);
	ck_assert_double_eq_tol(sum(0, 2), 20, 0.5);
	ck_assert_double_eq_tol(sum(2, 8), 20, 0.5);
}
END_TEST

static void weighted_groups(void)
{
	struct ksched_group *heavy = group();

	ck_assert_int_eq(ks->group_write(heavy, "cpu.weight", "300"), 0);
	hogs_in(heavy, 1);
	hogs_in(group(), 1);
}

START_TEST(weight_300_gets_three_quarters)
{
	run(1, 10, weighted_groups);
	ck_assert_double_eq_tol(ran[0], 7.5, 0.1);
	ck_assert_double_eq_tol(ran[1], 2.5, 0.1);
}
END_TEST

static void nice_pair(void)
{
	hogs_in(NULL, 2);
	ck_assert_int_eq(ks->set_nice(hog[0]->pid, 5), 0);
}

/* weights 335 and 1024 of the kernel's table */
START_TEST(nice_5_gets_a_quarter)
{
	run(1, 10, nice_pair);
	ck_assert_double_eq_tol(ran[0], 10 * 335. / (335 + 1024), 0.1);
}
END_TEST

static void deadline(void)
{
	struct ksched_attr attr = {
		.policy = 6,
		.runtime = 10 * NS_PER_MS,
		.deadline = 100 * NS_PER_MS,
		.period = 100 * NS_PER_MS,
	};

	hogs_in(NULL, 4);
	ck_assert_int_eq(ks->set_attr(hog[0]->pid, &attr), 0);
}

START_TEST(deadline_10_of_100_ms_is_a_tenth)
{
	run(2, 10, deadline);
	ck_assert_double_eq_tol(ran[0], 1, 0.05);
	ck_assert_double_eq_tol(all, 20, 0.05);
}
END_TEST

static void fifo(void)
{
	struct ksched_attr attr = { .policy = 1, .priority = 20 };

	hogs_in(NULL, 2);
	ck_assert_int_eq(ks->write("/proc/sys/kernel/sched_rt_runtime_us", "-1"), 0);
	/* the one who measures comes first */
	ck_assert_int_eq(ks->set_attr(0, &attr), 0);
	attr.priority = 10;
	ck_assert_int_eq(ks->set_attr(hog[0]->pid, &attr), 0);
}

/* From 6.8 on, 5 % are left to fair tasks by their deadline server. */
START_TEST(fifo_takes_the_cpu)
{
	run(1, 3, fifo);
	ck_assert_double_ge(ran[0], 3 * 0.95 - 0.01);
	ck_assert_double_eq_tol(all, 3, 0.01);
}
END_TEST

static int session_hogs[2] = { 1, 8 };

static void session(void *arg)
{
	ks->setsid();
	hogs_in(NULL, *(int *)arg);
	for (;;)
		ks->block(KSCHED_NEVER);
}

static void sessions(void)
{
	ck_assert_int_eq(ks->write("/proc/sys/kernel/sched_autogroup_enabled", "1"), 0);
	for (int i = 0; i < 2; i++) {
		struct ksched_clone args = {
			.entry = session,
			.arg = &session_hogs[i],
			.flags = KSCHED_AUTOREAP,
			.data = calloc(1, LOOP_WORK_SIZE),
		};

		ck_assert_int_eq(ks->clone(&args, NULL), 0);
		/* the first session's hog comes first in the array */
		ks->sleep_until(sh->cpu[sh->this_cpu].now + NS_PER_MS, 0);
	}
}

START_TEST(autogroups_share_by_session_not_by_task)
{
	double few, many;

	run(2, 10, sessions);
	few = weight_of(1, 2);
	many = weight_of(8, 2);
	ck_assert_int_eq(n_hogs, 9);
	ck_assert_double_eq_tol(ran[0], 20 * few / (few + many), 0.5);
	ck_assert_double_eq_tol(sum(1, 8), 20 * many / (few + many), 0.5);
}
END_TEST

static void pinned(void)
{
	hog[n_hogs++] = loop_hog(NULL, 3, 3);
	hog[n_hogs++] = loop_hog(NULL, 3, 3);
	hog[n_hogs++] = loop_hog(NULL, 0, 2);
}

START_TEST(pinned_tasks_stay_and_share_their_cpu)
{
	struct ksched_task_stat st;

	run(4, 4, pinned);
	ck_assert_double_eq_tol(ran[0], 2, 0.05);
	ck_assert_double_eq_tol(ran[1], 2, 0.05);
	ck_assert_double_eq_tol(ran[2], 4, 0.05);
	for (int i = 0; i < 2; i++) {
		ks->task_stat(hog[i], &st);
		ck_assert_int_eq(st.cpu, 3);
	}
}
END_TEST

static void moved(void)
{
	uint64_t mask = 1 << 2;

	hogs_in(NULL, 4);
	for (int i = 0; i < 4; i++)
		ck_assert_int_eq(ks->set_affinity(hog[i]->pid, &mask), 0);
	ck_assert_int_eq(ks->get_affinity(hog[0]->pid, &mask), 0);
	ck_assert_uint_eq(mask, 1 << 2);
	mask = 0;
	ck_assert_int_eq(ks->set_affinity(hog[0]->pid, &mask), -22);
}

START_TEST(running_tasks_move_to_the_cpus_they_are_given)
{
	struct ksched_task_stat st;

	run(4, 4, moved);
	ck_assert_double_eq_tol(all, 4, 0.02);
	for (int i = 0; i < 4; i++) {
		ks->task_stat(hog[i], &st);
		ck_assert_int_eq(st.cpu, 2);
		ck_assert_double_eq_tol(ran[i], 1, 0.05);
	}
}
END_TEST

static void two_moved_groups(void)
{
	struct ksched_group *g = group();

	hogs_in(NULL, 4);
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(ks->group_move(g, hog[i]->pid), 0);
	ck_assert_int_eq(ks->group_free(g), -16);
}

START_TEST(tasks_moved_to_a_group_share_its_weight)
{
	run(1, 20, two_moved_groups);
	ck_assert_double_eq_tol(ran[3], 10, 0.3);
}
END_TEST

UNIT_TESTS("ksched", twelve_hogs_use_eight_cpus_fully, eight_hogs_get_a_cpu_each,
	   quota_of_150_percent_is_7_5_s_in_5_s, equal_groups_get_shares_by_the_rule_of_the_kernel,
	   equal_groups_get_equal_shares, weight_300_gets_three_quarters, nice_5_gets_a_quarter,
	   deadline_10_of_100_ms_is_a_tenth, fifo_takes_the_cpu,
	   autogroups_share_by_session_not_by_task, pinned_tasks_stay_and_share_their_cpu,
	   running_tasks_move_to_the_cpus_they_are_given, tasks_moved_to_a_group_share_its_weight)
