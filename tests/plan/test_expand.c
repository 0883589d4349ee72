// SPDX-License-Identifier: GPL-2.0-only
#include "fixture.h"

struct expanded {
	struct plan *plan;
	struct machine *machine;
	struct case_instance *cases;
	int n;
};

static struct expanded expand(const char *machine, const char *text)
{
	struct expanded all = { 0 };

	ck_no_error(machine_open(machine, &all.machine));
	ck_no_error(fixture_read(text, NULL, &all.plan));
	ck_no_error(plan_expand(all.plan, all.machine, &all.cases, &all.n));
	return all;
}

static void drop(struct expanded *all)
{
	case_instances_free(all->cases, all->n);
	plan_free(all->plan);
	machine_close(all->machine);
}

/* the names, one a line */
static char *names(const struct expanded *all)
{
	char *text = memory_string(""), *longer;

	for (int i = 0; i < all->n; i++) {
		longer = memory_format("%s%s\n", text, all->cases[i].name);
		free(text);
		text = longer;
	}
	return text;
}

#define PLAN(cases) "[variant a]\n[case c]\nworkload = beat\n" cases

START_TEST(defaults_and_expressions_are_of_the_cpus_of_the_case)
{
	struct expanded all = expand("pack:2 l3:2 core:2 pu:2", PLAN("cpus = llc:1\n"
								     "size = nr_cores * 4096\n"));

	ck_assert_int_eq(all.n, 1);
	ck_assert_str_eq(all.cases[0].name, "c");
	ck_assert_str_eq(all.cases[0].cpus_text, "4-7");
	ck_assert_ptr_eq(all.cases[0].workload, &beat);
	ck_assert_ptr_eq(all.cases[0].section, &all.plan->cases[0]);
	ck_assert_int_eq(params_number(&all.cases[0].params, "workers"), 4);
	ck_assert_int_eq(params_number(&all.cases[0].params, "size"), 8192);
	ck_assert_str_eq(params_text(&all.cases[0].params, "size"), "8K");
	ck_assert_str_eq(params_text(&all.cases[0].params, "mode"), "pipe");
	ck_assert_int_eq(all.cases[0].params.n, 5);
	drop(&all);
}
END_TEST

START_TEST(sweeps_are_a_cross_product_with_the_last_line_fastest)
{
	struct expanded all = expand("core:4 pu:1", PLAN("mode = pipe, futex\n"
							 "workers = 1..2\n"));
	autofree char *text = names(&all);

	ck_assert_str_eq(text, "c mode=pipe workers=1\n"
			       "c mode=pipe workers=2\n"
			       "c mode=futex workers=1\n"
			       "c mode=futex workers=2\n");
	ck_assert_int_eq(params_number(&all.cases[2].params, "mode"), 2);
	ck_assert_int_eq(params_number(&all.cases[2].params, "workers"), 1);
	drop(&all);
}
END_TEST

START_TEST(sets_of_cpus_are_the_slowest_sweep_and_size_the_rest)
{
	struct expanded all = expand("l3:2 core:2 pu:1", PLAN("workers = 1..nr_cpus step *2\n"
							      "cpus = llc-simple\n"));
	autofree char *text = names(&all);

	ck_assert_str_eq(text, "c workers=1 cpus=llc:0\n"
			       "c workers=2 cpus=llc:0\n"
			       "c workers=1 cpus=llc:0-1\n"
			       "c workers=2 cpus=llc:0-1\n"
			       "c workers=4 cpus=llc:0-1\n");
	ck_assert_str_eq(all.cases[4].cpus_text, "0-3");
	drop(&all);
}
END_TEST

START_TEST(a_sweep_keeps_its_name_where_it_has_one_value)
{
	struct expanded all = expand("core:1 pu:1", PLAN("workers = 1, nr_cpus\ncpus = simple\n"));
	autofree char *text = names(&all);

	ck_assert_str_eq(text, "c workers=1 cpus=0\n");
	drop(&all);
}
END_TEST

START_TEST(cases_stay_in_the_order_of_the_file_and_names_are_unique)
{
	struct expanded all = expand("pack:2 core:4 pu:2",
				     "[variant a]\n"
				     "[case z]\nworkload = beat\nworkers = 1..4\ncpus = simple\n"
				     "[case b]\nworkload = program\ncommand = a, b\n"
				     "[case c]\nworkload = beat\nmode = pipe, socket, futex\n");

	ck_assert_int_eq(all.n, 4 * 5 + 1 + 3);
	ck_assert_str_eq(all.cases[20].name, "b");
	ck_assert_str_eq(params_text(&all.cases[20].params, "command"), "a, b");
	for (int i = 0; i < all.n; i++)
		for (int k = 0; k < i; k++)
			ck_assert_str_ne(all.cases[i].name, all.cases[k].name);
	drop(&all);
}
END_TEST

START_TEST(a_quota_reduces_what_cases_are_sized_by)
{
	struct machine *machine = NULL;
	struct machine_counts counts;

	ck_no_error(machine_open("pack:2 l3:2 core:4 pu:2", &machine));
	machine->quota.cpus = 3.99;
	counts = plan_counts(machine, machine->usable);
	ck_assert_int_eq(counts.nr_cpus, 4);
	ck_assert_int_eq(counts.nr_cores, 4);
	ck_assert_int_eq(counts.nr_llcs, 4);
	ck_assert_int_eq(counts.nr_sockets, 2);
	ck_assert_int_eq(counts.cpus_per_llc, 1);
	ck_assert_int_eq(counts.cpus_per_node, 4);
	ck_assert_int_eq(counts.smt, 2);
	machine->quota.cpus = 64;
	ck_assert_int_eq(plan_counts(machine, machine->usable).nr_cpus, 32);
	machine_close(machine);
}
END_TEST

START_TEST(what_this_machine_cannot_do_is_refused_with_its_line)
{
	static const struct {
		const char *text, *part;
	} bad[] = {
		{ PLAN("workers = nr_cpus / (smt - 1)\n"),
		  "f.plan:4: workers: 'nr_cpus / (smt - 1)', character 20: division by zero" },
		{ PLAN("workers = nr_cpus / 8\n"), "f.plan:4: workers: 'nr_cpus / 8' is 0.5 here" },
		{ PLAN("mode = pipe\nworkers = 1, frogs\n"),
		  "f.plan:5: workers: 'frogs', character" },
		{ PLAN("mode = tube\n"), "f.plan:4: mode: unknown word 'tube'" },
		{ PLAN("cpus = 0-9\n"), "f.plan:4: cpus: CPU 4 does not exist on machine" },
		{ PLAN("cpus = node:3\n"), "f.plan:4: cpus: node 3 does not exist on machine" },
		{ "[variant a]\n[case c]\nworkload = program\n",
		  "f.plan:2: [case c] has no key 'command', which workload program needs: what to "
		  "run" },
		{ PLAN("workers = 1..200\nsize = 4096..1M step 4096\n"),
		  "f.plan:2: the sweeps of [case c] lead to more than 10000 cases" },
		{ "[plan]\ntrials = 100000\n" PLAN("workers = 1..11\n"),
		  "f.plan: 11 cases x 1 variants x 100000 trials are too many" },
	};
	struct machine *machine = NULL;

	ck_no_error(machine_open("core:4 pu:1", &machine));
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct case_instance *cases = NULL;
		struct plan *plan = NULL;
		int n = 0;

		ck_no_error(fixture_read(bad[i].text, NULL, &plan));
		ck_error(plan_expand(plan, machine, &cases, &n), ERR_INPUT, bad[i].part);
		ck_assert_ptr_null(cases);
		plan_free(plan);
	}
	machine_close(machine);
}
END_TEST

START_TEST(an_override_that_this_machine_cannot_do_is_named)
{
	struct case_instance *cases = NULL;
	struct machine *machine = NULL;
	struct plan *plan = NULL;
	int n;

	ck_no_error(machine_open("core:4 pu:1", &machine));
	ck_no_error(fixture_read(PLAN(""), "c.cpus=7", &plan));
	ck_error(plan_expand(plan, machine, &cases, &n), ERR_INPUT, "--set: cpus: CPU 7 does not");
	plan_free(plan);
	ck_no_error(fixture_read(PLAN(""), "c.workers=1/0", &plan));
	ck_error(plan_expand(plan, machine, &cases, &n), ERR_INPUT, "--set: workers: '1/0'");
	plan_free(plan);
	machine_close(machine);
}
END_TEST

/* a program's folder or command has no default */
static bool must_be_told(const struct workload *workload)
{
	for (const struct param *param = workload->params; param->name; param++)
		if (!param->def)
			return true;
	return false;
}

START_TEST(defaults_of_every_workload_expand_on_one_cpu_and_on_many)
{
	static const char *const machines[] = { "core:1 pu:1", "pack:2 numa:2 l3:2 core:4 pu:2" };

	for (size_t i = 0; i < ARRAY_SIZE(machines); i++) {
		for (const struct workload *const *at = workload_all(); *at; at++) {
			autofree char *text = memory_format(
				"[variant a]\n[case c]\nworkload = %s\n", (*at)->name);
			struct expanded all = { 0 };

			ck_no_error(machine_open(machines[i], &all.machine));
			ck_no_error(plan_read_text("f.plan", text, NULL, 0, &all.plan));
			if (must_be_told(*at)) {
				ck_error(plan_expand(all.plan, all.machine, &all.cases, &all.n),
					 ERR_INPUT, "has no key");
			} else {
				ck_no_error(plan_expand(all.plan, all.machine, &all.cases, &all.n));
				ck_assert_int_eq(all.n, 1);
			}
			drop(&all);
		}
	}
}
END_TEST

UNIT_TESTS("expand", defaults_and_expressions_are_of_the_cpus_of_the_case,
	   sweeps_are_a_cross_product_with_the_last_line_fastest,
	   sets_of_cpus_are_the_slowest_sweep_and_size_the_rest,
	   a_sweep_keeps_its_name_where_it_has_one_value,
	   cases_stay_in_the_order_of_the_file_and_names_are_unique,
	   a_quota_reduces_what_cases_are_sized_by,
	   what_this_machine_cannot_do_is_refused_with_its_line,
	   an_override_that_this_machine_cannot_do_is_named,
	   defaults_of_every_workload_expand_on_one_cpu_and_on_many)
