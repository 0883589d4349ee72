/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fixture.h - workloads that exist for tests of plans alone, with a parameter of each type
 */
#ifndef FT_TESTS_PLAN_FIXTURE_H
#define FT_TESTS_PLAN_FIXTURE_H

#include "plan/internal.h"
#include "unit.h"

static const struct param beat_params[] = {
	{ "workers", PARAM_COUNT, .def = "nr_cpus", .help = "workers" },
	{ "size", PARAM_SIZE, .def = "64K", .min = 4096, .help = "working set" },
	{ "sleep", PARAM_DURATION, .def = "0", .help = "pause" },
	{ "mode", PARAM_CHOICE, .def = "pipe", .choices = "pipe socket futex", .help = "channel" },
	{ "exec", PARAM_BOOL, .def = "no", .help = "exec" },
	{}
};

static const struct param program_params[] = { { "command", PARAM_TEXT, .help = "what to run" },
					       {} };

static const struct workload beat = { .name = "beat", .params = beat_params };
static const struct workload program = { .name = "program", .params = program_params };
static const struct workload *const fixture_workloads[] = { &beat, &program, NULL };

/* reads a plan text whose file is called "f.plan" */
static inline struct error *fixture_read(const char *text, const char *override, struct plan **out)
{
	return plan_read_from("f.plan", text, strlen(text), &override, override != NULL,
			      fixture_workloads, out);
}

#endif
