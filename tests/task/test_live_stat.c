// SPDX-License-Identifier: GPL-2.0-only
/* against trees that look like the /proc of other kernels */
#include "unit.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "task/live_stat.h"

struct tree {
	char root[64];
};

static void tree_open(struct tree *tree)
{
	strcpy(tree->root, "/tmp/fairtrial-stat-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(tree->root));
}

static void tree_add(const struct tree *tree, const char *name, const char *text)
{
	autofree char *path = memory_format("%s/proc/12/task/13/%s", tree->root, name);

	ck_no_error(file_make_folders(path));
	ck_no_error(file_replace(path, text, strlen(text), 0600));
}

static void tree_close(struct tree *tree)
{
	autofree char *command = memory_format("rm -r '%s'", tree->root);

	ck_assert_int_eq(system(command), 0);
}

#define SCHED                                                                                      \
	"loop (13, #threads: 1)\n"                                                                 \
	"-------------------------------------------------------\n"                                \
	"se.exec_start          :        977756.544944\n"                                          \
	"se.sum_exec_runtime    :             1.500000\n"                                          \
	"se.nr_migrations       :                    5\n"                                          \
	"nr_switches            :                   30\n"                                          \
	"nr_voluntary_switches  :                   10\n"                                          \
	"nr_involuntary_switches :                  20\n"

#define STATUS "Name:\tloop\nvoluntary_ctxt_switches:\t11\nnonvoluntary_ctxt_switches:\t22\n"

START_TEST(schedstat_and_sched_give_everything)
{
	struct live_stat_source source;
	struct live_stat stat;
	struct tree tree;

	tree_open(&tree);
	tree_add(&tree, "schedstat", "1000 2000 3\n");
	tree_add(&tree, "sched", SCHED);
	live_stat_probe(&source, tree.root, 12, 13);
	ck_assert_str_eq(source.wait, "schedstat");
	ck_assert_str_eq(source.migrations, "sched file");
	live_stat_read(&source, 12, 13, -1, &stat);
	ck_assert(stat.cpu_ns == 1000 && stat.wait_ns == 2000 && stat.migrations == 5);
	ck_assert(stat.switches == 30 && stat.involuntary == 20);
	live_stat_source_clear(&source);
	tree_close(&tree);
}
END_TEST

START_TEST(without_schedstat_the_wait_is_unknown_and_says_why)
{
	struct live_stat_source source;
	struct live_stat stat;
	struct tree tree;

	tree_open(&tree);
	tree_add(&tree, "sched", SCHED);
	live_stat_probe(&source, tree.root, 12, 13);
	ck_assert_str_eq(source.wait, "not available: /proc/PID/task/TID/schedstat: No such file "
				      "or directory");
	live_stat_read(&source, 12, 13, -1, &stat);
	ck_assert(isnan(stat.wait_ns));
	ck_assert(stat.cpu_ns == 1500000);
	live_stat_source_clear(&source);
	tree_close(&tree);
}
END_TEST

START_TEST(a_schedstat_of_zeros_is_no_measurement)
{
	struct live_stat_source source;
	struct live_stat stat;
	struct tree tree;

	tree_open(&tree);
	tree_add(&tree, "schedstat", "0 0 0\n");
	live_stat_probe(&source, tree.root, 12, 13);
	ck_assert_ptr_nonnull(strstr(source.wait, "CONFIG_SCHED_INFO"));
	live_stat_read(&source, 12, 13, -1, &stat);
	ck_assert(isnan(stat.wait_ns));
	live_stat_source_clear(&source);
	tree_close(&tree);
}
END_TEST

START_TEST(without_a_sched_file_status_and_stat_help)
{
	struct live_stat_source source;
	struct live_stat stat;
	struct tree tree;

	tree_open(&tree);
	tree_add(&tree, "status", STATUS);
	tree_add(&tree, "stat", "13 (a) b) R 1 2 3 4 5 6 7 8 9 10 40 60 13\n");
	live_stat_probe(&source, tree.root, 12, 13);
	ck_assert(source.perf);
	live_stat_read(&source, 12, 13, -1, &stat);
	ck_assert(isnan(stat.migrations));
	ck_assert(stat.switches == 33 && stat.involuntary == 22);
	ck_assert(fabs(stat.cpu_ns - 100 * 1e9 / sysconf(_SC_CLK_TCK)) < 1);
	live_stat_source_clear(&source);
	tree_close(&tree);
}
END_TEST

START_TEST(perf_that_is_refused_says_why)
{
	struct live_stat_source source;
	struct tree tree;

	tree_open(&tree);
	tree_add(&tree, "schedstat", "1000 2000 3\n");
	live_stat_probe(&source, tree.root, 12, 13);
	ck_assert_str_eq(source.migrations, "perf");
	/* no thread has this id */
	ck_assert_int_eq(live_stat_open(&source, 0x7ffffff0), -1);
	ck_assert_ptr_nonnull(strstr(source.migrations, "not available: no nr_migrations"));
	ck_assert_ptr_nonnull(strstr(source.migrations, "No such process"));
	ck_assert(!source.perf);
	live_stat_source_clear(&source);
	tree_close(&tree);
}
END_TEST

START_TEST(this_kernel_is_read_or_says_why_not)
{
	struct live_stat_source source;
	struct live_stat stat;
	int fd;

	live_stat_probe(&source, "", getpid(), gettid());
	fd = live_stat_open(&source, gettid());
	live_stat_read(&source, getpid(), gettid(), fd, &stat);
	ck_assert(stat.cpu_ns >= 0);
	ck_assert(isnan(stat.wait_ns) == !strncmp(source.wait, "not available: ", 15));
	ck_assert(isnan(stat.migrations) == !strncmp(source.migrations, "not available: ", 15));
	if (fd >= 0)
		close(fd);
	live_stat_source_clear(&source);
}
END_TEST

UNIT_TESTS("live_stat", schedstat_and_sched_give_everything,
	   without_schedstat_the_wait_is_unknown_and_says_why,
	   a_schedstat_of_zeros_is_no_measurement, without_a_sched_file_status_and_stat_help,
	   perf_that_is_refused_says_why, this_kernel_is_read_or_says_why_not)
