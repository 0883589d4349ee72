// SPDX-License-Identifier: GPL-2.0-only
#include "result/select.h"
#include "result/store_open.h"

#include "sample.h"

/* runs: 1 "before" (off, on), 2 "after" (off, on), 3 "after" (off, on); 3 is the newest */
static struct store *three_runs(void)
{
	struct store *store;

	ck_no_error(store_open_memory(&store));
	sample_store(store, "before", 0);
	sample_store(store, "after", 0);
	sample_store(store, "after", 0);
	return store;
}

static void adds(struct store *store, const char *label, const char *variant, const char *skipped)
{
	struct run *run = sample_run(label);

	free(run->variants[0].name);
	run->variants[0].name = memory_string(variant);
	run->variants[1].skipped = memory_string("needs root");
	if (skipped)
		run->variants[0].skipped = memory_string(skipped);
	ck_no_error(store_add_run(store, run));
	run_free(run);
}

static void resolves(struct store *store, const char *name, int n, int64_t first, int variant)
{
	struct selection *found;
	int count;

	ck_no_error(store_resolve(store, name, &found, &count));
	ck_assert_int_eq(count, n);
	for (int i = 0; i < n; i++) {
		ck_assert_int_eq(found[i].run, first + i);
		ck_assert_int_eq(found[i].variant, variant);
	}
	free(found);
}

static void refuses(struct store *store, const char *name, const char *message)
{
	struct selection *found;
	int n;

	ck_error(store_resolve(store, name, &found, &n), ERR_INPUT, message);
}

START_TEST(bare_variant_is_of_the_newest_run)
{
	struct store *store = three_runs();

	resolves(store, "on", 1, 3, 1);
	resolves(store, "off", 1, 3, 0);
	resolves(store, ":off", 1, 3, 0);
	store_close(store);
}
END_TEST

START_TEST(label_and_variant_pool_all_runs_of_the_label)
{
	struct store *store = three_runs();

	resolves(store, "after:on", 2, 2, 1);
	resolves(store, "before:off", 1, 1, 0);
	store_close(store);
}
END_TEST

START_TEST(label_of_one_variant_needs_no_variant)
{
	struct store *store = three_runs();

	adds(store, "tip", "default", NULL);
	resolves(store, "tip", 1, 4, 0);
	resolves(store, "tip:", 1, 4, 0);
	store_close(store);
}
END_TEST

START_TEST(label_of_several_variants_lists_them)
{
	struct store *store = three_runs();

	refuses(store, "after", "'after' has several variants; name one of after:off, after:on");
	refuses(store, "before:", "name one of before:off, before:on");
	refuses(store, "#2", "name one of #2:off, #2:on");
	store_close(store);
}
END_TEST

START_TEST(run_number_names_one_run)
{
	struct store *store = three_runs();

	resolves(store, "#2:on", 1, 2, 1);
	refuses(store, "#9", "there is no run #9");
	refuses(store, "#2:x", "run #2 has no variant 'x'; it has off, on");
	refuses(store, "#x", "not the number of a run");
	refuses(store, "#", "not the number of a run");
	store_close(store);
}
END_TEST

START_TEST(unknown_name_lists_what_there_is)
{
	struct store *store = three_runs();

	refuses(store, "x", "no variant of the newest run (off, on), no label (before, after)");
	refuses(store, "after:x", "'after:x' is no variant");
	refuses(store, "x:on", "'x:on' is no variant");
	refuses(store, "", "'' is no variant");
	refuses(store, ":", "':' is no variant");
	store_close(store);
}
END_TEST

START_TEST(empty_store_says_that_there_is_no_run)
{
	struct store *store;

	ck_no_error(store_open_memory(&store));
	refuses(store, "on", "there is no run in");
	refuses(store, ":on", "there is no run in");
	refuses(store, "a:on", "there is no run in");
	store_close(store);
}
END_TEST

START_TEST(name_of_both_a_variant_and_a_label_is_ambiguous)
{
	struct store *store = three_runs();

	adds(store, "default", "default", NULL);
	refuses(store, "default", "both a variant of the newest run and a label");
	resolves(store, ":default", 1, 4, 0);
	resolves(store, "default:", 1, 4, 0);
	store_close(store);
}
END_TEST

START_TEST(left_out_variant_is_passed_over_with_its_reason)
{
	struct store *store = three_runs();

	adds(store, "tip", "off", "no such sysctl");
	adds(store, "tip", "off", NULL);
	resolves(store, "tip:off", 1, 5, 0);
	refuses(store, "tip:on", "its variant was left out: needs root");
	store_close(store);
}
END_TEST

START_TEST(name_with_a_colon_that_has_several_meanings_is_ambiguous)
{
	struct store *store = three_runs();

	adds(store, "a", "b:c", NULL);
	resolves(store, "a:b:c", 1, 4, 0);
	adds(store, "a:b", "c", NULL);
	refuses(store, "a:b:c", "several meanings");
	resolves(store, "#5:c", 1, 5, 0);
	store_close(store);
}
END_TEST

static void resolves_runs(struct store *store, const char *name, int n, int64_t first)
{
	int64_t *ids;
	int count;

	ck_no_error(store_resolve_runs(store, name, &ids, &count));
	ck_assert_int_eq(count, n);
	ck_assert_int_eq(ids[0], first);
	free(ids);
}

START_TEST(runs_are_named_by_number_or_label)
{
	struct store *store = three_runs();
	int64_t *ids;
	int n;

	resolves_runs(store, "2", 1, 2);
	resolves_runs(store, "#2", 1, 2);
	resolves_runs(store, "after", 2, 2);
	resolves_runs(store, "after:", 2, 2);
	ck_error(store_resolve_runs(store, "7", &ids, &n), ERR_INPUT, "labels are: before, after");
	ck_error(store_resolve_runs(store, "aft", &ids, &n), ERR_INPUT, "there is no run 'aft'");
	ck_error(store_resolve_runs(store, "", &ids, &n), ERR_INPUT, "there is no run ''");
	adds(store, "2", "off", NULL);
	ck_error(store_resolve_runs(store, "2", &ids, &n), ERR_INPUT, "write '#2'");
	resolves_runs(store, "#2", 1, 2);
	resolves_runs(store, "2:", 1, 4);
	adds(store, "#1", "off", NULL);
	ck_error(store_resolve_runs(store, "#1", &ids, &n), ERR_INPUT, "write '1' for the run");
	resolves_runs(store, "1", 1, 1);
	store_close(store);
}
END_TEST

UNIT_TESTS("select", bare_variant_is_of_the_newest_run,
	   label_and_variant_pool_all_runs_of_the_label, label_of_one_variant_needs_no_variant,
	   label_of_several_variants_lists_them, run_number_names_one_run,
	   unknown_name_lists_what_there_is, empty_store_says_that_there_is_no_run,
	   name_of_both_a_variant_and_a_label_is_ambiguous,
	   left_out_variant_is_passed_over_with_its_reason,
	   name_with_a_colon_that_has_several_meanings_is_ambiguous,
	   runs_are_named_by_number_or_label)
