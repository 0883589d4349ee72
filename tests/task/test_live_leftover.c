// SPDX-License-Identifier: GPL-2.0-only
/* nothing of a team is left: after a normal end, a failure, and a trial's process that was killed */
#include "live_fixture.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

struct strays {
	uint32_t n;
	pid_t pids[16];
};

static void note(struct strays *strays)
{
	strays->pids[__atomic_fetch_add(&strays->n, 1, __ATOMIC_SEQ_CST)] = getpid();
}

/* a grandchild that has left session and process group, and would not end by itself */
static void leave_stray(struct task *task, void *data)
{
	struct strays *strays = data;

	if (!fork()) {
		if (!fork()) {
			setsid();
			signal(SIGHUP, SIG_IGN);
			note(strays);
			for (;;)
				pause();
		}
		_exit(0);
	}
	task_count(task, 0, 1);
	while (task_running(task) && !__atomic_load_n(&strays->n, __ATOMIC_SEQ_CST))
		task_sleep(task, MS);
	body_busy(task, NULL);
}

static void leave_stray_and_fail(struct task *task, void *data)
{
	leave_stray(task, data);
	task_fail(task, "on purpose");
}

static void check_none(const struct strays *strays)
{
	ck_assert_uint_gt(strays->n, 0);
	for (uint32_t i = 0; i < strays->n; i++)
		ck_assert_msg(!process_exists(strays->pids[i]), "process %d is left",
			      strays->pids[i]);
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
	ck_assert_int_eq(errno, ECHILD);
}

START_TEST(no_descendant_is_left_after_a_normal_end)
{
	struct fixture f = FIXTURE;
	struct strays *strays;

	f.options.runtime_ns = 500 * MS;
	fixture_open(&f);
	strays = team_shared(f.team, sizeof(*strays));
	fixture_add(&f, leave_stray, strays);
	fixture_run_well(&f);
	check_none(strays);
	fixture_close(&f);
}
END_TEST

START_TEST(no_descendant_is_left_after_a_failure)
{
	struct fixture f = FIXTURE;
	struct strays *strays;

	f.options.runtime_ns = 500 * MS;
	fixture_open(&f);
	strays = team_shared(f.team, sizeof(*strays));
	fixture_add(&f, leave_stray_and_fail, strays);
	fixture_add(&f, body_busy, NULL);
	fixture_run_badly(&f, "on purpose");
	check_none(strays);
	fixture_close(&f);
}
END_TEST

START_TEST(children_that_were_there_before_are_spared)
{
	struct fixture f = FIXTURE;
	pid_t own = fork();

	if (!own)
		for (;;)
			pause();
	fixture_open(&f);
	fixture_add(&f, body_busy, NULL);
	fixture_run_well(&f);
	ck_assert_int_eq(waitpid(own, NULL, WNOHANG), 0);
	kill(own, SIGKILL);
	waitpid(own, NULL, 0);
	fixture_close(&f);
}
END_TEST

START_TEST(the_caller_gets_its_signals_back)
{
	struct fixture f = FIXTURE;
	struct sigaction action;
	sigset_t mask;
	int reaper = 7;

	signal(SIGCHLD, SIG_IGN);
	fixture_open(&f);
	fixture_add(&f, body_busy, NULL);
	fixture_run_well(&f);
	sigaction(SIGCHLD, NULL, &action);
	ck_assert_ptr_eq(action.sa_handler, SIG_IGN);
	sigprocmask(SIG_SETMASK, NULL, &mask);
	ck_assert(!sigismember(&mask, SIGCHLD));
	prctl(PR_GET_CHILD_SUBREAPER, &reaper);
	ck_assert_int_eq(reaper, 0);
	fixture_close(&f);
}
END_TEST

static void sleeping_child(struct task *task, void *data)
{
	note(data);
	while (task_running(task))
		task_sleep(task, 10000 * MS);
}

static void worker_with_child(struct task *task, void *data)
{
	int64_t child;

	note(data);
	child = task_spawn(task, CHILD_FORK, sleeping_child, data);
	task_wait(task, child);
}

static void __attribute__((noreturn)) trial_process(struct fixture *f, struct strays *strays)
{
	struct worker_spec spec = { .body = worker_with_child, .data = strays, .process = -1 };

	for (int i = 0; i < 4; i++) {
		spec.session = i % 2;
		team_add(f->team, &spec);
	}
	error_free(live_team_run(f->team, &f->report));
	_exit(0);
}

/* a zombie is a process that has ended */
START_TEST(no_worker_is_left_when_the_trials_process_is_killed)
{
	struct fixture f = FIXTURE;
	struct timespec pause = { .tv_nsec = 10 * MS };
	struct strays *strays;
	pid_t trial;
	int left = 8;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	f.options.runtime_ns = 100000 * MS;
	fixture_open(&f);
	strays = team_shared(f.team, sizeof(*strays));
	trial = fork();
	if (!trial)
		trial_process(&f, strays);
	while (__atomic_load_n(&strays->n, __ATOMIC_SEQ_CST) < 8)
		nanosleep(&pause, NULL);
	kill(trial, SIGKILL);
	for (int i = 0; i < 3000 && left; i++) {
		nanosleep(&pause, NULL);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		left = 0;
		for (int j = 0; j < 8; j++)
			left += process_exists(strays->pids[j]);
	}
	ck_assert_int_eq(left, 0);
	fixture_close(&f);
}
END_TEST

UNIT_TESTS("live_leftover", no_descendant_is_left_after_a_normal_end,
	   no_descendant_is_left_after_a_failure, children_that_were_there_before_are_spared,
	   the_caller_gets_its_signals_back, no_worker_is_left_when_the_trials_process_is_killed)
