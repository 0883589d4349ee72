// SPDX-License-Identifier: GPL-2.0-only
/* machines of others, as lstopo wrote them */
#include "machine/asymmetry.h"
#include "machine/machine.h"
#include "unit.h"

static struct machine *open_data(const char *file)
{
	autofree char *name = memory_format("machine/data/%s", file);
	autofree char *path = test_data(name);
	struct machine *machine;

	ck_no_error(machine_open(path, &machine));
	return machine;
}

static void check_cpus(hwloc_const_bitmap_t cpus, const char *expected)
{
	autofree char *list = cpulist_format(cpus);

	ck_assert_str_eq(list, expected);
}

static void check_groups(const struct machine *machine, int cores, int clusters, int llcs,
			 int nodes, int packages)
{
	ck_assert_int_eq(machine->n_groups[LEVEL_CORE], cores);
	ck_assert_int_eq(machine->n_groups[LEVEL_CLUSTER], clusters);
	ck_assert_int_eq(machine->n_groups[LEVEL_LLC], llcs);
	ck_assert_int_eq(machine->n_groups[LEVEL_NODE], nodes);
	ck_assert_int_eq(machine->n_groups[LEVEL_PACKAGE], packages);
}

/* every CPU is in the group it points to, and nobody else's is claimed */
static void check_consistent(const struct machine *machine)
{
	for (int i = 0; i < machine->n_cpus; i++) {
		const struct machine_cpu *cpu = &machine->cpus[i];

		ck_assert_ptr_eq(machine_cpu(machine, cpu->id), cpu);
		for (enum machine_level level = 0; level < N_MACHINE_LEVELS; level++)
			for (int g = 0; g < machine->n_groups[level]; g++)
				ck_assert_int_eq(hwloc_bitmap_isset(machine->groups[level][g].cpus,
								    cpu->id) != 0,
						 cpu->group[level] == g);
	}
}

START_TEST(zen4_two_sockets)
{
	struct machine *machine = open_data("AMD-19h-Zen4-2xEpyc-9654.xml");
	struct machine_counts counts = machine_counts(machine, machine->usable);

	ck_assert_int_eq(machine->n_cpus, 384);
	check_groups(machine, 192, 0, 24, 1, 2);
	check_cpus(machine->groups[LEVEL_LLC][1].cpus, "8-15,200-207");
	check_cpus(machine->groups[LEVEL_PACKAGE][1].cpus, "96-191,288-383");
	ck_assert_uint_eq(machine->groups[LEVEL_LLC][0].bytes, 32 << 20);
	ck_assert_int_eq(machine_cpu(machine, 200)->thread, 1);
	ck_assert_int_eq(machine_cpu(machine, 8)->thread, 0);
	ck_assert_int_eq(counts.nr_llcs, 24);
	ck_assert_int_eq(counts.cpus_per_llc, 16);
	ck_assert_int_eq(counts.smt, 2);
	ck_assert_str_eq(machine->name, "AMD-19h-Zen4-2xEpyc-9654");
	check_consistent(machine);
	machine_close(machine);
}
END_TEST

START_TEST(offline_cpus_leave_holes)
{
	struct machine *machine = open_data("16em64t-4s2c2t-offlines.xml");

	check_cpus(machine->possible, "0-15");
	check_cpus(machine->online, "0-1,3-4,6-12,15");
	ck_assert_int_eq(machine->n_cpus, 12);
	check_groups(machine, 7, 0, 4, 1, 4);
	check_cpus(machine->groups[LEVEL_LLC][3].cpus, "6,10");
	ck_assert_ptr_null(machine_cpu(machine, 2));
	ck_assert_ptr_null(machine_cpu(machine, 5));
	ck_assert_ptr_nonnull(machine_cpu(machine, 15));
	check_consistent(machine);
	machine_close(machine);
}
END_TEST

START_TEST(hybrid_has_clusters_of_small_cores_and_two_kinds)
{
	struct machine *machine = open_data("20em64t-hybrid-1p6c2t+2ca4co1t.xml");

	ck_assert_int_eq(machine->n_cpus, 20);
	check_groups(machine, 14, 2, 1, 1, 1);
	check_cpus(machine->groups[LEVEL_CLUSTER][0].cpus, "12-15");
	check_cpus(machine->groups[LEVEL_CLUSTER][1].cpus, "16-19");
	ck_assert_int_eq(machine_cpu(machine, 0)->group[LEVEL_CLUSTER], -1);
	ck_assert_int_eq(machine->n_kinds, 2);
	check_cpus(machine->kinds[0].cpus, "12-19");
	check_cpus(machine->kinds[1].cpus, "0-11");
	ck_assert_int_eq(machine_cpu(machine, 0)->kind, 1);
	check_consistent(machine);
	machine_close(machine);
}
END_TEST

START_TEST(eight_nodes_with_shared_l2_and_distances)
{
	struct machine *machine = open_data("64amd64-4s2n4ca2co.xml");

	ck_assert_int_eq(machine->n_cpus, 64);
	check_groups(machine, 64, 32, 8, 8, 4);
	ck_assert_ptr_nonnull(machine->distances);
	ck_assert_uint_eq(machine_distance(machine, 0, 0), 10);
	ck_assert_uint_eq(machine_distance(machine, 0, 3), 22);
	ck_assert_uint_eq(machine_distance(machine, 5, 3), 16);
	check_cpus(machine->groups[LEVEL_NODE][5].cpus, "40-47");
	check_consistent(machine);
	machine_close(machine);
}
END_TEST

START_TEST(newer_format_says_so)
{
	autofree char *path = test_data("machine/data/newer-format-3.0.xml");
	struct machine *machine;

	ck_error(machine_open(path, &machine), ERR_INPUT,
		 "newer-format-3.0.xml: written in format "
		 "3.0 by a newer hwloc");
}
END_TEST

START_TEST(broken_xml_is_refused)
{
	static const char *const wrong[] = {
		"",
		"garbage",
		"<topology version=\"2.0\"></topology>",
		"<?xml version=\"1.0\"?>\n<topology version=\"2.0\">\n<object type=\"Mach",
	};
	char path[] = "/tmp/fairtrial-XXXXXX.xml";
	int descriptor = mkstemps(path, 4);
	struct machine *machine;

	ck_assert_int_ge(descriptor, 0);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		FILE *file = fopen(path, "w");

		fputs(wrong[i], file);
		fclose(file);
		ck_error(machine_open(path, &machine), ERR_INPUT, path);
	}
	remove(path);
	ck_error(machine_open(path, &machine), ERR_SYSTEM, "No such file");
}
END_TEST

START_TEST(synthetic_string_is_a_machine)
{
	struct machine *machine;

	ck_no_error(machine_open("pack:2 [numa] l3:2(size=8MiB) core:2 pu:2", &machine));
	ck_assert_int_eq(machine->n_cpus, 16);
	check_groups(machine, 8, 0, 4, 2, 2);
	ck_assert_uint_eq(machine->groups[LEVEL_LLC][3].bytes, 8 << 20);
	ck_assert_str_eq(machine->name, "synthetic");
	check_consistent(machine);
	machine_close(machine);
	ck_error(machine_open("pack:2 pu:x", &machine), ERR_INPUT, "not a synthetic machine");
	ck_error(machine_open("pack:0 pu:2", &machine), ERR_INPUT, "not a synthetic machine");
	ck_error(machine_open("pack:2000 core:100000 pu:2", &machine), ERR_INPUT,
		 "more than 8192 CPUs");
}
END_TEST

START_TEST(sizes_that_a_synthetic_string_does_not_tell_are_unknown)
{
	struct machine *machine;

	ck_no_error(machine_open("numa:2 l3:1 l2:2(size=1MiB) core:2 pu:1", &machine));
	ck_assert_uint_eq(machine->groups[LEVEL_NODE][0].bytes, 0);
	ck_assert_uint_eq(machine->groups[LEVEL_LLC][0].bytes, 0);
	ck_assert_uint_eq(machine->groups[LEVEL_CLUSTER][0].bytes, 1 << 20);
	machine_close(machine);
}
END_TEST

START_TEST(machine_without_caches_has_no_llc_and_counts_one)
{
	struct machine *machine;
	struct machine_counts counts;

	ck_no_error(machine_open("core:2 pu:1", &machine));
	counts = machine_counts(machine, machine->usable);
	check_groups(machine, 2, 0, 0, 1, 0);
	ck_assert_int_eq(counts.nr_llcs, 1);
	ck_assert_int_eq(counts.nr_sockets, 1);
	ck_assert_int_eq(counts.cpus_per_llc, 2);
	ck_assert_int_eq(counts.smt, 1);
	machine_close(machine);
}
END_TEST

START_TEST(counts_are_of_the_set_that_is_asked_for)
{
	struct machine *machine = open_data("AMD-19h-Zen4-2xEpyc-9654.xml");
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
	struct machine_counts counts;

	ck_no_error(cpulist_parse("0-3,8,500", cpus));
	counts = machine_counts(machine, cpus);
	ck_assert_int_eq(counts.nr_cpus, 5);
	ck_assert_int_eq(counts.nr_cores, 5);
	ck_assert_int_eq(counts.nr_llcs, 2);
	ck_assert_int_eq(counts.nr_sockets, 1);
	ck_assert_int_eq(counts.cpus_per_llc, 2);
	ck_assert_int_eq(counts.smt, 1);
	hwloc_bitmap_free(cpus);
	machine_close(machine);
}
END_TEST

START_TEST(unknown_name_lists_what_is_accepted)
{
	struct machine *machine;

	ck_error(machine_open("no-such-machine-anywhere", &machine), ERR_INPUT,
		 "no machine 'no-such-machine-anywhere'");
	ck_error(machine_open("liev", &machine), ERR_INPUT, "did you mean 'live'?");
}
END_TEST

UNIT_TESTS("machine", zen4_two_sockets, offline_cpus_leave_holes,
	   hybrid_has_clusters_of_small_cores_and_two_kinds,
	   eight_nodes_with_shared_l2_and_distances, newer_format_says_so, broken_xml_is_refused,
	   synthetic_string_is_a_machine, sizes_that_a_synthetic_string_does_not_tell_are_unknown,
	   machine_without_caches_has_no_llc_and_counts_one,
	   counts_are_of_the_set_that_is_asked_for, unknown_name_lists_what_is_accepted)
