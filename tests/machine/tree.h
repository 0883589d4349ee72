/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tree.h - recorded /proc and /sys trees, made by the test that reads them
 */
#ifndef FT_TESTS_MACHINE_TREE_H
#define FT_TESTS_MACHINE_TREE_H

#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "unit.h"

/* a new empty folder; removed with tree_remove() */
static inline char *tree_new(void)
{
	char *root = memory_string("/tmp/fairtrial-tree.XXXXXX");

	ck_assert_ptr_nonnull(mkdtemp(root));
	return root;
}

static inline void tree_remove(char *root)
{
	autofree char *command = memory_format("rm -rf '%s'", root);

	ck_assert_int_eq(system(command), 0);
	free(root);
}

/* a file below @root, with its folders */
static inline void tree_write(const char *root, const char *name, const char *text)
{
	autofree char *path = memory_format("%s%s", root, name);
	FILE *file;

	ck_no_error(file_make_folders(path));
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	ck_assert_int_eq(fclose(file), 0);
}

/* /proc/self of a process in those cgroups: the lines of /proc/self/cgroup and of mountinfo */
static inline void tree_cgroups(const char *root, const char *cgroup, const char *mountinfo)
{
	tree_write(root, "/proc/self/cgroup", cgroup);
	tree_write(root, "/proc/self/mountinfo", mountinfo);
}

#define TREE_MOUNT_V2 "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n"
#define TREE_MOUNT_V1                                                                              \
	"31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n"                                        \
	"32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"              \
	"34 31 0:31 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"

#endif
