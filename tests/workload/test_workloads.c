// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"

#include <math.h>
#include <version.h>

#include "base/file.h"
#include "plan/plan.h"
#include "task/live.h"

/* the cases of a plan on this machine */
struct cases {
	struct plan *plan;
	struct machine *machine;
	struct case_instance *list;
	int n;
};

static void cases_open(struct cases *cases, const char *lines)
{
	autofree char *text = memory_format("[plan]\ntrials = 1\nruntime = 50ms\n"
					    "[variant only]\n[case c]\n%s",
					    lines);

	ck_no_error(plan_read_text("test.plan", text, NULL, 0, &cases->plan));
	ck_no_error(machine_open("live", &cases->machine));
	ck_no_error(plan_expand(cases->plan, cases->machine, &cases->list, &cases->n));
}

static void cases_close(struct cases *cases)
{
	case_instances_free(cases->list, cases->n);
	machine_close(cases->machine);
	plan_free(cases->plan);
}

static void run(const struct case_instance *instance, struct trial *trial)
{
	struct live_options options = { .cpus = instance->cpus,
					.machine = instance->machine,
					.runtime_ns = 300000000,
					.stop_limit_ns = 20000000000 };
	struct team_report report;
	struct team *team;

	ck_no_error(live_team_new(&options, &team));
	ck_no_error(instance->workload->setup(team, &instance->params));
	ck_no_error(live_team_run(team, &report));
	ck_assert_msg(!report.failure, "%s: %s", instance->name, report.failure);
	ck_no_error(workload_report(instance->workload, team, &instance->params, &report, trial));
	team_report_clear(&report);
	live_team_free(team);
}

/* the trial's value is the sum over that many workers, and something was done */
static void check_main_metric(const char *lines, const char *name, int n_workers)
{
	struct cases cases;

	cases_open(&cases, lines);
	for (int i = 0; i < cases.n; i++) {
		struct trial trial = { 0 };
		const struct metric *metric;
		double sum = 0;

		run(&cases.list[i], &trial);
		metric = trial_metric(&trial, name);
		ck_assert_ptr_nonnull(metric);
		ck_assert_ptr_eq(metric, &trial.metrics[0]);
		ck_assert_int_eq(metric->n_workers, n_workers);
		for (int j = 0; j < n_workers; j++)
			sum += metric->per_worker[j];
		ck_assert_msg(metric->value > 0, "%s: nothing done", cases.list[i].name);
		ck_assert(fabs(metric->value - sum) <= 1e-9 * sum);
		trial_clear(&trial);
	}
	cases_close(&cases);
}

START_TEST(cpu_counts_with_each_method)
{
	check_main_metric("workload = cpu\nworkers = 3\nmethod = int128, double, matrix, chase\n"
			  "working-set = 4096, 2M\n",
			  "ops", 3);
}
END_TEST

START_TEST(spawn_counts_with_each_child_and_session)
{
	check_main_metric("workload = spawn\nworkers = 2\nchild = exit, exec\nsession = no, yes\n",
			  "loops", 2);
}
END_TEST

START_TEST(pingpong_counts_on_each_channel)
{
	check_main_metric("workload = pingpong\npairs = 2\nsize = 8\nthreads = no, yes\n"
			  "channel = pipe, socket, eventfd, futex\n",
			  "round_trips", 2);
}
END_TEST

START_TEST(messaging_counts_in_processes_and_threads)
{
	check_main_metric("workload = messaging\ngroups = 2\nsenders = 3\nreceivers = 4\n"
			  "threads = no, yes\nchannel = pipe, socket\n",
			  "messages", 8);
}
END_TEST

START_TEST(yield_counts_in_processes_and_threads)
{
	check_main_metric("workload = yield\nworkers = 3\nthreads = no, yes\n", "yields", 3);
}
END_TEST

START_TEST(tcprr_counts_in_processes_and_threads)
{
	check_main_metric("workload = tcprr\npairs = 2\nrequest = 100\nresponse = 1, 64K\n"
			  "threads = no, yes\n",
			  "transactions", 2);
}
END_TEST

START_TEST(build_counts_jobs_and_builds)
{
	check_main_metric("workload = build\nmakes = 2\njobs = 2\nfiles = 3\ndepth = 1, 3\n"
			  "work = 1ms\nlink = 1ms\nreads = 5\n",
			  "jobs", 2);
}
END_TEST

START_TEST(loadfile_counts_and_times_every_client)
{
	struct cases cases;
	struct trial trial = { 0 };
	const struct metric *metric;

	cases_open(&cases, "workload = loadfile\nclients = 3\ninterval = 20ms\n");
	run(&cases.list[0], &trial);
	ck_assert_str_eq(trial.metrics[0].name, "loadfile_p50");
	metric = trial_metric(&trial, "loadfiles");
	ck_assert(metric->value > 0 && metric->n_workers == 3);
	ck_assert(trial_metric(&trial, "throughput")->value > 0);
	ck_assert(trial_metric(&trial, "loadfile_mean")->value <=
		  trial_metric(&trial, "loadfile_max")->value);
	ck_assert(trial_metric(&trial, "progress_cov_mean")->value <=
		  trial_metric(&trial, "progress_cov")->value);
	trial_clear(&trial);
	cases_close(&cases);
}
END_TEST

START_TEST(core_counts_in_processes_and_threads)
{
	check_main_metric("workload = core\nworkers = 3\nthreads = no, yes\ngate = sleep, spin\n"
			  "working-set = 4096, 1M\n",
			  "blocks", 3);
}
END_TEST

START_TEST(warehouse_counts_with_few_and_many_terminals)
{
	check_main_metric("workload = warehouse\nwarehouses = 4\nstore = 64K\n", "transactions", 4);
	check_main_metric("workload = warehouse\nwarehouses = 1\nterminals = 4\nstore = 64K\n",
			  "transactions", 4);
}
END_TEST

/* so small that it has repetitions enough on a busy machine */
START_TEST(stream_has_a_rate_for_each_kernel_and_thread)
{
	struct cases cases;

	cases_open(&cases, "workload = stream\ninstances = machine, cpu\nthreads = 2\n"
			   "array-size = 64K\nbind = no, part, cpu\nbarrier = sleep\n");
	ck_assert_int_eq(cases.n, 6);
	for (int i = 0; i < cases.n; i++) {
		struct trial trial = { 0 };

		run(&cases.list[i], &trial);
		for (int j = 0; j < 8; j++) {
			const struct metric *best = &trial.metrics[j % 4];

			ck_assert_str_eq(trial.metrics[j].unit, "MB/s");
			ck_assert(trial.metrics[j].value > 0);
			ck_assert(trial.metrics[j].value <= best->value);
			for (int k = 0; k < best->n_workers; k++)
				ck_assert(trial.metrics[j].per_worker[k] <= best->per_worker[k]);
		}
		ck_assert_int_ge(trial.metrics[0].n_workers, 2);
		trial_clear(&trial);
	}
	cases_close(&cases);
}
END_TEST

static bool has_defaults(const struct workload *workload)
{
	for (const struct param *param = workload->params; param->name; param++)
		if (!param->def)
			return false;
	return true;
}

START_TEST(defaults_of_every_workload_are_accepted)
{
	for (const struct workload *const *at = workload_all(); *at; at++) {
		autofree char *lines = memory_format("workload = %s\n", (*at)->name);
		struct cases cases;

		if (!has_defaults(*at))
			continue;
		cases_open(&cases, lines);
		ck_assert_int_eq(cases.n, 1);
		ck_assert_ptr_eq(cases.list[0].workload, *at);
		cases_close(&cases);
	}
}
END_TEST

static const struct workload described = {
	.name = "described",
	.metrics =
		(const struct workload_metric[]){
			{ { "rate", "1/s", BETTER_HIGHER, 1, "" }, METRIC_RATE, 2 },
			{ { "total", "1", BETTER_HIGHER, 1, "" }, METRIC_TOTAL, 3 },
			{ { NULL } },
		},
};

static struct worker_report worker_of(double seconds, uint64_t second, uint64_t third)
{
	return (struct worker_report){ .counters = { 0, 0, second, third },
				       .seconds = seconds,
				       .cpu_seconds = 1,
				       .wait_seconds = NAN,
				       .migrations = NAN,
				       .switches = 5,
				       .involuntary = NAN,
				       .start_skew_ns = 1000.0 * third };
}

START_TEST(metrics_follow_from_the_report)
{
	struct worker_report workers[] = { worker_of(2, 10, 7), worker_of(4, 12, 9),
					   worker_of(0, 0, 0) };
	struct team_report report = { .workers = workers,
				      .n_workers = 3,
				      .seconds = 4,
				      .wait_source = "not available: no such file",
				      .migrations_source = "sched file" };
	struct trial trial = { 0 };
	const struct metric *metric;

	ck_no_error(workload_report(&described, NULL, NULL, &report, &trial));
	metric = trial_metric(&trial, "rate");
	ck_assert(metric->value == 8 && metric->per_worker[0] == 5 && metric->per_worker[1] == 3);
	ck_assert(isnan(metric->per_worker[2]));
	metric = trial_metric(&trial, "total");
	ck_assert(metric->value == 16 && metric->per_worker[1] == 9);
	ck_assert(trial_metric(&trial, "cpu_time")->value == 3);
	ck_assert(trial_metric(&trial, "switches")->value == 15);
	metric = trial_metric(&trial, "start_skew");
	ck_assert_str_eq(metric->unit, "us");
	ck_assert(metric->value == 9);
	metric = trial_metric(&trial, "run_delay");
	ck_assert(isnan(metric->value));
	ck_assert_str_eq(metric->unavailable, "no such file");
	ck_assert_str_eq(trial_metric(&trial, "migrations")->unavailable,
			 "it could not be read for every worker");
	trial_clear(&trial);
}
END_TEST

static void check_documented(const char *text, const char *workload, const char *name)
{
	autofree char *quoted = memory_format("`%s`", name);

	ck_assert_msg(strstr(text, quoted) != NULL, "the documents have no %s of %s", quoted,
		      workload);
}

START_TEST(every_parameter_of_a_program_is_documented)
{
	char *text;

	ck_no_error(file_read(FT_SOURCE_ROOT "/docs/programs.md", &text, NULL));
	for (const struct workload *const *at = workload_all(); *at; at++)
		for (const struct param *param = (*at)->params;
		     (*at)->needs & TASK_PROGRAM && param->name; param++)
			if (strncmp(param->name, "metric", strlen("metric")) != 0)
				check_documented(text, (*at)->name, param->name);
	free(text);
}
END_TEST

START_TEST(every_name_is_documented)
{
	struct trial trial = { 0 };
	struct team_report report = { 0 };
	char *text;

	ck_no_error(file_read(FT_SOURCE_ROOT "/docs/workloads.md", &text, NULL));
	for (const struct workload *const *at = workload_all(); *at; at++) {
		autofree char *heading = memory_format("\n## %s\n", (*at)->name);
		const char *section = strstr(text, heading), *end;
		autofree char *paragraph = NULL;

		if ((*at)->needs & TASK_PROGRAM)
			continue;

		ck_assert_msg(section != NULL, "docs/workloads.md does not describe %s",
			      (*at)->name);
		end = strstr(section + 1, "\n## ");
		paragraph =
			memory_string_n(section, end ? (size_t)(end - section) : strlen(section));
		for (const struct param *param = (*at)->params; param->name; param++)
			check_documented(paragraph, (*at)->name, param->name);
		for (const struct workload_metric *metric = (*at)->metrics; metric->desc.name;
		     metric++)
			check_documented(paragraph, (*at)->name, metric->desc.name);
	}
	ck_no_error(workload_report(&described, NULL, NULL, &report, &trial));
	for (int i = 2; i < trial.n_metrics; i++)
		check_documented(text, "every workload", trial.metrics[i].name);
	ck_assert_int_gt(trial.n_metrics, 2);
	trial_clear(&trial);
	free(text);
}
END_TEST

UNIT_TESTS("workloads", cpu_counts_with_each_method, spawn_counts_with_each_child_and_session,
	   pingpong_counts_on_each_channel, messaging_counts_in_processes_and_threads,
	   yield_counts_in_processes_and_threads, tcprr_counts_in_processes_and_threads,
	   build_counts_jobs_and_builds, loadfile_counts_and_times_every_client,
	   core_counts_in_processes_and_threads, warehouse_counts_with_few_and_many_terminals,
	   stream_has_a_rate_for_each_kernel_and_thread, defaults_of_every_workload_are_accepted,
	   metrics_follow_from_the_report, every_parameter_of_a_program_is_documented,
	   every_name_is_documented)
