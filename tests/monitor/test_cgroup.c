// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"

#include "monitor/cgroup.h"

static struct cgroup find(const char *tree, const char *controller)
{
	autofree char *root = test_data(tree);
	struct cgroup cgroup;

	ck_no_error(cgroup_of(root, "self", controller, &cgroup));
	return cgroup;
}

/* the end of a folder's path, after the tree */
static void expect_folder(const char *tree, const char *folder, const char *expected)
{
	autofree char *root = test_data(tree);

	ck_assert_msg(!strncmp(folder, root, strlen(root)), "%s", folder);
	ck_assert_str_eq(folder + strlen(root), expected);
}

START_TEST(a_controller_of_v1_goes_before_the_unified_hierarchy)
{
	const char *tree = "monitor/data/quota-v1/before";
	struct cgroup cgroup = find(tree, "cpu");

	ck_assert(!cgroup.unified);
	ck_assert_str_eq(cgroup.path, "/docker/c1");
	expect_folder(tree, cgroup.folder, "/sys/fs/cgroup/cpu,cpuacct/docker/c1");
	cgroup_clear(&cgroup);
	cgroup = find(tree, "cpuset");
	expect_folder(tree, cgroup.folder, "/sys/fs/cgroup/cpuset/docker/c1");
	cgroup_clear(&cgroup);
	cgroup = find(tree, "memory"); /* not of v1 there */
	ck_assert(cgroup.unified);
	expect_folder(tree, cgroup.folder, "/sys/fs/cgroup/unified/user.slice");
	cgroup_clear(&cgroup);
}
END_TEST

START_TEST(the_way_up_ends_at_the_mount)
{
	const char *tree = "monitor/data/quota-v2/before";
	struct cgroup cgroup = find(tree, "cpu");
	char *folder = memory_string(cgroup.folder), *above;
	int n = 0;

	ck_assert(cgroup.unified);
	for (; folder; folder = above, n++) {
		above = cgroup_parent(&cgroup, folder);
		free(folder);
	}
	ck_assert_int_eq(n, 4);
	cgroup_clear(&cgroup);
}
END_TEST

START_TEST(a_mount_of_a_subtree_and_a_folder_with_a_space)
{
	const char *tree = "monitor/data/subtree";
	struct cgroup cgroup = find(tree, "cpu");

	expect_folder(tree, cgroup.mount, "/my cgroups/cpu");
	expect_folder(tree, cgroup.folder, "/my cgroups/cpu/inner");
	cgroup_clear(&cgroup);
}
END_TEST

START_TEST(what_is_missing_is_named)
{
	autofree char *hidden = test_data("monitor/data/hidden");
	autofree char *none = test_data("monitor/data/none");
	struct cgroup cgroup;

	ck_error(cgroup_of(hidden, "self", "cpu", &cgroup), ERR_UNAVAILABLE,
		 "the cgroup /a of the cpu controller is not visible");
	ck_error(cgroup_of(none, "self", "cpu", &cgroup), ERR_UNAVAILABLE, "/proc/self/cgroup");
}
END_TEST

START_TEST(a_field_is_found_by_its_whole_name)
{
	const char *text = "nr_periods_x 1\nnr_periods 22\nlast x";
	uint64_t value = 0;

	ck_assert(cgroup_field(text, "nr_periods", &value));
	ck_assert_uint_eq(value, 22);
	ck_assert(!cgroup_field(text, "nr", &value));
	ck_assert(!cgroup_field(text, "last", &value));
	ck_assert(!cgroup_field("", "last", &value));
}
END_TEST

UNIT_TESTS("cgroup", a_controller_of_v1_goes_before_the_unified_hierarchy,
	   the_way_up_ends_at_the_mount, a_mount_of_a_subtree_and_a_folder_with_a_space,
	   what_is_missing_is_named, a_field_is_found_by_its_whole_name)
