// SPDX-License-Identifier: GPL-2.0-only
/* test_store.c - what is written is what is read */
#include "result/store_open.h"

#include "sample.h"

static struct store *memory_store(void)
{
	struct store *store;

	ck_no_error(store_open_memory(&store));
	return store;
}

static void same_trial(const struct trial *read, const struct trial *wrote)
{
	ck_assert_int_eq(read->case_index, wrote->case_index);
	ck_assert_int_eq(read->variant_index, wrote->variant_index);
	ck_assert_int_eq(read->block, wrote->block);
	ck_assert_int_eq(read->position, wrote->position);
	ck_assert(read->seed == wrote->seed);
	ck_assert_int_eq(read->status, wrote->status);
	ck_assert_pstr_eq(read->reason, wrote->reason);
	ck_assert_double_eq(read->started, wrote->started);
	ck_assert_double_eq(read->duration, wrote->duration);
	ck_assert_int_eq(read->n_metrics, wrote->n_metrics);
}

static void same_metric(const struct metric *read, const struct metric *wrote)
{
	ck_assert_str_eq(read->name, wrote->name);
	ck_assert_str_eq(read->unit, wrote->unit);
	ck_assert_int_eq(read->better, wrote->better);
	ck_assert_int_eq(read->version, wrote->version);
	ck_assert_pstr_eq(read->unavailable, wrote->unavailable);
	ck_assert_int_eq(read->n_workers, wrote->n_workers);
	ck_assert_int_eq(!read->histogram, !wrote->histogram);
	if (read->histogram)
		ck_assert_mem_eq(read->histogram, wrote->histogram, sizeof(*read->histogram));
	ck_assert(isnan(read->value) ? isnan(wrote->value) : read->value == wrote->value);
	for (int i = 0; i < read->n_workers; i++)
		ck_assert(isnan(read->per_worker[i]) ? isnan(wrote->per_worker[i])
						     : read->per_worker[i] == wrote->per_worker[i]);
}

START_TEST(run_is_read_as_it_was_written)
{
	struct store *store = memory_store();
	struct run *wrote = sample_run("before"), *read;

	ck_no_error(store_add_run(store, wrote));
	ck_no_error(store_load_run(store, wrote->id, LOAD_RUN, &read));
	ck_assert_str_eq(read->identity, wrote->identity);
	ck_assert_str_eq(read->label, "before");
	ck_assert_str_eq(read->plan_name, wrote->plan_name);
	ck_assert_str_eq(read->plan_text, wrote->plan_text);
	ck_assert_str_eq(read->tool_version, wrote->tool_version);
	ck_assert_double_eq(read->started, wrote->started);
	ck_assert(read->seed == UINT64_MAX);
	ck_assert_int_eq(read->trials_planned, 3);
	ck_assert(!read->complete);
	ck_assert(json_equal(read->environment, wrote->environment));
	ck_assert_int_eq(read->n_cases, 2);
	ck_assert_str_eq(read->cases[1].name, "spawn workers=8");
	ck_assert_str_eq(read->cases[1].cpus, "0-3,8");
	ck_assert_pstr_eq(read->cases[0].program_version, NULL);
	ck_assert_str_eq(read->cases[1].program_version, "stress-ng 0.15.06");
	ck_assert(json_equal(read->cases[1].params, wrote->cases[1].params));
	ck_assert_int_eq(read->n_variants, 2);
	ck_assert(json_equal(read->variants[1].settings, wrote->variants[1].settings));
	ck_assert_pstr_eq(read->variants[0].machine, NULL);
	ck_assert_str_eq(read->variants[1].machine, "epyc");
	ck_assert_int_eq(read->n_trials, 0);
	run_free(read);
	run_free(wrote);
	store_close(store);
}
END_TEST

START_TEST(trials_are_read_as_they_were_written)
{
	struct store *store = memory_store();
	int64_t id = sample_store(store, "before", 8);
	struct run *run;

	ck_no_error(store_load_run(store, id, LOAD_ALL, &run));
	ck_assert_int_eq(run->n_trials, 8);
	for (int i = 0; i < 8; i++) {
		struct trial wrote = sample_trial(i);

		same_trial(&run->trials[i], &wrote);
		ck_assert(json_equal(run->trials[i].environment, wrote.environment));
		for (int m = 0; m < wrote.n_metrics; m++)
			same_metric(&run->trials[i].metrics[m], &wrote.metrics[m]);
		trial_clear(&wrote);
	}
	run_free(run);
	store_close(store);
}
END_TEST

START_TEST(depth_limits_what_is_loaded)
{
	struct store *store = memory_store();
	int64_t id = sample_store(store, "before", 2);
	struct run *run;

	ck_no_error(store_load_run(store, id, LOAD_VALUES, &run));
	ck_assert_int_eq(run->n_trials, 2);
	ck_assert_int_eq(run->trials[0].n_metrics, 2);
	ck_assert_ptr_null(run->trials[0].metrics[0].per_worker);
	ck_assert_int_eq(run->trials[0].metrics[0].n_workers, 0);
	ck_assert_ptr_nonnull(run->trials[0].environment);
	run_free(run);
	ck_no_error(store_load_run(store, id, LOAD_WORKERS, &run));
	ck_assert_int_eq(run->trials[0].metrics[0].n_workers, 4);
	ck_assert_ptr_null(run->trials[0].metrics[0].histogram);
	run_free(run);
	store_close(store);
}
END_TEST

START_TEST(trials_are_loaded_in_order_of_position)
{
	static const int order[] = { 2, 0, 1 };
	struct store *store = memory_store();
	struct run *run = sample_run("before"), *read;

	ck_no_error(store_add_run(store, run));
	for (int i = 0; i < 3; i++) {
		struct trial trial = sample_trial(order[i]);

		ck_no_error(store_add_trial(store, run, &trial));
		trial_clear(&trial);
	}
	ck_no_error(store_load_run(store, run->id, LOAD_WORKERS, &read));
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(read->trials[i].position, i);
		ck_assert_double_eq(read->trials[i].metrics[0].per_worker[0], i + 0.1);
	}
	run_free(read);
	run_free(run);
	store_close(store);
}
END_TEST

static int64_t count(struct store *store, const char *sql)
{
	int64_t n;

	ck_no_error(sql_number(store, "cannot count", sql, &n));
	return n;
}

START_TEST(environments_and_metrics_are_kept_once)
{
	struct store *store = memory_store();

	sample_store(store, "a", 8);
	sample_store(store, "b", 8);
	ck_assert_int_eq(count(store, "SELECT count(*) FROM metric"), 2);
	ck_assert_int_eq(count(store, "SELECT count(*) FROM environment"), 2);
	store_close(store);
}
END_TEST

START_TEST(same_metric_name_with_another_definition_is_kept_apart)
{
	struct store *store = memory_store();
	struct run *run = sample_run("a"), *read;
	struct metric_desc other = sample_ops;
	struct trial trial = sample_trial(0);

	other.version = 2;
	trial_add_metric(&trial, &other, 5, NULL, 0);
	other.unit = "kB/s";
	trial_add_metric(&trial, &other, 6, NULL, 0);
	ck_no_error(store_add_run(store, run));
	ck_no_error(store_add_trial(store, run, &trial));
	ck_no_error(store_load_run(store, run->id, LOAD_VALUES, &read));
	ck_assert_int_eq(read->trials[0].metrics[0].version, 1);
	ck_assert_int_eq(read->trials[0].metrics[2].version, 2);
	ck_assert_str_eq(read->trials[0].metrics[2].unit, "1/s");
	ck_assert_str_eq(read->trials[0].metrics[3].unit, "kB/s");
	trial_clear(&trial);
	run_free(read);
	run_free(run);
	store_close(store);
}
END_TEST

START_TEST(infinite_value_is_refused_and_nothing_is_kept)
{
	struct store *store = memory_store();
	struct run *run = sample_run("a");
	struct trial trial = sample_trial(0);

	trial.metrics[0].per_worker[1] = INFINITY;
	ck_no_error(store_add_run(store, run));
	ck_error(store_add_trial(store, run, &trial), ERR_DOMAIN, "'ops' is infinite");
	ck_assert_int_eq(count(store, "SELECT count(*) FROM trial"), 0);
	ck_assert_int_eq(trial.id, 0);
	trial_clear(&trial);
	run_free(run);
	store_close(store);
}
END_TEST

START_TEST(trial_of_no_case_is_refused)
{
	struct store *store = memory_store();
	struct run *run = sample_run("a");
	struct trial trial = sample_trial(0);

	trial.case_index = 2;
	ck_no_error(store_add_run(store, run));
	ck_error(store_add_trial(store, run, &trial), ERR_DOMAIN, "case 2");
	trial_clear(&trial);
	run_free(run);
	store_close(store);
}
END_TEST

START_TEST(bytes_that_are_not_utf8_are_replaced)
{
	struct store *store = memory_store();
	struct run *run = sample_run("a"), *read;

	free(run->plan_text);
	run->plan_text = memory_string("caf\xe9 \xed\xa0\x80 \xf0\x9f\x90\xa7 \xc3");
	ck_no_error(store_add_run(store, run));
	ck_no_error(store_load_run(store, run->id, LOAD_RUN, &read));
	ck_assert_str_eq(read->plan_text, "caf\xef\xbf\xbd \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd "
					  "\xf0\x9f\x90\xa7 \xef\xbf\xbd");
	run_free(read);
	run_free(run);
	store_close(store);
}
END_TEST

START_TEST(list_counts_trials_and_failures)
{
	struct store *store = memory_store();
	struct run_summary *list;
	struct run *run = sample_run("b");
	int n;

	sample_store(store, "a", 8);
	run->variants[1].skipped = memory_string("needs root");
	ck_no_error(store_add_run(store, run));
	ck_no_error(store_complete_run(store, run));
	ck_assert(run->complete);
	ck_no_error(store_list(store, NULL, &list, &n));
	ck_assert_int_eq(n, 2);
	ck_assert_str_eq(list[0].label, "a");
	ck_assert_str_eq(list[0].variants, "off, on");
	ck_assert_int_eq(list[0].n_trials, 8);
	ck_assert_int_eq(list[0].n_failed, 2);
	ck_assert_int_eq(list[0].n_planned, 3 * 2 * 2);
	ck_assert(!list[0].complete);
	ck_assert_int_eq(list[1].n_planned, 3 * 2);
	ck_assert(list[1].complete);
	run_summaries_free(list, n);
	ck_no_error(store_list(store, "b", &list, &n));
	ck_assert_int_eq(n, 1);
	run_summaries_free(list, n);
	ck_no_error(store_list(store, "none", &list, &n));
	ck_assert_int_eq(n, 0);
	run_summaries_free(list, n);
	run_free(run);
	store_close(store);
}
END_TEST

START_TEST(newest_is_the_run_that_started_last)
{
	struct store *store = memory_store();
	struct run *old = sample_run("old");
	int64_t id = sample_store(store, "new", 0), newest;

	old->started -= 1000;
	ck_no_error(store_add_run(store, old));
	ck_no_error(store_newest(store, NULL, &newest));
	ck_assert_int_eq(newest, id);
	ck_no_error(store_newest(store, "old", &newest));
	ck_assert_int_eq(newest, old->id);
	ck_error(store_newest(store, "x", &newest), ERR_INPUT, "no run with the label 'x'");
	run_free(old);
	store_close(store);
}
END_TEST

START_TEST(removed_run_leaves_nothing_and_its_number_is_not_used_again)
{
	struct store *store = memory_store();
	int64_t first = sample_store(store, "a", 4), second = sample_store(store, "b", 4), third;
	struct run *run;

	ck_no_error(store_remove_run(store, second));
	ck_assert_int_eq(count(store, "SELECT count(*) FROM trial"), 4);
	ck_assert_int_eq(count(store, "SELECT count(*) FROM environment"), 2);
	ck_error(store_load_run(store, second, LOAD_RUN, &run), ERR_INPUT, "there is no run");
	ck_no_error(store_load_run(store, first, LOAD_ALL, &run));
	ck_assert_int_eq(run->n_trials, 4);
	run_free(run);
	third = sample_store(store, "c", 0);
	ck_assert_int_gt(third, second);
	ck_no_error(store_remove_run(store, first));
	ck_no_error(store_remove_run(store, third));
	ck_assert_int_eq(count(store, "SELECT count(*) FROM value"), 0);
	ck_assert_int_eq(count(store, "SELECT count(*) FROM worker_values"), 0);
	ck_assert_int_eq(count(store, "SELECT count(*) FROM environment"), 0);
	ck_error(store_remove_run(store, third), ERR_INPUT, "there is no run");
	store_close(store);
}
END_TEST

UNIT_TESTS("store", run_is_read_as_it_was_written, trials_are_read_as_they_were_written,
	   depth_limits_what_is_loaded, trials_are_loaded_in_order_of_position,
	   environments_and_metrics_are_kept_once,
	   same_metric_name_with_another_definition_is_kept_apart,
	   infinite_value_is_refused_and_nothing_is_kept, trial_of_no_case_is_refused,
	   bytes_that_are_not_utf8_are_replaced, list_counts_trials_and_failures,
	   newest_is_the_run_that_started_last,
	   removed_run_leaves_nothing_and_its_number_is_not_used_again)
