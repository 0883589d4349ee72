// SPDX-License-Identifier: GPL-2.0-only
/* What tasks of rt-app files do, where nothing costs time and nothing disturbs. */
#include "simulation.h"

#include <math.h>
#include <unistd.h>

#include "workload/workload.h"

static struct simulation trial;
static struct trial result;
static char path[] = "/tmp/fairtrial-rtapp-XXXXXX";

/* false where there is no kernel to test with */
static bool simulate(const char *tasks)
{
	const struct workload *workload = workload_find("rtapp");
	struct param_value value = { workload->params, 0, path };
	const struct params params = { &value, 1 };
	autofree char *text = memory_format("{ \"tasks\" : {%s} }", tasks);
	int fd;

	if (!simulation_open("silent-2",
			     &(struct sim_options){
				     .runtime_ns = second, .stop_limit_ns = second, .seed = 1 },
			     &trial))
		return false;
	fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	ck_no_error(workload->check(&params, team_cpus(trial.team)));
	ck_no_error(workload->setup(trial.team, &params));
	unlink(path);
	ck_no_error(sim_team_run(trial.team, &trial.report));
	if (!trial.report.failure)
		ck_no_error(workload_report(workload, trial.team, &params, &trial.report, &result));
	return true;
}

static double value(const char *name)
{
	const struct metric *metric = trial_metric(&result, name);

	ck_assert_ptr_nonnull(metric);
	return metric->value;
}

static double worker_value(const char *name, int worker)
{
	return trial_metric(&result, name)->per_worker[worker];
}

#define near(name, expected, relative)                                                             \
	ck_assert_msg(fabs(value(name) - (expected)) <= (relative)*fabs((double)(expected)),       \
		      "%s is %g, expected %g", name, value(name), (double)(expected))

START_TEST(a_periodic_task_keeps_its_period)
{
	if (!simulate(
		    "\"a\" : { \"run\" : 3000, \"timer\" : { \"ref\" : \"t\", \"period\" : 16000 } }"))
		return;
	ck_assert_ptr_null(trial.report.failure);
	near("run_p50", 3000, 0.005);
	near("period_p50", 16000, 0.005);
	near("activations", 62, 0.02);
	near("slack_mean", 13000, 0.005);
	ck_assert(value("missed") == 0);
	/* the slack of timers is 50 us */
	ck_assert_msg(value("wakeup_max") <= 55, "%g", value("wakeup_max"));
}
END_TEST

/* a first loop that takes 25 ms of its 10 */
#define LATE(mode)                                                                                 \
	"\"a\" : { \"loop\" : 1, \"phases\" : {"                                                   \
	" \"late\" : { \"run\" : 25000, \"timer\" : { \"ref\" : \"unique\", \"period\" : 10000,"   \
	" \"mode\" : \"" mode "\" } },"                                                            \
	" \"well\" : { \"loop\" : 20, \"run\" : 1000, \"timer\" : { \"ref\" : \"unique\","         \
	" \"period\" : 10000, \"mode\" : \"" mode "\" } } } }"

START_TEST(a_relative_timer_misses_once)
{
	if (!simulate(LATE("relative")))
		return;
	ck_assert(value("missed") == 1);
	/* 15 ms late, then 20 times 9 ms early */
	near("slack_mean", (20 * 9000.0 - 15000) / 21, 0.01);
}
END_TEST

START_TEST(an_absolute_timer_misses_until_it_has_caught_up)
{
	if (!simulate(LATE("absolute")))
		return;
	ck_assert(value("missed") == 2);
}
END_TEST

START_TEST(tasks_wake_each_other_in_turn)
{
	if (!simulate("\"a\" : { \"sleep\" : 10000, \"resume\" : \"b\" },"
		      "\"b\" : { \"suspend\", \"run\" : 2000, \"resume\" : \"c\" },"
		      "\"c\" : { \"suspend\" : \"c\", \"lock\" : \"m\", \"run\" : 500, "
		      "\"unlock\" : \"m\" }"))
		return;
	ck_assert_ptr_null(trial.report.failure);
	near("run_max", 2000, 0.01);
	for (int i = 0; i < 3; i++)
		ck_assert_msg(fabs(worker_value("activations", i) - 99) <= 1, "task %d: %g", i,
			      worker_value("activations", i));
}
END_TEST

START_TEST(all_threads_of_a_barrier_meet)
{
	if (!simulate("\"slow\" : { \"sleep\" : 20000, \"barrier\" : \"x\" },"
		      "\"fast\" : { \"instance\" : 3, \"run\" : 10, \"barrier\" : \"x\" }"))
		return;
	ck_assert_ptr_null(trial.report.failure);
	for (int i = 0; i < 4; i++)
		ck_assert_msg(fabs(worker_value("activations", i) - 49) <= 1, "thread %d: %g", i,
			      worker_value("activations", i));
}
END_TEST

START_TEST(conditions_pass_the_word_to_and_fro)
{
	if (!simulate(
		    "\"a\" : { \"run\" : 1000, \"sync\" : { \"ref\" : \"q\", \"mutex\" : \"m\" } },"
		    "\"b\" : { \"lock\" : \"m\", \"wait\" : { \"ref\" : \"q\", \"mutex\" : \"m\" }, "
		    "\"signal\" : \"q\", \"unlock\" : \"m\" }"))
		return;
	ck_assert_ptr_null(trial.report.failure);
	ck_assert_msg(worker_value("activations", 1) > 900, "%g", worker_value("activations", 1));
}
END_TEST

START_TEST(runtime_goes_by_the_clock_and_run_by_work)
{
	/* two threads on one CPU: work takes twice the time, the clock does not wait */
	if (!simulate("\"w\" : { \"cpus\" : [0], \"run\" : 20000 },"
		      "\"r\" : { \"cpus\" : [0], \"runtime\" : 20000 }"))
		return;
	ck_assert_msg(worker_value("activations", 0) <= 30, "%g", worker_value("activations", 0));
	/* it notices the time when it has the CPU: up to a slice later */
	ck_assert_msg(worker_value("activations", 1) >= 38, "%g", worker_value("activations", 1));
}
END_TEST

START_TEST(classes_and_priorities_are_the_kernels)
{
	if (!simulate("\"fifo\" : { \"policy\" : \"SCHED_FIFO\", \"priority\" : 5, \"cpus\" : [0], "
		      "\"run\" : 10000, \"sleep\" : 10000 },"
		      "\"other\" : { \"cpus\" : [0], \"run\" : 1000 }"))
		return;
	ck_assert_ptr_null(trial.report.failure);
	/* who computes when the real-time task does not: half of the CPU */
	ck_assert_msg(fabs(worker_value("activations", 1) - 500) < 25, "%g",
		      worker_value("activations", 1));
	near("run_max", 10000, 0.2);
}
END_TEST

UNIT_TESTS("sim rtapp", a_periodic_task_keeps_its_period, a_relative_timer_misses_once,
	   an_absolute_timer_misses_until_it_has_caught_up, tasks_wake_each_other_in_turn,
	   all_threads_of_a_barrier_meet, conditions_pass_the_word_to_and_fro,
	   runtime_goes_by_the_clock_and_run_by_work, classes_and_priorities_are_the_kernels)
