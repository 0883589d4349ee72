// SPDX-License-Identifier: GPL-2.0-only
#include "live_fixture.h"

#include <sched.h>
#include <time.h>

struct gate_data {
	uint32_t prepared, early;
};

static void prepare_slowly(struct task *task, void *data)
{
	struct gate_data *gate = data;
	struct timespec time = { .tv_nsec = 100 * MS };

	(void)task;
	nanosleep(&time, NULL);
	__atomic_add_fetch(&gate->prepared, 1, __ATOMIC_SEQ_CST);
}

static void note_early_start(struct task *task, void *data)
{
	struct gate_data *gate = data;

	if (__atomic_load_n(&gate->prepared, __ATOMIC_SEQ_CST) != 1)
		__atomic_add_fetch(&gate->early, 1, __ATOMIC_SEQ_CST);
	body_busy(task, NULL);
}

START_TEST(none_counts_before_all_are_there)
{
	struct fixture f = FIXTURE;
	struct worker_spec slow = { .prepare = prepare_slowly,
				    .body = note_early_start,
				    .process = -1 };
	struct gate_data *gate;

	f.options.runtime_ns = 1000 * MS; /* all four get a turn also where others compute */
	fixture_open(&f);
	gate = team_shared(f.team, sizeof(*gate));
	slow.data = gate;
	for (int i = 0; i < 3; i++)
		fixture_add(&f, note_early_start, gate);
	team_add(f.team, &slow);
	fixture_run_well(&f);
	ck_assert_uint_eq(gate->early, 0);
	ck_assert_int_eq(f.report.n_workers, 4);
	for (int i = 0; i < 4; i++)
		ck_assert_uint_gt(fixture_count(&f, i), 0);
	fixture_close(&f);
}
END_TEST

static void count_once(struct task *task, void *data)
{
	(void)data;
	task_count(task, 0, 1);
	while (task_running(task))
		task_sleep(task, MS);
}

START_TEST(counts_of_the_warm_up_are_not_in_the_result)
{
	struct fixture f = FIXTURE;

	f.options.warmup_ns = 500 * MS;
	f.options.runtime_ns = 500 * MS;
	fixture_open(&f);
	fixture_add(&f, count_once, NULL);
	fixture_add(&f, body_busy, NULL);
	fixture_run_well(&f);
	ck_assert_uint_eq(fixture_count(&f, 0), 0);
	ck_assert_uint_gt(fixture_count(&f, 1), 0);
	fixture_close(&f);
}
END_TEST

START_TEST(without_warm_up_the_first_count_is_in_the_result)
{
	struct fixture f = FIXTURE;

	f.options.runtime_ns = 300 * MS;
	fixture_open(&f);
	fixture_add(&f, count_once, NULL);
	fixture_run_well(&f);
	ck_assert_uint_eq(fixture_count(&f, 0), 1);
	fixture_close(&f);
}
END_TEST

START_TEST(all_workers_have_the_same_measured_time)
{
	struct fixture f = FIXTURE;

	fixture_open(&f);
	for (int i = 0; i < 5; i++)
		fixture_add(&f, body_busy, NULL);
	fixture_run_well(&f);
	ck_assert(f.report.seconds >= 0.05);
	for (int i = 0; i < 5; i++) {
		const struct worker_report *worker = &f.report.workers[i];

		ck_assert(worker->seconds == f.report.seconds);
		ck_assert_uint_eq(worker->end_ns - worker->start_ns, f.report.seconds * 1e9 + 0.5);
		ck_assert(worker->start_skew_ns > 0);
		ck_assert(worker->cpu_seconds >= 0);
	}
	fixture_close(&f);
}
END_TEST

static void count_to(struct task *task, void *data)
{
	for (uint64_t i = 0; i < *(uint64_t *)data; i++)
		task_count(task, 0, 1);
}

START_TEST(the_trial_ends_when_all_workers_have_returned)
{
	struct fixture f = FIXTURE;
	uint64_t n[2] = { 10, 20 };

	f.options.runtime_ns = 100000 * MS;
	fixture_open(&f);
	fixture_add(&f, count_to, &n[0]);
	fixture_add(&f, count_to, &n[1]);
	fixture_run_well(&f);
	ck_assert(f.report.seconds < 50);
	ck_assert_uint_eq(fixture_count(&f, 0), 10);
	ck_assert_uint_eq(fixture_count(&f, 1), 20);
	fixture_close(&f);
}
END_TEST

START_TEST(counts_of_300_workers_are_kept_apart)
{
	enum {
		N = 300
	};
	struct fixture f = FIXTURE;
	static uint64_t n[N];

	f.options.runtime_ns = 100000 * MS;
	fixture_open(&f);
	for (int i = 0; i < N; i++) {
		n[i] = i + 1;
		fixture_add(&f, count_to, &n[i]);
	}
	fixture_run_well(&f);
	ck_assert_int_eq(f.report.n_workers, N);
	for (int i = 0; i < N; i++)
		ck_assert_uint_eq(fixture_count(&f, i), i + 1);
	fixture_close(&f);
}
END_TEST

START_TEST(busy_workers_on_few_cpus_stop)
{
	struct fixture f = FIXTURE;
	double cpu = 0;

	f.options.runtime_ns = 500 * MS;
	f.options.stop_limit_ns = 30000 * MS;
	fixture_open(&f);
	for (int i = 0; i < 300; i++)
		fixture_add(&f, body_busy, NULL);
	fixture_run_well(&f);
	for (int i = 0; i < 300; i++)
		cpu += f.report.workers[i].cpu_seconds;
	ck_assert(cpu > 0);
	fixture_close(&f);
}
END_TEST

struct marks {
	int begins, ends, alive;
};

static void mark(void *data, bool start, const pid_t *pids, int n_pids)
{
	struct marks *marks = data;

	*(start ? &marks->begins : &marks->ends) += n_pids;
	for (int i = 0; i < n_pids; i++)
		marks->alive += process_exists(pids[i]);
}

START_TEST(monitors_are_called_at_both_ends_with_living_threads)
{
	struct fixture f = FIXTURE;
	struct marks marks = { 0 };
	struct worker_spec spec = { .body = body_busy, .process = 7 };

	f.options.mark = mark;
	f.options.data = &marks;
	fixture_open(&f);
	for (int i = 0; i < 3; i++)
		team_add(f.team, &spec);
	fixture_run_well(&f);
	ck_assert_int_eq(marks.begins, 3);
	ck_assert_int_eq(marks.ends, 3);
	ck_assert_int_eq(marks.alive, 6);
	fixture_close(&f);
}
END_TEST

struct identity {
	pid_t process, thread, group, session;
	int cpus;
};

static void identify(struct task *task, void *data)
{
	struct identity *identity = data;
	cpu_set_t set;

	identity->process = getpid();
	identity->thread = gettid();
	identity->group = getpgrp();
	identity->session = getsid(0);
	sched_getaffinity(0, sizeof(set), &set);
	identity->cpus = CPU_COUNT(&set);
	task_count(task, 0, 1);
}

START_TEST(workers_of_one_number_are_threads_of_one_process)
{
	struct fixture f = FIXTURE;
	struct worker_spec spec = { .body = identify };
	struct identity *identity;

	fixture_open(&f);
	identity = team_shared(f.team, 5 * sizeof(*identity));
	for (int i = 0; i < 5; i++) {
		spec.process = i < 3 ? 4 : -1;
		spec.data = &identity[i];
		team_add(f.team, &spec);
	}
	fixture_run_well(&f);
	ck_assert_int_eq(identity[0].process, identity[1].process);
	ck_assert_int_eq(identity[0].process, identity[2].process);
	ck_assert_int_ne(identity[0].thread, identity[1].thread);
	ck_assert_int_ne(identity[3].process, identity[0].process);
	ck_assert_int_ne(identity[3].process, identity[4].process);
	fixture_close(&f);
}
END_TEST

START_TEST(workers_have_a_session_of_their_own_if_asked)
{
	struct fixture f = FIXTURE;
	struct worker_spec spec = { .body = identify, .process = -1 };
	struct identity *identity;

	fixture_open(&f);
	identity = team_shared(f.team, 2 * sizeof(*identity));
	for (int i = 0; i < 2; i++) {
		spec.session = i;
		spec.data = &identity[i];
		team_add(f.team, &spec);
	}
	fixture_run_well(&f);
	ck_assert_int_eq(identity[0].session, getsid(0));
	ck_assert_int_eq(identity[1].session, identity[1].process);
	/* out of reach of the terminal's signals, both */
	ck_assert_int_ne(identity[0].group, getpgrp());
	ck_assert_int_ne(identity[1].group, getpgrp());
	fixture_close(&f);
}
END_TEST

START_TEST(workers_run_where_they_are_pinned)
{
	struct fixture f = FIXTURE;
	struct worker_spec spec = { .body = identify, .process = -1 };
	hwloc_bitmap_t one = hwloc_bitmap_alloc();
	struct identity *identity;
	cpu_set_t set;
	int first = 0;

	sched_getaffinity(0, sizeof(set), &set);
	while (!CPU_ISSET(first, &set))
		first++;
	hwloc_bitmap_set(one, first);
	fixture_open(&f);
	identity = team_shared(f.team, 2 * sizeof(*identity));
	for (int i = 0; i < 2; i++) {
		spec.cpus = i ? one : NULL;
		spec.data = &identity[i];
		team_add(f.team, &spec);
	}
	hwloc_bitmap_free(one);
	fixture_run_well(&f);
	ck_assert_int_eq(identity[0].cpus, CPU_COUNT(&set));
	ck_assert_int_eq(identity[1].cpus, 1);
	fixture_close(&f);
}
END_TEST

START_TEST(a_cpu_that_does_not_exist_fails_the_trial)
{
	struct fixture f = FIXTURE;
	struct worker_spec spec = { .body = body_busy, .process = -1 };
	hwloc_bitmap_t none = hwloc_bitmap_alloc();

	hwloc_bitmap_set(none, 8000);
	spec.cpus = none;
	fixture_open(&f);
	team_add(f.team, &spec);
	hwloc_bitmap_free(none);
	fixture_run_badly(&f, "worker 0 cannot be pinned to CPUs 8000");
	fixture_close(&f);
}
END_TEST

START_TEST(helpers_are_not_workers_of_the_result)
{
	struct fixture f = FIXTURE;
	struct worker_spec spec = { .body = body_busy, .process = -1, .helper = true };

	f.options.runtime_ns = 500 * MS;
	fixture_open(&f);
	team_add(f.team, &spec);
	fixture_add(&f, count_once, NULL);
	fixture_run_well(&f);
	ck_assert_int_eq(f.report.n_workers, 1);
	ck_assert_uint_eq(fixture_count(&f, 0), 1);
	fixture_close(&f);
}
END_TEST

static void note_cpu_before_gate(struct task *task, void *data)
{
	struct timespec time;

	(void)task;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	*(uint64_t *)data = time.tv_sec * 1000 * MS + time.tv_nsec;
}

START_TEST(workers_that_spin_compute_at_the_gate_and_others_sleep)
{
	struct fixture f = FIXTURE;
	struct worker_spec slow = { .prepare = prepare_slowly,
				    .body = note_early_start,
				    .process = -1 };
	struct worker_spec spinner = { .body = note_cpu_before_gate, .process = -1, .spins = true };
	struct worker_spec sleeper = { .body = note_cpu_before_gate, .process = -1 };
	uint64_t *cpu;

	f.options.runtime_ns = 500 * MS;
	fixture_open(&f);
	cpu = team_shared(f.team, 2 * sizeof(*cpu));
	slow.data = team_shared(f.team, sizeof(struct gate_data));
	spinner.data = &cpu[0];
	sleeper.data = &cpu[1];
	team_add(f.team, &spinner);
	team_add(f.team, &sleeper);
	team_add(f.team, &slow);
	fixture_run_well(&f);
	ck_assert_uint_gt(cpu[0], cpu[1]);
	fixture_close(&f);
}
END_TEST

START_TEST(a_team_without_workers_is_an_error)
{
	struct fixture f = FIXTURE;

	fixture_open(&f);
	ck_error(live_team_run(f.team, &f.report), ERR_DOMAIN, "no workers");
	fixture_close(&f);
}
END_TEST

UNIT_TESTS("live_gate", none_counts_before_all_are_there,
	   counts_of_the_warm_up_are_not_in_the_result,
	   without_warm_up_the_first_count_is_in_the_result,
	   all_workers_have_the_same_measured_time, the_trial_ends_when_all_workers_have_returned,
	   counts_of_300_workers_are_kept_apart, busy_workers_on_few_cpus_stop,
	   monitors_are_called_at_both_ends_with_living_threads,
	   workers_of_one_number_are_threads_of_one_process,
	   workers_have_a_session_of_their_own_if_asked, workers_run_where_they_are_pinned,
	   a_cpu_that_does_not_exist_fails_the_trial, helpers_are_not_workers_of_the_result,
	   workers_that_spin_compute_at_the_gate_and_others_sleep,
	   a_team_without_workers_is_an_error)
