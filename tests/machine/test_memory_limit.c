// SPDX-License-Identifier: GPL-2.0-only
#include "machine/machine.h"
#include "tree.h"

#define MEMORY_MOUNT_V1 "36 31 0:33 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"

static void check_memory(const char *root, uint64_t bytes, const char *source)
{
	char *told;

	ck_assert_uint_eq(machine_memory_read(root, &told), bytes);
	if (source)
		ck_assert_str_eq(told, source);
	else
		ck_assert_ptr_null(told);
	free(told);
}

static void write_meminfo(const char *root)
{
	tree_write(root, "/proc/meminfo",
		   "MemTotal:        8000000 kB\nMemFree:          100000 kB\n"
		   "MemAvailable:    6000000 kB\n");
}

START_TEST(without_limits_it_is_memavailable)
{
	char *root = tree_new();

	check_memory(root, 0, NULL);
	write_meminfo(root);
	check_memory(root, 6144000000, "MemAvailable");
	tree_remove(root);
}
END_TEST

START_TEST(the_tightest_cgroup_counts_without_the_cache_it_can_drop)
{
	char *root = tree_new();

	write_meminfo(root);
	tree_cgroups(root, "0::/a/b\n", TREE_MOUNT_V2);
	tree_write(root, "/sys/fs/cgroup/a/memory.max", "2000000000\n");
	tree_write(root, "/sys/fs/cgroup/a/memory.current", "1500000000\n");
	tree_write(root, "/sys/fs/cgroup/a/memory.stat",
		   "anon 200000000\ninactive_file 1000000000\nactive_file 7\n");
	tree_write(root, "/sys/fs/cgroup/a/b/memory.max", "max\n");
	tree_write(root, "/sys/fs/cgroup/a/b/memory.current", "1\n");
	check_memory(root, 1500000000, "the memory limit of cgroup /sys/fs/cgroup/a");
	tree_write(root, "/sys/fs/cgroup/a/memory.max", "9000000000\n");
	check_memory(root, 6144000000, "MemAvailable");
	tree_write(root, "/sys/fs/cgroup/a/memory.max", "1\n");
	check_memory(root, 0, "the memory limit of cgroup /sys/fs/cgroup/a");
	tree_remove(root);
}
END_TEST

START_TEST(version_1_has_its_own_files)
{
	char *root = tree_new();

	write_meminfo(root);
	tree_cgroups(root, "9:memory:/job\n", MEMORY_MOUNT_V1);
	tree_write(root, "/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "1000000\n");
	tree_write(root, "/sys/fs/cgroup/memory/job/memory.usage_in_bytes", "400000\n");
	check_memory(root, 600000, "the memory limit of cgroup /sys/fs/cgroup/memory/job");
	tree_remove(root);
}
END_TEST

UNIT_TESTS("memory limit", without_limits_it_is_memavailable,
	   the_tightest_cgroup_counts_without_the_cache_it_can_drop, version_1_has_its_own_files)
