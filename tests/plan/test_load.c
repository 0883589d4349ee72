// SPDX-License-Identifier: GPL-2.0-only
#include "fixture.h"

static const struct param rate_params[] = {
	{ "workers", PARAM_COUNT, .def = "nr_cpus", .help = "workers" },
	{ "rate", PARAM_COUNT, .def = "1", .min = 1, .max = 10, .help = "requests a second" },
	{}
};

static const struct workload requests = { .name = "requests",
					  .params = rate_params,
					  .load = "workers rate" };
static const struct workload *const workloads[] = { &requests, &beat, NULL };

static struct plan *plan;
static struct machine *machine;
static struct case_instance *cases;
static int n_cases;

static struct error *expand(const char *of_case)
{
	autofree char *text = memory_format("[variant a]\n[case c]\n%s\n", of_case);
	struct error *error =
		plan_read_from("f.plan", text, strlen(text), NULL, 0, workloads, &plan);

	if (error)
		return error;
	ck_no_error(machine_open("pack:2 core:4 pu:2", &machine));
	error = plan_expand(plan, machine, &cases, &n_cases);
	if (error) {
		machine_close(machine);
		plan_free(plan);
	}
	return error;
}

static void drop(void)
{
	case_instances_free(cases, n_cases);
	cases = NULL;
	n_cases = 0;
	machine_close(machine);
	plan_free(plan);
}

static void ck_case(int index, const char *name, const char *workers)
{
	ck_assert_str_eq(cases[index].name, name);
	ck_assert_str_eq(params_text(&cases[index].params, "workers"), workers);
}

START_TEST(per_cent_are_of_the_cpus_of_the_case)
{
	ck_no_error(expand("workload = requests\nload = 25%, 50%, 100%, 200% of nr_cpus"));
	ck_assert_int_eq(n_cases, 4);
	ck_case(0, "c load=25%", "4");
	ck_case(1, "c load=50%", "8");
	ck_case(2, "c load=100%", "16");
	ck_case(3, "c load=200%", "32");
	drop();
	ck_no_error(expand("workload = requests\nload = 50%\ncpus = 0-2"));
	ck_case(0, "c", "1");
	drop();
	/* what comes out equal is run once, as in every sweep; never less than one */
	ck_no_error(expand("workload = requests\nload = 1%, 5%, 50%\ncpus = 0-1"));
	ck_assert_int_eq(n_cases, 1);
	ck_case(0, "c load=1%", "1");
	drop();
}
END_TEST

START_TEST(load_of_a_saturation_is_set_when_it_is_found)
{
	ck_no_error(expand("workload = requests\n"
			   "load = 25% of saturation, saturation, 100% of saturation, 150%"));
	ck_assert_int_eq(n_cases, 3);
	ck_case(0, "c load=25%-of-saturation", "to be found");
	ck_case(1, "c load=saturation", "to be found");
	ck_case(2, "c load=150%", "24");
	ck_assert(cases[1].load.of_saturation && !cases[2].load.of_saturation);
	ck_assert_int_eq(cases[1].load.group, 0);
	case_load_found(&cases[0], 13);
	case_load_found(&cases[1], 13);
	ck_case(0, "c load=25%-of-saturation", "3");
	ck_case(1, "c load=saturation", "13");
	ck_assert_int_eq(params_number(&cases[1].params, "workers"), 13);
	drop();
}
END_TEST

START_TEST(cases_that_differ_in_more_than_load_have_searches_of_their_own)
{
	ck_no_error(
		expand("workload = requests\nrate = 1, 2\nload = saturation, 50% of saturation\n"
		       "cpus = 0-3 | 0-7"));
	ck_assert_int_eq(n_cases, 8);
	ck_assert_str_eq(cases[0].name, "c rate=1 load=saturation cpus=0-3");
	for (int i = 0; i < 8; i++)
		ck_assert_int_eq(cases[i].load.group, i / 2 * 2);
	drop();
}
END_TEST

START_TEST(load_by_chooses_another_parameter_within_its_limits)
{
	ck_no_error(expand("workload = requests\nload-by = rate\nload = 25%, 500% of saturation"));
	ck_assert_str_eq(params_text(&cases[0].params, "rate"), "4");
	ck_case(0, "c load=25%", "16");
	case_load_found(&cases[1], 4);
	ck_assert_str_eq(params_text(&cases[1].params, "rate"), "10");
	drop();
	ck_error(expand("workload = requests\nload-by = rate\nload = 100%"), ERR_INPUT,
		 "f.plan:5: load: 100% of nr_cpus is 16 here: rate takes from 1 to 10");
}
END_TEST

START_TEST(wrong_loads_are_refused_with_their_line)
{
	static const char *const wrong[] = {
		"full",	   "%", "0%", "-5%", "50", "50% of llcs", "1e9%", "saturation saturation",
		"50%,,60%"
	};

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		autofree char *text = memory_format("workload = requests\nload = %s", wrong[i]);

		ck_error(expand(text), ERR_INPUT, "f.plan:4: load: '");
	}
	ck_error(expand("workload = beat\nload = 50%"), ERR_INPUT,
		 "f.plan:4: load: workload beat has no parameter that is its load");
	ck_error(expand("workload = requests\nload = 50%\nload-by = size"), ERR_INPUT,
		 "f.plan:5: load-by: 'size' is no load of workload requests; there is: workers "
		 "rate");
	ck_error(expand("workload = requests\nworkers = 3\nload = 50%"), ERR_INPUT,
		 "f.plan:5: load: it stands for 'workers' here, which is given too");
	ck_error(expand("workload = requests\nload-by = rate"), ERR_INPUT,
		 "f.plan:4: load-by: there is no 'load'");
}
END_TEST

UNIT_TESTS("load", per_cent_are_of_the_cpus_of_the_case,
	   load_of_a_saturation_is_set_when_it_is_found,
	   cases_that_differ_in_more_than_load_have_searches_of_their_own,
	   load_by_chooses_another_parameter_within_its_limits,
	   wrong_loads_are_refused_with_their_line)
