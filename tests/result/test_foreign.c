// SPDX-License-Identifier: GPL-2.0-only
/* The parsers of what other programs print; the files are the corpus of their fuzz targets. */
#include "result/foreign.h"

#include <math.h>

#include "base/file.h"
#include "unit.h"

static struct error *read_text(const struct foreign_format *format, const char *name,
			       const char *text, struct foreign *out)
{
	*out = (struct foreign){ 0 };
	return foreign_read(format, name, text, strlen(text), out);
}

/* a text that is called "file" is refused with a message that contains @part */
#define ck_refused(format, text, part)                                                             \
	do {                                                                                       \
		struct foreign foreign_;                                                           \
		ck_error(read_text(format, "file", text, &foreign_), ERR_INPUT, part);             \
	} while (0)

/* the text of a file of the corpus */
static char *corpus(const char *name)
{
	autofree char *relative = memory_format("fuzz/corpus/%s", name);
	autofree char *path = test_data(relative);
	char *text;

	ck_no_error(file_read(path, &text, NULL));
	return text;
}

/* reads a file of the corpus as what it is detected to be, which must be @format */
static struct foreign read_file(const struct foreign_format *format, const char *name)
{
	autofree char *text = corpus(name);
	struct foreign foreign;

	ck_assert_ptr_eq(foreign_format_detect(text), format);
	ck_no_error(read_text(format, name, text, &foreign));
	return foreign;
}

static struct error *read_broken(const struct foreign_format *format, const char *name)
{
	autofree char *text = corpus(name);
	struct foreign foreign;

	return read_text(format, name, text, &foreign);
}

static const struct metric *metric_of(const struct foreign *foreign, int result, const char *name,
				      const char *unit, enum better better)
{
	const struct metric *metric;

	ck_assert_int_lt(result, foreign->n);
	metric = trial_metric(&foreign->results[result].trial, name);
	ck_assert_msg(metric != NULL, "no metric %s", name);
	ck_assert_str_eq(metric->unit, unit);
	ck_assert_int_eq(metric->better, better);
	return metric;
}

static double value_of(const struct foreign *foreign, int result, const char *name,
		       const char *unit, enum better better)
{
	return metric_of(foreign, result, name, unit, better)->value;
}

static const char *param_of(const struct foreign *foreign, int result, const char *key)
{
	return json_string_value(json_object_get(foreign->results[result].params, key));
}

/* ---- stress-ng ---- */

START_TEST(stress_ng_rates_come_with_their_workers)
{
	struct foreign foreign = read_file(&foreign_stress_ng, "stress_ng/instances-0.21.04.yaml");
	const struct metric *rate = metric_of(&foreign, 0, "bogo_ops_real", "1/s", BETTER_HIGHER);

	ck_assert_str_eq(foreign.results[0].case_name, "cpu");
	ck_assert_str_eq(foreign.results[0].program_version, "stress-ng 0.21.04");
	ck_assert_double_eq(foreign.results[0].trial.started, 1790000000);
	ck_assert_double_eq(rate->value, 250);
	ck_assert_int_eq(rate->n_workers, 4);
	ck_assert_double_eq(rate->per_worker[3], 100);
	ck_assert_double_eq(spread_of(rate->per_worker, 4).mean, 62.5);
	ck_assert_str_eq(param_of(&foreign, 0, "instances"), "4");
	ck_assert_str_eq(foreign.results[0].trial.metrics[0].name, "bogo_ops_real");
	foreign_clear(&foreign);
}
END_TEST

START_TEST(stress_ng_of_debian_has_stressors_without_workers)
{
	struct foreign foreign = read_file(&foreign_stress_ng, "stress_ng/cpu-switch-0.15.06.yaml");

	ck_assert_int_eq(foreign.n, 2);
	ck_assert_str_eq(foreign.results[1].case_name, "switch");
	ck_assert_double_eq(value_of(&foreign, 1, "bogo_ops_real", "1/s", BETTER_HIGHER),
			    184879.971956);
	ck_assert_double_eq(value_of(&foreign, 1, "nanosecs-per-context-switch-pipe-method", "1",
				     BETTER_NEITHER),
			    5403.937909);
	ck_assert_int_eq(trial_metric(&foreign.results[0].trial, "bogo_ops_real")->n_workers, 0);
	foreign_clear(&foreign);
}
END_TEST

START_TEST(stress_ng_with_the_total_as_each_instance_is_refused)
{
	ck_error(
		read_broken(&foreign_stress_ng, "stress_ng/total-as-instances.yaml"), ERR_INPUT,
		"total-as-instances.yaml:10: each of the 4 instances of stressor cpu has the total");
}
END_TEST

START_TEST(stress_ng_with_instances_that_do_not_add_up_is_refused)
{
	ck_refused(&foreign_stress_ng,
		   "metrics:\n  - stressor: cpu\n    bogo-ops: 100\n"
		   "    bogo-ops-per-second-real-time: 10\n    instances:\n"
		   "      - instance: 0\n        bogo-ops: 30\n"
		   "      - instance: 1\n        bogo-ops: 40\n...\n",
		   "file:2: the instances of stressor cpu add up to 70 bogo-ops");
}
END_TEST

START_TEST(stress_ng_that_was_cut_off_or_lacks_a_figure_is_refused)
{
	ck_refused(&foreign_stress_ng,
		   "metrics:\n  - stressor: cpu\n    bogo-ops: 1\n"
		   "    bogo-ops-per-second-real-time: 1\n",
		   "cut off");
	ck_refused(&foreign_stress_ng, "metrics:\n  - stressor: cpu\n    bogo-ops: 1\n...\n",
		   "file:2: stressor cpu lacks 'bogo-ops-per-second-real-time'");
	ck_refused(&foreign_stress_ng, "metrics:\n  - stressor: cpu\n    bogo-ops: x1\n",
		   "file:3: bogo-ops: 'x1' is not a number");
	ck_refused(&foreign_stress_ng, "system-info:\n  stress-ng-version: 1\n...\n",
		   "no entry below 'metrics:'");
}
END_TEST

/* ---- schbench ---- */

START_TEST(schbench_counts_the_last_interval)
{
	struct foreign foreign = read_file(&foreign_schbench, "schbench/two-intervals.txt");

	ck_assert_double_eq(value_of(&foreign, 0, "rps", "1/s", BETTER_HIGHER), 909.4);
	ck_assert_double_eq(value_of(&foreign, 0, "wakeup_p99", "us", BETTER_LOWER), 72);
	ck_assert_double_eq(value_of(&foreign, 0, "wakeup_p99.9", "us", BETTER_LOWER), 2044);
	ck_assert_double_eq(value_of(&foreign, 0, "request_p50", "us", BETTER_LOWER), 1894);
	ck_assert_double_eq(value_of(&foreign, 0, "request_max", "us", BETTER_LOWER), 13007);
	ck_assert_double_eq(value_of(&foreign, 0, "rps_p50", "1/s", BETTER_HIGHER), 909);
	ck_assert_double_eq(value_of(&foreign, 0, "delay_worker", "us", BETTER_LOWER), 44);
	ck_assert_double_eq(foreign.results[0].trial.duration, 20);
	foreign_clear(&foreign);
}
END_TEST

START_TEST(schbench_json_has_the_names_of_the_text)
{
	struct foreign text = read_file(&foreign_schbench, "schbench/two-intervals.txt");
	struct foreign json = read_file(&foreign_schbench_json, "schbench_json/requests.json");
	int n = json.results[0].trial.n_metrics;

	ck_assert_int_eq(n, 13);
	for (int i = 0; i < n; i++) {
		const struct metric *metric = &json.results[0].trial.metrics[i];

		ck_assert_double_eq(value_of(&text, 0, metric->name, metric->unit, metric->better),
				    metric->value);
	}
	foreign_clear(&text);
	foreign_clear(&json);
}
END_TEST

START_TEST(schbench_of_other_modes_and_times)
{
	struct foreign old = read_file(&foreign_schbench, "schbench/old.txt");
	struct foreign pipe = read_file(&foreign_schbench, "schbench/pipe.txt");

	ck_assert_double_eq(value_of(&old, 0, "wakeup_p99", "us", BETTER_LOWER), 510);
	ck_assert_double_eq(value_of(&pipe, 0, "transfers", "1/s", BETTER_HIGHER), 51004.4);
	foreign_clear(&old);
	foreign_clear(&pipe);
}
END_TEST

START_TEST(schbench_that_was_cut_off_is_refused)
{
	ck_refused(&foreign_schbench,
		   "Wakeup Latencies percentiles (usec) runtime 1 (s) (2 total samples)\n"
		   "\t  50.0th: 7          (2 samples)\n",
		   "file: it is cut off: the line 'average rps'");
	ck_refused(&foreign_schbench_json, "{\"normal\": {}, \"int\": {\"time\": 1}}",
		   "schbench made no request");
	ck_refused(&foreign_schbench_json, "{\n\"normal\": {}, \"int\": {\n",
		   "file:3: not valid JSON");
}
END_TEST

/* ---- hackbench, perf bench ---- */

START_TEST(hackbench_runs_of_a_file_are_trials)
{
	struct foreign foreign = read_file(&foreign_hackbench, "hackbench/two-threads.txt");

	ck_assert_int_eq(foreign.n, 2);
	ck_assert_str_eq(foreign.results[0].case_name, foreign.results[1].case_name);
	ck_assert_str_eq(param_of(&foreign, 0, "mode"), "threaded");
	ck_assert_str_eq(param_of(&foreign, 0, "loops"), "20");
	ck_assert(value_of(&foreign, 1, "time", "s", BETTER_LOWER) > 0);
	foreign_clear(&foreign);
}
END_TEST

START_TEST(hackbench_without_its_time_or_its_heading_is_refused)
{
	ck_refused(&foreign_hackbench,
		   "Running in process mode with 2 groups using 40 file descriptors each (== "
		   "80 tasks)\nEach sender will pass 20 messages of 100 bytes\n",
		   "file: it is cut off");
	ck_refused(&foreign_hackbench, "Time: 1.0\n", "file:1: no 'Running in");
}
END_TEST

START_TEST(perf_bench_figures_by_benchmark)
{
	struct foreign pipe = read_file(&foreign_perf_bench, "perf_bench/pipe.txt");
	struct foreign all = read_file(&foreign_perf_bench, "perf_bench/sched-all.txt");
	struct foreign copy = read_file(&foreign_perf_bench, "perf_bench/memcpy.txt");
	struct foreign hash = read_file(&foreign_perf_bench, "perf_bench/futex-hash.txt");
	const struct metric *ops;

	ck_assert_str_eq(pipe.results[0].case_name, "sched/pipe");
	ck_assert_double_eq(value_of(&pipe, 0, "usecs_per_op", "us", BETTER_LOWER), 9.299);
	ck_assert_double_eq(value_of(&pipe, 0, "ops", "1/s", BETTER_HIGHER), 107538);
	ck_assert_int_eq(all.n, 2);
	ck_assert_double_eq(value_of(&all, 0, "time", "s", BETTER_LOWER), 0.816);
	ck_assert_int_eq(copy.n, 4);
	ck_assert_str_eq(copy.results[0].case_name, "mem/memcpy default");
	ck_assert_double_eq_tol(value_of(&copy, 0, "rate", "MB/s", BETTER_HIGHER), 18518.5, 0.1);
	ops = metric_of(&hash, 0, "ops", "1/s", BETTER_HIGHER);
	ck_assert_int_eq(ops->n_workers, 2);
	ck_assert_double_eq(ops->per_worker[1], 1230848);
	foreign_clear(&pipe);
	foreign_clear(&all);
	foreign_clear(&copy);
	foreign_clear(&hash);
}
END_TEST

START_TEST(perf_bench_without_a_known_figure_is_refused)
{
	ck_refused(&foreign_perf_bench, "\n# Running 'a/b' benchmark:\n 3 things\n",
		   "file:2: a/b has no figure that is known here");
	ck_refused(&foreign_perf_bench, "0.069\n", "the default format of perf bench");
}
END_TEST

/* ---- UnixBench ---- */

START_TEST(unixbench_report_has_a_case_for_each_test_and_number_of_copies)
{
	struct foreign foreign = read_file(&foreign_unixbench, "unixbench/report.txt");

	ck_assert_int_eq(foreign.n, 8);
	ck_assert_str_eq(foreign.results[1].case_name, "spawn copies=1");
	ck_assert_str_eq(foreign.results[1].program_version, "UnixBench 5.1.3");
	ck_assert_double_eq(value_of(&foreign, 1, "score", "1/s", BETTER_HIGHER), 7012.4);
	ck_assert_double_eq(value_of(&foreign, 1, "index", "1", BETTER_HIGHER), 556.5);
	ck_assert_double_eq(value_of(&foreign, 2, "score", "1/min", BETTER_HIGHER), 2210.9);
	ck_assert_str_eq(foreign.results[3].case_name, "index-partial copies=1");
	ck_assert_double_eq(value_of(&foreign, 3, "index", "1", BETTER_HIGHER), 992.1);
	ck_assert_str_eq(foreign.results[5].case_name, "spawn copies=4");
	ck_assert_double_eq(value_of(&foreign, 5, "score", "1/s", BETTER_HIGHER), 20025.6);
	foreign_clear(&foreign);
}
END_TEST

START_TEST(unixbench_log_has_a_value_for_each_copy)
{
	struct foreign foreign = read_file(&foreign_unixbench, "unixbench/spawn.log");
	const struct metric *score = metric_of(&foreign, 0, "score", "1/s", BETTER_HIGHER);

	ck_assert_str_eq(foreign.results[0].case_name, "spawn copies=2");
	ck_assert_double_eq(score->value, 21099.8);
	ck_assert_int_eq(score->n_workers, 2);
	ck_assert_double_eq_tol(score->per_worker[0], 10050, 1e-9);
	ck_assert_double_eq_tol(score->per_worker[1], 11050, 1e-9);
	foreign_clear(&foreign);
}
END_TEST

START_TEST(unixbench_log_without_its_score_is_refused)
{
	ck_refused(&foreign_unixbench, "Process Creation -- 2 copies\n#### Pass 1\n",
		   "file: it is cut off: spawn has no score");
	ck_refused(&foreign_unixbench,
		   "Process Creation -- 1 copy\n#### Pass 1\n\n# ERROR: no fork\n",
		   "file:4: spawn failed: no fork");
}
END_TEST

/* ---- dbench, cyclictest, sysbench ---- */

START_TEST(dbench_shows_the_progress_of_each_client)
{
	struct foreign foreign = read_file(&foreign_dbench, "dbench/per-client.txt");
	const struct metric *progress = metric_of(&foreign, 0, "progress", "lines", BETTER_HIGHER);

	ck_assert_str_eq(foreign.results[0].program_version, "dbench 4.00");
	ck_assert_str_eq(foreign.results[0].case_name, "dbench clients=2");
	ck_assert(value_of(&foreign, 0, "throughput", "MB/s", BETTER_HIGHER) > 0);
	ck_assert(value_of(&foreign, 0, "latency_max", "ms", BETTER_LOWER) > 0);
	ck_assert(value_of(&foreign, 0, "Flush_avg", "ms", BETTER_LOWER) > 0);
	ck_assert_int_eq(progress->n_workers, 2);
	ck_assert_double_eq(progress->value, progress->per_worker[0] + progress->per_worker[1]);
	foreign_clear(&foreign);
}
END_TEST

START_TEST(dbench_without_its_throughput_is_refused)
{
	ck_refused(&foreign_dbench, "dbench version 4.00\n", "file: it is cut off");
	ck_refused(&foreign_dbench, "Throughput 0 MB/sec  1 clients  1 procs\n",
		   "file:1: a throughput of 0 MB/s: the run was too short");
	ck_refused(&foreign_dbench, "Client 1 did 1 lines\n", "file:1: 'Client 0 did NUMBER lines");
}
END_TEST

START_TEST(cyclictest_text_and_json_of_a_run_agree)
{
	struct foreign text = read_file(&foreign_cyclictest, "cyclictest/two.txt");
	struct foreign json = read_file(&foreign_cyclictest_json, "cyclictest_json/two.json");

	ck_assert_str_eq(json.results[0].program_version, "cyclictest 2.40");
	ck_assert_str_eq(text.results[0].case_name, json.results[0].case_name);
	ck_assert_double_eq(value_of(&text, 0, "latency_max", "us", BETTER_LOWER),
			    value_of(&json, 0, "latency_max", "us", BETTER_LOWER));
	ck_assert_double_eq_tol(value_of(&text, 0, "latency_avg", "us", BETTER_LOWER),
				value_of(&json, 0, "latency_avg", "us", BETTER_LOWER), 1);
	ck_assert_int_eq(metric_of(&json, 0, "latency_avg", "us", BETTER_LOWER)->n_workers, 2);
	foreign_clear(&text);
	foreign_clear(&json);
}
END_TEST

#define THREAD(cycles, histogram)                                                                  \
	"{\"rt_test_version\":\"2.5\",\"thread\":{\"0\":{\"histogram\":" histogram                 \
	",\"cycles\":" cycles ",\"min\":3,\"avg\":5.0,\"max\":900}}}"

START_TEST(cyclictest_percentile_beyond_the_histogram_is_not_available)
{
	struct foreign foreign;
	const struct metric *metric;

	ck_no_error(read_text(&foreign_cyclictest_json, "file",
			      THREAD("1000", "{\"9\":40,\"3\":500,\"4\":440}"), &foreign));
	ck_assert_double_eq(value_of(&foreign, 0, "latency_p50", "us", BETTER_LOWER), 3);
	ck_assert_double_eq(value_of(&foreign, 0, "latency_p90", "us", BETTER_LOWER), 4);
	metric = metric_of(&foreign, 0, "latency_p99", "us", BETTER_LOWER);
	ck_assert(isnan(metric->value));
	ck_assert_ptr_nonnull(strstr(metric->unavailable, "beyond the end"));
	foreign_clear(&foreign);
}
END_TEST

START_TEST(cyclictest_that_failed_or_measured_nothing_is_refused)
{
	ck_refused(&foreign_cyclictest_json, "{\"return_code\": 1, \"thread\": {}}",
		   "return_code is 1");
	ck_refused(&foreign_cyclictest_json, THREAD("0", "{}"), "thread 0 has no cycle");
	ck_refused(&foreign_cyclictest, "T: 1 ( 9) P: 0 I:1 C: 1 Min: 1 Avg: 1 Max: 1\n",
		   "file:1: thread 0 is expected");
}
END_TEST

START_TEST(sysbench_tests_have_events_per_second)
{
	struct foreign cpu = read_file(&foreign_sysbench, "sysbench/cpu.txt");
	struct foreign threads = read_file(&foreign_sysbench, "sysbench/threads.txt");
	struct foreign memory = read_file(&foreign_sysbench, "sysbench/memory.txt");

	ck_assert_str_eq(cpu.results[0].program_version, "sysbench 1.0.20");
	ck_assert_str_eq(param_of(&cpu, 0, "threads"), "2");
	ck_assert(value_of(&cpu, 0, "events", "1/s", BETTER_HIGHER) > 100);
	ck_assert(value_of(&threads, 0, "events", "1/s", BETTER_HIGHER) > 10);
	ck_assert(value_of(&threads, 0, "latency_p95", "ms", BETTER_LOWER) > 0);
	ck_assert_double_eq(value_of(&memory, 0, "transfer", "MiB/s", BETTER_HIGHER), 6109.64);
	foreign_clear(&cpu);
	foreign_clear(&threads);
	foreign_clear(&memory);
}
END_TEST

START_TEST(sysbench_that_was_cut_off_or_failed_is_refused)
{
	ck_refused(&foreign_sysbench, "sysbench 1.0.20\nNumber of threads: 2\n",
		   "file: it is cut off");
	ck_refused(&foreign_sysbench, "sysbench 1.0.20\nFATAL: no such test\n",
		   "file:2: sysbench failed: no such test");
}
END_TEST

/* ---- hwbench, Fastpath ---- */

START_TEST(hwbench_steps_are_cases_with_workers_and_monitors)
{
	struct foreign foreign = read_file(&foreign_hwbench, "hwbench/int128.json");
	const struct metric *rate = metric_of(&foreign, 0, "bogo_ops_real", "1/s", BETTER_HIGHER);

	ck_assert_int_eq(foreign.n, 2); /* the skipped step is none */
	ck_assert_str_eq(foreign.results[0].case_name, "int128 cpu/int128 workers=2");
	ck_assert_str_eq(foreign.results[1].cpus, "0,1,2,3");
	ck_assert_double_eq(rate->value, 1010.5);
	ck_assert_int_eq(rate->n_workers, 2);
	ck_assert_double_eq(rate->per_worker[1], 510.25);
	ck_assert_double_eq(value_of(&foreign, 0, "monitoring.CPU.package", "W", BETTER_NEITHER),
			    102);
	ck_assert_double_eq(value_of(&foreign, 0, "monitoring.Freq.Core_0", "MHz", BETTER_NEITHER),
			    3050);
	foreign_clear(&foreign);
}
END_TEST

START_TEST(fastpath_rows_are_trials_of_a_kernel)
{
	struct foreign foreign = read_file(&foreign_fastpath, "fastpath/store.csv");

	ck_assert_int_eq(foreign.n, 4);
	ck_assert_str_eq(foreign.results[0].variant, "6.18");
	ck_assert_str_eq(foreign.results[3].variant, "6.19");
	ck_assert_double_eq(value_of(&foreign, 1, "-m 64 -t 4, avg_rps", "req/sec", BETTER_HIGHER),
			    1512);
	ck_assert_double_eq(
		value_of(&foreign, 3, "-m 64 -t 4, req_latency_p99", "usec", BETTER_LOWER), 908100);
	foreign_clear(&foreign);
}
END_TEST

START_TEST(fastpath_of_means_and_bad_rows_is_refused)
{
	ck_error(read_broken(&foreign_fastpath, "fastpath/means.csv"), ERR_INPUT,
		 "means.csv:1: a table of means");
	ck_refused(&foreign_fastpath, "name,value\na,1,2\n",
		   "file:2: 3 fields, the first line has 2");
	ck_refused(&foreign_fastpath, "name,value\na,x\n", "file:2: value 'x' is not a number");
	ck_refused(&foreign_fastpath, "name,value,improvement\na,1,faster\n",
		   "file:2: improvement 'faster'");
	ck_refused(&foreign_fastpath, "name,value\n\"a,1\n", "file:2: a quote in field 1");
}
END_TEST

/* ---- all ---- */

START_TEST(bytes_that_are_no_text_are_refused_by_every_format)
{
	for (const struct foreign_format *const *at = foreign_format_all(); *at; at++) {
		struct foreign foreign = { 0 };

		ck_error(foreign_read(*at, "file", "a\n\0b", 4, &foreign), ERR_INPUT,
			 "file:2: a NUL byte");
		ck_error(foreign_read(*at, "file", "a\n\xff\n", 4, &foreign), ERR_INPUT,
			 "file:2: bytes that are not UTF-8");
		ck_error(foreign_read(*at, "file", " \n", 2, &foreign), ERR_INPUT, "it is empty");
		ck_error(foreign_read(*at, "file", "hello\n", 6, &foreign), ERR_INPUT, "file");
		ck_assert_ptr_eq(foreign_format_find((*at)->name), *at);
	}
	ck_assert_ptr_null(foreign_format_find("stress"));
	ck_assert_ptr_null(foreign_format_detect("hello\n"));
}
END_TEST

UNIT_TESTS("result", stress_ng_rates_come_with_their_workers,
	   stress_ng_of_debian_has_stressors_without_workers,
	   stress_ng_with_the_total_as_each_instance_is_refused,
	   stress_ng_with_instances_that_do_not_add_up_is_refused,
	   stress_ng_that_was_cut_off_or_lacks_a_figure_is_refused,
	   schbench_counts_the_last_interval, schbench_json_has_the_names_of_the_text,
	   schbench_of_other_modes_and_times, schbench_that_was_cut_off_is_refused,
	   hackbench_runs_of_a_file_are_trials,
	   hackbench_without_its_time_or_its_heading_is_refused, perf_bench_figures_by_benchmark,
	   perf_bench_without_a_known_figure_is_refused,
	   unixbench_report_has_a_case_for_each_test_and_number_of_copies,
	   unixbench_log_has_a_value_for_each_copy, unixbench_log_without_its_score_is_refused,
	   dbench_shows_the_progress_of_each_client, dbench_without_its_throughput_is_refused,
	   cyclictest_text_and_json_of_a_run_agree,
	   cyclictest_percentile_beyond_the_histogram_is_not_available,
	   cyclictest_that_failed_or_measured_nothing_is_refused,
	   sysbench_tests_have_events_per_second, sysbench_that_was_cut_off_or_failed_is_refused,
	   hwbench_steps_are_cases_with_workers_and_monitors, fastpath_rows_are_trials_of_a_kernel,
	   fastpath_of_means_and_bad_rows_is_refused,
	   bytes_that_are_no_text_are_refused_by_every_format)
