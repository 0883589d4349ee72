/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * live_fixture.h - small teams on this machine
 *
 * Tests make a fixture, add workers, run it, look at fixture.report, and drop it.
 */
#ifndef FT_TESTS_LIVE_FIXTURE_H
#define FT_TESTS_LIVE_FIXTURE_H

#include "unit.h"

#include <signal.h>
#include <unistd.h>

#include "task/live.h"

#define MS 1000000ull

struct fixture {
	struct live_options options;
	struct team *team;
	struct team_report report;
};

/* runs for 50 ms, no warm-up; set options before fixture_open() for anything else */
#define FIXTURE                                                                                    \
	{                                                                                          \
		.options = {.runtime_ns = 50 * MS, .stop_limit_ns = 5000 * MS }                    \
	}

static inline void fixture_open(struct fixture *fixture)
{
	ck_no_error(live_team_new(&fixture->options, &fixture->team));
}

static inline void fixture_add(struct fixture *fixture, task_body body, void *data)
{
	struct worker_spec spec = { .body = body, .data = data, .process = -1 };

	team_add(fixture->team, &spec);
}

static inline void fixture_run(struct fixture *fixture)
{
	ck_no_error(live_team_run(fixture->team, &fixture->report));
}

static inline void fixture_run_well(struct fixture *fixture)
{
	fixture_run(fixture);
	ck_assert_msg(!fixture->report.failure, "%s", fixture->report.failure);
}

static inline void fixture_run_badly(struct fixture *fixture, const char *part)
{
	fixture_run(fixture);
	ck_assert_ptr_nonnull(fixture->report.failure);
	ck_assert_msg(strstr(fixture->report.failure, part) != NULL, "\"%s\" has no \"%s\"",
		      fixture->report.failure, part);
}

static inline void fixture_close(struct fixture *fixture)
{
	team_report_clear(&fixture->report);
	live_team_free(fixture->team);
}

static inline uint64_t fixture_count(const struct fixture *fixture, int worker)
{
	return fixture->report.workers[worker].counters[0];
}

/* counts until the end */
static inline void body_busy(struct task *task, void *data)
{
	(void)data;
	while (task_running(task))
		task_count(task, 0, 1);
}

static inline bool process_exists(pid_t pid)
{
	return !kill(pid, 0);
}

#endif
