// SPDX-License-Identifier: GPL-2.0-only
#include "machine/cgroup.h"
#include "tree.h"

static void check_quota(const char *root, double cpus, uint64_t throttled, const char *path)
{
	struct machine_quota quota;

	machine_quota_read(root, &quota);
	ck_assert_double_eq_tol(quota.cpus, cpus, 1e-9);
	ck_assert_uint_eq(quota.throttled, throttled);
	if (path)
		ck_assert_str_eq(quota.path, path);
	else
		ck_assert_ptr_null(quota.path);
	free(quota.path);
}

START_TEST(version_2_quota_of_399_percent)
{
	char *root = tree_new();

	tree_cgroups(root, "0::/user.slice/run.scope\n", TREE_MOUNT_V2);
	tree_write(root, "/sys/fs/cgroup/user.slice/cpu.max", "max 100000\n");
	tree_write(root, "/sys/fs/cgroup/user.slice/run.scope/cpu.max", "399000 100000\n");
	tree_write(root, "/sys/fs/cgroup/user.slice/run.scope/cpu.stat",
		   "usage_usec 12\nnr_periods 90\nnr_throttled 7\nthrottled_usec 3\n");
	check_quota(root, 3.99, 7, "/sys/fs/cgroup/user.slice/run.scope");
	tree_remove(root);
}
END_TEST

START_TEST(smallest_quota_up_to_the_top_counts)
{
	char *root = tree_new();

	tree_cgroups(root, "0::/a/b/c\n", TREE_MOUNT_V2);
	tree_write(root, "/sys/fs/cgroup/a/cpu.max", "150000 50000\n");
	tree_write(root, "/sys/fs/cgroup/a/b/cpu.max", "50000 20000\n");
	tree_write(root, "/sys/fs/cgroup/a/b/cpu.stat", "nr_throttled 5\n");
	tree_write(root, "/sys/fs/cgroup/a/b/c/cpu.max", "800000 100000\n");
	tree_write(root, "/sys/fs/cgroup/a/b/c/cpu.stat", "nr_throttled 99\n");
	check_quota(root, 2.5, 5, "/sys/fs/cgroup/a/b");
	tree_remove(root);
}
END_TEST

START_TEST(version_1_quota_and_throttling)
{
	char *root = tree_new();

	tree_cgroups(root, "5:cpuset:/job\n4:cpu,cpuacct:/job\n0::/\n", TREE_MOUNT_V1);
	tree_write(root, "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
	tree_write(root, "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
	tree_write(root, "/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "100000\n");
	tree_write(root, "/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
	tree_write(root, "/sys/fs/cgroup/cpu,cpuacct/job/cpu.stat",
		   "nr_periods 50\nnr_throttled 34\nthrottled_time 1\n");
	check_quota(root, 1, 34, "/sys/fs/cgroup/cpu,cpuacct/job");
	tree_remove(root);
}
END_TEST

/* this is how a container sees it: the mount shows only its own part of the tree */
START_TEST(mount_may_show_a_part_of_the_tree)
{
	char *root = tree_new();

	tree_cgroups(root, "0::/docker/abc/inner\n",
		     "30 23 0:26 /docker/abc /sys/fs/my\\040cgroup rw - cgroup2 cgroup rw\n");
	tree_write(root, "/sys/fs/my cgroup/cpu.max", "200000 100000\n");
	tree_write(root, "/sys/fs/my cgroup/inner/cpu.max", "max 100000\n");
	check_quota(root, 2, 0, "/sys/fs/my cgroup");
	tree_cgroups(root, "0::/docker/abcdef\n",
		     "30 23 0:26 /docker/abc /sys/fs/my\\040cgroup rw - cgroup2 cgroup rw\n");
	check_quota(root, 2, 0, "/sys/fs/my cgroup");
	tree_cgroups(root, "0::/../other\n",
		     "30 23 0:26 / /sys/fs/my\\040cgroup rw - cgroup2 cgroup rw\n");
	check_quota(root, 2, 0, "/sys/fs/my cgroup");
	tree_remove(root);
}
END_TEST

START_TEST(both_versions_side_by_side_give_the_smaller)
{
	char *root = tree_new();

	tree_cgroups(root, "4:cpu:/one\n0::/two\n",
		     "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
		     "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
	tree_write(root, "/sys/fs/cgroup/cpu/one/cpu.cfs_quota_us", "400000\n");
	tree_write(root, "/sys/fs/cgroup/cpu/one/cpu.cfs_period_us", "100000\n");
	tree_write(root, "/sys/fs/cgroup/unified/two/cpu.max", "300000 100000\n");
	check_quota(root, 3, 0, "/sys/fs/cgroup/unified/two");
	tree_remove(root);
}
END_TEST

START_TEST(no_limit_and_nonsense_are_no_quota)
{
	char *root = tree_new();

	check_quota(root, 0, 0, NULL);
	tree_cgroups(root, "0::/a\n", TREE_MOUNT_V2);
	check_quota(root, 0, 0, NULL);
	tree_write(root, "/sys/fs/cgroup/a/cpu.max", "max 100000\n");
	check_quota(root, 0, 0, NULL);
	tree_write(root, "/sys/fs/cgroup/a/cpu.max", "100000 0\n");
	check_quota(root, 0, 0, NULL);
	tree_write(root, "/sys/fs/cgroup/a/cpu.max", "\n");
	check_quota(root, 0, 0, NULL);
	tree_write(root, "/proc/self/mountinfo", "30 23 - cgroup2\nnothing\n - \n");
	check_quota(root, 0, 0, NULL);
	tree_write(root, "/proc/self/cgroup", "\n:\n::\n0:\n0::\n");
	check_quota(root, 0, 0, NULL);
	tree_remove(root);
}
END_TEST

static void check_cpuset(const char *root, const char *expected)
{
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
	bool known = cgroup_cpuset_read(root, cpus);
	autofree char *list = cpulist_format(cpus);

	ck_assert_int_eq(known, expected != NULL);
	ck_assert_str_eq(list, expected ? expected : "");
	hwloc_bitmap_free(cpus);
}

START_TEST(cpuset_of_version_2_is_that_in_effect)
{
	char *root = tree_new();

	tree_cgroups(root, "0::/slice/scope\n", TREE_MOUNT_V2);
	check_cpuset(root, NULL);
	tree_write(root, "/sys/fs/cgroup/cpuset.cpus.effective", "0-7\n");
	check_cpuset(root, "0-7");
	tree_write(root, "/sys/fs/cgroup/slice/cpuset.cpus", "\n");
	tree_write(root, "/sys/fs/cgroup/slice/cpuset.cpus.effective", "0-4,6\n");
	check_cpuset(root, "0-4,6");
	tree_remove(root);
}
END_TEST

START_TEST(cpuset_of_version_1_is_read_too)
{
	char *root = tree_new();

	tree_cgroups(root, "5:cpuset:/job\n4:cpu,cpuacct:/job\n", TREE_MOUNT_V1);
	tree_write(root, "/sys/fs/cgroup/cpuset/job/cpuset.cpus", "2\n");
	check_cpuset(root, "2");
	tree_write(root, "/sys/fs/cgroup/cpuset/job/cpuset.effective_cpus", "3\n");
	check_cpuset(root, "3");
	tree_remove(root);
}
END_TEST

UNIT_TESTS("machine", version_2_quota_of_399_percent, smallest_quota_up_to_the_top_counts,
	   version_1_quota_and_throttling, mount_may_show_a_part_of_the_tree,
	   both_versions_side_by_side_give_the_smaller, no_limit_and_nonsense_are_no_quota,
	   cpuset_of_version_2_is_that_in_effect, cpuset_of_version_1_is_read_too)
