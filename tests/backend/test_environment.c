// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"

#include "backend/environment.h"
#include "base/release.h"

static char *note_of(const char *tree)
{
	autofree char *root = test_data(tree);

	return environment_autogroup_note(root);
}

START_TEST(autogroup_has_no_effect_in_a_sessions_cgroup)
{
	autofree char *v2 = note_of("monitor/data/quota-v2/before");
	autofree char *v1 = note_of("monitor/data/quota-v1/before");
	autofree char *container = note_of("monitor/data/container-v2");
	autofree char *none = note_of("monitor/data/steal/before");

	ck_assert_ptr_nonnull(v2);
	ck_assert_ptr_nonnull(strstr(v2, "/user.slice/user-1000.slice/session-3.scope"));
	ck_assert_ptr_nonnull(strstr(v2, "root task group only"));
	ck_assert_ptr_nonnull(v1);
	ck_assert_ptr_nonnull(strstr(v1, "cgroup /docker/c1"));
	/* a cgroup namespace calls its own root "/" */
	ck_assert_ptr_nonnull(container);
	ck_assert_ptr_nonnull(none);
	ck_assert_ptr_nonnull(strstr(none, "CONFIG_SCHED_AUTOGROUP"));
}
END_TEST

START_TEST(autogroup_has_effect_in_the_root_task_group)
{
	ck_assert_ptr_null(note_of("monitor/data/root-v1"));
	/* a v2 cgroup without the cpu controller is no task group of its own */
	ck_assert_ptr_null(note_of("monitor/data/root-v2"));
}
END_TEST

static json_t *trial_of(const char *tree)
{
	autofree char *root = test_data(tree);
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
	json_t *into = json_object();

	hwloc_bitmap_set_range(cpus, 2, 3);
	ck_no_error(environment_trial(root, cpus, into));
	hwloc_bitmap_free(cpus);
	return into;
}

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	ck_assert_msg(text != NULL, "%s is no text", key);
	return text;
}

START_TEST(a_trial_records_quota_cpuset_and_cgroup_of_v1)
{
	json_t *trial = trial_of("monitor/data/quota-v1/after");
	json_t *quota = json_object_get(trial, "quota");

	ck_assert_str_eq(text_of(trial, "cgroup"), "/docker/c1");
	ck_assert_str_eq(text_of(trial, "cpuset"), "2");
	ck_assert_str_eq(text_of(trial, "cpus"), "2-3");
	ck_assert_double_eq(json_real_value(json_object_get(quota, "cpus")), 1);
	ck_assert_int_eq(json_integer_value(json_object_get(quota, "throttled")), 38);
	ck_assert_str_eq(text_of(quota, "cgroup"), "/sys/fs/cgroup/cpu,cpuacct/docker/c1");
	ck_assert_ptr_nonnull(
		strstr(text_of(json_object_get(trial, "autogroup"), "effect"), "no effect"));
	json_decref(trial);
}
END_TEST

START_TEST(a_trial_records_a_quota_that_is_set_above_its_cgroup)
{
	json_t *trial = trial_of("monitor/data/quota-v2/before");
	json_t *quota = json_object_get(trial, "quota");

	ck_assert_double_eq(json_real_value(json_object_get(quota, "cpus")), 3.99);
	ck_assert_str_eq(text_of(quota, "cgroup"), "/sys/fs/cgroup/user.slice");
	ck_assert_str_eq(text_of(trial, "cpuset"), "0-4,6");
	json_decref(trial);
	trial = trial_of("monitor/data/root-v1");
	ck_assert_str_eq(text_of(trial, "quota"), "none");
	ck_assert_str_eq(text_of(json_object_get(trial, "autogroup"), "effect"), "as enabled");
	json_decref(trial);
}
END_TEST

START_TEST(what_cannot_be_read_says_why_and_is_not_left_out)
{
	static const char *const keys[] = { "cgroups", "cgroup", "cpuset", "affinity",
					    "nice",    "policy", "load" };
	json_t *trial = trial_of("monitor/data/none");

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		ck_assert_msg(strstr(text_of(trial, keys[i]), "not available: ") != NULL, "%s",
			      keys[i]);
	json_decref(trial);
}
END_TEST

START_TEST(the_host_record_has_every_documented_key)
{
	static const char *const keys[] = {
		"tool",		"built_with", "workloads",  "kernel_release", "kernel_version",
		"command_line", "boot",	      "features",   "knobs",	      "sysctls",
		"smt_control",	"smt_active", "frequency",  "idle_driver",    "idle_governor",
		"clocksource",	"isolated",   "huge_pages", "mitigations",    "cpu",
		"machine",
	};
	struct machine *machine;
	json_t *live = json_object(), *bare = json_object();
	autofree char *none = test_data("monitor/data/none");

	ck_no_error(machine_open(NULL, &machine));
	ck_no_error(environment_host("", machine, live));
	ck_no_error(environment_host(none, machine, bare));
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		ck_assert_msg(json_object_get(live, keys[i]) != NULL, "%s", keys[i]);
		ck_assert_msg(json_object_get(bare, keys[i]) != NULL, "%s", keys[i]);
	}
	ck_assert_uint_eq(json_object_size(live), ARRAY_SIZE(keys));
	ck_assert_str_eq(text_of(live, "tool") + strlen("fairtrial "), fairtrial_version());
	ck_assert_ptr_nonnull(strstr(text_of(live, "built_with"), "SQLite 3."));
	ck_assert(strncmp(text_of(live, "kernel_release"), "not", 3) != 0);
	ck_assert_int_gt(
		json_integer_value(json_object_get(json_object_get(live, "machine"), "nr_cpus")),
		0);
	ck_assert_ptr_nonnull(strstr(text_of(bare, "features"), "not available: "));
	ck_assert_ptr_nonnull(strstr(text_of(bare, "mitigations"), "not available: "));
	ck_assert_ptr_nonnull(strstr(text_of(bare, "cpu"), "not available: "));
	/* nothing of it can be read: one reason, not one a value */
	ck_assert_ptr_nonnull(strstr(text_of(bare, "frequency"), "not available: "));
	json_decref(live);
	json_decref(bare);
	machine_close(machine);
}
END_TEST

UNIT_TESTS("environment", autogroup_has_no_effect_in_a_sessions_cgroup,
	   autogroup_has_effect_in_the_root_task_group,
	   a_trial_records_quota_cpuset_and_cgroup_of_v1,
	   a_trial_records_a_quota_that_is_set_above_its_cgroup,
	   what_cannot_be_read_says_why_and_is_not_left_out,
	   the_host_record_has_every_documented_key)
