/* SPDX-License-Identifier: GPL-2.0-only */
/* replay.h - monitors that read recorded trees, and checks of what they give */
#ifndef FT_TESTS_REPLAY_H
#define FT_TESTS_REPLAY_H

#include <math.h>

#include "monitor/monitor.h"
#include "unit.h"

/*
 * replay - a monitor from one recorded tree of tests/monitor/data to another, over CPUs 0 and 109 and the
 * workers 501 and 502
 */
static inline struct trial replay(const char *name, const char *before, const char *after,
				  double seconds)
{
	static const pid_t pids[] = { 501, 502 };
	autofree char *first = memory_format("monitor/data/%s", before);
	autofree char *second = memory_format("monitor/data/%s", after);
	autofree char *from = test_data(first), *to = test_data(second);
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
	struct monitor_context context = { .cpus = cpus, .pids = pids, .n_pids = 2 };
	char *names[] = { (char *)name };
	struct monitor_set *set;
	struct trial trial = { 0 };

	hwloc_bitmap_set(cpus, 0);
	hwloc_bitmap_set(cpus, 109);
	ck_no_error(monitor_set_new(names, 1, &set));
	context.root = from;
	context.now_ns = 1000000000;
	monitor_set_start(set, &context);
	context.root = to;
	context.now_ns += (uint64_t)(seconds * 1e9);
	monitor_set_stop(set, &context, &trial);
	monitor_set_free(set);
	hwloc_bitmap_free(cpus);
	return trial;
}

static inline void expect(const struct trial *trial, const char *name, double value,
			  const char *unit)
{
	const struct metric *metric = trial_metric(trial, name);

	ck_assert_msg(metric != NULL, "no metric %s", name);
	ck_assert_msg(!metric->unavailable, "%s: %s", name, metric->unavailable);
	ck_assert_str_eq(metric->unit, unit);
	ck_assert_double_eq_tol(metric->value, value, 1e-9);
	ck_assert_int_eq(metric->better, BETTER_NEITHER);
}

static inline void expect_reason(const struct trial *trial, const char *name, const char *part)
{
	const struct metric *metric = trial_metric(trial, name);
	const char *reason;

	ck_assert_msg(metric != NULL, "no metric %s", name);
	reason = metric->unavailable ? metric->unavailable : "";
	ck_assert_msg(isnan(metric->value) && *reason, "%s has a value", name);
	ck_assert_msg(strstr(reason, part) != NULL, "%s: %s; expected '%s'", name, reason, part);
}

#endif
