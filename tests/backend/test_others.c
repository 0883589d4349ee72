// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/others.h"
#include "base/file.h"

static const char *write_stat(const char *root, const char *text)
{
	autofree char *folder = memory_format("%s/proc", root);
	autofree char *path = memory_format("%s/stat", folder);

	mkdir(folder, 0755);
	ck_no_error(file_replace(path, text, strlen(text), 0644));
	return root;
}

static struct others_reading reading_of(const char *root, const char *text)
{
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
	struct others_reading reading;

	hwloc_bitmap_set_range(cpus, 1, 2);
	ck_no_error(others_read(write_stat(root, text), cpus, &reading));
	hwloc_bitmap_free(cpus);
	return reading;
}

/* user, nice, system, idle, iowait, irq, softirq, steal of two CPUs of the case and of one beside it */
#define BEFORE                                                                                     \
	"cpu  0 0 0 0 0 0 0 0\ncpu0 9 9 9 9 9 9 9 9\ncpu1 0 0 0 0 0 0 0 0\n"                       \
	"cpu2 0 0 0 0 0 0 0 0\nctxt 1\n"
#define AFTER                                                                                      \
	"cpu  0 0 0 0 0 0 0 0\ncpu0 999 0 0 9 9 9 9 9\ncpu1 40 10 20 20 10 0 0 0\n"                \
	"cpu2 30 0 0 60 0 5 0 5\nctxt 2\n"

START_TEST(what_the_workers_did_not_take_of_their_cpus_others_took)
{
	autofree char *root = memory_string("/tmp/test-others-XXXXXX");
	struct others_reading before, after;
	double hz = sysconf(_SC_CLK_TCK);

	ck_assert_ptr_nonnull(mkdtemp(root));
	before = reading_of(root, BEFORE);
	after = reading_of(root, AFTER);
	/* 110 of 200 ticks are busy; stolen time is, waiting for a disk is not */
	ck_assert_double_eq_tol(others_share(&before, &after, 0), 55, 1e-9);
	ck_assert_double_eq_tol(others_share(&before, &after, 60 / hz), 25, 1e-9);
	/* ticks are coarser than what the workers' time is read from */
	ck_assert_double_eq(others_share(&before, &after, 120 / hz), 0);
	ck_assert(isnan(others_share(&before, &after, NAN)));
	ck_assert(isnan(others_share(&before, &before, 0)));
}
END_TEST

UNIT_TESTS("backend: others", what_the_workers_did_not_take_of_their_cpus_others_took)
