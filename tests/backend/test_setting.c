// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"

#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "tree.h"

static struct error *check(const struct tree *tree, const char *key, const char *value)
{
	struct variant variant;

	variant_of(&variant, key, value, NULL);
	return setting_check_on(&tree->host, &variant.plan, &variant.variant);
}

START_TEST(a_key_or_value_that_is_wrong_anywhere_is_an_input_error_with_its_line)
{
	static const struct {
		const char *key, *value, *part;
	} cases[] = {
		{ "autogrup", "1", "a.plan:11: variant on: autogrup = 1: unknown setting" },
		{ "autogrup", "1", "did you mean autogroup" },
		{ "features.NEXT_BUDDY", "1", "did you mean feature.NEXT_BUDDY" },
		{ "gobbledygook", "1", "there are: sysctl.NAME, feature.NAME" },
		{ "feature.", "1", "unknown setting" },
		{ "feature.NO_NEXT_BUDDY", "1", "feature.NEXT_BUDDY = 0" },
		{ "feature.next", "1", "capital letters" },
		{ "feature.NEXT_BUDDY", "2", "neither 0" },
		{ "sysctl.kernel/../../etc/passwd", "1", "is no name of a sysctl" },
		{ "sysctl...kernel.x", "1", "is no name of a sysctl" },
		{ "sysctl.kernel..x", "1", "is no name of a sysctl" },
		{ "sysctl./kernel/x", "1", "is no name of a sysctl" },
		{ "sched.../x", "1", "is no knob" },
		{ "sched.a..b", "1", "is no knob" },
		{ "sched.features", "1", "is no knob" },
		{ "sched.base_slice_ns", "fast", "is not a number" },
		{ "sched.preempt", "fully", "none voluntary" },
		{ "sysctl.net.ipv4.tcp_rmem", "4096", "as many numbers" },
		{ "sysctl.kernel.sched_rt_runtime_us", "lots", "is not a number" },
		{ "nice", "20", "-20 to 19" },
		{ "slice", "3", "is not a time" },
		{ "slice", "1s", "100us to 100ms" },
		{ "policy", "fifo", "other, batch, idle" },
		{ "cpu.weight", "0", "1 to 10000" },
		{ "cpu.max", "150%", "QUOTA PERIOD" },
		{ "cpu.max", "1000 100 5", "QUOTA PERIOD" },
		{ "affinity", "3-1", "" },
		{ "env.A B", "1", "environment variable" },
	};
	struct tree tree;

	tree_new(&tree);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		ck_error(check(&tree, cases[i].key, cases[i].value), ERR_INPUT, cases[i].part);
	tree_free(&tree);
}
END_TEST

START_TEST(one_file_is_not_set_twice)
{
	struct tree tree;
	struct variant variant;

	tree_new(&tree);
	variant_of(&variant, "autogroup", "0", "sysctl.kernel.sched_autogroup_enabled", "1", NULL);
	ck_error(setting_check_on(&tree.host, &variant.plan, &variant.variant), ERR_INPUT,
		 "a.plan:12: variant on: sysctl.kernel.sched_autogroup_enabled = 1");
	variant_of(&variant, "nice", "0", "nice", "1", NULL);
	ck_error(setting_check_on(&tree.host, &variant.plan, &variant.variant), ERR_INPUT,
		 "given before");
	variant_of(&variant, "feature.PLACE_LAG", "0", "feature.NEXT_BUDDY", "1", NULL);
	ck_no_error(setting_check_on(&tree.host, &variant.plan, &variant.variant));
	tree_free(&tree);
}
END_TEST

START_TEST(what_this_machine_lacks_is_unavailable_with_what_to_do)
{
	struct tree tree;
	autofree char *debugfs = NULL, *gone = NULL;

	tree_new(&tree);
	ck_error(check(&tree, "feature.NEXT_BUDY", "1"), ERR_UNAVAILABLE,
		 "no feature NEXT_BUDY, did you mean NEXT_BUDDY");
	ck_error(check(&tree, "sched.base_slice", "1"), ERR_UNAVAILABLE,
		 "did you mean base_slice_ns");
	ck_error(check(&tree, "sysctl.kernel.nothing", "1"), ERR_UNAVAILABLE, "this kernel has no");
	ck_error(check(&tree, "affinity", "8000"), ERR_UNAVAILABLE, "usable here");
	debugfs = memory_format("%s/sys/kernel/debug/sched", tree.root);
	gone = memory_format("%s/sys/kernel/debug/gone", tree.root);
	ck_assert_int_eq(rename(debugfs, gone), 0);
	ck_error(check(&tree, "feature.NEXT_BUDDY", "1"), ERR_UNAVAILABLE,
		 "mount -t debugfs none /sys/kernel/debug");
	tree_put(&tree, "/sys/kernel/debug/sched_features", "NEXT_BUDDY"); /* before 5.13 */
	ck_no_error(check(&tree, "feature.NEXT_BUDDY", "1"));
	tree_put(&tree, "/proc/self/cgroup", "0::/\n");
	ck_error(check(&tree, "cpu.weight", "50"), ERR_UNAVAILABLE, "not visible");
	tree_put(&tree, "/proc/self/mountinfo", "32 31 0:29 / /cg rw - cgroup2 cgroup2 rw\n");
	tree_put(&tree, "/cg/cgroup.subtree_control", "memory pids");
	ck_error(check(&tree, "cpu.weight", "50"), ERR_UNAVAILABLE, "echo +cpu > ");
	tree_put(&tree, "/cg/cgroup.subtree_control", "memory cpu pids");
	ck_no_error(check(&tree, "cpu.weight", "50"));
	tree_free(&tree);
}
END_TEST

START_TEST(all_kinds_are_made_and_put_back)
{
	struct tree tree;
	struct variant variant;
	struct setting_journal *journal;
	json_t *record = json_object(), *values;

	tree_new(&tree);
	variant_of(&variant, "autogroup", "off", "feature.NEXT_BUDDY", "1", "feature.PLACE_LAG",
		   "0", "sched.base_slice_ns", "5000000", "sched.preempt", "voluntary",
		   "sysctl.net.ipv4.tcp_rmem", "1 2 3", NULL);
	ck_no_error(setting_check_on(&tree.host, &variant.plan, &variant.variant));
	tree_expect(&tree, AUTOGROUP, "1"); /* a check changes nothing */
	ck_assert_int_eq(tree_journals(&tree), 0);
	ck_no_error(setting_apply_on(&tree.host, &variant.plan, &variant.variant, &journal));
	ck_assert_int_eq(tree_journals(&tree), 1);
	tree_expect(&tree, AUTOGROUP, "0");
	tree_expect(&tree, FEATURES, "NO_PLACE_LAG NEXT_BUDDY TTWU_QUEUE");
	tree_expect(&tree, SLICE, "5000000");
	tree_expect(&tree, PREEMPT, "none (voluntary) full");
	setting_record_on(&tree.host, &variant.variant, record);
	values = json_object_get(record, "settings");
	ck_assert_str_eq(json_string_value(json_object_get(values, "feature.NEXT_BUDDY")),
			 "NEXT_BUDDY");
	ck_assert_str_eq(json_string_value(json_object_get(values, "sched.preempt")), "voluntary");
	ck_no_error(setting_undo(journal));
	tree_expect(&tree, AUTOGROUP, "1");
	tree_expect(&tree, FEATURES, "PLACE_LAG NO_NEXT_BUDDY TTWU_QUEUE");
	tree_expect(&tree, SLICE, "3000000");
	tree_expect(&tree, PREEMPT, "none voluntary (full)");
	tree_expect(&tree, "/proc/sys/net/ipv4/tcp_rmem", "4096\t131072\t6291456");
	ck_assert_int_eq(tree_journals(&tree), 0);
	json_decref(record);
	tree_free(&tree);
}
END_TEST

START_TEST(a_value_that_the_kernel_clamps_or_refuses_undoes_the_whole_variant)
{
	struct tree tree;
	struct variant variant;
	struct setting_journal *journal;

	tree_new(&tree);
	variant_of(&variant, "autogroup", "0", "sched.base_slice_ns", "5", NULL);
	ck_error(setting_apply_on(&tree.host, &variant.plan, &variant.variant, &journal),
		 ERR_UNAVAILABLE, "the kernel made '100000' of '5'");
	tree_expect(&tree, AUTOGROUP, "1");
	tree_expect(&tree, SLICE, "3000000");
	ck_assert_int_eq(tree_journals(&tree), 0);
	tree_put(&tree, "/sys/kernel/debug/sched/nr_migrate", "32");
	variant_of(&variant, "autogroup", "0", "sched.nr_migrate", "64", NULL);
	ck_error(setting_apply_on(&tree.host, &variant.plan, &variant.variant, &journal),
		 ERR_SYSTEM, "does not take '64'");
	tree_expect(&tree, AUTOGROUP, "1");
	ck_assert_int_eq(tree_journals(&tree), 0);
	tree_free(&tree);
}
END_TEST

START_TEST(values_mean_the_same_when_words_or_numbers_do)
{
	ck_assert(setting_same_value("1 2", "1\t2"));
	ck_assert(setting_same_value("3000000", "3000004"));
	ck_assert(!setting_same_value("3000000", "4000000"));
	ck_assert(!setting_same_value("1 2", "1"));
	ck_assert(!setting_same_value("0", "1"));
	ck_assert(setting_same_value("1", "Y"));
	ck_assert(setting_same_value("n", "N"));
	ck_assert(!setting_same_value("0", "Y"));
	ck_assert(!setting_same_value("full", "none"));
}
END_TEST

START_TEST(a_feature_is_found_as_a_whole_word)
{
	ck_assert_int_eq(features_find("A NO_BC D", "A"), 1);
	ck_assert_int_eq(features_find("A NO_BC D\n", "D"), 1);
	ck_assert_int_eq(features_find("A NO_BC D", "BC"), 0);
	ck_assert_int_eq(features_find("A NO_BC D", "B"), -1);
	ck_assert_int_eq(features_find("", "B"), -1);
}
END_TEST

START_TEST(weights_and_limits_are_converted_for_v1)
{
	struct cgroup_write writes[2];

	ck_assert_int_eq(setting_cgroup_writes(true, "cpu.weight", "150", writes), 1);
	ck_assert_str_eq(writes[0].file, "cpu.weight");
	ck_assert_str_eq(writes[0].text, "150");
	ck_assert_int_eq(setting_cgroup_writes(false, "cpu.weight", "150", writes), 1);
	ck_assert_str_eq(writes[0].file, "cpu.shares");
	ck_assert_str_eq(writes[0].text, "1536");
	setting_cgroup_writes(false, "cpu.weight", "1", writes);
	ck_assert_str_eq(writes[0].text, "10");
	setting_cgroup_writes(false, "cpu.weight", "10000", writes);
	ck_assert_str_eq(writes[0].text, "102400");
	ck_assert_int_eq(setting_cgroup_writes(true, "cpu.max", "max 50000", writes), 1);
	ck_assert_str_eq(writes[0].text, "max 50000");
	setting_cgroup_writes(true, "cpu.max", "150000", writes);
	ck_assert_str_eq(writes[0].text, "150000 100000");
	ck_assert_int_eq(setting_cgroup_writes(false, "cpu.max", "150000 50000", writes), 2);
	ck_assert_str_eq(writes[0].file, "cpu.cfs_period_us");
	ck_assert_str_eq(writes[0].text, "50000");
	ck_assert_str_eq(writes[1].text, "150000");
	setting_cgroup_writes(false, "cpu.max", "max", writes);
	ck_assert_str_eq(writes[1].text, "-1");
	ck_assert_int_eq(setting_cgroup_writes(true, "nice", "1", writes), 0);
}
END_TEST

/* what the process of a trial is told to be */
START_TEST(a_worker_process_gets_nice_policy_slice_affinity_and_environment)
{
	struct variant variant;
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
	json_t *record = json_object(), *values;
	struct error *error;

	hwloc_bitmap_set_range(cpus, 0, 3);
	variant_of(&variant, "nice", "7", "env.FT_TEST", "a b", "affinity", "1-2,9", "policy",
		   "batch", NULL);
	ck_no_error(setting_enter(&variant.variant, NULL, cpus));
	ck_assert_int_eq(getpriority(PRIO_PROCESS, 0), 7);
	ck_assert_int_eq(sched_getscheduler(0), SCHED_BATCH);
	ck_assert_str_eq(getenv("FT_TEST"), "a b");
	ck_assert_int_eq(hwloc_bitmap_first(cpus), 1);
	ck_assert_int_eq(hwloc_bitmap_last(cpus), 2);
	setting_record(&variant.variant, record);
	values = json_object_get(record, "settings");
	ck_assert_str_eq(json_string_value(json_object_get(values, "nice")), "7");
	ck_assert_str_eq(json_string_value(json_object_get(values, "policy")), "batch");
	ck_assert_str_eq(json_string_value(json_object_get(values, "affinity")), "1-2,9");
	json_object_clear(record);
	variant_of(&variant, "affinity", "0", NULL);
	ck_error(setting_enter(&variant.variant, NULL, cpus), ERR_INPUT, "case's CPUs 1-2");
	variant_of(&variant, "slice", "5ms", NULL);
	error = setting_enter(&variant.variant, NULL, cpus);
	if (error) {
		ck_assert_msg(strstr(error->message, "6.12") != NULL, "%s", error->message);
		error_free(error);
	} else {
		setting_record(&variant.variant, record);
		values = json_object_get(record, "settings");
		ck_assert_str_eq(json_string_value(json_object_get(values, "slice")), "5ms");
	}
	json_decref(record);
	hwloc_bitmap_free(cpus);
}
END_TEST

/* in a process without rights: 0 if all holds */
static int as_nobody(const struct tree *tree)
{
	struct variant variant;
	struct error *error;
	int failed = 0;

	if (setgid(65534) || setuid(65534))
		return 1;
	error = check(tree, "nice", "-5");
	failed |= !error || error->code != ERR_PERMISSION || !strstr(error->message, "needs root");
	error_free(error);
	error = check(tree, "autogroup", "0");
	failed |= !error || error->code != ERR_PERMISSION || !strstr(error->message, "needs root");
	error_free(error);
	error = check(tree, "cpu.weight", "10");
	failed |= !error || error->code != ERR_PERMISSION;
	error_free(error);
	variant_of(&variant, "autogroup", "0", "nice", "x", NULL); /* what is wrong comes first */
	error = setting_check_on(&tree->host, &variant.plan, &variant.variant);
	failed |= !error || error->code != ERR_INPUT;
	error_free(error);
	error = check(tree, "nice", "5");
	failed |= error != NULL;
	error_free(error);
	return failed;
}

START_TEST(without_root_a_setting_says_that_it_needs_root)
{
	struct tree tree;
	int status;
	pid_t child;

	if (geteuid()) {
		fprintf(stderr, "skipped: giving up root needs root\n");
		return;
	}
	tree_new(&tree);
	ck_assert_int_eq(chmod(tree.root, 0755), 0);
	{
		const char *argv[] = { "chmod", "-R", "a+rX", tree.root, NULL };
		struct subprocess_output output;

		ck_no_error(subprocess_check(argv, NULL, 10, &output));
		subprocess_free(&output);
	}
	child = fork();
	if (!child)
		_exit(as_nobody(&tree));
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	tree_free(&tree);
}
END_TEST

START_TEST(the_documentation_has_every_setting)
{
	autofree char *path = test_data("../docs/settings.md"), *text = NULL;

	ck_no_error(file_read(path, &text, NULL));
	for (const struct setting_kind *kind = setting_kinds; kind->key; kind++) {
		bool prefix = kind->key[strlen(kind->key) - 1] == '.';
		autofree char *row = memory_format("\n| `%s%s` |", kind->key, prefix ? "NAME" : "");

		ck_assert_msg(strstr(text, row) != NULL, "%s is missing", kind->key);
	}
}
END_TEST

START_TEST(a_cgroup_of_a_variant_does_not_escape_the_quota_of_our_own)
{
	struct tree tree;
	struct variant weight, both;

	tree_new(&tree);
	variant_of(&weight, "cpu.weight", "50", NULL);
	variant_of(&both, "cpu.weight", "50", "cpu.max", "50000 100000", NULL);
	tree_put(&tree, "/proc/self/cgroup", "1:cpu:/jail\n");
	tree_put(&tree, CPU "/jail/cpu.cfs_quota_us", "-1\n");
	ck_no_error(setting_check_on(&tree.host, &weight.plan, &weight.variant));
	tree_put(&tree, CPU "/jail/cpu.cfs_quota_us", "50000\n");
	ck_error(setting_check_on(&tree.host, &weight.plan, &weight.variant), ERR_UNAVAILABLE,
		 CPU "/jail has a CPU quota");
	ck_no_error(setting_check_on(&tree.host, &both.plan, &both.variant));
	tree_free(&tree);
}
END_TEST

UNIT_TESTS("setting", a_key_or_value_that_is_wrong_anywhere_is_an_input_error_with_its_line,
	   one_file_is_not_set_twice, what_this_machine_lacks_is_unavailable_with_what_to_do,
	   all_kinds_are_made_and_put_back,
	   a_value_that_the_kernel_clamps_or_refuses_undoes_the_whole_variant,
	   values_mean_the_same_when_words_or_numbers_do, a_feature_is_found_as_a_whole_word,
	   weights_and_limits_are_converted_for_v1,
	   a_worker_process_gets_nice_policy_slice_affinity_and_environment,
	   without_root_a_setting_says_that_it_needs_root, the_documentation_has_every_setting,
	   a_cgroup_of_a_variant_does_not_escape_the_quota_of_our_own)
