// SPDX-License-Identifier: GPL-2.0-only
/* What tasks do: fork and wait, sleep and wake, files of settings, determinism, traps. */
#include "unit.h"

#include <unistd.h>

#include "loop.h"

static void (*act)(void);

static void first_task(void *arg)
{
	(void)arg;
	act();
	loop_stop();
	for (;;)
		ks->compute(KSCHED_USER);
}

static void run_seeded(int cpus, void (*what)(void), const char *cmdline, int polling)
{
	struct loop_machine m = {
		.nodes = 1,
		.llcs_per_node = 1,
		.cores_per_llc = cpus,
		.smt = 1,
		.cmdline = cmdline,
		.polling = polling,
		.seed = 7,
	};

	act = what;
	loop_open(getenv("KSCHED_LIBRARY"));
	loop_boot(&m, first_task, NULL);
	loop_run(60 * NS_PER_SEC);
}

static void run(int cpus, void (*what)(void))
{
	run_seeded(cpus, what, NULL, 0);
}

static struct ksched_task *start(void (*entry)(void *), void *arg, unsigned int flags)
{
	struct ksched_clone args = {
		.entry = entry,
		.arg = arg,
		.flags = flags,
		.data = calloc(1, LOOP_WORK_SIZE),
	};
	struct ksched_task *t;

	ck_assert_int_eq(ks->clone(&args, &t), 0);
	return t;
}

/* ---- fork, exit, wait ---- */

static void child(void *arg)
{
	loop_compute(*(uint64_t *)arg);
	ks->exit(7);
}

static int tasks_now;

static void count_task(void *arg, struct ksched_task *task)
{
	(void)task;
	++*(int *)arg;
}

static int count_tasks(void)
{
	int n = 0;

	ks->each_task(count_task, &n);
	return n;
}

static void forks(void)
{
	uint64_t time = NS_PER_MS;
	int pid, code;

	tasks_now = count_tasks();
	for (int i = 0; i < 2000; i++) {
		pid = start(child, &time, 0)->pid;
		ck_assert_int_eq(ks->wait(-1, 1, &code), 0);
		ck_assert_int_eq(ks->wait(pid, 0, &code), pid);
		ck_assert_int_eq(code, 7);
	}
	ck_assert_int_eq(ks->wait(-1, 0, &code), -10);
	ck_assert_int_eq(count_tasks(), tasks_now);
	/* one after the other: 2000 times 1 ms, and no costs */
	ck_assert_uint_ge(loop_now(), 2 * NS_PER_SEC);
	ck_assert_uint_lt(loop_now(), 2.1 * NS_PER_SEC);
}

START_TEST(children_are_waited_for_and_leave_nothing)
{
	run(4, forks);
}
END_TEST

static void orphans(void *arg)
{
	for (int i = 0; i < 3; i++)
		start(child, arg, 0);
}

static void grandchildren(void)
{
	static uint64_t time = 5 * NS_PER_MS;
	int n = count_tasks();
	int pid = start(orphans, &time, 0)->pid;

	ck_assert_int_eq(ks->wait(pid, 0, NULL), pid);
	ks->sleep_until(sh->cpu[sh->this_cpu].now + NS_PER_SEC, 0);
	ck_assert_int_eq(count_tasks(), n);
}

START_TEST(orphans_are_reaped_by_init)
{
	run(2, grandchildren);
}
END_TEST

/* ---- sleep and wake ---- */

static void sleeps(void)
{
	uint64_t now = sh->cpu[sh->this_cpu].now;

	ks->sleep_until(now + 5 * NS_PER_MS, 0);
	/* up to an interrupt's way of 1 us later, if it wakes on another CPU */
	ck_assert_uint_ge(sh->cpu[sh->this_cpu].now, now + 5 * NS_PER_MS);
	ck_assert_uint_le(sh->cpu[sh->this_cpu].now, now + 5 * NS_PER_MS + 2000);
	now = sh->cpu[sh->this_cpu].now;
	ck_assert_int_eq(ks->block(now + NS_PER_MS), -110);
	/* the usual slack of 50 us */
	ck_assert_uint_ge(sh->cpu[sh->this_cpu].now, now + NS_PER_MS);
	ck_assert_uint_le(sh->cpu[sh->this_cpu].now, now + NS_PER_MS + 52000);
}

START_TEST(sleeping_ends_on_time)
{
	run(2, sleeps);
}
END_TEST

static int turn, rounds[2];
static struct ksched_waitq *queue[2];

static void player(void *arg)
{
	int me = *(int *)arg;

	for (;;) {
		while (turn != me)
			ks->waitq_wait(queue[me], 1, KSCHED_NEVER);
		rounds[me]++;
		loop_compute(1000);
		turn = !me;
		ks->waitq_wake(queue[!me], 1, 1);
	}
}

static void ping_pong(void)
{
	static int who[2] = { 0, 1 };

	for (int i = 0; i < 2; i++)
		queue[i] = ks->waitq_new();
	for (int i = 0; i < 2; i++)
		start(player, &who[i], KSCHED_AUTOREAP);
	ks->sleep_until(loop_start + NS_PER_SEC, 0);
	/* 1 us of work a turn, and on two CPUs up to 1 us for the interrupt */
	ck_assert_int_ge(rounds[0], 200000);
	ck_assert_int_le(rounds[0], 500001);
	ck_assert_int_le(abs(rounds[0] - rounds[1]), 1);
}

START_TEST(a_token_goes_to_and_fro)
{
	run(2, ping_pong);
}
END_TEST

START_TEST(polling_idle_cpus_wake_without_interrupt)
{
	run_seeded(2, ping_pong, NULL, 1);
}
END_TEST

static int woken;

static void sleeper(void *arg)
{
	(void)arg;
	ks->block(KSCHED_NEVER);
	woken++;
}

static void many(void)
{
	struct ksched_task *t[8];

	for (int i = 0; i < 8; i++)
		t[i] = start(sleeper, NULL, KSCHED_AUTOREAP);
	ks->sleep_until(sh->cpu[sh->this_cpu].now + NS_PER_MS, 0);
	ck_assert_int_eq(ks->wake(t, 8), 8);
	ks->sleep_until(sh->cpu[sh->this_cpu].now + NS_PER_MS, 0);
	ck_assert_int_eq(woken, 8);
}

START_TEST(all_blocked_tasks_are_woken)
{
	run(4, many);
}
END_TEST

/* ---- settings ---- */

static void files(void)
{
	char text[4096];

	ck_assert_int_gt(ks->read("/sys/kernel/debug/sched/features", text, sizeof(text)), 0);
	ck_assert_ptr_nonnull(strstr(text, "NO_HRTICK"));
	ck_assert_int_eq(ks->write("/sys/kernel/debug/sched/features", "HRTICK"), 0);
	ks->read("/sys/kernel/debug/sched/features", text, sizeof(text));
	ck_assert_ptr_null(strstr(text, "NO_HRTICK "));
	ck_assert_int_eq(ks->write("/sys/kernel/debug/sched/features", "NO_SUCH_THING"), -22);
	ck_assert_int_eq(ks->write("/sys/kernel/debug/sched/migration_cost_ns", "123456"), 0);
	ks->read("/sys/kernel/debug/sched/migration_cost_ns", text, sizeof(text));
	ck_assert_str_eq(text, "123456\n");
	ck_assert_int_eq(ks->write("/proc/sys/kernel/sched_autogroup_enabled", "0"), 0);
	ks->read("/proc/sys/kernel/sched_autogroup_enabled", text, sizeof(text));
	ck_assert_str_eq(text, "0\n");
	ck_assert_int_eq(ks->write("/proc/sys/kernel/sched_autogroup_enabled", "2"), -22);
	ck_assert_int_eq(ks->write("/proc/sys/kernel/no_such_file", "1"), -2);
	ck_assert_int_gt(ks->read("/proc/schedstat", text, sizeof(text)), 0);
	ck_assert_int_eq(strncmp(text, "version ", 8), 0);
	ck_assert_int_gt(ks->read("/proc/1/sched", text, sizeof(text)), 0);
	ck_assert_ptr_nonnull(strstr(text, "se.sum_exec_runtime"));
}

START_TEST(settings_are_read_and_written_by_path)
{
	run(2, files);
}
END_TEST

static void autogroup_off(void)
{
	char text[64];

	ks->read("/proc/sys/kernel/sched_autogroup_enabled", text, sizeof(text));
	ck_assert_str_eq(text, "0\n");
}

START_TEST(kernel_parameters_are_obeyed)
{
	run_seeded(2, autogroup_off, "noautogroup", 0);
}
END_TEST

/* ---- determinism ---- */

static uint64_t trace_hash = 1469598103934665603ULL;

static void mixed(void)
{
	uint64_t time = 100000;

	for (int i = 0; i < 6; i++)
		loop_hog(NULL, -1, -1);
	for (int i = 0; i < 200; i++)
		ks->wait(start(child, &time, 0)->pid, 0, NULL);
}

static void hash_events(void *self, const struct ksched_event *ev)
{
	uint64_t v[3] = { ev->time, ev->kind * 1000000ULL + ev->cpu, ev->task ? ev->task->pid : 0 };

	(void)self;
	for (int i = 0; i < 3; i++)
		trace_hash = (trace_hash ^ v[i]) * 1099511628211ULL;
}

static uint64_t traced_run(void)
{
	int pipe_fd[2];
	uint64_t hash = 0;

	ck_assert_int_eq(pipe(pipe_fd), 0);
	if (!fork()) {
		loop_on_event = hash_events;
		run(4, mixed);
		if (write(pipe_fd[1], &trace_hash, sizeof(trace_hash)) < 0)
			_exit(1);
		_exit(0);
	}
	close(pipe_fd[1]);
	ck_assert_int_eq(read(pipe_fd[0], &hash, sizeof(hash)), sizeof(hash));
	close(pipe_fd[0]);
	return hash;
}

START_TEST(two_runs_give_the_same_events)
{
	uint64_t one = traced_run();

	ck_assert_uint_ne(one, trace_hash);
	ck_assert_uint_eq(one, traced_run());
}
END_TEST

UNIT_TESTS("ksched", children_are_waited_for_and_leave_nothing, orphans_are_reaped_by_init,
	   sleeping_ends_on_time, a_token_goes_to_and_fro, polling_idle_cpus_wake_without_interrupt,
	   all_blocked_tasks_are_woken, settings_are_read_and_written_by_path,
	   kernel_parameters_are_obeyed, two_runs_give_the_same_events)
