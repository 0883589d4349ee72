// SPDX-License-Identifier: GPL-2.0-only
#include "fixture.h"

#define MINIMAL "[variant a]\n[case c]\nworkload = beat\n"

static struct plan *read_plan(const char *text, const char *override)
{
	struct plan *plan = NULL;

	ck_no_error(fixture_read(text, override, &plan));
	return plan;
}

START_TEST(a_plan_is_read_with_its_lines)
{
	struct plan *plan = read_plan("[plan]\n"
				      "trials = 3\n"
				      "runtime = 2s\n"
				      "warmup = 100ms\n"
				      "stop-limit = 1s\n"
				      "seed = 7\n"
				      "monitor = cpu, sched\n"
				      "margin = 2%\n"
				      "label = before\n"
				      "kernel = v6.12\n"
				      "[variant off]\n"
				      "feature.NEXT_BUDDY = 0\n"
				      "env.X = a b\n"
				      "[variant on]\n"
				      "machine = big\n"
				      "[case c]\n"
				      "workers = 1, 2\n"
				      "cpus = numa-simple\n"
				      "workload = beat\n",
				      NULL);

	ck_assert_str_eq(plan->name, "f");
	ck_assert_int_eq(plan->trials, 3);
	ck_assert_uint_eq(plan->runtime_ns, 2000000000);
	ck_assert_uint_eq(plan->warmup_ns, 100000000);
	ck_assert_uint_eq(plan->stop_limit_ns, 1000000000);
	ck_assert_uint_eq(plan->seed, 7);
	ck_assert_int_eq(plan->n_monitors, 2);
	ck_assert_str_eq(plan->monitors[1], "sched");
	ck_assert_double_eq_tol(plan->margin, 0.02, 1e-12);
	ck_assert_str_eq(plan->label, "before");
	ck_assert_int_eq(plan->n_variants, 2);
	ck_assert_str_eq(plan->variants[0].name, "off");
	ck_assert_int_eq(plan->variants[0].n_settings, 2);
	ck_assert_str_eq(plan->variants[0].settings[1].key, "env.X");
	ck_assert_str_eq(plan->variants[0].settings[1].value, "a b");
	ck_assert_int_eq(plan->variants[0].settings[1].line, 13);
	ck_assert_str_eq(plan->variants[0].kernel, "v6.12");
	ck_assert_ptr_null(plan->variants[0].machine);
	ck_assert_str_eq(plan->variants[1].machine, "big");
	ck_assert_int_eq(plan->variants[1].n_settings, 0);
	ck_assert_int_eq(plan_line(plan, &plan->variants[1], "machine"), 15);
	ck_assert_int_eq(plan_line(plan, &plan->variants[1], "kernel"), 10);
	ck_assert_int_eq(plan_line(plan, NULL, "monitor"), 7);
	ck_assert_int_eq(plan_line(plan, NULL, "backend"), 0);
	ck_assert_ptr_eq(plan->cases[0].workload, &beat);
	ck_assert_str_eq(plan->cases[0].cpus, "numa-simple");
	ck_assert_int_eq(plan->cases[0].cpus_line, 18);
	ck_assert_int_eq(plan->cases[0].n_params, 1);
	ck_assert_int_eq(plan->cases[0].params[0].line, 17);
	plan_free(plan);
}
END_TEST

START_TEST(keys_that_are_not_given_have_documented_defaults)
{
	struct plan *plan = read_plan(MINIMAL, NULL);

	ck_assert_int_eq(plan->trials, 10);
	ck_assert_uint_eq(plan->runtime_ns, 10000000000);
	ck_assert_uint_eq(plan->warmup_ns, 500000000);
	ck_assert_uint_eq(plan->stop_limit_ns, 5000000000);
	ck_assert_uint_eq(plan->seed, 1);
	ck_assert_double_eq(plan->margin, 0.01);
	ck_assert_int_eq(plan->n_monitors, 0);
	ck_assert_ptr_null(plan->label);
	ck_assert_ptr_null(plan->backend);
	ck_assert_str_eq(plan->cases[0].cpus, "all");
	ck_assert_str_eq(plan->text, MINIMAL);
	plan_free(plan);
}
END_TEST

START_TEST(byte_order_mark_and_crlf_are_accepted)
{
	struct plan *plan = read_plan("\xEF\xBB\xBF[variant a]\r\nnice = 5\r\n[case c]\r\n"
				      "workload = beat\r\n",
				      NULL);

	ck_assert_str_eq(plan->variants[0].settings[0].value, "5");
	plan_free(plan);
}
END_TEST

START_TEST(what_cannot_run_is_refused_with_line_and_what_is_accepted)
{
	static const struct {
		const char *text, *part;
	} bad[] = {
		{ "", "f.plan: no case" },
		{ "[variant a]\n", "f.plan: no case: a plan needs a section [case NAME]" },
		{ "[case c]\nworkload = beat\n", "f.plan: no variant: a plan needs a section" },
		{ "[plan]\ntrails = 3\n",
		  "f.plan:2: unknown key 'trails' in [plan]: did you mean 'trials'? Accepted: "
		  "trials, runtime" },
		{ "[plan]\nzzz = 3\n", "f.plan:2: unknown key 'zzz' in [plan]; accepted: trials" },
		{ "[plan]\ntrials = 0\n", "f.plan:2: trials: '0' is not an integer from 1" },
		{ "[plan]\ntrials = 1e3\n", "f.plan:2: trials: '1e3' is not an integer" },
		{ "[plan]\ntrials = 9999999\n", "f.plan:2: trials" },
		{ "[plan]\nruntime = 0\n", "f.plan:2: runtime: '0' is not a time from 1ms" },
		{ "[plan]\nruntime = 0s\n", "f.plan:2: runtime: '0s' is not a time from 1ms" },
		{ "[plan]\nruntime = 10\n", "f.plan:2: runtime: '10' is not a time" },
		{ "[plan]\nruntime = 169h\n", "f.plan:2: runtime: '169h' is not a time from" },
		{ "[plan]\nwarmup = -1s\n", "f.plan:2: warmup: '-1s' is not a time" },
		{ "[plan]\nstop-limit = 0\n", "f.plan:2: stop-limit" },
		{ "[plan]\nseed = -1\n", "f.plan:2: seed: '-1' is not an integer from 0" },
		{ "[plan]\nmargin = 100%\n", "f.plan:2: margin: '100%' is not a margin" },
		{ "[plan]\nmargin = -1%\n", "f.plan:2: margin" },
		{ "[plan]\nmargin = few\n", "f.plan:2: margin: 'few' is not a margin" },
		{ "[plan]\nmargin = %\n", "f.plan:2: margin: '%' is not a margin" },
		{ "[plan]\nmonitor = cpu,,sched\n", "f.plan:2: monitor" },
		{ "[plan]\nmonitor = cpu, cpu\n", "f.plan:2: monitor: 'cpu' is given twice" },
		{ "[plan]\nlabel = a:b\n", "f.plan:2: label: 'a:b' contains a ':'" },
		{ "[plan]\nlabel = #1\n", "f.plan:2: label: '#1': a label does not begin with" },
		{ "[plan]\nlabel = -x\n", "f.plan:2: label: '-x': a label does not begin with" },
		{ "[plan]\nseed = 1\nseed = 2\n",
		  "f.plan:3: key 'seed' is given twice: the first is in line 2" },
		{ "[plan]\nruntime =\n", "f.plan:2: key 'runtime' has no value" },
		{ "[plan]\n[plan]\n", "f.plan:2: [plan] is given twice: the first is in line 1" },
		{ "[plan x]\n", "f.plan:1: [plan] takes no name" },
		{ "[variant]\n", "f.plan:1: a variant needs a name: [variant NAME]" },
		{ "[variant a]\n[variant a]\n", "f.plan:2: [variant a] is given twice" },
		{ "[case c]\nworkload = beat\n[case c]\n", "f.plan:3: [case c] is given twice" },
		{ "[variant a b]\n", "f.plan:1: 'a b' is no name" },
		{ "[variant a:b]\n", "f.plan:1: 'a:b' is no name" },
		{ "[variant -a]\n", "f.plan:1: '-a' is no name" },
		{ "[variant \xc3\xa9]\n", "is no name" },
		{ "[variant aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeee]\n",
		  "f.plan:1: the name is 50 characters long" },
		{ "[vairant a]\n",
		  "f.plan:1: unknown section [vairant]: did you mean 'variant NAME'?" },
		{ "[results]\n",
		  "f.plan:1: unknown section [results]; accepted: plan, variant NAME" },
		{ "[case c]\nworkers = 1\n",
		  "f.plan:1: [case c] has no key 'workload'; accepted: beat, program" },
		{ "[case c]\nworkload = baet\n",
		  "f.plan:2: unknown workload 'baet': did you mean 'beat'? Accepted: beat, program" },
		{ "[case c]\nworkload = beat\nwrokers = 1\n",
		  "f.plan:3: unknown key 'wrokers' of workload beat: did you mean 'workers'?" },
		{ "[case c]\nwrokers = 1\nworkload = beat\n",
		  "f.plan:2: unknown key 'wrokers' of workload beat" },
		{ "[case c]\nworkload = beat\ncommand = x\n",
		  "f.plan:3: unknown key 'command' of workload beat; accepted: workers, size" },
		{ "x = 1\n", "f.plan:1: a key before the first" },
		{ "[variant a]\nsysctl x = 1\n", "f.plan:2: key 'sysctl x' contains a space" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct plan *plan = NULL;

		ck_error(fixture_read(bad[i].text, NULL, &plan), ERR_INPUT, bad[i].part);
		ck_assert_ptr_null(plan);
	}
}
END_TEST

START_TEST(a_file_that_is_not_there_is_named)
{
	struct plan *plan = NULL;

	ck_error(plan_read("no/such.plan", NULL, 0, &plan), ERR_SYSTEM, "no/such.plan");
	ck_error(plan_read("/", NULL, 0, &plan), ERR_INPUT, "/ is a folder");
}
END_TEST

START_TEST(overrides_replace_and_add_keys)
{
	static const char *const overrides[] = { "trials=4",	      "margin = 5%",
						 "a.nice=3",	      "v.x.sysctl.kernel.y=1",
						 "c.workers=nr_cpus", "c.cpus=0",
						 "trials=5" };
	const char *text = "[variant a]\nnice = 1\n[variant v.x]\n[case c]\nworkload = beat\n"
			   "workers = 2\n";
	struct plan *plan = NULL, *again = NULL;

	ck_no_error(plan_read_from("f.plan", text, strlen(text), overrides, ARRAY_SIZE(overrides),
				   fixture_workloads, &plan));
	ck_assert_int_eq(plan->trials, 5);
	ck_assert_double_eq_tol(plan->margin, 0.05, 1e-12);
	ck_assert_str_eq(plan->variants[0].settings[0].value, "3");
	ck_assert_str_eq(plan->variants[1].settings[0].key, "sysctl.kernel.y");
	ck_assert_str_eq(plan->cases[0].params[0].value, "nr_cpus");
	ck_assert_str_eq(plan->cases[0].cpus, "0");

	/* what is stored reads back as what ran */
	again = read_plan(plan->text, NULL);
	ck_assert_int_eq(again->trials, 5);
	ck_assert_str_eq(again->variants[0].settings[0].value, "3");
	ck_assert_str_eq(again->variants[1].name, "v.x");
	ck_assert_str_eq(again->cases[0].cpus, "0");
	ck_assert_str_eq(again->text, plan->text);
	plan_free(again);
	plan_free(plan);
}
END_TEST

START_TEST(overrides_can_tell_a_variant_from_a_case_of_its_name)
{
	const char *text = "[variant c]\n[case c]\nworkload = beat\n";
	struct plan *plan = read_plan(text, "case c.workers=3");

	ck_assert_int_eq(plan->cases[0].n_params, 1);
	plan_free(plan);
	plan = read_plan(text, "variant c.nice=3");
	ck_assert_int_eq(plan->variants[0].n_settings, 1);
	plan_free(plan);
	ck_error(fixture_read(text, "c.nice=3", &plan), ERR_INPUT,
		 "--set: 'c.nice' may mean a variant or a case: write 'variant c.nice'");
}
END_TEST

START_TEST(wrong_overrides_are_refused)
{
	static const struct {
		const char *override, *part;
	} bad[] = {
		{ "trials=0", "--set: trials: '0' is not an integer from 1" },
		{ "trails=3", "--set: unknown key 'trails' in [plan]: did you mean 'trials'?" },
		{ "trials", "--set: 'trials' is not KEY=VALUE" },
		{ "trials=", "--set: 'trials=': key 'trials' has no value" },
		{ "=3", "--set: '=3': a value without a key" },
		{ "b.nice=3", "--set: 'b.nice' is neither a key of [plan] nor NAME.key" },
		{ "a.=3", "--set: 'a.' names no key" },
		{ "c.wrokers=3", "--set: unknown key 'wrokers' of workload beat" },
		{ "c.workload=none", "--set: unknown workload 'none'" },
		{ "trials=3\nseed=2", "is not KEY=VALUE" },
		{ "[plan]", "--set: '[plan]' is not KEY=VALUE" },
		{ "", "--set: '' is not KEY=VALUE" },
		{ "; trials=3", "is not KEY=VALUE" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct plan *plan = NULL;

		ck_error(fixture_read(MINIMAL, bad[i].override, &plan), ERR_INPUT, bad[i].part);
	}
}
END_TEST

UNIT_TESTS("plan", a_plan_is_read_with_its_lines, keys_that_are_not_given_have_documented_defaults,
	   byte_order_mark_and_crlf_are_accepted,
	   what_cannot_run_is_refused_with_line_and_what_is_accepted,
	   a_file_that_is_not_there_is_named, overrides_replace_and_add_keys,
	   overrides_can_tell_a_variant_from_a_case_of_its_name, wrong_overrides_are_refused)
