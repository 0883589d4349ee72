// SPDX-License-Identifier: GPL-2.0-only
/* test_request.c - the list of waiting workers, and requests on this machine in all modes */
#include "unit.h"

#include <math.h>
#include <pthread.h>

#include "base/random.h"
#include "plan/plan.h"
#include "task/live.h"
#include "workload/quantiles.h"
#include "workload/request_parts.h"

#define N_LISTED 1000

START_TEST(waiting_workers_are_taken_in_the_order_they_came)
{
	struct request_messenger messenger = { 0 };
	struct request_worker *workers = memory_zeroed(N_LISTED, sizeof(*workers));
	struct random random = random_seeded(1);
	int pushed = 0, popped = 0;

	while (popped < N_LISTED) {
		if (pushed < N_LISTED && random_below(&random, 2)) {
			workers[pushed].messenger = &messenger;
			request_list_push(&workers[pushed++]);
		} else if (pushed > popped) {
			/* newcomers wait until those before them are gone: the order is kept */
			ck_assert_ptr_eq(request_list_pop(&messenger), &workers[popped]);
			popped++;
		} else {
			ck_assert_ptr_null(request_list_pop(&messenger));
		}
	}
	free(workers);
}
END_TEST

struct pusher {
	pthread_t thread;
	struct request_worker *workers;
	int n;
};

static void *push_all(void *data)
{
	struct pusher *pusher = data;

	for (int i = 0; i < pusher->n; i++)
		request_list_push(&pusher->workers[i]);
	return NULL;
}

START_TEST(workers_that_come_at_the_same_time_are_all_taken_once)
{
	enum {
		N_THREADS = 4,
		N_EACH = 20000
	};
	struct request_messenger messenger = { 0 };
	struct request_worker *workers = memory_zeroed(N_THREADS * N_EACH, sizeof(*workers));
	struct pusher pushers[N_THREADS];
	int last[N_THREADS], taken = 0;

	for (int i = 0; i < N_THREADS * N_EACH; i++)
		workers[i].messenger = &messenger;
	for (int i = 0; i < N_THREADS; i++) {
		last[i] = -1;
		pushers[i] = (struct pusher){ .workers = workers + i * N_EACH, .n = N_EACH };
		ck_assert_int_eq(pthread_create(&pushers[i].thread, NULL, push_all, &pushers[i]),
				 0);
	}
	while (taken < N_THREADS * N_EACH) {
		struct request_worker *worker = request_list_pop(&messenger);
		int index = worker ? (int)(worker - workers) : -1;

		if (!worker)
			continue;
		/* in the order of its thread, so none twice and none left out */
		ck_assert_int_eq(index % N_EACH, last[index / N_EACH] + 1);
		last[index / N_EACH]++;
		taken++;
	}
	for (int i = 0; i < N_THREADS; i++)
		pthread_join(pushers[i].thread, NULL);
	ck_assert_ptr_null(request_list_pop(&messenger));
	free(workers);
}
END_TEST

/* ---- on this machine ---- */

struct made {
	struct plan *plan;
	struct machine *machine;
	struct case_instance *cases;
	int n;
	struct trial trial;
	int n_workers;
};

/* runs the one case that the lines describe */
static void make(struct made *made, const char *lines)
{
	autofree char *text = memory_format("[plan]\ntrials = 1\nruntime = 1200ms\n"
					    "[variant only]\n[case c]\n%s",
					    lines);
	struct team_report report;
	struct team *team;

	*made = (struct made){ 0 };
	ck_no_error(plan_read_text("test.plan", text, NULL, 0, &made->plan));
	ck_no_error(machine_open("live", &made->machine));
	ck_no_error(plan_expand(made->plan, made->machine, &made->cases, &made->n));
	ck_assert_int_eq(made->n, 1);
	ck_no_error(live_team_new(&(struct live_options){ .cpus = made->cases->cpus,
							  .machine = made->machine,
							  .runtime_ns = 1200000000,
							  .warmup_ns = 50000000,
							  .stop_limit_ns = 20000000000 },
				  &team));
	ck_no_error(made->cases->workload->setup(team, &made->cases->params));
	ck_no_error(live_team_run(team, &report));
	ck_assert_msg(!report.failure, "%s: %s", lines, report.failure);
	made->n_workers = report.n_workers;
	ck_no_error(workload_report(made->cases->workload, team, &made->cases->params, &report,
				    &made->trial));
	team_report_clear(&report);
	live_team_free(team);
}

static void unmake(struct made *made)
{
	trial_clear(&made->trial);
	case_instances_free(made->cases, made->n);
	machine_close(made->machine);
	plan_free(made->plan);
}

static double value(const struct made *made, const char *name)
{
	const struct metric *metric = trial_metric(&made->trial, name);

	ck_assert_msg(metric != NULL, "no metric %s", name);
	return metric->value;
}

/* quantiles rise, and the histogram that they come from is with the first */
static void check_quantiles(const struct made *made, const char *name)
{
	static const char *const suffixes[] = { "p50", "p90", "p99", "p99.9", "max" };
	double last = 0;

	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
		autofree char *full = memory_format("%s_%s", name, suffixes[i]);
		const struct metric *metric = trial_metric(&made->trial, full);

		ck_assert_ptr_nonnull(metric);
		ck_assert_str_eq(metric->unit, "us");
		ck_assert_int_eq(metric->n_workers, made->n_workers);
		ck_assert_msg(metric->value >= last, "%s is below the one before", full);
		ck_assert_int_eq(metric->histogram != NULL, i == 0);
		last = metric->value;
	}
}

START_TEST(requests_are_served_under_every_lock)
{
	static const char *const locks[] = { "cpu", "cpu-sleep", "private", "none" };

	for (size_t i = 0; i < ARRAY_SIZE(locks); i++) {
		autofree char *lines = memory_format("workload = request\nmessengers = 2\n"
						     "workers = 3\noperations = 1\n"
						     "footprint = 16K\nlock = %s\n",
						     locks[i]);
		struct made made;

		make(&made, lines);
		ck_assert_int_eq(made.n_workers, 6);
		ck_assert_msg(value(&made, "requests") > 0, "%s: nothing was served", locks[i]);
		check_quantiles(&made, "wakeup");
		check_quantiles(&made, "request");
		ck_assert(value(&made, "rps_p50") > 0);
		ck_assert(value(&made, "rps_p20") <= value(&made, "rps_p50"));
		ck_assert(value(&made, "rps_p50") <= value(&made, "rps_p90"));
		ck_assert_ptr_null(trial_metric(&made.trial, "backlog"));
		/* a request sleeps 100 us */
		ck_assert(value(&made, "request_p50") > 100);
		unmake(&made);
	}
}
END_TEST

START_TEST(workers_are_one_a_cpu_unless_given)
{
	struct made made;
	int n;

	make(&made, "workload = request\nmessengers = 2\nfootprint = 16K\noperations = 1\n"
		    "bind = llc\nsleeps = 0\nthink = 1ms\n");
	n = hwloc_bitmap_weight(made.cases->cpus);
	ck_assert_int_eq(made.n_workers, (n + 1) / 2 * 2);
	ck_assert(value(&made, "requests") > 0);
	unmake(&made);
}
END_TEST

START_TEST(a_rate_beyond_the_machine_leaves_a_backlog_and_long_latencies)
{
	struct made made;

	/* each request takes 20 ms: two workers serve at most 100 in a second */
	make(&made, "workload = request\nworkers = 2\nrate = 1000\nsleep = 20ms\n"
		    "footprint = 16K\noperations = 1\n");
	ck_assert(value(&made, "requests") > 0);
	ck_assert(value(&made, "requests") <= 110);
	ck_assert(value(&made, "backlog") > 100);
	ck_assert(value(&made, "request_p50") > 100000);
	unmake(&made);
}
END_TEST

START_TEST(a_low_rate_is_served_whole)
{
	struct made made;

	make(&made, "workload = request\nmessengers = 2\nworkers = 2\nrate = 50\n"
		    "footprint = 16K\noperations = 1\n");
	check_quantiles(&made, "wakeup");
	ck_assert(value(&made, "requests") > 0);
	/* those that arrive in the measured time, and some of the warm-up if it was late */
	ck_assert(value(&made, "requests") <= 60);
	unmake(&made);
}
END_TEST

/* ---- quantiles of reports ---- */

static const struct workload described = {
	.name = "described",
	.metrics =
		(const struct workload_metric[]){
			{ { "delay", "us", BETTER_LOWER, 3, "" }, METRIC_HISTOGRAM, 1 },
			{ { NULL } },
		},
};

START_TEST(quantiles_are_of_all_values_and_of_each_worker)
{
	struct histogram *histograms = memory_zeroed(6, sizeof(*histograms));
	struct worker_report workers[3] = { 0 };
	struct team_report report = { .workers = workers, .n_workers = 3, .n_histograms = 2 };
	struct trial trial = { 0 };
	const struct metric *metric;

	for (int i = 0; i < 3; i++)
		workers[i].histograms = &histograms[2 * i];
	for (int i = 0; i < 99; i++)
		histogram_record(&histograms[1], 100);
	histogram_record(&histograms[3], 200); /* the third worker recorded nothing */
	histogram_record(&histograms[0], 7);   /* of another metric */
	ck_no_error(workload_report(&described, NULL, NULL, &report, &trial));
	metric = trial_metric(&trial, "delay_p50");
	ck_assert_ptr_eq(metric, &trial.metrics[0]);
	ck_assert_double_eq(metric->value, 0.1);
	ck_assert_double_eq(metric->per_worker[0], 0.1);
	ck_assert_double_eq(metric->per_worker[1], 0.2);
	ck_assert(isnan(metric->per_worker[2]));
	ck_assert_int_eq(metric->version, 3);
	ck_assert_int_eq(metric->better, BETTER_LOWER);
	ck_assert_uint_eq(metric->histogram->count, 100);
	ck_assert_double_eq(trial_metric(&trial, "delay_p99")->value, 0.1);
	ck_assert_double_eq(trial_metric(&trial, "delay_p99.9")->value, 0.2);
	ck_assert_double_eq(trial_metric(&trial, "delay_max")->value, 0.2);
	trial_clear(&trial);
	free(histograms);
}
END_TEST

START_TEST(without_values_quantiles_are_not_available)
{
	struct team_report report = { .n_histograms = 2 };
	struct trial trial = { 0 };

	ck_no_error(workload_report(&described, NULL, NULL, &report, &trial));
	ck_assert(isnan(trial_metric(&trial, "delay_p99")->value));
	ck_assert_str_eq(trial_metric(&trial, "delay_p99")->unavailable, "no value was recorded");
	trial_clear(&trial);
}
END_TEST

START_TEST(quantiles_are_a_workloads_own_metrics)
{
	ck_assert(workload_has_metric(&described, "delay_p50"));
	ck_assert(workload_has_metric(&described, "delay_p99.9"));
	ck_assert(workload_has_metric(&described, "delay_max"));
	ck_assert(!workload_has_metric(&described, "delay"));
	ck_assert(!workload_has_metric(&described, "delay_p51"));
	ck_assert(!workload_has_metric(&described, "switches"));
}
END_TEST

UNIT_TESTS("request", waiting_workers_are_taken_in_the_order_they_came,
	   workers_that_come_at_the_same_time_are_all_taken_once,
	   requests_are_served_under_every_lock, workers_are_one_a_cpu_unless_given,
	   a_rate_beyond_the_machine_leaves_a_backlog_and_long_latencies,
	   a_low_rate_is_served_whole, quantiles_are_of_all_values_and_of_each_worker,
	   without_values_quantiles_are_not_available, quantiles_are_a_workloads_own_metrics)
