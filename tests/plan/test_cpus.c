// SPDX-License-Identifier: GPL-2.0-only
#include "fixture.h"

static struct machine *open_machine(const char *name)
{
	struct machine *machine = NULL;

	ck_no_error(machine_open(name, &machine));
	return machine;
}

static struct machine *open_holes(void)
{
	autofree char *path = test_data("plan/data/holes.machine");

	return open_machine(path);
}

/* the sets as "label=list label=list"; a '*' in front if it is a sweep */
static char *joined(const struct machine *machine, const char *text)
{
	struct cpu_choice *choices;
	char *all, *longer;
	bool swept;
	int n;

	ck_no_error(cpu_choices_read(text, machine, &choices, &n, &swept));
	all = memory_string(swept ? "*" : "");
	for (int i = 0; i < n; i++) {
		autofree char *list = cpulist_format(choices[i].cpus);

		longer = memory_format("%s%s%s=%s", all, i ? " " : "", choices[i].label, list);
		free(all);
		all = longer;
	}
	cpu_choices_free(choices, n);
	return all;
}

#define ck_choices(machine, text, expected)                                                        \
	do {                                                                                       \
		autofree char *seen_ = joined(machine, text);                                      \
		ck_assert_str_eq(seen_, expected);                                                 \
	} while (0)

#define ck_refused(machine, text, part)                                                            \
	do {                                                                                       \
		struct cpu_choice *choices_ = NULL;                                                \
		bool swept_;                                                                       \
		int n_;                                                                            \
		ck_error(cpu_choices_read(text, machine, &choices_, &n_, &swept_), ERR_INPUT,      \
			 part);                                                                    \
		ck_assert_ptr_null(choices_);                                                      \
	} while (0)

START_TEST(lists_nodes_and_llcs_name_sets)
{
	struct machine *machine = open_machine("pack:2 l3:2 core:2 pu:2");

	ck_choices(machine, "all", "all=0-15");
	ck_choices(machine, "0-3,8", "0-3,8=0-3,8");
	ck_choices(machine, "8,2-3", "2-3,8=2-3,8");
	ck_choices(machine, "node:0", "node:0=0-15");
	ck_choices(machine, "llc:1", "llc:1=4-7");
	ck_choices(machine, "llc:0,2-3", "llc:0,2-3=0-3,8-15");
	ck_choices(machine, "llc:0 | llc:0-1 | 0-7", "*llc:0=0-3 llc:0-1=0-7");
	machine_close(machine);
}
END_TEST

START_TEST(simple_forms_are_cumulative)
{
	struct machine *machine = open_machine("pack:2 l3:2 core:2 pu:2");

	ck_choices(machine, "llc-simple", "*llc:0=0-3 llc:0-1=0-7 llc:0-2=0-11 llc:0-3=0-15");
	ck_choices(machine, "numa-simple", "*node:0=0-15");
	ck_choices(machine, "simple", "*0-1=0-1 0-3=0-3 0-5=0-5 0-7=0-7 0-15=0-15");
	machine_close(machine);
	machine = open_machine("pack:2 numa:2 core:4 pu:1");
	ck_choices(machine, "numa-simple", "*node:0=0-3 node:0-1=0-7 node:0-2=0-11 node:0-3=0-15");
	machine_close(machine);
}
END_TEST

START_TEST(simple_stops_at_each_sixteenth_core_a_socket_and_all)
{
	struct machine *machine = open_machine("pack:2 core:27 pu:1");

	ck_choices(machine, "simple",
		   "*0=0 0-1=0-1 0-2=0-2 0-3=0-3 0-7=0-7 0-15=0-15 0-26=0-26 0-31=0-31 0-47=0-47 "
		   "0-53=0-53");
	machine_close(machine);
}
END_TEST

START_TEST(numbers_with_holes_are_the_kernels)
{
	struct machine *machine = open_holes();

	ck_choices(machine, "all", "all=0-4,6-7,16-19");
	ck_choices(machine, "node:0", "node:0=16-19");
	ck_choices(machine, "node:8,12", "node:8,12=0-4,6-7");
	/* node 9 has no CPUs and is passed over */
	ck_choices(machine, "numa-simple",
		   "*node:0=16-19 node:0,8=0-3,16-19 node:0,8,12=0-4,6-7,16-19");
	ck_choices(machine, "llc:5", "llc:5=16-19");
	/* CPU 7 is in no LLC: only the last set has it */
	ck_choices(machine, "llc-simple",
		   "*llc:0=0-3 llc:0,2=0-4,6 llc:0,2,5=0-4,6,16-19 all=0-4,6-7,16-19");
	/* whole cores: CPU 4 and those behind it have no sibling that is on */
	ck_choices(machine, "simple",
		   "*0-1=0-1 0-3=0-3 0-4=0-4 0-4,6=0-4,6 0-4,6-7=0-4,6-7 "
		   "0-4,6-7,16-18=0-4,6-7,16-18 0-4,6-7,16-19=0-4,6-7,16-19");
	machine_close(machine);
}
END_TEST

START_TEST(cpus_that_cannot_be_used_are_refused_with_those_that_can)
{
	struct machine *machine = open_holes();

	ck_refused(machine, "40",
		   "CPU 40 does not exist on machine holes: usable are "
		   "0-4,6-7,16-19");
	ck_refused(machine, "0-7", "CPU 5 is offline: usable are 0-4,6-7,16-19");
	ck_refused(machine, "20", "CPU 20 is offline");
	hwloc_bitmap_clr(machine->usable, 16);
	ck_refused(machine, "16-17",
		   "CPU 16 is outside of the cpuset or affinity of this process: "
		   "usable are 0-4,6-7,17-19");
	ck_choices(machine, "node:0", "node:0=17-19");
	hwloc_bitmap_clr_range(machine->usable, 16, 19);
	ck_refused(machine, "node:0",
		   "node 0 has no usable CPUs on machine holes: accepted are "
		   "8,12");
	ck_choices(machine, "numa-simple", "*node:8=0-3 node:8,12=0-4,6-7");
	ck_refused(machine, "node:9", "node 9 has no usable CPUs");
	ck_refused(machine, "node:1", "node 1 does not exist on machine holes: accepted are 8,12");
	ck_refused(machine, "llc:1", "LLC 1 does not exist on machine holes: accepted are 0,2");
	machine_close(machine);
}
END_TEST

START_TEST(what_names_no_cpus_says_what_does)
{
	struct machine *machine = open_machine("core:2 pu:1");

	ck_refused(machine, "numasimple",
		   "'numasimple' names no CPUs: did you mean 'numa-simple'?");
	ck_refused(machine, "some", "'some' names no CPUs");
	ck_refused(machine, "", "'' names no CPUs");
	ck_refused(machine, "0 |", "'' names no CPUs");
	ck_refused(machine, "node:", "'node:' is not a list of numbers such as node:0,2-3");
	ck_refused(machine, "node:a", "'node:a' is not a list of numbers");
	ck_refused(machine, "1-0", "1-0");
	ck_refused(machine, "0,,1", "0,,1");
	ck_refused(machine, "0-99999999999", "99999999999");
	ck_refused(machine, "llc:0", "machine synthetic has no LLCs");
	ck_choices(machine, "llc-simple", "*all=0-1");
	machine_close(machine);
}
END_TEST

UNIT_TESTS("cpus", lists_nodes_and_llcs_name_sets, simple_forms_are_cumulative,
	   simple_stops_at_each_sixteenth_core_a_socket_and_all, numbers_with_holes_are_the_kernels,
	   cpus_that_cannot_be_used_are_refused_with_those_that_can,
	   what_names_no_cpus_says_what_does)
